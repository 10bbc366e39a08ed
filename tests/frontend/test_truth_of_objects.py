"""An object counts as true by what `__bool__` returns, which Python takes from truth values of its own only."""

import numpy as np
import pytest

import adc


class Positive:
    def __init__(self, x):
        self.x = x

    def __bool__(self):
        return self.x > 0


def squared(x):
    return x[0] ** 2 if Positive(x[0]) else x[0]


def squared_number(x):
    return x**2 if Positive(x) else x


def handled(x):
    try:
        return x[0] ** 2 if Positive(x[0]) else x[0]
    except TypeError:
        return x[0] ** 3


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")
@pytest.mark.parametrize("mode", ["auto", "tape"])
def test_a_truth_value_of_numpys_is_an_error_as_in_python(mode):
    for derivative in (squared, adc.grad(squared, mode=mode)):
        with pytest.raises(TypeError, match="__bool__ should return bool"):
            derivative(np.array([3.0]))
    assert adc.grad(handled, mode=mode)(np.array([3.0])) == [27.0]


@pytest.mark.parametrize("mode", ["compiled", "tape"])
def test_one_of_pythons_is_taken(mode):
    assert adc.grad(squared_number, mode=mode)(3.0) == 6.0
    assert adc.grad(squared_number, mode=mode)(-3.0) == 1.0
