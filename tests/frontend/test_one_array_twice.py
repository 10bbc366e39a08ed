"""`x is y` of two arguments: the caller may give one array twice, and what is differentiated is an input of its own."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

X = np.arange(3.0) + 1.0


def weighed(w, x, y):
    if x is y:
        return np.sum(w * x)
    return np.sum(w * x * y)


def centred(x, y):
    return np.sum(2.0 * x) if x is y else np.sum(x * y)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_two_arguments_that_are_not_differentiated_may_be_one(mode):
    with pytest.raises(UnsupportedError, match="`is` between two arguments is not supported"):
        adc.grad(weighed, mode=mode)(np.ones(3), X, X)


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
@pytest.mark.parametrize("mode", ["auto", "tape"])
def test_the_tape_knows_whether_they_are(mode):
    gradient = adc.grad(weighed, mode=mode)
    np.testing.assert_array_equal(gradient(np.ones(3), X, X), X)
    np.testing.assert_array_equal(gradient(np.ones(3), X, X + 1.0), X * (X + 1.0))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_what_is_differentiated_is_an_input_of_its_own(mode):
    np.testing.assert_array_equal(adc.grad(centred, mode=mode)(X, X), X)
