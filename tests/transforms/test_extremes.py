"""Extremes over leading axes are found row by row of memory: the values and gradients of NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import adc

pytestmark = pytest.mark.machine_code  # what is asked is what LLVM leaves as it is

R = np.random.default_rng(2)


def over_rows(a):
    return np.sum(np.max(a, axis=0) ** 2) + np.sum(np.min(a, axis=0, keepdims=True) * 3.0)


def over_two_axes(a):
    b = a[:, None, :] * np.ones((2, 1))
    return np.sum(np.amax(b, axis=(0, 1)) ** 3) + np.sum(b.min((0, 1)))


def shifted(a):
    e = np.exp(a - np.max(a, axis=0))
    return np.sum(np.log(np.sum(e, axis=0)) ** 2)


FUNCTIONS = [over_rows, over_two_axes, shifted]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", [(4, 7), (1, 5), (6, 1), (3, 0), (5, 3)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradient(function, shape, dtype):
    a = R.normal(size=shape).astype(dtype)
    value, bar = adc.value_and_grad(function, mode="compiled")(a)
    close = 1e-12 if dtype == "float64" else 2e-5
    assert value == pytest.approx(function(a), rel=close)
    np.testing.assert_allclose(bar, adc.grad(function, mode="tape")(a), rtol=close, atol=close)
    assert bar.dtype == a.dtype


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_values_are_those_of_numpy(special):
    def f(a):
        return np.sum(np.max(a, axis=0) * np.array([1.0, 2.0, 3.0])) + np.sum(np.min(a, axis=0))

    for place in ((0, 1), (2, 1)):
        a = R.normal(size=(3, 3))
        a[place] = special
        np.testing.assert_equal(adc.value_and_grad(f, mode="compiled")(a)[0], f(a))
    np.testing.assert_equal(
        adc.value_and_grad(f, mode="compiled")(np.full((3, 3), special))[0], f(np.full((3, 3), special))
    )


def test_nothing_to_compare_is_the_error_of_numpy():
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        adc.grad(over_rows, mode="compiled")(np.zeros((0, 4)))


def test_positions_are_those_of_numpy():
    def f(a, b):
        first = np.argmax(a, axis=0)
        return np.sum(a[first, np.arange(a.shape[1])] * b) + np.sum(np.argmin(a, axis=0, keepdims=True) * b)

    b = np.arange(1.0, 6.0)
    for a in (
        R.normal(size=(4, 5)),
        np.ones((3, 5)),
        np.full((2, 5), -np.inf),
        R.integers(0, 2, (6, 5)) * 1.0,
    ):
        assert adc.value_and_grad(f, mode="compiled")(a, b)[0] == pytest.approx(f(a, b), nan_ok=True)
    a = R.normal(size=(4, 5))
    a[2, 1] = a[3, 1] = a[0, 4] = np.nan
    np.testing.assert_equal(adc.value_and_grad(f, mode="compiled")(a, b)[0], f(a, b))


def test_the_rows_are_walked_along():
    text = adc.source(adc.grad(shifted), R.normal(size=(4, 7)), stage="optimized")
    assert "= np.maximum(" in text
    assert "a[0, " not in text
    assert "a[j, i]" not in text


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_the_first_of_equals_is_chosen_and_the_first_nan_before_it(axis):
    def f(a):
        return np.sum(np.max(a, axis=axis) * 2.0) + np.sum(np.min(a, axis=axis))

    a = R.integers(0, 3, (5, 6)) * 1.0
    for place in (None, (1, 2), (4, 5)):
        b = a.copy()
        if place is not None:
            b[place] = np.nan
        np.testing.assert_array_equal(
            adc.grad(f, mode="compiled")(b), adc.grad(f, mode="tape")(b), err_msg=str(place)
        )


def test_the_position_of_no_truth_is_the_first():
    def f(a, b):
        rows = np.argmax(a > b, axis=0)
        return a[np.argmax(a[0] > b), 0] + np.sum(a[rows, np.arange(3)] * (1.0 + np.argmax(a > b, axis=1)))

    a = R.normal(size=(3, 3))
    for b in (-9.0, 0.0, 9.0):
        assert adc.value_and_grad(f, mode="compiled")(a, b)[0] == pytest.approx(f(a, b))


def test_a_position_of_an_extreme_keeps_no_table_of_truths():
    def f(a):
        return np.max(a * a)

    text = adc.source(adc.grad(f), R.normal(size=7), stage="optimized")
    assert "np.bool_" not in text
    assert "min(position, " in text


@pytest.mark.parametrize("reduce", [np.max, np.min, np.argmax, np.argmin, np.ptp])
@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_no_elements_have_no_extreme(reduce, mode):
    # Of a length that is known to be zero, compiled code had minus infinity.
    def function(x):
        return reduce(x[:0]) + np.sum(x)

    with pytest.raises(ValueError, match=r"zero-size array|empty sequence"):
        adc.value_and_grad(function, mode=mode)(np.ones(3))
    with pytest.raises(ValueError, match=r"zero-size array|empty sequence"):
        adc.grad(function, mode=mode)(np.ones(3))
