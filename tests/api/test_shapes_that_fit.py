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
