"""A function made anew in a loop has its derivatives generated once, and never those of another one."""

import numpy as np
import pytest

import adc
from adc.compiler import pipeline

X = np.array([1.0, 2.0, 3.0])


@pytest.fixture
def runs(monkeypatch, uncollected):
    """How often the compiler ran."""
    count = []
    real = pipeline.run

    def counted(*args, **kwargs):
        count.append(1)
        return real(*args, **kwargs)

    monkeypatch.setattr(pipeline, "run", counted)
    return count


def test_lambda_in_a_loop(runs):
    scale = np.array([2.0, 3.0, 4.0])
    for k in range(4):
        _, dot = adc.jvp(lambda x: scale * x * x, (X,), (X + k,))
        np.testing.assert_allclose(dot, 2 * scale * X * (X + k))
    assert len(runs) == 1


def test_lambda_in_a_function_that_is_called_in_a_loop(runs):
    scale = np.array([2.0, 3.0, 4.0])

    def step(x, factor):
        return adc.hvp(lambda y: factor * np.sum(scale * y**3), x, x)

    for k in range(4):
        np.testing.assert_allclose(step(X + k, 2.0), 12 * scale * (X + k) ** 2)
    assert len(runs) == 1
    for factor in (3.0, -0.0, 0.0):  # other objects in the closure: another function
        np.testing.assert_array_equal(np.signbit(step(X, factor)), np.signbit(factor * X))


def test_variable_that_changes_between_calls():
    for factor in (1.0, 2.0, 3.0):
        assert adc.jvp(lambda x: factor * x, (1.0,), (1.0,))[1] == factor  # called at once


def test_variable_that_changes_later():
    def made(factor):
        def set_to(value):
            nonlocal factor
            factor = value

        return (lambda x: factor * x), set_to

    first, set_first = made(2.0)
    second, set_second = made(2.0)
    slope = [adc.jvp(f, (1.0,), (1.0,))[1] for f in (first, second)]
    set_first(5.0)
    slope += [adc.jvp(f, (1.0,), (1.0,))[1] for f in (second, first, second)]
    set_second(7.0)
    slope += [adc.jvp(f, (1.0,), (1.0,))[1] for f in (first, second, first)]
    assert slope == [2.0, 2.0, 2.0, 5.0, 2.0, 5.0, 7.0, 5.0]


def test_defaults_tell_functions_apart():
    def made(factor):
        def f(x, *, power=factor, offset=factor):
            return x**power + offset

        return f

    for factor in (2.0, 3.0, 2.0):
        value, dot = adc.jvp(made(factor), (2.0,), (1.0,))
        assert (value, dot) == (2.0**factor + factor, factor * 2.0 ** (factor - 1))


def test_pullbacks_of_lambdas(runs):
    for k in range(3):
        _, pull = adc.vjp(lambda x: x * x, X + k)
        np.testing.assert_allclose(pull(np.ones(3))[0], 2 * (X + k))
    assert len(runs) == 2  # forward and reverse


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_a_list_outside_that_becomes_a_number_and_back(mode):
    outside = [0.25, 0.5]

    def f(x):
        return np.sum(x * np.sum(outside))

    gradient = adc.grad(f, mode=mode)
    x = np.ones(2)
    np.testing.assert_allclose(gradient(x), [0.75, 0.75])
    outside = 2.0
    np.testing.assert_allclose(gradient(x), [2.0, 2.0])
    outside = np.ones(3)
    np.testing.assert_allclose(gradient(x), [3.0, 3.0])
    outside = [0.25, 0.5]
    np.testing.assert_allclose(gradient(x), [0.75, 0.75])
