"""States that a trip copies and then changes in part: their memory, in both sweeps, and their derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(3)


def linear(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = 0.25 * u[:-2] + 0.5 * u[1:-1] + 0.25 * u[2:]
        u = new
    return np.sum(u**2)


def nonlinear(u, steps):
    for _ in range(steps):
        bend = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u = u.copy()
        u[1:-1] += 0.1 * bend - 0.05 * u[1:-1] ** 2
    return np.sum(np.sin(u))


def of_no_copy(u, steps):
    for _ in range(steps):
        u = u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return np.sum(u**2)


def written_to_before(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        new[0] = u[-1]
        u = new
    return np.sum(u**2)


def old_read_at_the_end(u, steps):
    seen = 0.0
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        seen += u[0] * new[-1] + u[1] * new[1]
        u = new
    return np.sum(u**2) + seen


def new_read_at_the_end(u, steps):
    seen = 0.0
    for _ in range(steps):
        new = u.copy()
        new[1:-1] += u[:-2] * u[2:]
        seen += new[0] * new[1]
        u = new
    return np.sum(u**2) + seen


def two_fields(u, steps):
    v = 1.0 - u
    for _ in range(steps):
        bend, other = u[2:] - 2.0 * u[1:-1] + u[:-2], v[2:] - 2.0 * v[1:-1] + v[:-2]
        product = u[1:-1] * v[1:-1] ** 2
        u, v = u.copy(), v.copy()
        u[1:-1] += 0.16 * bend - product + 0.06 * (1.0 - u[1:-1])
        v[1:-1] += 0.08 * other + product - 0.12 * v[1:-1]
    return np.sum(u * v)


def copy_of_a_copy(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:] -= 0.1 * u[:-1] ** 2
        newer = new.copy()
        newer[:-1] += 0.1 * new[1:]
        u = newer
    return np.sum(u**2)


def kept_by_name(u, steps):
    first = u.copy()
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        first = u
        u = new
    return np.sum(u * first)


def two_grids(u, v, steps):
    for _ in range(steps):
        bend = u[:-2, 1:-1] + u[2:, 1:-1] - 2.0 * u[1:-1, 1:-1]
        u, v = u.copy(), v.copy()
        u[1:-1, 1:-1] += 0.16 * bend - v[1:-1, 1:-1] ** 2
        v[1:-1, 1:-1] += 0.08 * bend
    return np.sum(u * v)


def shrinking(u, steps):
    for t in range(steps):
        new = u.copy()
        new[1 : u.shape[0] - 1 - t] = 0.5 * (u[: u.shape[0] - 2 - t] + u[2 : u.shape[0] - t])
        u = new
    return np.sum(u**2)


def moving(u, steps):
    for t in range(steps):
        new = u.copy()
        new[1 + t : 4 + t] += 0.5 * (u[t : 3 + t] * u[2 + t : 5 + t])
        u = new
    return np.sum(u**2)


LINES = [
    linear,
    nonlinear,
    of_no_copy,
    written_to_before,
    old_read_at_the_end,
    new_read_at_the_end,
    two_fields,
    copy_of_a_copy,
    kept_by_name,
]


def flat(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u = new
    return np.sum(u**2)


def diffusing(u, steps):
    for _ in range(steps):
        north, west = u[:-2, 1:-1] - u[1:-1, 1:-1], u[1:-1, :-2] - u[1:-1, 1:-1]
        new = u.copy()
        new[1:-1, 1:-1] += 0.1 * (np.exp(-(north**2)) * north + np.exp(-(west**2)) * west)
        u = new
    return np.sum(u**2)


def round_the_edges(u, steps):
    for _ in range(steps):
        around = (
            np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1)
        )
        u = u + 0.1 * (around - 4.0 * u)
    return np.sum(u**2)


def lopsided(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:, :-2] = u[:-1, 1:-1] - 0.5 * u[1:, 2:]
        u = new
    return np.sum(u**2)


def row_by_row(u, steps):
    for t in range(steps):
        new = u.copy()
        new[t % 2, 1:-1] = 0.5 * (u[t % 2, :-2] + u[(t + 1) % 2, 2:])
        u = new
    return np.sum(u**2)


def row_by_row_squared(u, steps):
    for t in range(steps):
        new = u.copy()
        new[t % 2, 1:-1] += 0.1 * u[t % 2, :-2] * u[(t + 1) % 2, 2:]
        u = new
    return np.sum(u**2)


def under_other_names(start, steps):
    u = start.copy()
    line, turned, part = u.reshape(-1), u.T, u[1:]
    for _ in range(steps):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
    return np.sum(line**2) + np.sum(turned[-1] * turned[0]) + np.sum(part**3)


def under_another_name_in_the_loop(start, steps):
    u = start.copy()
    line, total = u.reshape(-1), 0.0
    for _ in range(steps):
        total += line[3] ** 2 + u[0, 0]
        u[1:-1] = 0.5 * (u[:-2] + u[2:]) * u[1:-1]
    return np.sum(u**2) + total


def two_states(start, steps):
    u, w = start.copy(), 2.0 * start
    for _ in range(steps):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        w[1:-1] = 0.5 * (w[:-2] + w[2:]) + u[1:-1]
    return np.sum(u**2 * w)


GRIDS = [
    flat,
    diffusing,
    round_the_edges,
    lopsided,
    row_by_row,
    row_by_row_squared,
    under_other_names,
    under_another_name_in_the_loop,
    two_states,
]


def cube(u, steps):
    for _ in range(steps):
        new = u.copy()
        inside = u[1:-1, 1:-1, 1:-1]
        new[1:-1, 1:-1, 1:-1] = inside + 0.1 * (u[2:, 1:-1, 1:-1] - 2.0 * inside + u[1:-1, :-2, 1:-1])
        u = new
    return np.sum(u**2)


def agree(function, *args):
    wanted = adc.value_and_grad(function, mode="tape")(*args)
    with interpreted():
        found = adc.value_and_grad(function, mode="compiled")(*args)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("n", [2, 3, 7])
@pytest.mark.parametrize("function", LINES)
def test_lines(function, n, steps):
    agree(function, 0.3 * R.normal(size=n), steps)


@pytest.mark.parametrize("steps", [0, 1, 4])
@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (4, 6), (5, 1)])
@pytest.mark.parametrize("function", GRIDS)
def test_grids(function, shape, steps):
    agree(function, 0.3 * R.normal(size=shape), steps)


@pytest.mark.parametrize("steps", [1, 2, 4])
@pytest.mark.parametrize("function", [shrinking, moving])
def test_other_elements_in_each_trip(function, steps):
    agree(function, 0.3 * R.normal(size=9), steps)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_cube(steps):
    agree(cube, 0.3 * R.normal(size=(4, 3, 5)), steps)


def text(function, *args, stage):
    return str(adc.source(adc.value_and_grad(function), *args, stage=stage))


@pytest.mark.parametrize("function", [linear, nonlinear, flat])
def test_the_adjoint_is_changed_in_its_middle(function):
    """No array of zeros to which the whole adjoint of the copy would be added."""
    found = text(function, 0.3 * R.normal(size=(5, 5) if function is flat else 5), 3, stage="adjoint")
    assert "zeros" not in found.split("# reverse")[1], found


@pytest.mark.parametrize("function", [linear, flat, round_the_edges])
def test_states_that_nobody_keeps_change_places(function):
    found = text(function, 0.3 * R.normal(size=5 if function is linear else (5, 5)), 3, stage="optimized")
    assert "spare = spare, " in found, found


@pytest.mark.parametrize("function", [diffusing, two_fields])
def test_states_that_are_kept_go_from_row_to_row(function):
    found = text(function, 0.3 * R.normal(size=(5, 5) if function is diffusing else 5), 3, stage="optimized")
    assert found.count("_kept[0, ") == (2 if function is two_fields else 1), found


def test_what_is_returned_is_nobody_elses(n=6):
    """The gradient has memory of its own, though the adjoints hand theirs on."""
    x = 0.3 * R.normal(size=n)
    gradient = adc.grad(nonlinear, mode="compiled")
    first = gradient(x, 3)
    kept = first.copy()
    gradient(2.0 * x, 3)
    np.testing.assert_array_equal(first, kept)
    assert not np.shares_memory(first, x)


def test_no_loop_is_left_without_statements():
    """Where the two gradients have the memory of the last adjoints, the loops that would copy them are gone."""
    found = str(
        adc.source(
            adc.value_and_grad(two_grids, argnums=(0, 1)),
            *(R.normal(size=(4, 5)) for _ in range(2)),
            3,
            stage="optimized",
        )
    )
    assert "pass" not in found, found
