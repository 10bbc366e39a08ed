"""Library functions given to a transform take the keywords that NumPy has, also those that their rules do not name."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import adc

X = np.array([1.0, 2.0, 3.0])
M = np.array([True, False, True])
MODES = ["compiled", "python", "tape"]


@pytest.mark.parametrize("mode", MODES)
def test_keywords_of_the_call(mode):
    total = adc.grad(np.sum, mode=mode)
    np.testing.assert_array_equal(total(X, where=M), M)
    np.testing.assert_array_equal(total(X), np.ones(3))
    np.testing.assert_array_equal(total(X, where=~M), ~M)
    np.testing.assert_array_equal(total(a=X, initial=2.0), np.ones(3))
    np.testing.assert_allclose(adc.grad(np.var, mode=mode)(X, correction=1), [-1.0, 0.0, 1.0])
    value, gradient = adc.value_and_grad(np.max, mode=mode)(X, initial=2.5, where=M)
    assert value == 3.0
    np.testing.assert_array_equal(gradient, [0.0, 0.0, 1.0])


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_other_spellings_of_what_is_required(mode):
    within = np.diag([0.0, 1.0, 0.0])
    np.testing.assert_array_equal(adc.jacrev(np.clip, mode=mode)(X, min=1.5, max=2.5), within)
    np.testing.assert_array_equal(adc.jacfwd(partial(np.clip, min=1.5, max=2.5), mode=mode)(X), within)
    _, pull = adc.vjp(partial(np.clip, min=1.5), X, mode=mode)
    np.testing.assert_array_equal(pull(X)[0], [0.0, 2.0, 3.0])
    value, pull = adc.vjp(partial(np.reshape, shape=(3, 1)), X, mode=mode)
    assert value.shape == (3, 1)
    np.testing.assert_array_equal(pull(value)[0], X)


def test_inside_a_function():
    def f(x):
        return np.sum(x * adc.grad(np.sum)(x * x, where=M)) + np.sum(adc.grad(np.sum)(x, initial=1.0))

    np.testing.assert_array_equal(adc.grad(f, mode="python")(X), M)


@pytest.mark.parametrize("mode", ["python", "tape"])
def test_what_a_partial_fixes_is_the_same_for_a_whole_batch(mode):
    rows = np.stack([X, 2 * X])

    def scaled(x, **named):
        return np.sum(x) * named["by"]

    np.testing.assert_array_equal(adc.vmap(partial(scaled, by=2.0), mode=mode)(rows), [12.0, 24.0])
    np.testing.assert_array_equal(adc.vmap(partial(np.sum, initial=1.0), mode=mode)(rows), [7.0, 13.0])
    np.testing.assert_array_equal(
        adc.vmap(partial(np.clip, min=1.5, max=4.0), mode=mode)(rows), rows.clip(1.5, 4.0)
    )
    by = np.array([1.0, 3.0])
    np.testing.assert_array_equal(adc.vmap(partial(scaled, by=2.0), mode=mode)(rows, by=by), [6.0, 36.0])


def test_what_numpy_refuses_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'when'"):
        adc.grad(np.sum)(X, when=M)
    with pytest.raises(TypeError, match="missing a required argument"):
        adc.jacrev(np.expand_dims)(X)  # before NumPy 2.3 the shape of np.reshape has a default


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_transforms_of_transforms_of_partials(mode):
    rows = np.stack([X, 2 * X])
    np.testing.assert_array_equal(
        adc.vmap(adc.grad(partial(np.sum, axis=0)), mode=mode)(rows), np.ones((2, 3))
    )
    masked = adc.vmap(adc.grad(partial(np.sum, where=M)), mode=mode)(rows)
    np.testing.assert_array_equal(masked, np.stack([M, M]))
