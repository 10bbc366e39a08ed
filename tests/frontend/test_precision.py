"""Numbers of `math` are Python's: beside an array of single precision they leave it that."""

from __future__ import annotations

import math

import numpy as np
import pytest

import adc


def scaled(x, s):
    return np.sum(x * math.exp(s) * math.sin(x[0]))


def converted(x, s):
    return np.sum(x * float(s) * float(x[1]))


def bounded(x, s):
    return np.sum(x * max(0.0, min(1.0, s)) * round(s, 1) * max([s, 2.0, s * 3]))


@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize("function", [scaled, converted, bounded])
def test_single_precision_stays(function, mode):
    x = np.array([0.5, 1.25, 0.75], np.float32)
    value, gradient = adc.value_and_grad(function, mode=mode)(x, 0.5)
    assert np.asarray(value).dtype == gradient.dtype == np.float32
    np.testing.assert_allclose(value, function(x, 0.5), rtol=1e-6)
    exact = adc.grad(function, mode="tape")(x.astype(float), 0.5) if function is scaled else None
    if exact is not None:
        np.testing.assert_allclose(gradient, exact, rtol=1e-5)


def of_an_array(x):
    return np.sum(x.astype(np.longdouble) ** 2)


def of_a_constant(x):
    return np.sum(x * np.finfo(np.longdouble).eps)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="the platform has none")
@pytest.mark.parametrize("function", [of_an_array, of_a_constant])
@pytest.mark.machine_code
def test_extended_precision_is_pythons(function):
    x = np.array([0.5, 1.25])
    with pytest.raises(adc.UnsupportedError, match="Numba cannot compile"):
        adc.grad(function, mode="compiled")(x)
    g = adc.grad(function)
    with pytest.warns(adc.FallbackWarning, match="plain Python"):
        np.testing.assert_allclose(g(x), adc.grad(function, mode="tape")(x))
    assert g.mode == "python"
