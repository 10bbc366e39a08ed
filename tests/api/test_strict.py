"""`strict=True`: compiled code adds, multiplies and divides as the program says, to the last bit."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from tests.corpus import whole_arrays
from tests.interpreted import interpreted

import adc
from adc import config
from adc.errors import ArgumentError

X = np.sin(np.arange(1.0, 1200.0) ** 2)


def sum_of_squares(x):
    total = 0.0
    for value in x:
        total += value * value
    return total


def sum_in_two_places(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += x[i] * x[i + 1]
        total -= x[i] / 3.0
    return total


def shares(x):
    whole = 0.0
    for value in x:
        whole += abs(value)
    spread = 0.0
    for value in x:
        spread += (value / whole) * (value / whole)
    return spread * len(x)


def average_that_forgets(x):
    state, total = 0.5, 0.0
    for value in x:
        state = 0.9 * state + 0.1 * value
        total += state * state
    return total


def filtered(x):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = 0.3 * x[i] + 0.7 * y[i - 1]
    total = 0.0
    for i in range(len(x)):
        total += y[i] * x[i]
    return total


def smoothed_rows(x):
    u = x[:1190].reshape(34, 35).copy()
    for i in range(1, 33):
        for j in range(1, 34):
            u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    total = 0.0
    for i in range(34):
        for j in range(35):
            total += u[i, j] * u[i, j]
    return total


PROGRAMS = [
    sum_of_squares,
    sum_in_two_places,
    shares,
    average_that_forgets,
    filtered,
    smoothed_rows,
]
# What code that is not strict makes of them, which rounds otherwise.
FREE = {
    sum_of_squares: "vm.add",
    sum_in_two_places: "vm.add",
    shares: "x[i] * reciprocal",
    average_that_forgets: "rt.linear_recurrence",
    filtered: "rt.linear_recurrence",
    smoothed_rows: "rt.linear_recurrence",
}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_strict_code_has_every_bit_of_the_program(function):
    strict = adc.value_and_grad(function, mode="compiled", strict=True)
    value, gradient = strict(X)
    assert value == function(X)
    np.testing.assert_allclose(gradient, adc.grad(function, mode="tape")(X), rtol=1e-10, atol=1e-13)
    free = adc.value_and_grad(function, mode="compiled")
    with interpreted():
        free(X)
    assert FREE[function] in free.source(X, stage="optimized")
    assert FREE[function] not in strict.source(X, stage="optimized")


def test_loops_that_add_in_an_order_become_no_products_of_matrices():
    function = whole_arrays.lower_part_of_a_product
    args = whole_arrays.program.__globals__["PROGRAMS"]["whole_arrays.lower_part_of_a_product"].arguments()
    for strict, loops in ((True, 2), (False, 1)):
        derivative = adc.grad(function, tuple(range(len(args))), strict=strict)
        text = str(adc.source(derivative, *args, stage="dead-whole"))
        assert len(re.findall(r"^ *for ", text, re.MULTILINE)) == loops, text


def test_functions_are_called_apart_from_sums_that_keep_their_order():
    def loss(x):
        total = 0.0
        for value in x:
            total += np.exp(-value) * value
        return total

    strict = adc.value_and_grad(loss, mode="compiled", strict=True)
    value, _ = strict(X)
    assert value == pytest.approx(loss(X), rel=1e-13)
    assert "vm.exp" in strict.source(X, stage="optimized")


def test_every_derivative_takes_it():
    f, x, dot = sum_of_squares, X[:5], np.ones(5)
    np.testing.assert_allclose(adc.grad(f, strict=True)(x), 2 * x)
    np.testing.assert_allclose(adc.vjp(f, x, strict=True)[1](1.0)[0], 2 * x)
    np.testing.assert_allclose(adc.jvp(f, (x,), (dot,), strict=True)[1], 2 * np.sum(x))
    np.testing.assert_allclose(adc.linearize(f, x, strict=True)[1](dot), 2 * np.sum(x))
    np.testing.assert_allclose(adc.hvp(f, x, dot, strict=True), 2 * dot)
    np.testing.assert_allclose(adc.vhp(f, x, dot, strict=True), 2 * dot)
    np.testing.assert_allclose(adc.hessian(f, strict=True)(x), 2 * np.eye(5))
    for jacobian in (adc.jacobian, adc.jacfwd, adc.jacrev):
        np.testing.assert_allclose(jacobian(f, strict=True)(x), 2 * x)
    np.testing.assert_allclose(adc.vmap(f, strict=True)(np.stack((x, dot))), [f(x), f(dot)])


def test_it_is_asked_for_by_the_environment():
    with config.overridden(strict=True):
        asked = adc.grad(sum_of_squares, mode="compiled")
        free = adc.grad(sum_of_squares, mode="compiled", strict=False)
    for gradient in (asked, free):
        with interpreted():
            gradient(X)
    assert "vm.add" not in asked.source(X, stage="optimized")
    assert asked._how == pickle.loads(pickle.dumps(asked))._how
    assert not free._how.strict


def test_what_is_no_truth_value_is_refused():
    with pytest.raises(ArgumentError, match="strict='yes' is not True or False"):
        adc.grad(sum_of_squares, strict="yes")
