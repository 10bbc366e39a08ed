"""What two arrays have in common, where a difference would part it."""

import numpy as np
import pytest

import adc

X = np.array([3.0, 0.5, -1.0, 3.0])
Y = np.array([7.0, 3.0, 0.5])


def in_both(x, y):
    return np.sum(np.intersect1d(x, y) * np.array([1.0, 10.0]))


def in_both_of_different(x, y):
    return np.sum(np.intersect1d(x[1:], y, assume_unique=True) * np.array([1.0, 10.0]))


def where_in_both(x, y):
    both, here, there = np.intersect1d(x, y, return_indices=True)
    return np.sum(both * x[here] * y[there])


@pytest.mark.parametrize("mode", ("python", "tape"))
@pytest.mark.parametrize(
    ("f", "wanted"),
    [
        (in_both, ([10.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0])),
        (in_both_of_different, ([0.0, 1.0, 0.0, 10.0], [0.0, 0.0, 0.0])),
        (where_in_both, ([18.0, 0.5, 0.0, 0.0], [0.0, 9.0, 0.25])),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_the_first_array_has_the_derivative(f, wanted, mode):
    value, (x_bar, y_bar) = adc.value_and_grad(f, argnums=(0, 1), mode=mode)(X, Y)
    assert value == f(X, Y)
    np.testing.assert_allclose(x_bar, wanted[0])
    np.testing.assert_allclose(y_bar, wanted[1])
