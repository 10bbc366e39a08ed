"""A class need not say which module it is of: it is the user's all the same, and what is set in its objects is seen."""

import numpy as np
import pytest

import adc

MODES = ["compiled", "python", "tape"]


class OfNoModule:
    __module__ = None

    def __init__(self, k):
        self.k = k

    def f(self, x):
        return self.k * x * x


class OfItsObjects(OfNoModule):
    @property
    def __module__(self):
        return "somewhere"

    def __add__(self, other):
        return self.k + other

    __radd__ = __add__


def executed():
    made = {}
    exec("class OfExec:\n    def __init__(self, k):\n        self.k = k", made)
    return made["OfExec"]


CLASSES = [OfNoModule, OfItsObjects, executed()]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_what_is_set_is_seen_at_the_next_call(cls, mode):
    thing = cls(2.0)

    def f(x):
        return np.sum(np.array([thing.k, x]) ** 2 * x)

    gradient = adc.grad(f, mode=mode)
    assert gradient(1.0) == pytest.approx(7.0)
    thing.k = 3.0
    assert gradient(1.0) == pytest.approx(12.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cls", CLASSES[:2], ids=lambda cls: cls.__name__)
def test_methods(cls, mode):
    thing = cls(2.0)

    def f(x):
        return thing.f(x) + cls(x).f(x)

    assert adc.grad(f, mode=mode)(1.0) == pytest.approx(7.0)


@pytest.mark.parametrize("mode", MODES)
def test_operators(mode):
    thing = OfItsObjects(2.0)

    def f(x):
        return x * (x + thing)

    assert adc.grad(f, mode=mode)(1.0) == pytest.approx(4.0)
