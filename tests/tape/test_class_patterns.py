"""Patterns of classes on the tape: answered as NumPy's values answer, or refused; never passed by in silence."""

import numbers

import numpy as np
import pytest

import adc

X = np.array([1.5, -0.5])
Number = numbers.Real


def an_array(x):
    match x:
        case np.ndarray():
            return np.sum(x * x)
    return np.sum(x)


def a_number_by_a_global(x):
    match x[0]:
        case str() | Number():
            return x[0] * 2.0
    return x[1]


def with_attributes(x):
    match {"a": x}:
        case {"a": np.ndarray(shape=(2,))}:
            return x[0] * x[1]
    return x[0]


def inside(x):
    return sum((lambda v: an_array(v))(x) for _ in range(2))


@pytest.mark.parametrize("f", [an_array, a_number_by_a_global, with_attributes, inside])
def test_what_a_tensor_does_not_answer_is_refused(f):
    with pytest.raises(
        adc.UnsupportedError, match=r"cannot answer the pattern `case [\s\S]*isinstance"
    ) as raised:
        adc.grad(f, mode="tape")(X)
    assert "case" in str(raised.value).split("\n")[1]


def by_guards(x):
    match x:
        case _ if isinstance(x, np.ndarray):
            return np.sum(x * x)
    return np.sum(x)


def of_other_classes(x):
    match {"kind": "square", "power": 2}:
        case {"kind": str() as kind, "power": int(n)} if kind:
            return np.sum(x**n)
    return np.sum(x)


class Point:
    __match_args__ = ("at",)

    def __init__(self, at):
        self.at = at


def of_ones_own(x):
    match Point(x[0] * x[1]):
        case Point(float(at)):
            return at * at
        case Point(at):
            return at * 3.0
    return x[0]


@pytest.mark.parametrize("f", [by_guards, of_other_classes, of_ones_own])
def test_others_are_answered(f):
    slope = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    np.testing.assert_allclose(adc.grad(f, mode="tape")(X), slope, atol=1e-8)
