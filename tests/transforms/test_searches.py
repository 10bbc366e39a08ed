"""Of a search only the trip that found something is differentiated; `tests/corpus/searches.py` has the gradients."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus import searches

import adc

R = np.random.default_rng(4)
PROGRAMS = searches.program.__globals__["PROGRAMS"]


def text(name, stage="adjoint"):
    args = PROGRAMS[f"searches.{name}"].arguments()
    return str(adc.source(adc.value_and_grad(getattr(searches, name)), *args, stage=stage))


@pytest.mark.parametrize(
    ("name", "loops"),
    [
        ("least_of_sums", 2),
        ("two_numbers_of_the_best", 0),
        ("both_ends", 0),
        ("from_the_back", 1),
        ("every_third_of_those_behind", 1),
        ("arrays_of_the_trip", 0),
        ("the_best_path", 3),
        ("by_what_was_counted", 0),
        ("in_the_state_of_the_loop_around", 1),
        ("the_best_of_a_table", 0),
    ],
)
def test_no_trip_of_a_search_is_gone_through_again(name, loops):
    reverse = text(name).split("# reverse")[1]
    assert len(re.findall(r"^ +for ", reverse, re.MULTILINE)) == loops, reverse


@pytest.mark.parametrize(
    "name",
    ["the_second_best", "summed_while_it_looks", "elements_that_the_search_changes", "what_was_best_before"],
)
def test_what_is_more_than_a_search_stays(name):
    assert text(name, "searches") == text(name, "dead")


def test_the_users_own_position_is_taken():
    shown = text("nearest_with_its_weight")
    assert "best_at" not in shown and "points_bar[hit, 0]" in shown


def test_a_search_in_a_search_has_two_positions():
    assert "x[largest_at, largest_at_2]" in text("largest_of_windows")


def test_few_trips_stay():
    def largest_of_three(x):
        total = 0.0
        for i in range(len(x)):
            best = -1e3
            for k in range(3):
                best = max(best, x[i, k] ** 2)
            total += best
        return total

    x = R.normal(size=(20, 3))
    assert "best_at" not in str(adc.source(adc.grad(largest_of_three), x, stage="searches"))


@pytest.mark.parametrize("mode", ["python", "compiled"])
def test_data_that_are_no_numbers(mode):
    def least(x):
        best = np.inf
        for k in range(len(x)):
            if x[k] ** 2 < best:
                best = x[k] ** 2
        return best

    x = np.array([np.nan, 3.0, np.nan, -1.0, np.inf])
    value, x_bar = adc.value_and_grad(least, mode=mode)(x)
    assert value == 1.0
    np.testing.assert_array_equal(x_bar, [0.0, 0.0, 0.0, -2.0, 0.0])
    assert adc.grad(least, mode=mode)(x[:1])[0] == 0.0


def test_what_was_found_is_inside():
    """No check of a position, in either sweep, where the loop is as long as what it goes through."""

    def chamfer(p, q):
        total = 0.0
        for i in range(len(p)):
            best = np.inf
            for j in range(len(q) - 1, -1, -1):
                best = min(best, (p[i, 0] - q[j, 0]) ** 2 + (p[i, 1] - q[j, 1]) ** 2)
            total += np.sqrt(best)
        return total

    p, q = R.normal(size=(20, 2)), R.normal(size=(25, 2))
    assert "IndexError" not in str(adc.source(adc.grad(chamfer), p, q, stage="optimized"))


def test_what_was_not_found_is_the_last():
    """A position that no trip has found is where it began: outside, or counted from the end."""

    def weighted(x, w, begin):
        hit = begin
        best = 1.0
        for k in range(len(x)):
            if x[k] > best:
                best = x[k]
                hit = k
        return best * w[hit]

    for mode in ("python", "compiled"):
        g = adc.grad(weighted, argnums=(0, 1), mode=mode)
        w_bar = g(np.zeros(3), np.ones(4), -2)[1]
        np.testing.assert_array_equal(w_bar, [0.0, 0.0, 1.0, 0.0])
        with pytest.raises(IndexError):
            g(np.zeros(3), np.ones(4), 4)
        with pytest.raises(IndexError):
            g(np.array([0.0, 0.0, 0.0, 0.0, 2.0]), np.ones(4), 0)
