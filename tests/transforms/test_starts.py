"""Inner loops that begin at another loop's counter count their trips from zero, where they vectorise."""

import numpy as np
import pytest

import adc


def pairs(p, w):
    energy = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            x, y = p[i, 0] - p[j, 0], p[i, 1] - p[j, 1]
            energy += np.exp(-w * (x * x + y * y))
    return energy


def pairs_before(p, w):
    energy = 0.0
    for i in range(len(p)):
        for j in range(i):
            x, y = p[i, 0] - p[j, 0], p[i, 1] - p[j, 1]
            energy += w / (1.0 + x * x + y * y)
    return energy


def in_order(p, w):
    state = w
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            state = np.sin(state) * p[j, 0] + p[j, 1]
    return state


@pytest.mark.parametrize("function", [pairs, pairs_before, in_order])
@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_gradients_are_the_tape_s(function, n):
    given = np.random.default_rng(1).normal(size=(n, 2)), 0.6
    value, found = adc.value_and_grad(function, (0, 1), mode="compiled")(*given)
    expected, taped = adc.value_and_grad(function, (0, 1), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-13)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def test_trips_are_counted_from_zero():
    text = adc.source(adc.value_and_grad(pairs), np.ones((20, 2)), 0.6, stage="optimized")
    assert "for k in range(n - (i + 1)):\n            j = i + 1 + k" in text


@pytest.mark.parametrize("function", [pairs, pairs_before])
def test_points_of_pairs_are_in_columns(function):
    text = adc.source(adc.value_and_grad(function), np.ones((20, 2)), 0.6, stage="optimized")
    assert "p[0, i] - p[0, j]" in text
    assert "rt.columns(p_bar)" in text


def test_loops_in_order_keep_their_ranges():
    text = adc.source(adc.value_and_grad(in_order), np.ones((20, 2)), 0.6, stage="optimized")
    assert "for j in range(i + 1, n):" in text
