"""Factorizations in place: what the steps to come never touch again is neither kept nor restored."""

import numpy as np
import pytest

import adc


def lu(a0, b0):
    a = a0.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(np.sin(a)) + b0[0]


def determinant(a0, b0):
    a = a0.copy()
    n = a.shape[0]
    product = b0[0]
    for k in range(n):
        product *= a[k, k]
        for i in range(k + 1, n):
            m = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] = a[i, j] - m * a[k, j]
    return product


def solved(a0, b0):
    a, b = a0.copy(), b0.copy()
    n = len(b)
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k + 1 :] -= f * a[k, k + 1 :]
            b[i] -= f * b[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
    return np.sum(b**2)


def upwards(a0, b0):  # step k writes the rows before row k
    a = a0.copy()
    n = a.shape[0]
    for k in range(n - 1, 0, -1):
        for i in range(k):
            for j in range(n):
                a[i, j] -= a[k, j] * a[k, i] / (1.0 + a[k, k] ** 2)
    return np.sum(a * a) + b0[0]


KEEP_NO_STEP = [lu, determinant, upwards]


def read_again(a0, b0):  # row k + 1, which step k writes, is read by step k
    a = a0.copy()
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            for j in range(n):
                a[i, j] *= a[k + 1, j] * a[k, j]
    return np.sum(a) + b0[0]


def whole_rows(a0, b0):  # steps write what earlier ones have read
    a = a0.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                a[i, j] -= 0.1 * a[k, j] * a[i, k]
    return np.sum(a) + b0[0]


def from_the_end(a0, b0):  # a[k - 1] is the last row in step 0
    a = a0.copy()
    n = a.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            for j in range(n):
                a[i, j] *= a[k - 1, j]
    return np.sum(a) + b0[0]


@pytest.mark.parametrize("function", [*KEEP_NO_STEP, solved, read_again, whole_rows, from_the_end])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_gradients_are_the_tape_s(function, n):
    rng = np.random.default_rng(2)
    given = rng.uniform(0.5, 1.0, (n, n)) + 2 * np.eye(n), rng.uniform(0.5, 1.0, n)
    value, found = adc.value_and_grad(function, (0, 1), mode="compiled")(*given)
    expected, taped = adc.value_and_grad(function, (0, 1), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-12)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", KEEP_NO_STEP)
def test_no_element_is_kept_of_each_step_and_none_is_restored(function):
    text = adc.source(adc.value_and_grad(function, (0, 1)), np.eye(4), np.ones(4))
    assert "old" not in text
    reverse = text.partition("# reverse")[2]
    assert not [line for line in reverse.splitlines() if line.strip().startswith("a[")]


def test_what_a_step_overwrites_and_reads_is_kept():
    text = adc.source(adc.value_and_grad(read_again, (0, 1)), np.eye(4), np.ones(4))
    assert "_kept" in text
