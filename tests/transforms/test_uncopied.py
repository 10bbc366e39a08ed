"""Parts of adjoints that are read where they lie, and what is cleared only to be put back."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(9)


def heat(u, c):
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(np.sin(u * c))


def burgers(u, c):
    for _ in range(3):
        new = u.copy()
        new[1:-1] = u[1:-1] - 0.1 * u[1:-1] * (u[1:-1] - u[:-2])
        u = new
    return np.sum(u * u * c)


def plane(u, c):
    a = np.outer(u, c)
    for _ in range(2):
        a[1:-1, 1:-1] = a[1:-1, 1:-1] + 0.2 * (a[2:, 1:-1] * a[1:-1, 2:] - a[:-2, 1:-1])
    return np.sum(a * a)


def columns(u, c):
    a = np.outer(u, c).T
    a = a + a.T
    for _ in range(2):
        a[:, 1:] = a[:, 1:] * 0.5 + np.sin(a[:, :-1])
    return np.sum(a * a)


def passed_on(u, c):
    """What is read of the copy is read behind the clearing."""
    u = u.copy()
    for _ in range(3):
        u[1:] = u[:-1] * c[1:]
    return np.sum(u * u)


def put_back_behind_a_read(u, c):
    """The array is read before what stood there is added again."""
    u = u * c
    for _ in range(2):
        u[1:-1] = np.cos(u[1:-1]) * u[0] + u[1:-1]
        u[2:] *= np.sin(u[:-2])
    return np.sum(u * u)


def at_places(u, c):
    places = np.array([0, 2, 3])
    u = u.copy()
    for _ in range(2):
        u[places] = u[places] + 0.3 * np.sin(u[places + 1]) * c[places]
        u[[1, 1]] = u[[1, 1]] + 0.3 * u[[2, 2]] * c[[1, 1]]
    return np.sum(u * u)


def filtered(u, c):
    out = np.zeros(len(u) - 2)
    for k in range(3):
        out += c[k] * u[k : k + len(u) - 2]
    return np.sum(out * out)


def streamed(u, c):
    """Neighbours go from cell to cell, as in a lattice gas."""
    a = np.stack((u, u * c, c))
    for _ in range(3):
        a[1] = np.roll(a[1], 1)
        a[2] = np.roll(a[2], -1)
        a[0] += a[1] * a[2]
    return np.sum(a * a)


def relaxed(u, c):
    """The adjoint of `a` begins as a copy, from which something is subtracted."""
    a = np.stack((u, c, u * c))
    rest = np.stack((a[0] * a[1], a[1] - a[2], a[2] * a[0]))
    out = a + 0.3 * (rest - a)
    return np.sum(out * out)


def layers(u, c):
    """Rows of an adjoint are operands of products."""
    w = np.outer(u, c)
    out = np.zeros((3, len(u)))
    out[0] = u
    for k in range(2):
        out[k + 1] = w @ out[k]
    return np.sum(out * out)


@pytest.mark.parametrize(
    "function",
    [
        relaxed,
        layers,
        filtered,
        streamed,
        heat,
        burgers,
        plane,
        columns,
        passed_on,
        put_back_behind_a_read,
        at_places,
    ],
)
def test_gradient(function):
    u, c = R.normal(size=7), R.uniform(0.5, 1.5, size=7)
    wanted = adc.grad(function, argnums=(0, 1), mode="tape")(u, c)
    readable = adc.grad(function, argnums=(0, 1), mode="python")(u, c)
    with interpreted():
        optimized = adc.grad(function, argnums=(0, 1), mode="compiled")(u, c)
    for found in (readable, optimized):
        for f, w in zip(found, wanted, strict=True):
            np.testing.assert_allclose(f, w, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("function", [heat, burgers, streamed, relaxed, layers])
def test_nothing_is_copied_or_cleared(function):
    reverse = str(adc.source(adc.grad(function), np.ones(7), np.ones(7))).split("# reverse")[1]
    assert ".copy()" not in reverse
    assert "= 0.0" not in reverse


def test_all_of_an_array_is_read_by_its_name():
    reverse = str(adc.source(adc.grad(filtered, argnums=(0, 1)), np.ones(7), np.ones(7))).split("# reverse")[
        1
    ]
    assert "[:]" not in reverse and ".copy()" not in reverse
