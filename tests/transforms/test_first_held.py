"""Of a few tests the first that holds is found by the tests themselves; windows of an array stand in one loop."""

import numpy as np
import pytest

import adc

R = np.random.default_rng(3)


def largest_of_windows(x):
    n, m = x.shape
    return np.sum(x.reshape(n // 2, 2, m // 2, 2).max(axis=(1, 3)) ** 2)


def smallest_of_windows(x):
    windows = x.reshape(x.shape[0] // 2, 2, x.shape[1] // 3, 3)
    return np.sum(np.sin(np.min(windows, axis=(1, 3))))


def centred_windows(x):
    windows = x.reshape(x.shape[0] // 2, 2, x.shape[1] // 2, 2)
    return np.sum((windows - windows.mean(axis=(1, 3), keepdims=True)) ** 4)


def text_of(function, x):
    return str(adc.source(adc.value_and_grad(function), x, stage="optimized"))


@pytest.mark.parametrize("function", [largest_of_windows, smallest_of_windows, centred_windows])
@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_every_engine_agrees(function, mode):
    x = R.normal(size=(8, 12))
    x[2:4, :4] = 0.5  # ties
    value, got = adc.value_and_grad(function, mode=mode)(x)
    wanted_value, wanted = adc.value_and_grad(function, mode="tape")(x)
    np.testing.assert_allclose(value, wanted_value, rtol=1e-12)
    np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_a_window_with_nan_gives_its_adjoint_to_the_nan(mode):
    x = R.normal(size=(4, 4))
    x[1, 0] = x[0, 3] = np.nan
    got = adc.grad(largest_of_windows, mode=mode)(x)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(x))
    assert got[0, 0] == got[0, 1] == got[1, 1] == 0.0


def test_the_tests_are_asked_in_one_loop():
    text = text_of(largest_of_windows, R.normal(size=(4, 4)))
    assert "min(" not in text
    assert "if hit_2 & (not hit) else 0.0" in text
    assert text.count("for ") == 2
