"""Pullbacks, linear maps and Jacobians of every program of the corpus: what runs once, what for each direction.

Of a tenth of the programs a pullback and columns, of another a linear map and rows, and with other sources of other
quarters: `make rules` takes all.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tests.corpus.reference import flat
from tests.interpreted import by_readable_text, interpreted
from tests.transforms.directions import directions, programs, tenth

import adc
from adc import pytree
from adc.api.how import how
from adc.api.linearize import Linearized
from adc.api.pullback import Pulled

PROGRAMS = programs()
COMPILED = [p for p in PROGRAMS if "compiled" not in p.refused]
NOT_COMPILED = [p for p in PROGRAMS if "compiled" in p.refused]


@functools.cache
def gradient_of(program):
    """By the other engine, where it runs the program."""
    mode = "python" if "tape" in program.refused else "tape"
    gradient = adc.grad(program.function, argnums=program.argnums, mode=mode)
    return [np.asarray(g) for g in flat(gradient(*program.arguments()))]


def close(found, wanted):
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9 * scale)


@functools.lru_cache(maxsize=2)
def optimized(program, kind):
    """Two programs of which the texts for Numba run in CPython. Both have been called: they have their texts."""
    made = kind(program.function, program.argnums, False, how("compiled"))
    with interpreted():
        run = made(*program.arguments())[2]
        run(pytree.map_structure(np.zeros_like, made.expected(run.call, run.value)))
    return made


def readable(program, kind):
    """By the readable texts, which are derived once with those for Numba where there are any."""
    if "compiled" in program.refused:
        return kind(program.function, program.argnums, False, how("python"))
    return by_readable_text(optimized(program, kind))


@pytest.mark.parametrize("program", tenth(1, PROGRAMS))
def test_pullback(program):
    check_pullback(program, readable(program, Pulled))


@pytest.mark.parametrize("program", tenth(1, COMPILED))
def test_pullback_optimized(program):
    check_pullback(program, optimized(program, Pulled))


def check_pullback(program, made):
    """Value and pullback, called twice."""
    value, _, pullback = made(*program.arguments())
    with np.errstate(all="ignore"):
        close(value, program.function(*program.arguments()))
    for weight in (1.0, -2.0):
        for got, wanted in zip(flat(pullback(weight)), gradient_of(program), strict=True):
            close(got, weight * wanted)


@pytest.mark.parametrize("program", tenth(0, PROGRAMS))
def test_linear_map(program):
    check_linear_map(program, readable(program, Linearized))


@pytest.mark.parametrize("program", tenth(0, COMPILED))
def test_linear_map_optimized(program):
    check_linear_map(program, optimized(program, Linearized))


def check_linear_map(program, made):
    """Value and pushforward, called twice."""
    value, _, push = made(*program.arguments())
    with np.errstate(all="ignore"):
        close(value, program.function(*program.arguments()))
    dots = tuple(directions(program))
    wanted = sum(
        float(np.sum(np.multiply(g, d))) for g, d in zip(gradient_of(program), flat(dots), strict=True)
    )
    for _ in range(2):
        close(push(dots), wanted)


def twice(function):
    def both(*args):
        value = function(*args)
        return np.array([value, 2.0 * value])

    return both


@pytest.mark.slow
@pytest.mark.parametrize("program", tenth(0, PROGRAMS))
def test_rows(program):
    check_rows(program, adc.jacrev, "python")


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", tenth(1, NOT_COMPILED)
)  # the others' columns: below, out of the same text
def test_columns(program):
    check_rows(program, adc.jacfwd, "python")


@pytest.mark.parametrize("program", tenth(1, COMPILED))
def test_columns_optimized(program):
    with interpreted():
        check_rows(program, adc.jacfwd, "compiled")


def check_rows(program, jacobian, mode):
    """The loop over rows or columns of a Jacobian."""
    derivative = jacobian(twice(program.function), argnums=program.argnums, mode=mode)
    found = derivative(*program.arguments())
    for got, wanted in zip(flat(found), gradient_of(program), strict=True):
        close(got, np.stack([wanted, 2.0 * np.asarray(wanted)]))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_rows_of_a_view_that_is_written_below(mode):
    def f(a):
        b = a[1:3]
        a[1] = a[0] * a[3]
        return b * b

    x = np.array([0.5, -1.0, 2.0, 3.0])
    wanted = np.array([[2 * 1.5 * 3.0, 0.0, 0.0, 2 * 1.5 * 0.5], [0.0, 0.0, 4.0, 0.0]])
    for jacobian in (adc.jacrev, adc.jacfwd, adc.jacobian):
        np.testing.assert_allclose(jacobian(f, mode=mode)(x), wanted)
    np.testing.assert_allclose(adc.vjp(f, x, mode=mode)[1](np.array([1.0, 10.0]))[0], wanted.T @ [1.0, 10.0])


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_value_and_aux_of_a_loop_that_keeps_a_stack(mode):
    def f(x):
        y = x
        k = 0
        while np.sum(y * y) > 0.01:
            y = y * np.cos(x) * 0.7
            k = k + 1
        return y, (k, y * 2.0)

    x = np.array([0.3, 0.9])
    value, pullback, aux = adc.vjp(f, x, has_aux=True, mode=mode)
    expected, (count, double) = f(x)
    np.testing.assert_allclose(value, expected)
    assert aux[0] == count
    np.testing.assert_allclose(aux[1], double)
    columns = adc.jacfwd(lambda z: f(z)[0], mode=mode)(x)
    for bar in np.eye(2):
        np.testing.assert_allclose(pullback(bar)[0], bar @ columns, rtol=1e-12)
    rows, again = adc.jacrev(f, has_aux=True, mode=mode)(x)
    np.testing.assert_allclose(rows, columns, rtol=1e-12)
    np.testing.assert_allclose(again[1], double)
    value, push = adc.linearize(lambda z: f(z)[0], x, mode=mode)
    np.testing.assert_allclose(value, expected)
    np.testing.assert_allclose(push(np.array([1.0, 0.0])), columns[:, 0], rtol=1e-12)


def test_rows_of_a_gradient_that_is_as_long_as_a_slice():
    def f(x, w):
        k = len(w)
        return np.sum(x[:k] * w) + np.sum(np.minimum(x[: min(k, len(x))], w))

    x, w = np.linspace(0.5, 2.0, 5), np.array([1.0, 0.3, 2.0])
    gradient = adc.grad(f, argnums=(0, 1), mode="python")
    rows = adc.jacrev(gradient, argnums=(0, 1), mode="python")(x, w)
    columns = adc.jacfwd(gradient, argnums=(0, 1), mode="python")(x, w)
    for row, column in zip(rows, columns, strict=True):
        for a, b in zip(row, column, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(rows[1][0], rows[0][1].T, rtol=1e-12)


LENGTHS_COMPUTED_TWICE = {
    "append": lambda x: np.append(x, x * 2.0),
    "product": lambda x: np.concatenate(
        (np.zeros(x.shape[0] * x.shape[1]) + x[0, 0], np.zeros(x.shape[0] * x.shape[1]))
    ),
    "of_the_data": lambda x: np.concatenate(
        (np.zeros(int(x[0, 1]) + 1) + x[0, 0], np.ones(int(x[0, 1]) + 1))
    ),
}


@pytest.mark.parametrize("name", LENGTHS_COMPUTED_TWICE)
def test_directions_as_long_as_a_result_whose_length_is_computed_twice(name):
    f, x = LENGTHS_COMPUTED_TWICE[name], np.arange(6.0).reshape(2, 3)
    wanted = adc.jacrev(f, mode="tape")(x)
    value, pull = adc.vjp(f, x, mode="python")
    np.testing.assert_array_equal(value, f(x))
    bar = np.arange(float(value.size))
    np.testing.assert_allclose(pull(bar)[0], np.tensordot(bar, wanted, 1))
    for jacobian in (adc.jacrev, adc.jacfwd):
        np.testing.assert_array_equal(jacobian(f, mode="python")(x), wanted)
