"""Positions that every trip of a loop would load alike are loaded, and checked, in front of it."""

import itertools

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def factors(u, v, rows, cols, r):
    total = 0.0
    for k in range(rows.size):
        p = 0.0
        for f in range(u.shape[1]):
            p += u[rows[k], f] * v[cols[k], f]
        total += (r[k] - p) ** 2
    return total


def fading(u, v, rows, cols, r):
    total = 0.0
    for k in range(r.size):
        for f in range(u.shape[1]):
            total = 0.9 * total + u[rows[k], f] * v[cols[k], f] * r[k]
    return total


def moving(u, v, rows, cols, r):  # a trip changes the position that the next one loads
    rows = rows.copy()
    total = 0.0
    for k in range(r.size):
        for f in range(u.shape[1]):
            total += u[rows[k], f] * v[cols[k], f] * r[k]
            rows[k] = (rows[k] + 1) % u.shape[0]
    return total


def given(m=3):
    random = np.random.default_rng(0)
    rows, cols = np.array([0, 3, -1, 2, 0, 3]), np.array([1, 0, 4, -5, 2, 2])
    return random.normal(size=(4, m)), random.normal(size=(5, m)), rows, cols, random.normal(size=6)


@pytest.mark.parametrize("function", [factors, fading, moving])
@pytest.mark.parametrize("m", [0, 1, 3])
def test_gradients_are_the_tape_s(function, m):
    with interpreted():
        value, found = adc.value_and_grad(function, (0, 1, 4), mode="compiled")(*given(m))
    expected, taped = adc.value_and_grad(function, (0, 1, 4), mode="tape")(*given(m))
    assert value == pytest.approx(expected, rel=1e-12)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def inner_loops(function):
    """The first statement of each loop over f, in the text for Numba."""
    text = adc.source(adc.value_and_grad(function, (0, 1)), *given(), stage="optimized")
    lines = [line.strip() for line in text.split("\n") if not line.strip().startswith("#")]
    return [after for line, after in itertools.pairwise(lines) if line.startswith("for f in range")]


def test_the_inner_loop_has_no_check():
    found = inner_loops(fading)
    assert found and not any(first.startswith(("if ", "rows_k = ", "cols_k = ")) for first in found)
    text = adc.source(adc.value_and_grad(fading, (0, 1)), *given(), stage="optimized")
    assert text.count("rows[k]\n") == text.count("cols[k]\n") == 2  # once in each sweep


def test_positions_that_trips_change_stay():
    assert all(first.startswith("rows_k = rows") for first in inner_loops(moving))


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
@pytest.mark.parametrize("which, wrong", [(2, 4), (2, -5), (3, 5), (3, -6)])
def test_a_position_outside_raises(which, wrong, mode):
    arguments = given()
    arguments[which][-1] = wrong
    with pytest.raises(IndexError):
        adc.grad(factors, mode=mode)(*arguments)


def test_without_trips_no_position_is_looked_at():
    """Neither whether there is one, nor what it is."""
    u, v, rows, cols, r = given(0)
    rows[:] = 99
    np.testing.assert_array_equal(
        adc.grad(factors, 4, mode="compiled")(u, v, rows, cols[:2], r),
        adc.grad(factors, 4, mode="tape")(u, v, rows, cols[:2], r),
    )
