"""What the pulls of products add up to is one product, and a difference where there is something negative."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(0)
X, M = R.normal(size=4), R.normal(size=4)


def half_a_square(x, m):
    return np.sum(0.5 * x * x)


def energy(x, m):
    return np.sum(0.5 * m * x * x)


def inverse_power(x, m):
    return np.sum(1 / (2.0 + x) ** 2 - 1 / (2.0 + x) ** 3)


def diffusion(x, m):
    u = x.copy()
    u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * m)


def solved(x, m):
    a = np.eye(4) + 0.1 * np.outer(x, m)
    return np.sum(np.linalg.solve(a, m)) + np.sum(a * a)


def with_integers_that_wrap(x, m):
    k = np.array([-128, 127, -1, 0], dtype=np.int8)
    return np.sum(-(-k * x)) + np.sum(x - (-k) * m)


def read_besides(x, m):
    p = -x * m
    return np.sum(-p) + np.sum(p * p)


def valley(x, m):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - m[:-1]) ** 2)


def divergence(x, m):
    return -0.5 * np.sum(1 + x - m**2 - np.exp(x))


def likelihood(x, m):
    s = np.exp(m[0])
    return np.sum(0.5 * (x / s) ** 2 + np.log(s))


def decay(x, m):
    total = 0.5 * np.dot(x, x)
    for i in range(len(m)):
        total += m[i] * x[0]
    return total


def steps(x, m):
    y = x
    for _ in range(3):
        dy = np.array([m[0] * y[0] - m[1] * y[1], y[0] * y[1], -y[2], m[2] * y[3]])
        y = y + 0.1 * dy
    return y[0] + y[1] * y[2]


def inputs_and_results(x, m):
    """What a loop begins with is returned, too: each trip has an array of its own."""
    u = 2.0 * x
    v = u
    for _ in range(3):
        v = v.copy()
        v[1:] += 0.1 * v[:-1] * m[1:]
    return np.sum(u * v)


def a_copy_that_changes(x, m):
    u = x * m
    v = u.copy()
    v[0] = 0.0
    return np.sum(v * v) + np.sum(x[1:] * v[:-1])


def a_copy_beside_what_it_is_of(x, m):
    u = x * m
    v = u.copy()
    v[0] = 3.0 * v[1]
    return np.sum(u * v)


PROGRAMS = [
    half_a_square,
    energy,
    inverse_power,
    diffusion,
    solved,
    with_integers_that_wrap,
    read_besides,
    valley,
    divergence,
    likelihood,
    decay,
    steps,
    inputs_and_results,
    a_copy_that_changes,
    a_copy_beside_what_it_is_of,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_tape(f):
    for mode in ("python", "compiled"):
        value, found = adc.value_and_grad(f, argnums=(0, 1), mode=mode)(X, M)
        wanted = adc.value_and_grad(f, argnums=(0, 1), mode="tape")(X, M)
        np.testing.assert_allclose(value, wanted[0], rtol=1e-13)
        for a, b in zip(found, wanted[1], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("f", "line"),
    [
        (half_a_square, "x_bar = x.copy()"),
        (energy, "x_bar = 2.0 * (0.5 * m * x)"),
        (diffusion, "_bar[1:-1] -= "),
        (valley, "difference_bar = 200.0 * (x[1:] - x_part ** 2)"),
        (divergence, "x_bar = x_bar - 0.5"),
        (decay, "x_bar += x\n"),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_one_product(f, line):
    assert line in adc.source(adc.grad(f, mode="python"), X, M)


@pytest.mark.parametrize("f", [valley, divergence, likelihood], ids=lambda f: f.__name__)
def test_one_number_is_no_array(f):
    assert "broadcast_to" not in adc.source(adc.grad(f, argnums=(0, 1), mode="python"), X, M)


def test_one_adjoint_serves_all_trips():
    assert ".copy()" not in adc.source(adc.grad(steps, argnums=(0, 1), mode="python"), X, M)


@pytest.mark.parametrize("f", [inverse_power, solved], ids=lambda f: f.__name__)
def test_nothing_is_negated_twice(f):
    text = adc.source(adc.grad(f, argnums=(0, 1), mode="python"), X, M)
    assert "-(-" not in text
    assert "+ -" not in text
