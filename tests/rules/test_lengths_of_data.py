"""Operations whose results are as long as the elements decide: as NumPy's, for each array of a shape anew."""

import numpy as np
import pytest

import adc

MODES = ("tape", "python")
ZEROS_AND_NUMBERS = [
    [0.0, 0.0, 0.0],  # the first one decides how the tape writes the operation down
    [0.0, 2.0, 0.0],
    [3.0, 0.0, 0.0],
    [np.nan, 0.0, np.nan],
    [1.0, 2.0, 3.0],
    [0.0, 0.0, 0.0],
]


def without_zeros(x):
    return np.trim_zeros(x)


def without_leading_zeros(x):
    return np.trim_zeros(x, "f")


def different(x):
    return np.unique(x)


def all_different(x):
    return np.unique(x, equal_nan=False)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "f", [without_zeros, without_leading_zeros, different, all_different], ids=lambda f: f.__name__
)
def test_lengths_of_data(f, mode):
    for elements in ZEROS_AND_NUMBERS:
        x = np.array(elements)
        value, pullback = adc.vjp(f, x, mode=mode)
        np.testing.assert_array_equal(value, f(x))
        assert np.sum(pullback(np.ones_like(value))[0]) == len(value)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.2.0", reason="NumPy trims vectors only")
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), ()])
def test_zeros_around_a_matrix(axis, mode):
    def f(x):
        return np.trim_zeros(x, axis=axis)

    for x in np.pad([[1.0, 0.0], [2.0, 3.0]], 1), np.zeros((4, 4)), np.eye(4):
        value, pullback = adc.vjp(f, x, mode=mode)
        np.testing.assert_array_equal(value, f(x))
        assert np.sum(pullback(np.ones_like(value))[0]) == value.size


@pytest.mark.parametrize("mode", MODES)
def test_a_number_is_placed(mode):
    def f(x):
        y = x * x
        np.place(y, y > 2.0, 0.5)
        return np.sum(y)

    np.testing.assert_array_equal(adc.grad(f, mode=mode)(np.array([1.0, 2.0, -1.0])), [2.0, 0.0, -2.0])
