"""Loops that were moved into functions of their own: they run where they stood, and give the same bits every time."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(3)


def column_and_row_extremes(x):
    return np.max(x) * x.max() + np.sum(np.max(x, axis=0) ** 2) + np.sum(x.max(axis=1) ** 3)


def test_what_a_kernel_writes_is_read_after_it():
    x = R.permutation(12).reshape(3, 4) / 3.0 - 1.5
    v = R.normal(size=(3, 4))
    value, slope = adc.jvp(column_and_row_extremes, (x,), (v,), mode="compiled")
    assert value == pytest.approx(column_and_row_extremes(x), rel=1e-13)
    h = 1e-6
    ahead, behind = column_and_row_extremes(x + h * v), column_and_row_extremes(x - h * v)
    assert slope == pytest.approx((ahead - behind) / (2 * h), rel=1e-8)


def products_and_cubes(x, y):
    return np.sum(x * y) + np.sum((x - y) ** 3)


def deviation_from_columns(x, a, b):
    y = x * a[:, None] + b
    y = y - y.mean(axis=0)
    return np.sum(y * y / (1.0 + np.sum(y * y, axis=1, keepdims=True)))


@pytest.mark.parametrize(
    ("function", "shapes"),
    [(products_and_cubes, [(4,), (1, 4)]), (deviation_from_columns, [(3, 3), (3,), (3,)])],
)
def test_where_arrays_lie_in_memory_does_not_matter(function, shapes):
    """Small arrays end up close to each other here and far apart there."""
    run = adc.value_and_grad(function, tuple(range(len(shapes))), mode="compiled")
    given = [R.normal(size=s) for s in shapes]
    value, bars = run(*given)
    litter = []
    for _ in range(400):
        litter.append([np.empty(size) for size in R.integers(1, 64, size=R.integers(0, 30))])
        if len(litter) > 3:
            litter.pop(R.integers(len(litter)))
        again, others = run(*(x.copy() for x in given))
        assert again == value
        for g, other in zip(bars, others, strict=True):
            np.testing.assert_array_equal(other, g)
