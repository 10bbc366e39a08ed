"""`functools.singledispatchmethod`: the class of the first argument says which method is called, on every engine."""

import functools
import math

import numpy as np
import pytest

import adc

X = np.array([0.3, 0.4, 0.5])


class Gain:
    factor = 2.0

    @functools.singledispatchmethod
    def of(self, y, power=1):
        return y * 0.5

    @of.register
    def _(self, y: np.ndarray, power=1):
        return self.factor * y**power

    @of.register
    def _(self, y: float, power=1):
        return math.sin(y) * self.factor

    @of.register(list)
    def _(self, y):
        return y[0] * 4.0

    @functools.singledispatchmethod
    @classmethod
    def shared(cls, y):
        return cls.factor * y

    @shared.register
    @classmethod
    def _(cls, y: tuple):
        return cls.factor * y[1]

    @functools.singledispatchmethod
    @staticmethod
    def plain(y):
        return 3.0 * y

    @plain.register(int)
    @staticmethod
    def _(y):
        return 7.0 * y


class Larger(Gain):
    factor = 3.0

    def both(self, y):
        return super().of(y) + self.of(y, power=2)


GAIN, LARGER = Gain(), Larger()


def from_outside(x):
    return np.sum(GAIN.of(x)) + GAIN.of(float(x[0])) + GAIN.of([x[1]]) + GAIN.of(x[2])


def made_here(x):
    return np.sum(Larger().both(x)) + LARGER.both(x)[0]


def of_the_class(x):
    return np.sum(GAIN.shared(x)) + Larger().shared((x[0], x[1])) + GAIN.plain(2) * Gain().plain(x)[1]


def handed_on(x):
    return sum(map(GAIN.of, [float(v) for v in x]))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("f", [from_outside, made_here, of_the_class, handed_on])
def test_the_method_is_that_of_the_arguments_class(f, mode):
    value, gradient = adc.value_and_grad(f, mode=mode)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    np.testing.assert_allclose(
        gradient, [(f(X + h) - f(X - h)) / 2e-6 for h in 1e-6 * np.eye(3)], rtol=1e-7, atol=1e-8
    )


def test_on_the_tape_by_way_of_the_class():
    gradient = adc.grad(lambda x: Larger.shared(x)[0] * Gain.plain(2) + Gain.of(GAIN, x)[1], mode="tape")(X)
    np.testing.assert_allclose(gradient, [42.0, 0.5, 0.0])  # the class is that of GAIN, there
