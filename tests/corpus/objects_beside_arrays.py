"""An array or number of NumPy's before an object goes first, unless the class says otherwise."""

import math
from typing import NamedTuple

import numpy as np
from tests.corpus import program

BEFORE = dict.fromkeys(("python", "compiled"), "stands before a")


class Vector(NamedTuple):
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __rmul__(self, factor):
        return Vector(factor * self.x, factor * self.y)


class Total:
    def __init__(self, value):
        self.value = value

    def __rmul__(self, factor):
        return np.sum(factor) * self.value

    def __mul__(self, factor):
        return np.sum(factor) + self.value

    def __gt__(self, other):
        return self.value > np.sum(other)


class Asked(Total):
    __array_ufunc__ = None


class First(Total):
    __array_priority__ = 10.0


@program(lambda r: (0.7, 1.3))
def numbers_of_pythons_ask_a_named_tuple(x, y):
    moved = Vector(x, y) + x * Vector(y, 2.0) + math.sin(y) * Vector(1.0, x)
    return moved.x * moved.y


@program(lambda r: (r.normal(size=3),), refused=BEFORE)
def numbers_of_numpys_make_an_array_of_it(x):
    moved = x[0] * Vector(1.0, 2.0)
    return np.sum(moved + x[:2] * Vector(3.0, 1.0))


@program(lambda r: (r.normal(size=3),), refused=BEFORE)
def each_element_asks(x):
    return np.sum(x * Total(2.0) * np.arange(3.0))


@program(lambda r: (r.normal(size=3),), refused=BEFORE)
def each_element_compares(x):
    return np.sum(np.where((x < Total(0.1)), x, 2 * x))


@program(lambda r: (r.normal(size=3),))
def the_object_is_asked(x):
    larger = x * Asked(2.0) + First(x[1]) * x + x * First(3.0) + x[2] * Total(2.0)
    return larger + Total(x[0]) * x
