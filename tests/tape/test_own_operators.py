"""Operators of Python's numbers that are called by their names: `(5.0).__lt__(x)` is asked of what x stands for."""

import types

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

X = np.array([3.0, 7.0, 2.0])


def below(x):
    return x[0] * 2.0 if (5.0).__gt__(float(x[1])) else x[0] * 5.0


def above(x):
    return x[0] * 2.0 if (5.0).__lt__(float(x[1])) else x[0] * 5.0


def other_than(x):
    return x[0] * 2.0 if (7.0).__ne__(float(x[1])) else x[0] * 5.0


def by_the_class(x):
    return x[0] * 2.0 if float.__gt__(5.0, float(x[1])) else x[0] * 5.0


def by_name(x):
    return x[0] * 2.0 if getattr(5.0, "__g" + "t__")(float(x[1])) else x[0] * 5.0


def beside_an_integer(x):
    """Python leaves it to the float: NotImplemented, which counts as true."""
    return x[0] * 2.0 if (5).__gt__(float(x[1])) is NotImplemented else x[0] * 5.0


def filtered(x):
    return sum(filter((5.0).__gt__, [float(v) for v in x]))


def chosen(x):
    return next(v for v in (1.0, 5.0, 9.0) if v.__gt__(float(x[1]))) * x[0]


def reckoned(x):
    y = float(x[1])
    return (5.0).__sub__(y) * (5.0).__rsub__(y) + (2.0).__pow__(y) + (9.0).__mod__(y) * (3.0).__truediv__(y)


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return self.amount == other.amount

    def __ne__(self, other):
        return not self.__eq__(other)

    def __add__(self, other):
        return Money(self.amount.__add__(other.amount))

    def __radd__(self, other):
        return self if other == 0 else self.__add__(other)


class Coin(Money):
    def __eq__(self, other):
        return super().__eq__(other) and isinstance(other, Coin)


def of_objects(x):
    total = sum([Money(x[0]), Money(2.0 * x[1])]).amount
    return total * (2.0 if Coin(x[0]) != Coin(x[1]) and Coin(3.0) == Coin(x[0]) else 3.0)


PROGRAMS = [
    below,
    above,
    other_than,
    by_the_class,
    by_name,
    beside_an_integer,
    filtered,
    chosen,
    reckoned,
    of_objects,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_branch_and_the_derivative_are_the_functions(f):
    value, gradient = adc.value_and_grad(f, mode="tape")(X)
    assert value == f(X)
    moved = [f(X + step) - f(X - step) for step in 1e-6 * np.eye(3)]
    if f is of_objects:  # a step leaves the equality
        moved = [4e-6, 8e-6, 0.0]
    np.testing.assert_allclose(gradient, np.divide(moved, 2e-6), rtol=1e-7, atol=1e-7)


def test_without_a_source_it_is_refused():
    module = types.ModuleType("typed")
    exec(
        compile("def f(x):\n    return x if (5.0).__gt__(x) else 2.0 * x\n", "<nowhere>", "exec"),
        vars(module),
    )
    with pytest.raises(UnsupportedError, match="`f` asks for `__gt__` of a value, and has no source"):
        adc.grad(module.f, mode="tape")(0.7)
