"""Scratch arrays are made in the trips that write over them; `tests/corpus/scratch_arrays.py` has the gradients."""

from __future__ import annotations

import numpy as np
import pytest
from tests.corpus import scratch_arrays

import adc

R = np.random.default_rng(8)
X, RATES = R.normal(size=5), R.uniform(0.5, 1.5, size=5)
ARRAYS = {  # those that each trip has of its own, and those that it finds
    "stages_of_a_step": ((X, RATES), ["k1", "k2"], []),
    "a_vector_for_each_point": ((R.normal(size=(6, 3)),), ["d"], []),
    "upwind_fluxes": ((RATES, R.normal(size=6)), ["flux"], []),
    "limited_slopes": ((R.normal(size=7),), ["slope"], []),
    "a_line_swept_both_ways": ((X, 0.3), ["low", "right"], []),
    "the_middle_of_a_table": ((R.normal(size=(4, 5)),), ["new"], []),
    "until_it_stands_still": ((X[:4], 1.3), [], ["new"]),  # which the function reads behind the loop
    "what_the_trip_before_has_left": ((X,), [], ["k"]),
    "a_border_of_the_first_trip": ((X,), [], ["k"]),
    "a_row_that_grows": ((X,), [], ["row"]),
}


def by_slices(y, w):
    k = np.zeros(len(y))
    for _ in range(3):
        k[1:] = w * y[:-1] ** 2
        k[0] = y[-1]
        y = y + 0.1 * k * k
    return np.sum(y)


def up_and_down(y, w):
    n = len(y)
    k = np.zeros(n)
    for _ in range(3):
        k[n - 1] = w * y[0]
        for i in range(n - 2, -1, -1):
            k[i] = np.sin(k[i + 1] * y[i])
        for i in range(n):
            y[i] = y[i] * k[i]
    return np.sum(y)


def one_ahead(y, w):
    """The last trip of the inner loop reads what the trip of the outer one before it has left."""
    n = len(y)
    k = np.zeros(n + 1)
    for _ in range(3):
        for i in range(n):
            k[i] = np.sin(w * y[i]) + k[i + 1]
        k[n] = y[0] * w
        y = y * 0.5 + k[:n]
    return np.sum(y)


def within_a_branch(y, w):
    n = len(y)
    k = np.zeros(n)
    for t in range(4):
        if t % 2 == 0:
            for i in range(n):
                k[i] = np.sin(w * y[i])
            for i in range(n):
                y[i] = y[i] + k[n - 1 - i] * k[i]
    return np.sum(y)


def where_no_row_is_sure(y, w):
    """What a branch writes is not sure to be written, and what both of its paths write is."""
    n = len(y)
    k, m = np.zeros(n), np.zeros(n)
    for t in range(3):
        for i in range(n):
            if y[i] > 0.1 * t:
                k[i] = y[i] * y[i]
                m[i] = w * y[i]
            else:
                m[i] = y[i] ** 3
        for i in range(n):
            y[i] = 0.5 * y[i] + k[i] * m[i]
    return np.sum(y)


def text_of(function, *args):
    return str(adc.source(adc.grad(function, argnums=tuple(range(len(args)))), *args))


def depth_where_made(text, name):
    """How far in the line stands that makes an array, or the buffer that has a row of it for each trip."""
    lines = [line for line in text.splitlines() if line.lstrip().startswith(f"{name} = np.")]
    assert len(lines) == 1, text
    return (len(lines[0]) - len(lines[0].lstrip())) // 4


@pytest.mark.parametrize("name", ARRAYS)
def test_where_they_are_made(name):
    args, of_trips, found = ARRAYS[name]
    text = text_of(getattr(scratch_arrays, name), *args)
    assert [a for a in of_trips + found if depth_where_made(text, a) > 1] == of_trips, text
    assert not any(f"{a}_old" in text for a in of_trips), text


@pytest.mark.parametrize(
    ("function", "of_trips"),
    [
        (by_slices, ["k"]),
        (up_and_down, ["k"]),
        (one_ahead, []),
        (within_a_branch, ["k"]),
        (where_no_row_is_sure, ["m"]),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_as_the_tape_has_it(function, of_trips, n):
    if n == 5:
        text = text_of(function, X, 0.7)
        assert [
            a for a in ("k", "m") if f"{a} = np." in text and depth_where_made(text, a) > 1
        ] == of_trips, text
    expected = adc.grad(function, argnums=(0, 1), mode="tape")(X[:n].copy(), 0.7)
    for mode in ("compiled", "python"):
        found = adc.grad(function, argnums=(0, 1), mode=mode)(X[:n].copy(), 0.7)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-13)
