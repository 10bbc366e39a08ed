"""Indices that go backwards, and are proven not to be negative, are unsigned in loops that vectorise."""

import numpy as np
import pytest

import adc


def filtered(x, h):
    n, m = len(x), len(h)
    y = np.zeros(n)
    for i in range(m - 1, n):
        for j in range(m):
            y[i] += h[j] * x[i - j]
    return np.sum(y**2)


def windows(x, h):
    n, m = len(x), len(h)
    y = np.zeros(n)
    for i in range(m - 1, n):
        y[i] = np.dot(h[::-1], x[i - m + 1 : i + 1])
    return np.sum(y**2)


def from_the_end(x, h):
    total = 0.0
    for i in range(len(h)):
        total += h[len(h) - 1 - i] * np.sin(x[i])
    return total


def round_the_start(x, h):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(h)):
            total += h[j] * np.sin(x[i - j])
    return total


@pytest.mark.parametrize("function", [filtered, windows, from_the_end, round_the_start])
@pytest.mark.parametrize(("n", "m"), [(9, 3), (5, 5), (6, 1), (4, 4)])
def test_gradients_are_the_tape_s(function, n, m):
    r = np.random.default_rng(2)
    given = r.normal(size=n), r.normal(size=m)
    value, found = adc.value_and_grad(function, (0, 1), mode="compiled")(*given)
    expected, taped = adc.value_and_grad(function, (0, 1), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-12)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("function", [filtered, windows, from_the_end])
def test_what_goes_backwards_is_unsigned(function):
    assert "np.uint64(" in adc.source(adc.grad(function), np.ones(9), np.ones(3), stage="optimized")


def test_what_counts_from_the_end_is_not():
    text = adc.source(adc.grad(round_the_start), np.ones(9), np.ones(3), stage="optimized")
    assert "x[i - j]" in text
    assert "x_bar[i - j]" in text
