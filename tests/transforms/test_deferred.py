"""Outer products that a reverse sweep adds up, as one product behind it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(5)


def recurrent(w, u, h, x):
    total = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + u @ x[t])
        total += np.sum(h**2)
    return total


def one_input_twice(w, u, h, x):
    for t in range(x.shape[0]):
        both = np.concatenate((h, x[t]))
        h = np.tanh(np.concatenate((w, u), axis=1) @ both) * (1.0 + w @ h)
    return np.sum(h)


def twice_in_a_trip(w, u, h, x):
    for t in range(x.shape[0]):
        h = np.tanh(w @ np.sin(w @ h) + u @ x[t])
    return np.sum(h**2)


def only_some_trips(w, u, h, x):
    for t in range(x.shape[0]):
        if t % 2 == 0:
            h = np.tanh(w @ h)
        else:
            h = h + u @ x[t]
    return np.sum(h**2)


def changed_on_the_way(w, u, h, x):
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + u @ x[t])
        w = 0.9 * w
    return np.sum(h**2)


def loops_in_loops(w, u, h, x):
    total = 0.0
    for k in range(2):
        g = h * (k + 1.0)
        for t in range(x.shape[0]):
            g = np.tanh(w @ g + u @ x[t])
        total += np.sum(g**2)
    return total


def from_the_left(w, u, h, x):
    for t in range(x.shape[0]):
        h = np.sin(h @ w) + np.dot(u, x[t])
    return np.sum(h**2)


def from_both_sides(w, u, h, x):
    k = np.exp(-w)
    g = h
    for _ in range(x.shape[0]):
        h = 1.0 / (1.0 + (k @ g) ** 2)
        g = 1.0 / (2.0 + (k.T @ h) ** 2)
    return np.sum(h[:, None] * k * g) + np.sum(u)


def read_on_the_way(w, u, h, x):
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + u @ x[t]) * np.sum(w[t % 3] ** 2)
    return np.sum(h**2)


FUNCTIONS = [
    from_both_sides,
    read_on_the_way,
    recurrent,
    one_input_twice,
    twice_in_a_trip,
    only_some_trips,
    changed_on_the_way,
    loops_in_loops,
    from_the_left,
]


def arguments(steps, n=9, m=8, dtype=float):
    shapes = (n, n), (n, m), (n,), (steps, m)
    return [(0.3 * R.normal(size=s)).astype(dtype) for s in shapes]


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients(function, steps):
    args = arguments(steps)
    wanted = adc.value_and_grad(function, argnums=(0, 1, 2, 3), mode="tape")(*args)
    with interpreted():
        found = adc.value_and_grad(function, argnums=(0, 1, 2, 3), mode="compiled")(*args)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-12)
    for a, b in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.machine_code
def test_compiled(dtype):
    args = arguments(4, dtype=dtype)
    wanted = adc.grad(recurrent, argnums=(0, 1, 2), mode="tape")(*args)
    found = adc.grad(recurrent, argnums=(0, 1, 2), mode="compiled")(*args)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, b, rtol=1e-9 if dtype == "float64" else 2e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("function", "products"),
    [
        (recurrent, 2),
        (loops_in_loops, 2),
        (from_the_left, 2),
        (twice_in_a_trip, 3),
        (only_some_trips, 0),
        (read_on_the_way, 1),
    ],
)
def test_products_of_rows(function, products):
    """A product of matrices for each matrix; where a branch multiplies, the trips add."""
    text = str(adc.source(adc.grad(function, argnums=(0, 1)), *arguments(4), stage="optimized"))
    found = re.findall(
        r"^ +(?:(?:[wu]_bar|product_\d) = rt\.dot|rt\.dot_into)\((?![wu]\.)\w+\.T, \w+(?:, product\w*)?\)$",
        text,
        re.MULTILINE,
    )
    assert len(found) == products, text


def test_sums_of_a_matrix_and_its_transpose():
    """What both sides of a matrix get are two products, and no matrix is transposed to be added."""
    args = arguments(4)
    gradient = adc.grad(from_both_sides, argnums=(0, 2), mode="compiled")
    assert re.findall(r"k_bar \+= (.*)", str(adc.source(gradient, *args))) == [
        "np.outer(h, product_bar_2)",
        "np.outer(product_bar_2, g)",
    ]
    assert (
        len(re.findall(r"rt\.dot\(\w+\.T, \w+\)", str(adc.source(gradient, *args, stage="optimized")))) == 2
    )


def rows_of_an_argument(w, u, h, x):
    for t in range(x.shape[0]):
        h = np.tanh(h + u @ x[t])
    return np.sum(h**2)


def rows_that_change(w, u, h, x):
    y = x.copy()
    for t in range(x.shape[0]):
        h = np.tanh(h + u @ y[t])
        y[x.shape[0] - 1 - t] *= 2.0
    return np.sum(h**2)


def some_of_the_rows(w, u, h, x):
    for t in range(x.shape[0] // 2):
        h = np.tanh(h + u @ x[t])
    return np.sum(h**2)


@pytest.mark.parametrize("function", [rows_of_an_argument, rows_that_change, some_of_the_rows])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_rows_that_lie_there(function, steps):
    """Rows of a matrix that nobody changes are not copied to be rows of another."""
    args = arguments(steps)
    wanted = adc.grad(function, argnums=(1, 2, 3), mode="tape")(*args)
    gradient = adc.grad(function, argnums=(1, 2, 3), mode="compiled")
    with interpreted():
        found = gradient(*args)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)
    if function is rows_of_an_argument:
        assert "_part[t" not in str(adc.source(gradient, *args, stage="optimized"))


@pytest.mark.parametrize("order", ["C", "F"])
def test_no_rows_of_another_length(order):
    """A loop without a trip multiplies nothing: lengths that would not fit are nobody's concern."""
    rng = np.random.default_rng(0)
    w, u, h = (np.asarray(rng.normal(size=s), order=order) for s in ((4, 3), (5, 2), (7,)))
    x = np.zeros((0, 6), order=order)
    found = adc.grad(recurrent, argnums=(0, 1, 2), mode="compiled")(w, u, h, x)
    for g, a in zip(found, (w, u, h), strict=True):
        np.testing.assert_array_equal(g, np.zeros_like(a))
