"""A derivative has the dtype of what it belongs to, also where it is zero or one whatever the data are."""

from __future__ import annotations

import numpy as np
import pytest

import adc
from adc import pytree

ARGUMENTS = (np.float32(1.5), np.float32(2.0), np.ones(2, np.float32))
SEVERAL = (0, 1, 2)


def total(x, scale, w):
    """Depends on `w` only, and linearly."""
    return np.sum(w)


def pair(x, scale, w):
    return 2.0 * x, x


CALLS = {
    "grad": lambda f, mode: adc.grad(f, SEVERAL, mode=mode)(*ARGUMENTS),
    "vjp": lambda f, mode: adc.vjp(f, *ARGUMENTS, mode=mode)[1](np.float32(1.0)),
    "vjp of a pair": lambda _, mode: adc.vjp(pair, *ARGUMENTS, mode=mode)[1]((np.float32(1.0),) * 2),
    "jvp": lambda f, mode: adc.jvp(f, ARGUMENTS, ARGUMENTS, mode=mode),
    "jvp of a pair": lambda _, mode: adc.jvp(pair, ARGUMENTS, ARGUMENTS, mode=mode),
    "jacrev": lambda f, mode: adc.jacrev(f, SEVERAL, mode=mode)(*ARGUMENTS),
    "jacfwd": lambda f, mode: adc.jacfwd(f, SEVERAL, mode=mode)(*ARGUMENTS),
    "hessian": lambda f, mode: adc.hessian(f, SEVERAL, mode=mode)(*ARGUMENTS),
    "hvp": lambda f, mode: adc.hvp(f, ARGUMENTS, ARGUMENTS, mode=mode),
    "vhp": lambda f, mode: adc.vhp(f, ARGUMENTS, ARGUMENTS, mode=mode),
    "linearize": lambda f, mode: adc.linearize(f, *ARGUMENTS, mode=mode)[1](*ARGUMENTS),
}


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize("transform", CALLS)
def test_single_precision_stays(transform, mode):
    for leaf in pytree.leaves(CALLS[transform](total, mode)):
        assert isinstance(leaf, (np.ndarray, np.floating)) and leaf.dtype == np.float32
        assert isinstance(leaf, np.ndarray) == (leaf.ndim > 0)


def double_beside_single(x):
    return x * np.float64(0.1)


def chosen_double(x):
    return np.where(x > 0.0, x, np.float64(0.1))


def plain_beside_single(x):
    return x * 0.1


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("function", [double_beside_single, chosen_double, plain_beside_single])
def test_a_double_of_numpy_counts_and_a_float_of_python_does_not(function, mode):
    x = np.ones(2, np.float32)
    z, pull = adc.vjp(function, x, mode=mode)
    assert z.dtype == function(x).dtype
    assert pull(np.ones_like(z))[0].dtype == np.float32


def middle(x):
    return np.quantile(x, 0.35)


def several_levels(x):
    return np.percentile(x, [35, 60])


def chosen_level(x):
    return np.quantile(x, np.array([[0.35]]), method="inverted_cdf")


def step_of(x):
    return np.heaviside(x, 0.5)


def taken_apart(x):
    mantissa, exponent = np.frexp(x)
    return np.ldexp(mantissa, exponent + 1)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("function", [middle, several_levels, chosen_level, step_of, taken_apart])
def test_a_result_of_single_precision_has_the_dtype_of_numpy(function, mode):
    x = np.array([0.5, -1.25, 2.0], np.float32)
    value, pull = adc.vjp(function, x, mode=mode)
    expected = function(x)
    assert np.asarray(value).dtype == expected.dtype
    np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-6)
    assert pull(np.ones_like(expected))[0].dtype == np.float32
