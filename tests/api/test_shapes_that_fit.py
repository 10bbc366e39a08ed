"""A shape that compiled code does not get right is no error of the user's function, where that runs."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc.compiler import pipeline


def test_a_function_that_runs_is_differentiated(monkeypatch):
    def fails(*args, **kwargs):
        raise adc.ShapeError("shapes do not fit")

    monkeypatch.setattr(pipeline, "run", fails)
    with pytest.warns(adc.FallbackWarning, match="shapes do not fit"):
        assert adc.grad(lambda x: np.sum(x * x))(np.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(adc.ShapeError):
        adc.grad(lambda x: np.sum(x * np.ones(3)))(np.ones(2))
    with pytest.raises(adc.ShapeError):
        adc.grad(lambda x: np.sum(x * x), mode="compiled")(np.ones(2))


def write_to_one(x):
    a = np.ones((3, 1))
    a[:, :1] = np.ones((3, 2)) * x
    return np.sum(a)


def add_to_one(x):
    a = np.ones((3, 1))
    a += np.ones((3, 2)) * x
    return np.sum(a)


def add_with_more_axes(x):
    a = np.ones(3)
    a *= np.ones((1, 3)) * x
    return np.sum(a)


def out_of_one(x):
    a = np.ones(3) * x
    np.add(a, 1.0, out=a[:1])
    return np.sum(a)


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_what_is_repeated_or_broadcast_has_as_many_elements(count, mode):
    def repeated(x, times):
        return np.sum(np.repeat(x, times)) * x[0]

    def stretched(x, y):
        return np.sum(np.broadcast_to(y, x.shape)) * x[0]

    for function, other in ((repeated, np.ones(count, int)), (stretched, np.ones(count))):
        with pytest.raises(ValueError, match="broadcast"):
            adc.grad(function, mode=mode)(np.ones(3), other)


@pytest.mark.parametrize("function", [write_to_one, add_to_one, add_with_more_axes, out_of_one])
@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_longer_array_is_not_written_to_a_place_for_one(function, mode):
    with pytest.raises(ValueError, match="broadcast"):
        function(2.0)
    with pytest.raises(ValueError, match="broadcast"):
        adc.grad(function, mode=mode)(2.0)


def rows_of_one(u, n):
    for j in range(n):
        u[-1, j] = u[1, j]
    return np.sum(u * u)


def a_row_too_far(u, n):
    s = 0.0
    while n > 0:
        s, n = s + u[2, n], n - 1
    return np.sum(u * u) + s


@pytest.mark.parametrize("mode", ["compiled", "python", "tape", "auto"])
@pytest.mark.parametrize("function", [rows_of_one, a_row_too_far])
def test_an_index_beyond_an_axis_is_an_error_where_it_is_reached(function, mode):
    derivative = adc.grad(function, mode=mode)
    u = np.array([[1.0, 2.0, 3.0]])
    assert np.array_equal(derivative(u, 0), 2 * u)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 1"):
        derivative(u, 2)
    assert np.array_equal(derivative(u, 0), 2 * u)
