"""Loops whose trips add nothing but for one element take that trip alone."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(5)


def nearest(centres, points):
    apart = points[:, None, :] - centres[None, :, :]
    return np.sum(np.min(np.sum(apart * apart, axis=2), axis=1))


def farthest(centres, points):
    total = 0.0
    for i in range(points.shape[0]):
        squares = np.sum((centres - points[i]) ** 2 / (1.0 + centres**2), axis=1)
        total += np.max(squares)
    return total


def best_and_all(scores, weights):
    """What every element gets, beside what the best one gets."""
    return np.sum(np.max(scores * weights, axis=1)) + np.sum(scores * weights**2)


def text_of(function, *args):
    return str(adc.source(adc.value_and_grad(function, (0, 1)), *args, stage="optimized"))


@pytest.mark.parametrize("function", [nearest, farthest])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_only_the_chosen_one_is_visited(function, count):
    arguments = R.normal(size=(count, 3)), R.normal(size=(5, 3))
    if count > 1:  # one row is not told from a row for all
        assert "in range(max(position" in text_of(function, *arguments)
    for got, wanted in zip(
        adc.grad(function, (0, 1), mode="compiled")(*arguments),
        adc.grad(function, (0, 1), mode="tape")(*arguments),
        strict=True,
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)


def test_ties_and_infinite_distances():
    centres = np.array([[0.0, 1.0], [np.inf, 0.0], [0.0, 1.0]])
    points = np.array([[1.0, 1.0], [0.0, 3.0]])
    got = adc.grad(nearest, mode="compiled")(centres, points)
    np.testing.assert_array_equal(got, [[-2.0, -4.0], [0.0, 0.0], [0.0, 0.0]])


def test_what_others_get_is_kept():
    arguments = R.normal(size=(4, 3)), R.normal(size=(4, 3))
    for got, wanted in zip(
        adc.grad(best_and_all, (0, 1), mode="compiled")(*arguments),
        adc.grad(best_and_all, (0, 1), mode="tape")(*arguments),
        strict=True,
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
