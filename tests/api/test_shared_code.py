"""Derivatives of one function share the code that was made for it: `adc.grad(f)(x)` may stand in a loop."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

import adc
from adc import config
from adc.rules import registry

X = np.array([0.5, 1.5, 2.5])
SCALE = np.array([1.0, 2.0, 3.0])
FACTOR = 2


def scaled(x):
    return np.sum(SCALE * x**2) * FACTOR


def of_cubes(power=3):
    def cubes(x):
        return np.sum(x**power)

    return cubes


def test_one_function_is_derived_once(made):
    cubes = of_cubes()
    for _ in range(3):
        np.testing.assert_allclose(adc.grad(cubes)(X), 3 * X**2)
    assert len(made) == 1
    value, gradient = adc.value_and_grad(cubes)(X)
    assert value == pytest.approx(np.sum(X**3))
    np.testing.assert_allclose(gradient, 3 * X**2)
    adc.grad(cubes)(X.astype(np.float32))
    adc.grad(cubes, strict=True)(X)
    with config.overridden(debug=0, verify=not config.current().verify):
        adc.grad(cubes)(X)
    assert len(made) == 5


@pytest.mark.parametrize("transform", [adc.jacobian, adc.jacfwd, adc.jacrev, adc.hessian])
def test_so_are_matrices(transform, made):
    cubes = of_cubes()
    first = transform(cubes)(X)
    np.testing.assert_allclose(transform(cubes)(X), first)
    begun = len(made)
    np.testing.assert_allclose(transform(cubes)(2.0 * X), (2.0 if transform is adc.hessian else 4.0) * first)
    assert len(made) == begun
    transform(cubes, argnums=(0,))(X)
    assert len(made) > begun


def test_so_are_derivatives_of_derivatives(made):
    def quartic(x):
        return x**4

    for _ in range(2):
        assert adc.grad(adc.grad(quartic))(1.5) == pytest.approx(12 * 1.5**2)
        assert adc.grad(adc.grad(adc.grad(quartic)))(1.5) == pytest.approx(24 * 1.5)
    assert len(made) == 2


class Model:
    def __init__(self, scale):
        self.scale = scale

    def loss(self, x):
        return np.sum(self.scale * x**2)

    def __eq__(self, other):
        return True

    __hash__ = None


def test_so_are_methods_of_one_object(made):
    one, other = Model(1.0), Model(np.array([1.0, 2.0, 3.0]))
    for _ in range(2):
        np.testing.assert_allclose(adc.grad(one.loss)(X), 2 * X)
        np.testing.assert_allclose(adc.grad(other.loss)(X), 2 * other.scale * X)
    assert len(made) == 2
    one.scale = 3.0
    np.testing.assert_allclose(adc.grad(one.loss)(X), 6 * X)


class Called(Model):
    def __call__(self, x):
        return self.loss(x)


def test_so_are_objects_that_are_called(made):
    one, other = Called(1.0), Called(np.array([1.0, 2.0, 3.0]))
    for _ in range(2):
        np.testing.assert_allclose(adc.grad(one)(X), 2 * X)
        np.testing.assert_allclose(adc.jacobian(other)(X), 2 * other.scale * X)
    assert len(made) == 2
    one.scale = 3.0
    np.testing.assert_allclose(adc.grad(one)(X), 6 * X)


def test_so_are_functions_of_a_library(made):
    doubled = np.vectorize(lambda x: 2.0 * x)
    for _ in range(2):
        np.testing.assert_allclose(adc.grad(np.linalg.norm)(X), X / np.linalg.norm(X))
        np.testing.assert_allclose(adc.jacobian(doubled)(X), 2 * np.eye(3))
    assert len(made) == 2


def test_objects_do_not_pile_up():
    models = [Model(float(k)) for k in range(40)]
    for model in models:
        adc.grad(model.loss)(X)
    alive = [weakref.ref(model) for model in models]
    del models, model
    gc.collect()
    assert sum(one() is not None for one in alive) <= 4


def test_another_function_of_the_same_code_is_another(made):
    for power in (2, 3):
        np.testing.assert_allclose(adc.grad(of_cubes(power))(X), power * X ** (power - 1))
    assert len(made) == 2


def test_what_changes_outside_is_seen(monkeypatch):
    np.testing.assert_allclose(adc.grad(scaled)(X), 4 * SCALE * X)
    monkeypatch.setitem(globals(), "SCALE", 2.0 * SCALE)
    np.testing.assert_allclose(adc.grad(scaled)(X), 4 * SCALE * X)
    monkeypatch.setitem(globals(), "FACTOR", 3)
    np.testing.assert_allclose(adc.grad(scaled)(X), 6 * SCALE * X)


def test_a_variable_of_the_function_around_is_seen():
    power = 2

    def powers(x):
        return np.sum(x**power)

    np.testing.assert_allclose(adc.grad(powers)(X), 2 * X)
    power = 3
    np.testing.assert_allclose(adc.grad(powers)(X), 3 * X**2)


def test_new_code_in_an_old_function():
    square, cube = of_cubes(2), of_cubes(2)

    def fourth(x):
        return np.sum(x**4)

    np.testing.assert_allclose(adc.grad(square)(X), 2 * X)
    cube.__dict__.update(square.__dict__)  # as functools.wraps does
    np.testing.assert_allclose(adc.grad(cube)(X), 2 * X)
    simple = of_simple()
    np.testing.assert_allclose(adc.grad(simple)(X), np.ones(3))
    simple.__code__ = fourth.__code__
    np.testing.assert_allclose(adc.grad(simple)(X), 4 * X**3)


def of_simple():
    def simple(x):
        return np.sum(x)

    return simple


def test_with_rules_of_the_user_each_is_derived(made, monkeypatch):
    cubes = of_cubes()
    adc.grad(cubes)(X)
    monkeypatch.setattr(registry, "user_modules", {"somewhere"})
    adc.grad(cubes)(X)
    assert len(made) == 2


def test_each_tells_that_it_falls_back():
    def evaluated(x):
        return np.sum(x * eval("x"))

    for _ in range(2):
        with pytest.warns(adc.FallbackWarning):
            np.testing.assert_allclose(adc.grad(evaluated)(X), 2 * X)


def test_the_code_stays_here():
    """Copies of a function, as in another process, begin with none; pickle is not asked for machine code."""
    cubes = of_cubes()
    adc.grad(cubes)(X)
    adc.jvp(cubes, (X,), (X,))
    tables = [held[1] for held in vars(cubes).values()]
    assert len(tables) == 2
    assert [pickle.loads(pickle.dumps(table)) for table in tables] == [{}, {}]
