"""What divides by one number several times multiplies by its reciprocal, the primal where nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(5)


def quotient(x, y):
    return np.sum(np.sin(x / y))


def stretched(x, y):
    return np.sum(np.exp(-x / y[0]))


def of_a_sum(x, y):
    return np.sum((x / np.sum(y)) ** 3)


def distances(x, y):
    return np.sum(1.0 / np.sqrt(x * x + y * y + 1.0)) + np.sum(np.hypot(x, y) + np.arctan2(x, y))


def in_a_loop(x, y):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s = s + np.sin(x[i, j] / y[i, 0] - s / y[i, 0])
    return s


def overwritten(x, y):
    z = y * 1.0
    a = x / z
    z *= 2.0
    b = x / z
    return np.sum(a * a * b)


def on_an_edge(x, y):
    return np.sum(np.floor(x / y) * np.sin(x / y))


CASES = [on_an_edge, quotient, stretched, of_a_sum, distances, in_a_loop, overwritten]
X, Y = R.normal(size=(3, 4)), R.uniform(0.5, 2.0, size=(3, 4))


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize("function", CASES)
def test_gradient(function, mode):
    found = adc.value_and_grad(function, argnums=(0, 1), mode=mode)(X, Y)
    wanted = adc.value_and_grad(function, argnums=(0, 1), mode="tape")(X, Y)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-14)
    for a, b in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def text(function, stage="optimized"):
    return adc.value_and_grad(function, argnums=(0, 1), mode="compiled").source(X, Y, stage=stage)


def test_the_primal_multiplies_as_its_derivatives_do():
    kernel = text(quotient).partition("def quotient_value_and_grad(")[0]
    assert kernel.count(" / ") == kernel.count("reciprocal = 1.0 / ") == 1


def test_the_primal_divides_where_its_last_bit_decides():
    kernel = text(on_an_edge).partition("def on_an_edge_value_and_grad(")[0]
    assert kernel.count(" / ") == 2 and kernel.count("reciprocal = 1.0 / ") == 1


def test_the_adjoint_as_it_is_read_divides():
    assert "reciprocal " not in text(quotient, "adjoint")


def test_by_what_a_loop_does_not_change_it_divides_in_front_of_it():
    kernel = text(of_a_sum).partition("def of_a_sum_value_and_grad(")[0]
    assert " / " not in kernel and "* reciprocal" in kernel


def test_an_array_that_is_stretched_has_its_own_reciprocals():
    lines = text(stretched)
    assert "reciprocal[" in lines
