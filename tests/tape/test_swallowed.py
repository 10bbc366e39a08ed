"""What the tape refuses is no failure of the user's program: a handler of the user's does not answer for it."""

from decimal import Decimal

import numpy as np
import pytest

import adc

X = np.array([1.0, 2.0, 3.0])


def fallback(x):
    total = 0.0
    for v in x:
        try:
            total += abs((times_one(v) - 5.0) ** 1.5)
        except Exception:
            total += v
    return total


def times_one(v):
    return float(v) * 1.0


def of_shapes(x):
    try:
        return np.sum(x + np.ones(4))
    except ValueError:
        return np.sum(x * x)


def test_a_refusal_is_raised_after_all():
    with pytest.raises(adc.UnsupportedError, match="the power of a negative number") as error:
        adc.grad(fallback, mode="tape")([1.0, 2.0])
    assert "abs((times_one(v) - 5.0) ** 1.5)" in str(error.value)


def test_what_numpy_raises_is_caught():
    assert np.array_equal(adc.grad(of_shapes, mode="tape")(X), 2 * X)


def test_methods_of_lists_are_none_of_arrays():
    def f(x):
        try:
            x.append(1.0)
            scale = 1.0
        except AttributeError:
            scale = 3.0
        return np.sum(x) * scale

    assert list(adc.grad(f, mode="tape")(np.ones(2))) == [3.0, 3.0]


def test_exact_numbers_hold_no_derivative():
    def f(x):
        try:
            return x * float(Decimal(x))
        except TypeError:
            return x * 2.0

    with pytest.raises(adc.GraphCutError, match="into a Decimal"):
        adc.grad(f, mode="tape")(2.0)
    assert (
        adc.grad(lambda x: x * float(Decimal(3)) * isinstance(Decimal("1.5"), Decimal), mode="tape")(2.0)
        == 3.0
    )
