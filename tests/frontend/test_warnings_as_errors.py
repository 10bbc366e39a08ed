"""A program that makes errors of NumPy's warnings is refused by the compiler, and heard by the tape."""

import warnings
from warnings import filterwarnings

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError


def simple(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            y = np.log(x)
        except RuntimeWarning:
            y = 7.0 * x
    return np.sum(y)


def by_a_filter(x):
    with warnings.catch_warnings():
        filterwarnings("error", category=RuntimeWarning)
        try:
            return np.sum(np.log(x))
        except RuntimeWarning:
            return np.sum(7.0 * x)


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("function", [simple, by_a_filter])
def test_the_handler_is_taken(function):
    before = np.geterr(), list(warnings.filters)
    for mode in ("auto", "tape"):
        gradient = adc.value_and_grad(function, mode=mode)
        value, x_bar = gradient(np.array([1.0, -2.0]))
        assert value == -7.0
        np.testing.assert_array_equal(x_bar, [7.0, 7.0])
        np.testing.assert_array_equal(gradient(np.array([1.0, 2.0]))[1], [1.0, 0.5])
    assert (np.geterr(), list(warnings.filters)) == before


@pytest.mark.parametrize("function", [simple, by_a_filter])
def test_generated_code_has_no_warnings(function):
    for mode in ("python", "compiled"):
        with pytest.raises(UnsupportedError, match="warnings become errors here"):
            adc.grad(function, mode=mode)(np.array([1.0, 2.0]))


def test_what_is_ignored_is_generated():
    def quiet(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.sum(np.log(x))

    for mode in ("python", "compiled", "tape"):
        np.testing.assert_array_equal(adc.grad(quiet, mode=mode)(np.array([1.0, -2.0])), [1.0, -0.5])
