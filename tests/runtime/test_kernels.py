"""Kernels compile with what LLVM is told about them, and compute what the loops say."""

import threading

import numpy as np
import pytest
from llvmlite import binding
from numba import njit

import adc
from adc.runtime import tuning
from adc.runtime.tuning import tuned


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

    with tuned(shifted.py_func):
        s = np.arange(80.0).reshape(2, 40)
        shifted(s, 1, 1)
    expected = np.arange(80.0).reshape(2, 40)
    shifted.py_func(expected, 1, 1)
    np.testing.assert_array_equal(s, expected)


def test_threads_compile_at_once():
    failures = []

    def compile_one(k):
        try:
            function = lambda x: x * k
            with tuned(function):
                assert njit(function)(2.0) == 2.0 * k
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=compile_one, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def simple(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return total


def deep(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            for k in range(j):
                total += x[k] * x[i]
        for j in range(2):
            total += x[j]
    return total


def beside(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            total += x[j]
    for i in range(x.shape[0]):
        total += x[i]
    while total > 0.0:
        total -= 10.0
    return total


@pytest.mark.parametrize(("function", "depth"), [(simple, 1), (deep, 3), (beside, 2)])
def test_how_deep_loops_stand_in_each_other(function, depth):
    assert tuning._depth_of_loops(function) == depth


@pytest.mark.skipif(
    binding.get_host_cpu_name() in tuning._SLOWED_DOWN, reason="wide vectors slow this one down"
)
def test_wide_vectors_are_asked_for_where_rows_are_long():
    texts = {}
    for function in (simple, deep):
        compiled = njit(fastmath=True)(function)
        with tuned(function):
            compiled(np.ones(4))
        (texts[function],) = compiled.inspect_llvm().values()
    other = njit(fastmath=True)(simple)
    other(np.ones(4))
    assert tuning._WIDE in texts[simple] and tuning._WIDE not in texts[deep]
    assert tuning._WIDE not in "".join(
        other.inspect_llvm().values()
    )  # the user's own functions are left alone
    if binding.get_host_cpu_features().get("avx512f"):
        compiled = njit(fastmath=True)(simple)
        with tuned(simple):
            compiled(np.ones(4))
        assert "%zmm" in "".join(compiled.inspect_asm().values())
