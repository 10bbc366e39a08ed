"""Constants of derivatives meet; what the user wrote is left as it is."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(5)


def half_squares(x, y):
    return 0.5 * np.sum((x - y) ** 2)


def densities(x):
    return np.sum(0.5 * np.tanh(3.0 * x / 2.0) * 4.0)


def written_out(x):
    return np.sum(0.1 * (0.2 * (0.3 * x)) * np.exp(x))


def carried(x):
    s = 1.0
    for v in x:
        s = 0.25 * (2.0 * s) * np.cos(0.5 * v * 2.0) + 3.0
    return s


def single(x):
    return np.sum(np.float32(0.5) * (np.float32(3.0) * x) ** 2)


def optimized(function, *arguments):
    return adc.source(adc.grad(function), *arguments, stage="optimized")


def test_a_half_and_a_two_are_nothing():
    text = optimized(half_squares, R.normal(size=5), R.normal(size=5))
    assert "x_bar[i] = x[i] - y[i]" in text


def test_constants_of_one_product_are_one():
    text = optimized(densities, R.normal(size=5))
    assert "3.0 *" in text  # the user's
    assert "0.5" not in text.split("_bar[i] =")[1]


def test_what_the_user_wrote_is_rounded_as_it_was():
    text = adc.source(adc.value_and_grad(written_out), R.normal(size=5), stage="optimized")
    assert "0.1 * (0.2 * (0.3 * x_i))" in text


@pytest.mark.parametrize("function", [densities, written_out, carried])
@pytest.mark.parametrize("n", [1, 7, 40])
def test_gradients_are_the_tape_s(function, n):
    x = R.normal(size=n)
    value, found = adc.value_and_grad(function, mode="compiled")(x)
    expected, taped = adc.value_and_grad(function, mode="tape")(x)
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(found, taped, rtol=1e-12, atol=1e-14)


def test_single_precision_stays_single():
    x = R.normal(size=9).astype(np.float32)
    found = adc.grad(single, mode="compiled")(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 9.0 * x, rtol=1e-6)


def test_constants_too_large_together_stay_apart():
    def function(x):
        return np.sum(1e200 * np.tanh(1e200 * (1e-200 * x)) * 1e-200)

    x = R.normal(size=4)
    np.testing.assert_allclose(adc.grad(function, mode="compiled")(x), 1.0 - np.tanh(x) ** 2, rtol=1e-12)
