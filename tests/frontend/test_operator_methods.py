"""Operators written as methods, and methods of types, mean the operator and the method."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import adc

A = np.arange(9.0).reshape(3, 3) + np.eye(3)
X = np.array([1.0, 2.0, 3.0])


def written(x):
    y = x.copy()
    y.__setitem__(0, x[1] * x[2])
    operator.setitem(y, 1, y[0] * x[0])
    return np.sum(y)


def changed_in_place(x):
    y = x * 1
    y.__iadd__(x)
    np.ndarray.__imul__(y, x)
    return np.sum(y)


def lists(x):
    grown = []
    for v in x:
        list.append(grown, v * v)
    operator.setitem(grown, 1, x[0] * 7)
    items = [x[0], x[1]]
    items.__setitem__(0, x[2])
    return grown[0] + grown[1] * 2 + grown[2] + items[0] * items.__getitem__(1)


def dicts(x):
    d = {"a": x[0]}
    dict.update(d, {"b": x[1]})
    operator.setitem(d, "c", x[2] * x[2])
    return d.__getitem__("a") * dict.get(d, "b") + d["c"]


FUNCTIONS = {
    "written": written,
    "changed_in_place": changed_in_place,
    "lists": lists,
    "dicts": dicts,
    "array": lambda x: np.sum(x.__add__(x) * x.__mul__(x) + x.__rsub__(1.0) * x.__neg__()),
    "matrix": lambda x: np.sum(A.__matmul__(x)) + x.__rmatmul__(A).sum() + x.__matmul__(x),
    "element": lambda x: x[0].__mul__(x[1]) + x[0].__rtruediv__(2.0) + x[0].__abs__() + x[1].__pow__(2.0),
    "comparison": lambda x: x[0] if x[0].__lt__(x[1]) and not x.__contains__(7.0) else x[1] * x[1],
    "gone over": lambda x: sum(v * v for v in x.__iter__()) * x.__len__(),
    "number": lambda x: (
        float.__neg__(float(x[0])) * float.__mul__(float(x[1]), 2) + (2.0).__mul__(float(x[2]))
    ),
    "method": lambda x: np.ndarray.sum(x * x) + np.ndarray.dot(x, x) + np.ndarray.reshape(x, (3, 1)).sum(),
    "keyword": lambda x: np.ndarray.mean(x, axis=0) * np.ndarray.max(x, initial=2.5),
    "mapped": lambda x: sum(map(np.ndarray.sum, [x * x, x])) + sum(map(float.__abs__, [float(v) for v in x])),
    "tuple": lambda x: tuple.__getitem__((x[0], x[1]), 1) * 2 + getattr(x, "__mul__")(2.0).sum(),  # noqa: B009
    "text": lambda x: x[0] * x[1] if str.upper("a").__add__("b") == "Ab" else x[2],
}


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_gradients(f):
    steps = 1e-6 * np.eye(3)
    expected = [(f(X + h) - f(X - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(adc.grad(f, mode="python")(X), expected, rtol=1e-6)


@pytest.mark.machine_code
def test_compiled():
    np.testing.assert_allclose(adc.grad(written, mode="compiled")(X), adc.grad(written, mode="tape")(X))


@pytest.mark.parametrize(
    "f",
    [lambda x: np.ndarray.sum(x[0]), lambda x: list.append(x, 1.0)],
    ids=["element", "array"],
)
def test_methods_of_another_type_are_refused(f):
    with pytest.raises(adc.UnsupportedError, match="TypeError: descriptor"):
        adc.grad(f, mode="python")(X)


@pytest.mark.parametrize(
    "f",
    [lambda x: (2.0).__mul__(x)[0], lambda x: (2).__mul__(x[0].item())],
    ids=["number by array", "integer by float"],
)
def test_operands_that_a_number_knows_nothing_of_are_refused(f):
    with pytest.raises(adc.UnsupportedError, match=r"`__mul__` .* may know nothing of"):
        adc.grad(f, mode="python")(X)


def test_attributes_that_numbers_lack_are_lacking():
    with pytest.raises(adc.UnsupportedError, match="attribute `__len__`"):
        adc.grad(lambda x: x[0].__len__(), mode="python")(X)
