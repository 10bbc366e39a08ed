"""`round` of Python's floats rounds what they are exactly, that of NumPy's a rounded product: on every engine."""

import math

import numpy as np
import pytest

import adc

VALUES = [2.675, 1.005, 0.125, -0.375, 2.5, -2.675, 1234.565, 1e17, 0.285, -0.0, 1e-9, math.pi]
MODES = ["tape", "python", "compiled"]


def decimals(x, y):
    return round(x, 2) + round(x * 3.0, 1) + y * round(math.sqrt(abs(x)), 3) + round(x, -1)


@pytest.mark.parametrize("mode", MODES)
def test_of_pythons(mode):
    g = adc.value_and_grad(decimals, argnums=(0, 1), mode=mode)
    for v in VALUES:
        value, (x_bar, y_bar) = g(v, 0.5)
        assert value == decimals(v, 0.5)
        assert (x_bar, y_bar) == (0.0, round(math.sqrt(abs(v)), 3))


@pytest.mark.tiny
@pytest.mark.parametrize("mode", ["tape", "python"])
def test_of_numpys(mode):
    def f(x):
        return round(x[0], 2) + x[1]

    for v in VALUES:
        x = np.array([v, 0.5])
        assert adc.value_and_grad(f, mode=mode)(x)[0] == f(x)
