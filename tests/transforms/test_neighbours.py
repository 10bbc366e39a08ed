"""Loops that read neighbours as statements on whole arrays; `tests/corpus/neighbours.py` has the gradients."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus import neighbours
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(8)
VECTORS = [
    neighbours.heat_written_aside,
    neighbours.heat_that_changes_places,
    neighbours.limited_fluxes,
    neighbours.round_the_ends,
    neighbours.what_it_writes_is_read_by_the_next,
    neighbours.a_part_of_what_was_stored,
]
LOOPS = {  # how many loops are left in the primal
    "heat_written_aside": 1,
    "heat_that_changes_places": 1,
    "total_variation": 0,
    "a_staggered_grid": 1,
    "limited_fluxes": 1,
    "a_branch_keeps_nan_out": 1,
    "round_the_ends": 1,
    "two_species_on_a_torus": 1,
    "what_it_writes_is_read_by_the_next": 1,
    "messages_along_edges": 1,  # sums of squares are as fast in a loop
    "springs_between_points": 0,
    "rows_at_positions": 0,
    "what_is_added_to_is_read": 1,
    "sums_and_differences": 0,
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_are_left(name):
    function = getattr(neighbours, name)
    args = neighbours.program.__globals__["PROGRAMS"][f"neighbours.{name}"].arguments()
    text = str(adc.source(adc.grad(function), *args, stage="dead-whole"))
    assert len(re.findall(r"^ *for ", text, re.MULTILINE)) == LOOPS[name], text


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("function", VECTORS, ids=lambda f: f.__name__)
def test_short_arrays(function, n):
    """Where a loop has no trip nothing is read; where the user's raises, so does ours."""
    x = R.uniform(0.5, 1.5, size=n)
    try:
        expected = function(x)
    except IndexError:
        for mode in ("compiled", "python"):
            with interpreted(), pytest.raises(IndexError):
                adc.value_and_grad(function, mode=mode)(x)
        return
    slope = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
    for mode in ("compiled", "python"):
        with interpreted():
            value, gradient = adc.value_and_grad(function, mode=mode)(x)
        assert value == pytest.approx(expected, rel=1e-12)
        assert np.sum(gradient) == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_an_array_that_is_too_short_for_the_loop():
    def differences(x, w):
        total = 0.0
        for i in range(len(w) - 1):
            total += (x[i + 1] - x[i]) * w[i]
        return total

    f = adc.grad(differences, mode="compiled")
    with interpreted():
        np.testing.assert_allclose(f(np.arange(5.0), np.ones(3)), [-1.0, 0.0, 1.0, 0.0, 0.0])
        with pytest.raises(IndexError):
            f(np.ones(3), np.ones(5))
        np.testing.assert_array_equal(f(np.ones(0), np.ones(1)), [])


def test_positions_are_checked():
    def chosen(x, at):
        total = 0.0
        for k in range(len(at)):
            total += x[at[k]] ** 2
        return total

    f = adc.grad(chosen, mode="compiled")
    with interpreted():
        np.testing.assert_array_equal(f(np.arange(4.0), np.array([1, -1, 1])), [0.0, 4.0, 0.0, 6.0])
        np.testing.assert_array_equal(f(np.arange(4.0), np.zeros(0, dtype=int)), np.zeros(4))
        for wrong in (4, -5):
            with pytest.raises(IndexError):
                f(np.arange(4.0), np.array([0, wrong]))


def test_arrays_that_each_trip_writes_over_are_carried():
    """So that they change places: nothing of the old one is put back."""

    def wave(speed):
        n = len(speed)
        before, now, after = np.zeros(n), np.ones(n), np.zeros(n)
        seen = 0.0
        for t in range(5):
            for i in range(1, n - 1):
                after[i] = 2 * now[i] - before[i] + speed[i] * (now[i + 1] - 2 * now[i] + now[i - 1])
            after[1] += 0.1 * t
            seen += after[n // 2] ** 2
            for i in range(n):
                before[i] = now[i]
                now[i] = after[i]
        return seen

    f, x = adc.grad(wave), np.full(7, 0.3)
    text = str(adc.source(f, x))
    assert "before, now = now, " in text and "= after.copy()" in text and "after_old" not in text
    slope = (wave(x + 1e-6) - wave(x - 1e-6)) / 2e-6
    with interpreted():
        assert np.sum(adc.grad(wave, mode="compiled")(x)) == pytest.approx(slope, rel=1e-7)


def test_what_is_written_aside_is_not_an_array_of_its_own():
    text = str(adc.source(adc.grad(neighbours.limited_fluxes), np.ones(9)))
    assert "np.empty(n)" not in text and "flux[1:] - flux[:-1]" in text


def test_arrays_that_change_places_may_be_one():
    def one(x, k):
        u = x.copy()
        v = u if k > 0 else x.copy()
        for _ in range(2):
            for i in range(1, len(u) - 1):
                v[i] = u[i - 1] + u[i + 1]
            u, v = v, u
        return np.sum(u**2)

    with pytest.raises(adc.UnsupportedError, match="may be the same array"):
        adc.grad(one, mode="compiled")(np.ones(5), 1)
