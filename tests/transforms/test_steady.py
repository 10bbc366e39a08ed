"""Triangles in place: elements that all trips read or add to alike, beside others of the same array."""

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def cholesky(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])
    total = 0.0
    for i in range(n):
        for j in range(i + 1):
            total += np.sin(a[i, j])
    return total


def lu(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(np.sin(a))


def meeting(a):  # k comes by j: a trip adds to what the others read
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j + 1):
                a[i, j] += 0.1 * a[i, k] * a[k, j]
    return np.sum(np.sin(a))


def behind(a):  # the element is the one that the last trip writes
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for k in range(i + 1):
            a[i, k] = a[i, k] * a[i, i] + 0.1
    return np.sum(np.sin(a))


def from_the_end(a):  # k - 1 is the last element where k is 0, and j may be the last
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= 0.1 * a[i, k - 1] * a[j, k]
    return np.sum(np.sin(a))


def below(a):
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for k in range(i + 1, n):
            a[i, k] = a[i, k] * a[i, i]
            a[i, i - 1] += 0.1 * a[k, i]
    return np.sum(np.sin(a))


PROGRAMS = [cholesky, lu, meeting, behind, from_the_end, below]


def given(n):
    random = np.random.default_rng(0)
    return random.normal(size=(n, n)) / 5 + np.eye(n) * n


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7])
def test_gradients_are_the_tape_s(function, n):
    a = given(n)
    with interpreted():
        value, found = adc.value_and_grad(function, mode="compiled")(a)
    expected, taped = adc.value_and_grad(function, mode="tape")(a)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(found, taped, rtol=1e-11, atol=1e-13)


def text(function):
    return adc.source(adc.grad(function), given(4), stage="optimized")


def test_both_sweeps_of_a_triangle_keep_the_element_in_a_register():
    found = text(cholesky)
    assert "a_sum = vm.add(a_sum, -(a_2[i, k] * a_2[j, k]))" in found
    assert "product_bar = -a_bar_element" in found
    assert "range(j - 1, -1, -1)" not in found  # both sweeps go upwards


@pytest.mark.parametrize("function", [meeting, from_the_end])
def test_what_another_trip_may_touch_stays_in_memory(function):
    assert "a_sum" not in text(function)


def add_rows(a, b):
    b = b.copy()
    for i in range(b.shape[0]):
        for j in range(a.shape[1]):
            b[i] += a[i, j]
    return b[0]


def test_strict_code_begins_a_sum_at_the_element():
    small, one = np.full((1, 6), 1e-16), np.array([1.0])
    assert (
        adc.value_and_grad(add_rows, mode="compiled", strict=True)(small, one)[0]
        == add_rows(small, one)
        == 1.0
    )
