"""A derivative has the dtype of what it belongs to, also where it is zero or one whatever the data are."""

from __future__ import annotations

import math

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


SINGLE, DOUBLE = np.array([1.0, 2.0, 3.0], np.float32), np.array([0.1, 0.2, 0.3])
MATRIX = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 5]])


def in_a_loop(x, y, s):
    scale = 1.0
    for k in range(3):
        scale = scale * float(x[k]) + s
        y = y * float(x[k]) + scale
    return y


def chosen(x, y, s):
    return (s if s > 1.0 else float(x[0])) * y


@pytest.mark.parametrize("mode", ["python", "tape"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, y, s: float(x[0]) * y,
        lambda x, y, s: x.astype(np.float32) * s,
        lambda x, y, s: math.sin(x[0]) * y + np.float32(s) * x[1].item(),
        lambda x, y, s: y / float(np.sum(x)) - math.sqrt(s) * y[0],
        lambda x, y, s: float(y[0]) * x + np.sin(s) * y,
        lambda x, y, s: np.where(y > 1.5, y, float(x[0])),
        lambda x, y, s: (float(x[0]) * y).astype(np.float64) + (s * 2.0) * y,
        lambda x, y, s: complex(x[0], s) * y,
        in_a_loop,
        chosen,
    ],
)
def test_numbers_of_python_beside_single_precision(function, mode):
    value = function(DOUBLE, SINGLE, 0.7)
    found, (x_bar, y_bar, _) = _value_and_bars(function, (DOUBLE, SINGLE, 0.7), mode)
    assert (found.dtype, x_bar.dtype, y_bar.dtype) == (value.dtype, np.float64, np.float32)
    np.testing.assert_allclose(found, value, rtol=1e-6)


def _value_and_bars(function, arguments, mode):
    value, pull = adc.vjp(function, *arguments, mode=mode)
    return value, pull(np.ones_like(value))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16])
@pytest.mark.parametrize("name", ["solve", "lstsq", "tensorsolve", "scipy"])
def test_integers_beside_single_precision_in_linear_systems(name, dtype, mode):
    """NumPy makes doubles of them; SciPy does so of those that have no room in single precision."""
    scipy_linalg = pytest.importorskip("scipy.linalg")
    whole, right = MATRIX.astype(dtype), np.arange(1, 4).astype(dtype)
    functions = {
        "solve": lambda a, x: np.linalg.solve(a, right) + np.linalg.solve(whole, x),
        "lstsq": lambda a, x: np.linalg.lstsq(a, right, rcond=None)[0],
        "tensorsolve": lambda a, x: np.linalg.tensorsolve(a, right),
        "scipy": lambda a, x: scipy_linalg.solve(a, right) + scipy_linalg.solve(whole, x),
    }
    arguments = MATRIX.astype(np.float32), SINGLE
    value = functions[name](*arguments)
    found, bars = _value_and_bars(functions[name], arguments, mode)
    assert found.dtype == value.dtype and {bar.dtype for bar in bars} == {np.dtype(np.float32)}
    np.testing.assert_allclose(found, value, rtol=1e-5)


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_simpsons_rule_takes_distances_in_double_precision(mode):
    integrate = pytest.importorskip("scipy.integrate")
    places = np.cumsum(SINGLE)

    def area(y):
        return integrate.simpson(y, x=places)

    value, gradient = adc.value_and_grad(area, mode=mode)(SINGLE)
    assert area(SINGLE).dtype == np.float64 and isinstance(value, float) and gradient.dtype == np.float32
