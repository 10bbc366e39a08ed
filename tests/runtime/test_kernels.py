"""Kernels compile with what LLVM is told about them, and compute what the loops say."""

import threading

import numpy as np
from numba import njit

import adc
from adc.runtime.kernels import rows_checked_apart


def history(a, e):
    """Each row is made from the row before, in one array."""
    rows = np.zeros(e.shape)
    rows[0] = e[0]
    for t in range(1, e.shape[0]):
        rows[t] = np.tanh(rows[t - 1] * a + e[t]) * np.exp(-(rows[t - 1] ** 2))
    return np.sum(rows[-1] ** 2)


def test_rows_of_one_array_that_a_loop_reads_and_writes():
    r = np.random.default_rng(1)
    a, e = r.normal(size=37), r.normal(size=(9, 37))
    found = adc.grad(history, (0, 1), mode="compiled")(a, e)
    for x, y in zip(found, adc.grad(history, (0, 1), mode="tape")(a, e), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14)


def test_rows_that_are_the_same_row():
    """The check at each row is made: here it finds that the rows overlap."""

    @njit(error_model="numpy")
    def shifted(s, p, q):
        for _ in range(2):
            for j in range(s.shape[1] - 1):
                s[q, j + 1] = s[p, j] * 0.5 + s[q, j + 1]

    with rows_checked_apart():
        s = np.arange(80.0).reshape(2, 40)
        shifted(s, 1, 1)
    expected = np.arange(80.0).reshape(2, 40)
    shifted.py_func(expected, 1, 1)
    np.testing.assert_array_equal(s, expected)


def test_threads_compile_at_once():
    failures = []

    def compile_one(k):
        try:
            with rows_checked_apart():
                assert njit(lambda x: x * k)(2.0) == 2.0 * k
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=compile_one, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
