"""Quotients are products with reciprocals only where nobody can tell: on an edge every bit stays NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf
from tests.interpreted import interpreted

import adc

pytestmark = pytest.mark.machine_code  # what is asked is what LLVM leaves as it is

# 49 * (1 / 49) is less than 1, 0.3 / 0.1 less than 3, 3 * (1 / 3) is 1.
X = np.array([49.0, 98.0, 5.0, 0.3, 147.0])


def floors(x):
    return np.sum(np.floor(x / 49.0) * x)


def in_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        k = int(x[i] / 49.0)
        total += k * x[i]
    return total


def compared(x):
    return np.sum(np.where(x / 49.0 >= 1.0, x * x, x))


def branches(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] / 49.0 < 1.0:
            total += x[i]
        else:
            total += 3.0 * x[i]
    return total


def later(x):
    """What a test sees has gone through an array and a sum."""
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] / 49.0
    z = y + 1.0
    return np.sum(np.where(z == 2.0, 5.0 * x, x))


def ties(x):
    return np.sum(np.maximum(x / 49.0, 1.0) * x)


def clipped(x):
    return np.sum(np.clip(x / 49.0, 0.0, 1.0) ** 2)


def edges(x):
    """The root of what is zero, where the quotient is 1."""
    return np.sum(np.sqrt(np.maximum(x, 49.0) / 49.0 - 1.0) + x)


def of_a_factor(x):
    """The quotient is a derivative, too: that of what it is multiplied by."""
    q = x / 49.0
    return np.sum(x * q + np.floor(q * 3.0) * x)


def by_each(x):
    q = x / x
    return np.sum(x * q + np.floor(q) * x + q / x)


def of_whole_numbers(x):
    return np.sum(x % 1.0 + (x / 49.0) % 1.0)


@pytest.mark.parametrize(
    "function",
    [
        floors,
        in_a_loop,
        compared,
        branches,
        later,
        ties,
        clipped,
        of_a_factor,
        by_each,
        of_whole_numbers,
    ],
)
def test_what_is_on_an_edge_stays_there(function):
    with interpreted():
        value, gradient = adc.value_and_grad(function, mode="compiled")(X)
    assert value == pytest.approx(function(X), rel=1e-14)
    np.testing.assert_allclose(gradient, adc.grad(function, mode="tape")(X), rtol=1e-13)


def test_no_root_of_less_than_nothing():
    with interpreted(), np.errstate(all="ignore"):
        assert adc.value_and_grad(edges, mode="compiled")(X)[0] == edges(X)


def test_what_is_written_to_magnitudes_is_no_magnitude():
    """So the sign of their sum is not that of each: here it is zero if every bit of the quotient is NumPy's."""

    def balanced(x):
        e = np.abs(x)
        for i in range(len(x) - 1):
            e[i] = -x[i] / 49.0
        return np.where(np.sum(e) == 0.0, 1.0, 2.0) * x[0]

    x = np.array([147.0, 3.0])
    with interpreted():
        assert adc.value_and_grad(balanced, mode="compiled")(x)[0] == balanced(x) == 147.0


def softmax(x, y):
    e = np.exp((x - np.mean(x)) / np.std(x))
    return np.sum(np.log(e / np.sum(e)) * y)


def weights(x, y):
    """A shift by the largest of quotients by one number."""
    z = x / np.sqrt(len(y) + 1.0)
    e = np.exp(z - np.max(z))
    return np.sum(e / np.sum(e) * y)


def stencil(x, y):
    total = 0.0
    for i in range(1, len(x) - 1):
        total += y[i] * (x[i + 1] - x[i - 1]) / 3.0 + np.abs(x[i] / y[i]) / y[i]
    return total


@pytest.mark.parametrize(("function", "left"), [(softmax, 1), (weights, 0), (stencil, 0)])
def test_elsewhere_there_are_products(function, left):
    """In loops, but for what each element is divided by once: y / (e / total)."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=7), rng.uniform(0.5, 2.0, size=7)
    with interpreted():
        derivative = adc.value_and_grad(function, argnums=(0, 1), mode="compiled")
        value, gradients = derivative(x, y)
        text = str(adc.source(derivative, x, y, stage="optimized"))
    assert value == pytest.approx(function(x, y), rel=1e-14)
    for found, wanted in zip(gradients, adc.grad(function, argnums=(0, 1), mode="tape")(x, y), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    code = [line for line in text.splitlines() if line.startswith("        ") and "#" not in line]
    assert sum(" / " in line and "1.0 / " not in line for line in code) == left
    assert "* reciprocal" in text


def test_a_product_is_not_above_one_where_the_quotient_is_not():
    """So what has an edge at one may be given a number over the largest."""

    def angles(x):
        return np.sum(np.arccos(x / np.sum(x[:1])) + np.sqrt(x))

    with interpreted(), np.errstate(all="ignore"):
        x = np.array([49.0, 49.0, 3.0])
        assert adc.value_and_grad(angles, mode="compiled")(x)[0] == angles(x)


def gelu(x, y):
    return np.sum(0.5 * x * (1.0 + erf(x / np.sqrt(2.0))) * y + (erf(y) + 1.0) * erf(x))


def test_one_and_the_error_function_are_one():
    """Where the error function is read by nothing else."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=40) * 3.0, rng.normal(size=40)
    derivative = adc.value_and_grad(gelu, argnums=(0, 1), mode="compiled")
    value, gradients = derivative(x, y)
    assert value == pytest.approx(gelu(x, y), rel=1e-13)
    for found, wanted in zip(gradients, adc.grad(gelu, argnums=(0, 1), mode="tape")(x, y), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    text = str(adc.source(derivative, x, y, stage="optimized"))
    assert text.count("vm.one_plus_erf") == 2 and text.count("vm.erf(") == 1
