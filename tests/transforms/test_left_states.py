"""What a trip leaves is kept once, and made once; `tests/corpus/ensembles.py` has the gradients."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus import ensembles

import adc

R = np.random.default_rng(4)
X, ROWS = R.normal(size=5), R.normal(size=(4, 5))
KEPT = {  # the buffers, and the functions that the text has
    "what_a_trip_leaves": ((X, ROWS, 0.7), ["(n + 1, n_2)"], {"np.tanh": 1}),
    "a_number_that_a_trip_leaves": ((0.3, X), ["n // 2 + 1"], {"np.exp": 1}),
    "both_ends_of_a_trip": ((X,), ["(7, n)"], {"np.tanh": 1}),
    "a_number_that_a_branch_leaves": ((0.5, X + 3.5), ["n + 1"], {"np.sin": 0, "np.cos": 1}),
    "rows_that_a_branch_leaves": ((X, ROWS), ["(n + 1, n_2)"], {}),
    "an_angle_that_comes_round": ((0.4, 0.3, X), ["n", "n + 1"], {"np.sin": 3}),
    # One product reads all rows of a matrix: two matrices are kept, each of as many rows as there are trips.
    "a_recurrent_layer": ((R.normal(size=(5, 5)), ROWS, X), ["(n, n_3)", "(n, n_2)"], {"np.tanh": 1}),
}


def rows_without_their_state(x, b):
    """The state before a trip is wanted for nothing but the one behind it."""
    for t in range(len(b)):
        x = np.tanh(0.5 * x + b[t])
    return np.sum(x)


def written_behind_the_trips(x, b):
    for t in range(len(b)):
        x = np.exp(-x * x) + b[t]
        x = np.tanh(x)
    x[0] = 2.0
    return np.sum(x * x)


def by_two_loops(x, b):
    for _ in range(3):
        for t in range(1, len(b)):
            x = np.tanh(x * x + b[t])
        x = x * 0.5
    return np.sum(x)


def text_of(function, *args):
    return str(adc.source(adc.grad(function, argnums=tuple(range(len(args)))), *args))


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_and_made(name):
    args, shapes, functions = KEPT[name]
    text = text_of(getattr(ensembles, name), *args)
    code = [line for line in text.splitlines() if "#" not in line]
    kept = [
        line.split(" = np.empty(")[1].removesuffix(")")
        for line in code
        if re.search(r"_kept(_2)? = np.empty", line)
    ]
    assert kept == shapes, text
    assert {name: "\n".join(code).count(name + "(") for name in functions} == functions, text


def test_as_many_rows_as_trips_where_only_what_is_left_is_wanted():
    text = text_of(rows_without_their_state, X, ROWS)
    assert "x_kept[t] = x" in text
    assert "t + 1" not in text


@pytest.mark.parametrize("trips", [0, 1, 4])
@pytest.mark.parametrize(
    "function", [rows_without_their_state, written_behind_the_trips, by_two_loops], ids=lambda f: f.__name__
)
def test_as_the_tape_has_it(function, trips):
    rows = R.normal(size=(trips, 5))
    for mode in ("compiled", "python"):
        value, bars = adc.value_and_grad(function, (0, 1), mode=mode)(X.copy(), rows)
        wanted, expected = adc.value_and_grad(function, (0, 1), mode="tape")(X.copy(), rows)
        assert value == pytest.approx(wanted, rel=1e-12)
        for a, b in zip(bars, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-13)
