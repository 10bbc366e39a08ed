"""Which functions are compiled with the widest vectors although loops stand in each other."""

from __future__ import annotations

import numpy as np

import adc
from adc import runtime

R = np.random.default_rng(0)


def diffusion(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1] += 0.1 * np.tanh(u[2:, 1:-1] - 2.0 * u[1:-1, 1:-1] + u[:-2, 1:-1])
        u = new
    return np.sum(u**2)


def forth_and_back(a, b, steps):
    """Two arrays written in turn: the reverse sweep reads none at several distances, but hands on what it writes."""
    a, b = a.copy(), b.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])
        a[1:-1, 1:-1] = 0.25 * (b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2])
    return np.sum(a * a)


def corners(u):
    return np.sum(np.tanh(u[1:, 1:] - u[:-1, :-1]))


def layers(weights, state, x):
    total = 0.0
    for t in range(x.shape[0]):
        for k in range(weights.shape[0]):
            for j in range(state.shape[1]):
                state[k, j] = np.tanh(weights[k, j] * x[t] + state[k, j])
                total += state[k, j]
    return total


def text(function, *args):
    return str(adc.source(adc.grad(function), *args, stage="optimized"))


def test_grids_have_long_rows():
    assert "@rt.wide" in text(diffusion, R.normal(size=(6, 6)), 3)


def test_rows_that_hand_values_on_are_those_of_a_grid():
    found = text(forth_and_back, R.normal(size=(6, 6)), R.normal(size=(6, 6)), 3)
    *_, reverse = found.split("@rt.kernel")
    assert reverse.strip().startswith("@rt.wide")


def test_rows_of_layers_may_be_short():
    assert "@rt.wide" not in text(layers, R.normal(size=(2, 5)), np.zeros((2, 5)), R.normal(size=4))


def test_two_loops_need_no_mark():
    assert "@rt.wide" not in text(corners, R.normal(size=(6, 6)))


def test_a_marked_function_is_itself():
    def f(x):
        return 2.0 * x

    assert runtime.wide(f) is f
    assert f(1.5) == 3.0
