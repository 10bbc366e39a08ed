"""`hasattr`, `isinstance`, `callable` of functions, methods and iterators answer as Python does, or are refused."""

from __future__ import annotations

import itertools
import types
from collections import abc

import numpy as np
import pytest

import adc

X = np.array([1.5, 2.5])


class Model:
    def energy(self, v):
        return v * v


def squares(x):
    for v in x:
        yield v * v


def a_local_function_can_be_called(x):
    def double(v):
        return 2.0 * v

    return double(x[0]) if hasattr(double, "__call__") and hasattr(double, "__code__") else x[1]  # noqa: B004


def a_bound_method_has_its_object(x):
    energy = Model().energy
    return energy(x[0]) if hasattr(energy, "__self__") and not hasattr(energy, "func") else x[1]


def a_range_has_no_name(x):
    indices = range(2)
    return x[1] if hasattr(indices, "__name__") else x[indices[0]]


def a_generator_has_no_length(x):
    items = squares(x)
    return x[1] if hasattr(items, "__len__") or hasattr(items, "append") else sum(items)


def a_generator_is_one(x):
    items = squares(x)
    return sum(items) if isinstance(items, types.GeneratorType) and hasattr(items, "send") else x[1]


def iterators_are_no_lists(x):
    items, pairs, both = (v * v for v in x), zip(x, x, strict=True), itertools.chain(x, x)
    if isinstance(items, (list, tuple, abc.Sized)) or callable(pairs) or isinstance(both, list):
        return x[1]
    return sum(items) + sum(a * b for a, b in pairs) + sum(both)


def iterators_are_iterators(x):
    items = map(np.sin, x)
    return sum(items) if isinstance(items, abc.Iterator) and hasattr(items, "__next__") else x[1]


def first_by_its_method(x):
    try:
        return squares(x).__next__()
    except AttributeError:
        return x[1]


def which_iterator(x):
    items = zip(x, x, strict=True)
    return sum(a * b for a, b in items) if isinstance(items, zip) else x[1]


ANSWERED = [
    a_local_function_can_be_called,
    a_bound_method_has_its_object,
    a_range_has_no_name,
    a_generator_has_no_length,
    a_generator_is_one,
    iterators_are_no_lists,
    iterators_are_iterators,
]
REFUSED = [first_by_its_method, which_iterator]


def slope(program):
    h = 1e-6
    return [(program(X + h * e) - program(X - h * e)) / (2.0 * h) for e in np.eye(2)]


@pytest.mark.parametrize("program", ANSWERED)
def test_answered(program):
    np.testing.assert_allclose(adc.grad(program, mode="python")(X), slope(program), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("program", REFUSED)
def test_left_to_the_tape(program):
    with pytest.raises(adc.UnsupportedError):
        adc.grad(program, mode="python")(X)
    np.testing.assert_allclose(adc.grad(program, mode="tape")(X), slope(program), rtol=1e-6, atol=1e-8)
