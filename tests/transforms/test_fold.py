"""Arithmetic that the reverse sweep makes trivial is folded away, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(2)


def half_a_square(x):
    return 0.5 * np.sum(x * x)


def a_third_of_a_square(x):
    return np.sum(x * x) / 3.0


def doubled(x):
    y = x + x
    return np.sum(np.sin(y))


@pytest.mark.parametrize("mode", ("compiled", "python"))
def test_twice_a_multiple(mode):
    x = np.random.default_rng(0).normal(size=50)
    np.testing.assert_array_equal(adc.grad(half_a_square, mode=mode)(x), x)
    np.testing.assert_array_equal(
        adc.grad(a_third_of_a_square, mode=mode)(x), x * (1.0 / 3.0) + x * (1.0 / 3.0)
    )


def test_the_adjoint_of_half_a_square_is_the_vector():
    text = adc.source(adc.grad(half_a_square), np.ones(3))
    assert "product" not in text and "x + x" not in text


def test_what_the_primal_adds_stays_as_written():
    text = adc.source(adc.value_and_grad(doubled), np.ones(3))
    assert "x + x" in text


def test_an_array_written_to_in_between_is_read_as_it_was():
    def program(x):
        y = x * x
        total = np.sum(y)
        x[0] = 7.0
        return total

    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(adc.grad(program)(x.copy()), 2.0 * x)


def test_a_turned_product_is_a_product_of_the_turned():
    def layer(x, w):
        return np.sum(np.tanh(x @ w.T))

    args = np.ones((4, 3)), np.ones((2, 3))
    text = adc.source(adc.grad(layer, 1), *args)
    assert "w_bar = product_bar.T @ x" in text and ".copy()" not in text
    x, w = R.normal(size=(4, 3)), R.normal(size=(2, 3))
    wanted = (1.0 - np.tanh(x @ w.T) ** 2).T @ x
    np.testing.assert_allclose(adc.grad(layer, 1)(x, w), wanted, rtol=1e-12)


def test_a_turned_product_that_is_read_otherwise_stays():
    def both(x, w):
        y = x @ w
        z = y.T
        z[0] *= 2.0
        return np.sum(y * y) + np.sum(z[1] ** 3)

    args = R.normal(size=(3, 4)), R.normal(size=(4, 3))
    for found, wanted in zip(
        adc.grad(both, (0, 1))(*args), adc.grad(both, (0, 1), mode="tape")(*args), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_float_power_of_doubles_is_a_power():
    def f(x, y):
        return np.sum(np.float_power(x, 3) + np.float_power(x, y) + np.float_power(2, x)) + np.float_power(
            y[0], 2
        )

    x, y = np.linspace(0.5, 1.5, 5), np.linspace(-1.0, 1.0, 5)
    text = adc.source(adc.value_and_grad(f), x, y)
    assert not any("float_power" in line for line in text.splitlines() if "#" not in line)
    assert "x ** 3" in text
    value, bar = adc.value_and_grad(f, mode="compiled")(x, y)
    assert value == pytest.approx(f(x, y))
    np.testing.assert_allclose(bar, adc.grad(f, mode="tape")(x, y), rtol=1e-12)


def test_a_product_turned_first_in_a_branch():
    def fitted(a):
        return np.sum(np.linalg.lstsq(a, np.arange(4.0), rcond=None)[0] ** 2) + np.sum(
            np.linalg.svd(a, compute_uv=False) ** 3
        )

    def slope(a, mode):
        return np.sum(adc.grad(fitted, mode=mode)(a) * np.arange(8.0).reshape(4, 2))

    a = R.normal(size=(4, 2))
    np.testing.assert_allclose(
        adc.grad(slope, mode="python")(a, "python"), adc.grad(slope, mode="tape")(a, "tape"), rtol=1e-9
    )
