"""What is computed once: sums that both sweeps make, and lengths that the reverse sweep knows by the same name."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(11)


def pairs(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            apart = np.sum((x[i] - x[j]) ** 2)
            total += w[i, j] * np.exp(-apart)
    return total


def sums_that_differ(x):
    """In where they begin, in what is added, and in the order of what a difference takes."""
    a, b, c, d, e = 0.0, 1.0, 0.0, 0.0, -0.0
    for v in x:
        a += v * v
        b += v * v
        c += v * v * v
        d = v * v - d
        e += v * v
    return a * b + np.sin(c) * d + e


def rows_before(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[j, :j]
        a[i, i] = np.sqrt(a[i, i] + a[i, :i] @ a[i, :i])
    return np.sum(np.sin(a))


def optimized(function, *arguments):
    return adc.source(adc.value_and_grad(function), *arguments, stage="optimized")


def test_a_sum_of_both_sweeps_is_made_once():
    text = optimized(pairs, R.normal(size=(8, 5)), R.normal(size=(8, 8)))
    assert text.count("np.exp(") == 1
    assert text.count("** 2") == 1


def test_slices_up_to_a_counter_have_no_lengths_to_ask_for():
    text = optimized(rows_before, np.eye(6) + 0.1)
    assert ".shape[0] " not in text.split("# reverse")[1].replace("a.shape[0]", "")


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (pairs, (R.normal(size=(8, 5)), R.normal(size=(8, 8)))),
        (sums_that_differ, (R.normal(size=9),)),
        (rows_before, (np.eye(6) + 0.1 * R.normal(size=(6, 6)),)),
    ],
)
def test_gradients(function, arguments, mode):
    value, gradient = adc.value_and_grad(function, mode=mode)(*arguments)
    expected, wanted = adc.value_and_grad(function, mode="tape")(*arguments)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-10, atol=1e-12)
