"""What is returned for an argument that the function reads in another shape lies where it was made."""

import numpy as np
import pytest

import adc

R = np.random.default_rng(3)


def largest_of_windows(x):
    n, m = x.shape
    return np.sum(x.reshape(n // 2, 2, m // 2, 2).max(axis=(1, 3)) ** 2)


def test_an_argument_that_is_reshaped_gets_its_adjoint_as_it_lies():
    assert "copy" not in str(adc.source(adc.grad(largest_of_windows), R.normal(size=(4, 4))))


def two_shapes(x, y):
    return np.sum(np.sin(x.reshape(2, 3) + y))


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_gradients_share_no_memory(mode):
    x, y = R.normal(size=6), R.normal(size=(2, 3))
    first, second = adc.grad(two_shapes, (0, 1), mode=mode)(x, y)
    assert not np.shares_memory(first, second)
    first[:] = 0.0
    np.testing.assert_allclose(second, np.cos(x.reshape(2, 3) + y))


def with_what_it_needs(x):
    cosines = np.cos(x.reshape(2, 3))
    return np.sum(np.sin(x.reshape(2, 3))), cosines


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_gradients_share_no_memory_with_what_is_returned_beside(mode):
    got, cosines = adc.grad(with_what_it_needs, has_aux=True, mode=mode)(R.normal(size=6))
    assert not np.shares_memory(got, cosines)
    np.testing.assert_array_equal(got, cosines.ravel())
