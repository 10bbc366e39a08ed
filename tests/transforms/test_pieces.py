"""What is rolled is read where it lies, in as many pieces as positions need."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import by_interpreted_text, interpreted

import adc

R = np.random.default_rng(5)


def periodic(u, steps):
    for _ in range(steps):
        lap = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4.0 * u
        u = u + 0.1 * (lap - u**3)
    return np.sum(u**2)


def along_a_vector(x, shift):
    return np.sum(np.tanh(np.roll(x, shift) * x)) + np.max(x - np.roll(x, 2 * shift))


def of_four_neighbours(x):
    slope = (np.roll(x, 2) - 8.0 * np.roll(x, 1) + 8.0 * np.roll(x, -1) - np.roll(x, -2)) / 12.0
    return np.sum(x * slope**2)


def parts_of_rolled(x, shift):
    return np.sum(np.exp(np.roll(x, shift)[1:-1] - x[2:])) + np.sum(np.roll(x[1:], shift)[::-1] * x[:-1])


def rolled_twice(u):
    return np.sum(np.roll(np.roll(u, 1, 0), -2, 1) * np.sin(u)) + np.sum(np.roll(u, (1, 2), (0, 1))[0])


def by_hand(x, shift):
    n = len(x)
    total = 0.0
    for k in range(n):
        at = k + n - shift if k < shift else k - shift
        total += x[k] ** 2 * x[at]
    return total


def to_a_place_by_hand(x, shift):
    n = len(x)
    y = np.zeros(n)
    for k in range(n):
        at = k + (n - shift) if k < shift else k - shift
        y[at] = np.sin(x[k])
    return np.sum(y * x)


GRIDS = [R.normal(size=shape) for shape in ((7, 9), (1, 4), (3, 1), (2, 2), (0, 3), (17, 40))]
VECTORS = [R.normal(size=n) for n in (1, 2, 3, 5, 41)]


def same(gradient, function, arguments):
    value, found = gradient(*arguments)
    expected, taped = adc.value_and_grad(function, mode="tape")(*arguments)
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-14)
    np.testing.assert_allclose(found, taped, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (periodic, [(u, 3) for u in GRIDS]),
        (rolled_twice, [(u,) for u in GRIDS if u.size]),
        (along_a_vector, [(x, shift) for x in VECTORS for shift in (0, 1, -1, 7)]),
        (of_four_neighbours, [(x,) for x in VECTORS]),
        (parts_of_rolled, [(x, shift) for x in VECTORS[2:] for shift in (0, 1, -2)]),
        (by_hand, [(x, shift) for x in VECTORS[1:] for shift in (0, 1, 2)]),
        (to_a_place_by_hand, [(x, shift) for x in VECTORS[1:] for shift in (0, 1, 2)]),
    ],
)
def test_gradients_are_the_tape_s(function, calls):
    made = adc.value_and_grad(function, mode="compiled")
    with interpreted():
        looped = by_interpreted_text(adc.value_and_grad(function, mode="compiled"))
        for arguments in calls:
            same(looped, function, arguments)
    same(made, function, calls[-1])


def text(function, *arguments):
    return adc.source(adc.grad(function), *arguments, stage="optimized")


def test_both_sweeps_go_through_rows_in_pieces_and_copy_none():
    found = text(periodic, GRIDS[0], 3)
    assert found.count("for piece in range(3)") == 2
    assert "roll_u[" not in found and "roll[" not in found


def test_a_piece_more_than_there_are_places():
    assert "for piece in range(2)" in text(parts_of_rolled, VECTORS[-1], 2)
    assert "for piece in range(5)" in text(of_four_neighbours, VECTORS[-1])


def far(x):
    return np.sum(np.exp(sum(np.roll(x, k) for k in range(9))))


def test_many_places_are_chosen_one_by_one():
    assert "for piece" not in text(far, VECTORS[-1])
    found = adc.grad(far, mode="compiled")(VECTORS[-1])
    np.testing.assert_allclose(found, adc.grad(far, mode="tape")(VECTORS[-1]), rtol=1e-12)
