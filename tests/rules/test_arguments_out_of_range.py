"""Counts, widths and positions that NumPy refuses raise in compiled code as they do there."""

from __future__ import annotations

import numpy as np
import pytest

import adc


def repeated(x, counts):
    return np.sum(np.repeat(x, counts) ** 2)


def padded(x, widths):
    return np.sum(np.pad(x, (widths[0], 1)) ** 2)


def extended(x, widths):
    return np.sum(np.pad(x, widths[1], mode="edge") ** 2)


def segments(x, starts):
    return np.sum(np.add.reduceat(x, starts) ** 2)


def chosen_by_one_number(x, places):
    return np.sum(x[np.ravel_multi_index((places, places), (2, 2)) % 3] ** 2)


def chosen_by_rows(x, places):
    row, column = np.unravel_index(places, (2, 2))
    return np.sum(x[row + column] ** 2)


def chosen_by_one_row(x, places):
    return (
        x[np.ravel_multi_index((places[0], 0), (2, 1))] ** 2 + x[np.unravel_index(places[1], (2, 1))[0]] ** 2
    )


CASES = [
    (repeated, [1, 0, 2], [1, -1, 2]),
    (padded, [1, 2], [-1, 2]),
    (extended, [1, 2], [1, -2]),
    (segments, [0, 2], [0, 3]),
    (segments, [0, 2], [-1, 2]),
    (chosen_by_one_number, [0, 1], [0, 2]),
    (chosen_by_one_number, [0, 1], [0, -1]),
    (chosen_by_rows, [0, 2], [0, 4]),
    (chosen_by_rows, [0, 2], [-1, 2]),
    (chosen_by_one_row, [0, 1], [2, 1]),
    (chosen_by_one_row, [0, 1], [0, -1]),
]


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize(("function", "right", "wrong"), CASES)
def test_they_raise_as_in_numpy(function, right, wrong, mode):
    x = np.array([0.5, -1.0, 2.0])
    derivative = adc.value_and_grad(function, mode=mode)
    value, gradient = derivative(x, np.array(right))
    assert value == pytest.approx(function(x, np.array(right)))
    assert (gradient @ x) / 2 == pytest.approx(value)
    with pytest.raises((ValueError, IndexError)) as expected:
        function(x, np.array(wrong))
    with pytest.raises(expected.type):
        derivative(x, np.array(wrong))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("options", [{}, {"edge_order": 2}, {"axis": 1}], ids=str)
def test_too_few_samples_for_a_slope(options, mode):
    def slopes(x):
        return np.sum(np.gradient(x, 0.5, **{"axis": 0, **options}) ** 2)

    derivative = adc.grad(slopes, mode=mode)
    derivative(np.arange(12.0).reshape(4, 3) ** 2)
    few = np.ones((1 + options.get("edge_order", 1), 1))[: None if "axis" in options else -1]
    with pytest.raises(ValueError) as expected:
        slopes(few)
    with pytest.raises(ValueError, match="too small") as found:
        derivative(few)
    assert str(found.value) == str(expected.value)
