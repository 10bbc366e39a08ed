"""Loops over elements that never meet go in tiles; `tests/corpus/ensembles.py` has the gradients of short ones."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus import ensembles

import adc

R = np.random.default_rng(3)


def states(n):
    return R.normal(size=n)


def positive(n):
    return R.uniform(1.0, 2.0, size=n)


IN_TILES = {
    "what_a_trip_leaves": lambda n: (states(n), R.normal(size=(5, n)), 0.7),
    "both_ends_of_a_trip": lambda n: (states(n),),
    "prey_and_predators": lambda n: (positive(n), positive(n), 1.1),
    "volatile_paths": lambda n: (0.04, 1.5, 0.3, R.normal(size=(5, n)), R.normal(size=(5, n))),
    "points_that_move": lambda n: (R.normal(size=(n, 3)), R.normal(size=(5, n)), 0.3),
}
NOT_IN_TILES = {
    "rows_that_are_used_twice": lambda n: (R.normal(size=(9, n)), states(n)),
    "times_that_are_written_down": lambda n: (states(n), 0.3),
    "a_force_that_changes": lambda n: (states(n), 0.4, 0.1),
    "sums_of_which_more_is_made": lambda n: (states(n), 0.4),
    "sums_with_something_else": lambda n: (states(n), 0.4),
    "elements_that_meet": lambda n: (states(n), R.normal(size=(5, n))),
    "now_and_then": lambda n: (states(n), 0.4),
    "what_is_seen_of_each_trip": lambda n: (states(n), R.normal(size=(5, n))),
}


def gradient(name, args, mode):
    return adc.value_and_grad(getattr(ensembles, name), argnums=tuple(range(len(args))), mode=mode)


@pytest.mark.parametrize("name", [*IN_TILES, *NOT_IN_TILES])
def test_as_the_tape_has_it(name):
    """Tiles that are full, one that is not, one alone, and none."""
    arguments = {**IN_TILES, **NOT_IN_TILES}[name]
    compiled, tape = (gradient(name, arguments(1), mode) for mode in ("compiled", "tape"))
    for n in (600, 512, 257, 256, 255, 1):
        args = arguments(n)
        value, found = compiled(*args)
        wanted, expected = tape(*args)
        np.testing.assert_allclose(value, wanted, rtol=1e-12)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_without_elements(mode):
    """What a trip does for all elements alike it also does for none."""
    derivative = adc.value_and_grad(ensembles.times_that_are_written_down, argnums=(0, 1), mode=mode)
    value, (x_bar, step_bar) = derivative(np.zeros(0), 0.3)
    assert value == pytest.approx(6 * 0.3 + 1.5)
    assert x_bar.shape == (0,)
    assert step_bar == pytest.approx(6.0)


@pytest.mark.parametrize("name", [*IN_TILES, *NOT_IN_TILES])
def test_text(name):
    args = {**IN_TILES, **NOT_IN_TILES}[name](300)
    text = str(gradient(name, args, "compiled").source(*args, stage="tiles"))
    assert ("_first" in text) == (name in IN_TILES), text
