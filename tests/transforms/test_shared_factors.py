"""What an adjoint is multiplied with is added up first; the user's sums, and what would lose digits, stay."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(11)


def burgers(u):
    u = u.copy()
    for _ in range(3):
        middle = u[1:-1]
        u[1:-1] = middle - 0.2 * middle * (middle - u[:-2]) + 0.1 * (u[2:] - 2.0 * middle + u[:-2])
    return 0.5 * np.sum(u * u)


def logistic(x, r):
    return np.sum(np.sin(r * x * (1.0 - x) + 0.5 * x))


def products(x, y, z):
    return np.sum(np.exp(x * y + x * z - 3.0 * x))


def written_out(x, y):
    return np.sum(x * y + x * 2.0 + x * y * y)


def cancelling(x):
    s = x + 0.5
    return np.sum(np.sin(s + 0.25 * x - 1.25 * x))


def nearly_cancelling(x):
    return np.sum(np.sin(0.1 * x + 0.2 * x - 0.3 * x))


def large(x, y, z):
    return np.sum(np.tanh(1e-300 * (x * y * z + x * z * 2.0)))


def by_loops(x, y):
    total = 0.0
    for i in range(1, len(x) - 1):
        t = x[i] * y[i] + x[i - 1] * x[i]
        total += np.tanh(t * x[i + 1] - 2.0 * t)
    return total


def optimized(function, *arguments):
    return adc.source(adc.grad(function), *arguments, stage="optimized")


def test_one_product_for_each_adjoint_of_a_stencil():
    text = optimized(burgers, R.normal(size=9))
    assert re.search(r"u_bar_element \* \(0\.8 - product - 0\.2 \* \(.*\)\) \+ u_bar_ahead_2", text)
    assert "u_bar[j] = u_bar_ahead + u_bar_element * (0.1 + product)" in text


def test_the_user_s_sum_stays():
    text = adc.source(adc.value_and_grad(written_out), R.normal(size=9), R.normal(size=9), stage="optimized")
    assert "product + x_i * 2.0 + product * y_i" in text
    assert "x_bar[i] = 2.0 + (y_i + 1.0) * y_i" in text


def test_strict_code_multiplies_every_term():
    text = adc.source(adc.grad(burgers, strict=True), R.normal(size=9), stage="optimized")
    assert "0.8" not in text


@pytest.mark.parametrize("n", [3, 4, 9, 40])
@pytest.mark.parametrize(
    "function", [burgers, logistic, products, written_out, cancelling, nearly_cancelling, large, by_loops]
)
def test_gradients_are_the_tape_s(function, n):
    args = [R.normal(size=n) for _ in range(function.__code__.co_argcount)]
    given = tuple(range(len(args)))
    taped = adc.grad(function, argnums=given, mode="tape")(*args)
    with interpreted():
        found = adc.grad(function, argnums=given, mode="compiled")(*args)
    for x, y in zip(found, taped, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14 * np.abs(y).max())


def test_products_of_two_numbers_of_the_primal_are_no_coefficients():
    # 1e200 * 1e200 is infinite, 1e-300 * 1e200 * 1e200 is not.
    x, y, z = np.full(3, 1e-110), np.full(3, 1e200), np.full(3, 1e200)
    expected = 1e-300 * y * z + 2e-300 * z
    with interpreted():
        found = adc.grad(large, mode="compiled")(x, y, z)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_infinite_coefficients_are_infinite():
    x, y, z = np.array([0.0, 1.0]), np.array([np.inf, 1.0]), np.ones(2)
    with np.errstate(all="ignore"):
        taped = adc.grad(products, mode="tape")(x, y, z)
    with interpreted():
        found = adc.grad(products, mode="compiled")(x, y, z)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(taped))
    np.testing.assert_allclose(found[1], taped[1], rtol=1e-14)


def lowered_twice(x, a):
    for k in range(x.shape[0]):
        a -= a - a
        a -= x[k] * a
        a += a * a
    return a


def test_a_sum_that_is_another_one_goes_into_the_next():
    given = (np.array([0.1, 0.2, 0.3]), 0.2), (np.ones(3), 1.0)
    with interpreted():
        found = adc.jvp(lowered_twice, *given, mode="compiled")
    np.testing.assert_allclose(found, adc.jvp(lowered_twice, *given, mode="tape"), rtol=1e-12)
