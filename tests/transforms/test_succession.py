"""States that go from row to row of what is kept of them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(3)


def both_ends_held(start, steps):
    u = start.copy()
    for _ in range(steps):
        middle = u[1:-1]
        bend = u[2:] - 2.0 * middle + u[:-2]
        u[1:-1] = middle - 0.2 * middle * (middle - u[:-2]) + 0.1 * bend
    return np.sum(u * u)


def first_held(start, steps):
    u = start.copy()
    for t in range(steps):
        u[1:] = u[1:] - 0.1 * (t + 1) * u[1:] * (u[1:] - u[:-1])
    return np.sum(np.sin(u))


def three_held_at_the_end(start, steps):
    u = start.copy()
    total = 0.0
    for _ in range(steps):
        u[:-3] = u[:-3] * (1.0 + 0.1 * u[3:] - 0.05 * u[1:-2])
        total += 1.0
    return total + np.sum(u**2)


def inside_a_loop(start, steps):
    total = 0.0
    for k in range(2):
        u = start * (k + 1.0)
        for _ in range(steps):
            u[1:-1] = u[1:-1] * (1.0 + 0.1 * (u[2:] - u[:-2]))
        total += np.sum(u**2)
    return total


def read_between(start, steps):
    u = start.copy()
    total = 0.0
    for _ in range(steps):
        u[1:-1] = u[1:-1] * (1.0 + 0.1 * (u[2:] - u[:-2]))
        total += u[0] * u[-1] + u[u.shape[0] // 2] ** 2
    return total


CASES = [both_ends_held, first_held, three_held_at_the_end, inside_a_loop, read_between]


def agree(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("steps", [0, 1, 4])
@pytest.mark.parametrize("n", [3, 4, 7])
@pytest.mark.parametrize("function", CASES)
def test_gradient(function, n, steps):
    x = 0.3 * R.normal(size=n)
    wanted = adc.value_and_grad(function, mode="tape")(x, steps)
    with interpreted():
        found = adc.value_and_grad(function, mode="compiled")(x, steps)
    agree(found, wanted)


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("function", [both_ends_held, first_held, inside_a_loop])
def test_what_is_shorter_than_its_ends(function, n):
    x = 0.3 * R.normal(size=n)
    with interpreted():
        found = adc.value_and_grad(function, mode="compiled")(x, 3)
    agree(found, adc.value_and_grad(function, mode="tape")(x, 3))


@pytest.mark.slow
@pytest.mark.parametrize("function", CASES)
def test_gradient_compiled(function):
    x = 0.3 * R.normal(size=9)
    gradient = adc.value_and_grad(function, mode="compiled")
    for steps in (5, 0):
        agree(gradient(x, steps), adc.value_and_grad(function, mode="tape")(x, steps))


@pytest.mark.parametrize("function", [both_ends_held, first_held])
def test_a_trip_makes_the_next_row(function):
    text = adc.value_and_grad(function, mode="compiled").source(np.ones(9), 3, stage="optimized")
    assert "_kept[t + 1, " in text or "_kept[trip + 1, " in text


def test_a_state_that_is_read_stays():
    text = adc.value_and_grad(read_between, mode="compiled").source(np.ones(9), 3, stage="optimized")
    assert "trip + 1, " not in text


def test_trips_and_lengths_that_are_known():
    def three_steps(start):
        u = np.zeros(6)
        u[:] = start
        for _ in range(3):
            u[1:-1] = u[1:-1] * (1.0 + 0.1 * (u[2:] - u[:-2]))
        return np.sum(u**2)

    x = 0.3 * R.normal(size=6)
    with interpreted():
        found = adc.value_and_grad(three_steps, mode="compiled")(x)
    agree(found, adc.value_and_grad(three_steps, mode="tape")(x))


def plate(start, steps):
    u = start.copy()
    for _ in range(steps):
        inner = u[1:-1, 1:-1]
        u[1:-1, 1:-1] = inner + 0.1 * inner * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * inner
        )
    return np.sum(u * u)


def two_edges_held(start, steps):
    u = start.copy()
    for t in range(steps):
        u[1:, :-2] = u[1:, :-2] * (1.0 + 0.05 * (t + 1) * (u[:-1, 2:] - u[1:, 1:-1]))
    return np.sum(np.sin(u))


def columns_held(start, steps):
    u = start.copy()
    for _ in range(steps):
        u[:, 1:-1] = u[:, 1:-1] * (1.0 + 0.1 * (u[:, 2:] - u[:, :-2]))
    return np.sum(u**3)


def plate_read_between(start, steps):
    u = start.copy()
    total = 0.0
    for _ in range(steps):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] * (1.0 + 0.1 * u[2:, 2:])
        total += u[0, 0] * u[-1, -1] + np.sum(u[1] ** 2)
    return total


def test_a_plate_that_is_read_stays():
    x = 0.3 * R.normal(size=(5, 6))
    gradient = adc.value_and_grad(plate_read_between, mode="compiled")
    assert "trip + 1, " not in gradient.source(x, 3, stage="optimized")
    with interpreted():
        found = gradient(x, 3)
    agree(found, adc.value_and_grad(plate_read_between, mode="tape")(x, 3))


PLATES = [plate, two_edges_held, columns_held]


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("shape", [(3, 3), (4, 6), (2, 5), (5, 2), (1, 4), (4, 1), (0, 3), (3, 0)])
@pytest.mark.parametrize("function", PLATES)
def test_plates(function, shape, steps):
    x = 0.3 * R.normal(size=shape)
    with interpreted():
        found = adc.value_and_grad(function, mode="compiled")(x, steps)
    agree(found, adc.value_and_grad(function, mode="tape")(x, steps))


@pytest.mark.slow
@pytest.mark.parametrize("function", PLATES)
def test_plates_compiled(function):
    x = 0.3 * R.normal(size=(6, 9))
    gradient = adc.value_and_grad(function, mode="compiled")
    for steps in (4, 0):
        agree(gradient(x, steps), adc.value_and_grad(function, mode="tape")(x, steps))


@pytest.mark.parametrize("function", [plate, two_edges_held])
def test_a_trip_makes_the_next_plate(function):
    text = adc.value_and_grad(function, mode="compiled").source(np.ones((5, 6)), 3, stage="optimized")
    assert "_kept[t + 1, " in text or "_kept[trip + 1, " in text
