"""First and last trips beside the loops that they were in; `tests/corpus/borders.py` has the gradients."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus import borders
from tests.written import written

import adc

PROGRAMS = borders.program.__globals__["PROGRAMS"]
R = np.random.default_rng(5)


def primal(function, *args, stage="dead-whole"):
    text = str(adc.source(adc.grad(function), *args, stage=stage))
    return text


@pytest.mark.parametrize(
    "name",
    [
        "ends_by_cases",
        "currents_from_both_sides",
        "neighbours_come_round",
        "limited_indices",
        "backwards",
        "a_variance_that_starts",
        "differences_where_there_are_some",
        "ends_of_a_loop_that_counts",
    ],
)
def test_no_branch_is_left(name):
    text = primal(getattr(borders, name), *PROGRAMS[f"borders.{name}"].arguments())
    assert not re.search(r"^ +if (?!not )", text, re.MULTILINE), text
    assert "where(" not in text, text


@pytest.mark.parametrize("name", ["nothing_at_the_rim", "copied_at_the_rim"])
def test_a_nest_is_taken_apart_from_the_inside(name):
    text = primal(getattr(borders, name), *PROGRAMS[f"borders.{name}"].arguments())
    assert not re.search(r"^ +if (?!not )", text, re.MULTILINE), text
    assert len(re.findall(r"^ *for ", text, re.MULTILINE)) == 1, (
        text
    )  # of time: the rest are statements on slices


SIZES = [1, 2, 3, 4, 7]


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize("name", ["neighbours_come_round", "differences_where_there_are_some", "backwards"])
def test_every_length(name, mode):
    """Where there are fewer trips than were taken out, another text answers."""
    function = getattr(borders, name)
    compiled, tape = adc.value_and_grad(function, mode=mode), adc.value_and_grad(function, mode="tape")
    for n in [7, *SIZES]:
        x = R.normal(size=n)
        for ours, theirs in zip(compiled(x), tape(x), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_no_trip_at_all():
    grad = adc.value_and_grad(borders.differences_where_there_are_some, mode="compiled")
    assert grad(np.ones(4))[0] == pytest.approx(4 * np.cos(1.0))
    value, x_bar = grad(np.ones(0))
    assert value == 0.0
    assert x_bar.shape == (0,)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 5), (3, 3), (6, 4)])
def test_every_shape(shape):
    for function in (borders.nothing_at_the_rim, borders.copied_at_the_rim):
        x = R.normal(size=shape)
        ours = adc.value_and_grad(function, mode="compiled")(x)
        theirs = adc.value_and_grad(function, mode="tape")(x)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12, atol=1e-14)


def test_errors_of_the_function_come_first():
    def reads_beyond(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i + 1] if i < len(x) - 1 else x[i + 2]
        return s

    with pytest.raises(IndexError):
        adc.grad(reads_beyond, mode="compiled")(np.ones(5))


def test_loops_of_other_lengths_in_each_trip_stay():
    """There would be too few trips in some of them."""

    def below_the_diagonal(a):
        s = 0.0
        for i in range(a.shape[0]):
            for j in range(i):
                s += a[i, j] * (a[i, j - 1] if j > 0 else 2.0)
        return s

    assert "fewer" not in primal(below_the_diagonal, np.ones((4, 4)))


@pytest.mark.parametrize(
    ("name", "loops"),
    [
        ("forces_of_all_others", 3),
        ("below_and_above_the_diagonal", 3),
        ("the_diagonal_of_an_oblong", 4),
        ("a_diagonal_that_leaves_the_array", 4),
        ("iterations_of_jacobi", 4),
    ],
)
def test_trips_before_and_behind_another_counter(name, loops):
    """No branch is left; a trip that may not be there is a loop of one trip or none."""
    text = primal(getattr(borders, name), *PROGRAMS[f"borders.{name}"].arguments(), stage="dead")
    assert not re.search(r"^ +if (?!not )", text, re.MULTILINE), text
    assert len(re.findall(r"^ *for ", text, re.MULTILINE)) == loops, text


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (4, 2), (2, 6), (5, 5)])
def test_diagonals_of_every_shape(shape):
    for function in (borders.the_diagonal_of_an_oblong, borders.a_diagonal_that_leaves_the_array):
        args = (R.normal(size=shape), R.normal(size=shape[0]))[: function.__code__.co_argcount]
        ours = adc.value_and_grad(function, mode="compiled")(*args)
        theirs = adc.value_and_grad(function, mode="tape")(*args)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-12, atol=1e-14)


def test_trips_in_the_middle_stay():
    def a_source(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i] ** 2 * (2.0 if i == 50 else 1.0)
        return s

    assert "fewer" not in primal(a_source, np.ones(60))


def test_choices_by_counters_are_places():
    def other_half(x, w):
        s = 0.0
        m = len(w) // 2
        for i in range(len(x)):
            s += x[i] * np.sin(w[i + m] if i < m else w[i - m])
        return s

    x = R.normal(size=6)
    text = primal(other_half, x, x, stage="places")
    assert text.count("getitem") <= 2
    assert "where(" in text
    for mode in ("compiled", "python", "tape"):
        w_bar = adc.grad(other_half, argnums=1, mode=mode)(x, x)
        np.testing.assert_allclose(w_bar, np.roll(x, 3) * np.cos(x), rtol=1e-12)


def test_a_square_of_which_one_side_was_asked_for():
    """Code for squares is left where an array is none."""

    def torus(a):
        n = len(a)
        s = 0.0
        for i in range(n):
            for j in range(n):
                s += a[i, j] * a[i, (j + 1) % n] + a[(i + 1) % n, j] ** 2
        return s

    grad = adc.grad(torus, mode="compiled")
    for shape in [(4, 4), (3, 5), (4, 4), (1, 1)]:
        a = R.normal(size=shape)
        np.testing.assert_allclose(grad(a), adc.grad(torus, mode="tape")(a), rtol=1e-12)


def test_programs_that_are_too_long_for_their_sizes():
    """Code for few trips is made for any number of them where a copy for each trip would be too much text."""
    lines = ["def f(x):", "    n, s = len(x), 0.0"]
    for k in range(50):
        lines.append("    for i in range(n):")
        lines.append(f"        a = x[i - 2] if i > 1 else {k}.0")
        lines.append("        b = x[i + 2] if i < n - 2 else 1.0")
        lines.append("        s += a * b * x[i] - a / 3.0")
    lines.append("    return s")
    long = written("\n".join(lines), "<long>", np=np)
    grad, tape = (adc.grad(long, mode=mode) for mode in ("python", "tape"))
    for n in (5, 3, 1, 5, 3):
        x = R.normal(size=n)
        np.testing.assert_allclose(grad(x), tape(x), rtol=1e-12)
    assert "fewer than 4 trips" in adc.source(grad, np.ones(5))
    assert "fewer" not in adc.source(grad)  # of the last call, of three
