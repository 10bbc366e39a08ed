"""States of which each trip reads neighbours, wrapped round or not, and all of which it makes anew."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def diffusion(u, steps):
    for _ in range(steps):
        around = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1)
        u = u + 0.1 * (around - 4.0 * u)
    return np.sum(u**2)


def reaction(u, steps):
    v = np.cos(u)
    for _ in range(steps):
        bend = np.roll(u, 1, 1) + np.roll(u, -2, 0) - 2.0 * u
        uvv = u * v * v
        u = u + 0.16 * bend - uvv + 0.06 * (1.0 - u)
        v = v + 0.08 * np.roll(v, -1, 1) + uvv - 0.12 * v
    return np.sum(u * v)


def two_steps(u, steps):
    for _ in range(steps):
        half = 0.5 * (np.roll(u, -1, 0) + u) - 0.1 * (np.roll(u, -1, 0) ** 2 - u**2)
        flux = 0.5 * half**2
        u = u - 0.2 * (flux - np.roll(flux, 1, 0))
    return np.sum(u**2)


def turned_round(u, steps):
    for _ in range(steps):
        u = 0.5 * u[::-1] + 0.3 * np.sin(u)[:, ::-1]
    return np.sum(u**3)


def scaled_and_read_from_the_end(u, steps):
    for _ in range(steps):
        w = 0.3 * u
        u = w + np.concatenate((w[-1:], w[:-1])) * u - w[-2]
    return np.sum(u**2)


def by_positions(u, steps):
    rows = (np.arange(u.shape[0]) * 2 + 1) % u.shape[0]
    for _ in range(steps):
        w = -u
        u = 0.5 * u + w[rows] * 0.1 + w[rows - 1] * w
    return np.sum(u**2)


def old_state_read_behind_the_new(u, steps):
    total = 0.0
    for _ in range(steps):
        new = np.roll(u, 1, 0) * 0.5 + np.sin(u)
        total = total + np.sum(new * u)
        u = new
    return total + np.sum(u)


def handed_on_twice(u, steps):
    v = u
    for _ in range(steps):
        u, v = 0.5 * np.roll(u, 1, 0) + 0.1 * np.roll(v, 1, 1), u
    return np.sum(u * v)


def viewed(u, steps):
    total = 0.0
    for _ in range(steps):
        inner = u[1:-1]
        u = 0.5 * np.roll(u, 1, 0) + 0.1
        total = total + np.sum(inner * u[1:-1])
    return total


def until_it_is_small(u, steps):
    while np.sum(u * u) > 0.5:
        u = 0.4 * (np.roll(u, 1, 0) + 0.3 * u)
    return np.sum(u**2)


PROGRAMS = [
    diffusion,
    reaction,
    two_steps,
    turned_round,
    scaled_and_read_from_the_end,
    by_positions,
    old_state_read_behind_the_new,
    handed_on_twice,
    viewed,
    until_it_is_small,
]


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program, steps):
    u = np.random.default_rng(steps).normal(size=(5, 7))
    wanted = adc.value_and_grad(program, mode="tape")(u, steps)
    with interpreted():
        found = adc.value_and_grad(program, mode="compiled")(u.copy(), steps)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-10)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS[:6])
def test_compiled(program):
    u = np.random.default_rng(1).normal(size=(6, 5))
    wanted = adc.grad(program, mode="tape")(u, 4)
    for given in (u, np.asfortranarray(u)):
        np.testing.assert_allclose(
            adc.grad(program, mode="compiled")(given, 4), wanted, rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 1), (2, 2)])
def test_few_rows(shape):
    u = np.random.default_rng(2).normal(size=shape)
    for program in PROGRAMS[:3]:
        wanted = adc.grad(program, mode="tape")(u, 3)
        with interpreted():
            found = adc.grad(program, mode="compiled")(u.copy(), 3)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_the_adjoint_is_made_in_one_pass():
    """What is rolled is a multiple of the adjoint, which changes places with the next."""
    text = str(adc.source(adc.grad(diffusion), np.ones((5, 5)), 3, stage="optimized"))
    reverse = text[text.index("# reverse") :]
    assert "u_bar, spare = spare, u_bar" in reverse
    assert "around_bar" not in reverse
