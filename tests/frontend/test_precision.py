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


@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize("function", [scaled, converted])
def test_single_precision_stays(function, mode):
    x = np.array([0.5, 1.25, 0.75], np.float32)
    value, gradient = adc.value_and_grad(function, mode=mode)(x, 0.5)
    assert np.asarray(value).dtype == gradient.dtype == np.float32
    np.testing.assert_allclose(value, function(x, 0.5), rtol=1e-6)
    exact = adc.grad(function, mode="tape")(x.astype(float), 0.5) if function is scaled else None
    if exact is not None:
        np.testing.assert_allclose(gradient, exact, rtol=1e-5)
