"""`functools.partialmethod` in classes of the user's: arguments are put in, and another one is noticed."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.5, 2.5])


class Layer:
    def __init__(self, gain):
        self.gain = gain

    def scaled(self, factor, v, power=1):
        return self.gain * factor * v**power

    double = functools.partialmethod(scaled, 2.0)
    cube = functools.partialmethod(scaled, 1.0, power=3)


class Narrow(Layer):
    pass


OUTSIDE = Narrow(3.0)


def loss(x):
    return np.sum(Layer(x[0]).double(x)) + np.sum(OUTSIDE.cube(x))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_arguments_are_put_in(mode, monkeypatch):
    gradient = adc.grad(loss, mode=mode)
    expected = 2.0 * X[0] + 9.0 * X**2 + 2.0 * np.sum(X) * np.array([1.0, 0.0, 0.0])
    np.testing.assert_allclose(gradient(X), expected)
    monkeypatch.setattr(Layer, "double", functools.partialmethod(Layer.scaled, 5.0))
    np.testing.assert_allclose(
        gradient(X), expected + 3.0 * X[0] + 3.0 * np.sum(X) * np.array([1.0, 0.0, 0.0])
    )
