"""Functions of one code share what was made for one of them: `adc.grad(lambda w: loss(w, batch))(w)` in a loop."""

from __future__ import annotations

import functools
import gc
import weakref

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.5, 2.5])
ROWS = np.arange(1.0, 19.0).reshape(6, 3)
STEP = 0


def weighted(row):
    return lambda x: np.sum(row * x**3)


TRANSFORMS = {
    "grad": lambda f: adc.grad(f)(X),
    "value_and_grad": lambda f: adc.value_and_grad(f)(X)[1],
    "second": lambda f: adc.grad(lambda x: np.sum(adc.grad(f)(x)))(X),
    "jacobian": lambda f: adc.jacobian(f)(X),
    "hessian": lambda f: np.diag(adc.hessian(f)(X)),
    "jvp": lambda f: adc.jvp(f, (X,), (X,))[1],
    "hvp": lambda f: adc.hvp(f, (X,), (X,))[0],
    "vjp": lambda f: adc.vjp(f, X)[1](1.0)[0],
    "linearize": lambda f: adc.linearize(f, X)[1](X),
    "vmap": lambda f: adc.vmap(f)(np.stack([X, 2.0 * X]))[0],
    "vmap of grad": lambda f: adc.vmap(adc.grad(f))(np.stack([X, 2.0 * X]))[0],
    "grad of grad": lambda f: adc.jacobian(adc.grad(f))(X).sum(axis=0),
}
EXPECTED = {
    "second": lambda row: 6 * row * X,
    "hessian": lambda row: 6 * row * X,
    "grad of grad": lambda row: 6 * row * X,
    "hvp": lambda row: 6 * row * X * X,
    "jvp": lambda row: np.sum(3 * row * X**3),
    "linearize": lambda row: np.sum(3 * row * X**3),
    "vmap": lambda row: np.sum(row * X**3),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_each_transform_is_derived_once(name, made):
    expected = EXPECTED.get(name, lambda row: 3 * row * X**2)
    first = None
    for row in ROWS:
        np.testing.assert_allclose(TRANSFORMS[name](weighted(row)), expected(row))
        first = len(made) if first is None else first
    if name != "second":  # the lambda around the gradient calls another function each time
        assert len(made) == first


def test_functions_that_it_calls_are_made_anew_too(made):
    def gradient(row, bias):
        def model(x):
            return row * x + bias

        def loss(x):
            return np.sum(model(x) ** 2)

        return adc.grad(loss)(X)

    for k, row in enumerate(ROWS):
        np.testing.assert_allclose(gradient(row, float(k)), 2 * row * (row * X + k))
    assert len(made) == 1


def test_transforms_that_it_calls_are_made_anew_too(made):
    def second(row, transform):
        inner = transform(lambda x: np.sum(row * x**3))
        return adc.grad(lambda x: np.sum(inner(x)))(X)

    for row in ROWS:
        np.testing.assert_allclose(second(row, adc.grad), 6 * row * X)
        np.testing.assert_allclose(second(row, adc.hessian), 6 * row)
    assert len(made) == 2


def test_arrays_of_another_kind_have_their_own_code(made):
    for held in (ROWS[0], np.float32(2.0), ROWS, 3.0, ROWS[:, ::-1], ROWS[0] > 2):
        rows = held if np.ndim(held) == 2 else np.ones((1, 3)) * held
        np.testing.assert_allclose(adc.grad(weighted(held))(X), np.sum(rows, axis=0) * 3 * X**2)
    assert len(made) == 6


def test_constants_hold_for_the_function_that_has_them():
    def named(kind, row):
        return lambda x: np.sum(row * (np.sin(x) if kind == "sin" else np.cos(x)))

    for row in ROWS:
        np.testing.assert_allclose(adc.grad(named("sin", row))(X), row * np.cos(X))
        np.testing.assert_allclose(adc.grad(named("cos", row))(X), -row * np.sin(X))


def test_other_functions_that_it_calls():
    def through(function, row):
        return lambda x: np.sum(row * function(x))

    for row in ROWS[:3]:
        np.testing.assert_allclose(adc.grad(through(np.sin, row))(X), row * np.cos(X))
        np.testing.assert_allclose(adc.grad(through(lambda x: x**2, row))(X), 2 * row * X)
        np.testing.assert_allclose(adc.grad(through(lambda x: x**3, row))(X), 3 * row * X**2)


def test_a_variable_that_two_functions_shared_and_do_not_share_now():
    kept = []

    def make(row):
        if not kept:
            kept.append(lambda x: row * x)  # of the first call, whose `row` it keeps
        inner = kept[0]
        return lambda x: np.sum(inner(x) * row * x)

    for row in ROWS:
        np.testing.assert_allclose(adc.grad(make(row))(X), 2 * ROWS[0] * row * X)


def test_functions_that_were_two_and_are_one():
    def make(first, second):
        return lambda x: np.sum(first(x) * (2.0 if first is second else 1.0))

    def scaled(row):
        return lambda x: row * x

    one, other = scaled(ROWS[0]), scaled(ROWS[1])
    for first, second, factor in (
        (one, other, 1),
        (other, one, 1),
        (one, one, 2),
        (other, other, 2),
        (one, other, 1),
    ):
        row = ROWS[0] if first is one else ROWS[1]
        np.testing.assert_allclose(adc.grad(make(first, second))(X), factor * row)


def test_functions_that_are_keys():
    def make(function, table):
        return lambda x: np.sum(table[function] * function(x))

    def scaled(row):
        return lambda x: row * x

    table = {scaled(row): row for row in ROWS}
    for function, row in table.items():
        np.testing.assert_allclose(adc.grad(make(function, table))(X), row * row)


def test_defaults(made):
    def gradient(row):
        return adc.grad(lambda x, row=row: np.sum(row * x**2))(X)

    for row in ROWS:
        np.testing.assert_allclose(gradient(row), 2 * row * X)
    assert len(made) == 1

    def through(row, power):
        def model(x, row=row, *, power=power):
            return row * x**power

        return adc.grad(lambda x: np.sum(model(x)))(X)

    for row in ROWS:
        for power in (2.0, 3.0):
            np.testing.assert_allclose(through(row, power), power * row * X ** (power - 1))


def test_a_variable_without_a_value():
    def make(row, assigned):
        def scaled(x):
            try:
                return np.sum(row * x * factor)
            except NameError:
                return np.sum(row * x)

        if assigned:
            factor = 2.0
        return scaled

    for assigned in (True, False, True):
        for row in ROWS[:2]:
            found = adc.grad(make(row, assigned))(X)
            np.testing.assert_allclose(found, row * (2.0 if assigned else 1.0))


def test_partials(made):
    def loss(scale, x, *, shift):
        return np.sum(scale * (x - shift) ** 2)

    for k, row in enumerate(ROWS):
        part = functools.partial(loss, row, shift=float(k))
        np.testing.assert_allclose(adc.grad(part)(X), 2 * row * (X - k))
    assert len(made) == 1
    for row in ROWS[:2]:  # constants of the gradient inside
        part = functools.partial(loss, row, shift=1.0)
        np.testing.assert_allclose(adc.jacobian(adc.grad(part))(X), np.diag(2 * row))


def test_positions_that_a_loop_counts(made):
    """Two are constants of their code; from the third on it is read at each call."""
    for k in range(6):
        np.testing.assert_allclose(adc.grad(lambda x: np.sum(ROWS[k] * x**2))(X), 2 * ROWS[k] * X)
    assert len(made) == 3
    for k in np.random.default_rng(0).permutation(6):
        np.testing.assert_allclose(adc.grad(lambda x: np.sum(ROWS[k] * x**3))(X), 3 * ROWS[k] * X**2)
    assert len(made) == 6


def test_what_was_made_for_a_constant_serves_it(made):
    def powers(power):
        return adc.grad(lambda x: np.sum(x**power))

    for power in (2, 3, 4, 5, 2, 3):
        gradient = powers(power)
        np.testing.assert_allclose(gradient(X), power * X ** (power - 1))
        assert ("_grad(x, power)" in adc.source(gradient)) == (power > 3)
    assert len(made) == 3


def test_positions_of_one_function(made, monkeypatch):
    gradient = adc.grad(lambda x: np.sum(ROWS[STEP] * x**2))
    for k in range(6):
        monkeypatch.setitem(globals(), "STEP", k)
        np.testing.assert_allclose(gradient(X), 2 * ROWS[k] * X)
    assert len(made) == 3
    monkeypatch.setitem(globals(), "STEP", 6)
    with pytest.raises(IndexError):
        gradient(X)


def test_an_integer_that_has_to_be_known():
    for axis in (0, 1, -1, 0, -2):
        found = adc.grad(lambda x: np.sum(np.sum(ROWS * x, axis=axis) ** 2))(X)
        expected = np.sum(2 * np.sum(ROWS * X, axis=axis, keepdims=True) * ROWS, axis=0)
        np.testing.assert_allclose(found, expected)


def test_slices(made):
    def part(taken):
        return adc.grad(lambda x: np.sum(x[taken] ** 2))(X)

    for start in (0, 1, 0, 1):
        expected = np.zeros(3)
        expected[start : start + 2] = 2 * X[start : start + 2]
        np.testing.assert_allclose(part(slice(start, start + 2)), expected)
    assert len(made) == 2


def test_how_often_a_loop_runs():
    for count in (2, 3, 0, 1, 5):

        def powers(x):
            y = x
            for _ in range(count):
                y = y * x
            return np.sum(y)

        np.testing.assert_allclose(adc.grad(powers)(X), (count + 1) * X**count)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_what_they_hold_goes_with_them(name):
    alive = []

    def once(row):
        alive.append(weakref.ref(row))
        TRANSFORMS[name](weighted(row))

    for row in ROWS:
        once(row.copy())
    gc.collect()
    assert all(one() is None for one in alive)
