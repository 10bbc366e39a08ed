"""np.vectorize and np.apply_along_axis give all results the dtype of the first one, and cut off fractions for it."""

import numpy as np
import pytest

import adc
from adc.errors import UnsupportedError

POSITIVE_FIRST, NEGATIVE_FIRST = np.array([2.3, -1.0, 3.7]), np.array([-1.0, 2.3, 3.7])


def ramp(v):
    return 0 if v < 0 else v * 1.5


RAMP = np.vectorize(ramp)


def inside(x):
    return np.sum(np.vectorize(lambda v: ramp(v))(x))


def outside(x):
    return np.sum(RAMP(x))


def two_results(x):
    a, b = np.vectorize(lambda v: (v * v, ramp(v)))(x)
    return np.sum(a * b)


def halvings(v):
    total = 0
    while v > 0.5:
        v = v / 2.0
        total = total + v
    return total


def loops_without_a_trip(x):
    return np.sum(np.vectorize(halvings)(x))


def rows(x):
    return np.sum(np.apply_along_axis(lambda row: ramp(row[0]), 1, np.stack((x, x), axis=1)))


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")  # which result is the first, the tape knows
@pytest.mark.parametrize("function", [inside, outside, two_results, loops_without_a_trip, rows])
def test_fractions_that_numpy_cuts_off_are_refused(function):
    assert function(NEGATIVE_FIRST) != function(POSITIVE_FIRST)  # what NumPy does
    for mode in ("python", "compiled", "auto", "tape"):
        with pytest.raises(UnsupportedError, match="all results the dtype of the first one"):
            adc.grad(function, mode=mode)(NEGATIVE_FIRST)


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")  # which result is the first, the tape knows
@pytest.mark.parametrize("function", [inside, outside, rows])
def test_a_first_result_with_a_fraction_gives_a_gradient(function):
    for mode in ("auto", "tape"):
        value, x_bar = adc.value_and_grad(function, mode=mode)(POSITIVE_FIRST)
        assert value == function(POSITIVE_FIRST)
        np.testing.assert_array_equal(x_bar, [1.5, 0.0, 1.5])


@pytest.mark.parametrize("otypes", ["d", [float], (np.float64,)])
def test_otypes_say_the_dtype(otypes):
    made = np.vectorize(ramp, otypes=otypes)
    for mode in ("python", "compiled", "auto", "tape"):
        for function in (lambda x: np.sum(made(x)), lambda x: np.sum(np.vectorize(ramp, otypes)(x))):
            value, x_bar = adc.value_and_grad(function, mode=mode)(NEGATIVE_FIRST)
            assert value == function(NEGATIVE_FIRST)
            np.testing.assert_array_equal(x_bar, [0.0, 1.5, 1.5])


def test_integers_stay_integers():
    def steps(x):
        return np.sum(np.vectorize(lambda v: 1 if v < 0 else 2)(x) * x)

    for mode in ("python", "compiled", "tape"):
        np.testing.assert_array_equal(adc.grad(steps, mode=mode)(NEGATIVE_FIRST), [1.0, 2.0, 2.0])
