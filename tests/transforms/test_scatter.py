"""Additions to neighbours, each in a loop of its own: the same sums, whatever the distances and the trips."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(5)


def burgers(u):
    u = u.copy()
    for _ in range(3):
        middle = u[1:-1]
        u[1:-1] = middle - 0.2 * middle * (middle - u[:-2]) + 0.1 * (u[2:] - 2.0 * middle + u[:-2])
    return 0.5 * np.sum(u * u)


def five_points(u):
    u = u * u
    for _ in range(2):
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u[1:-1, 1:-1] = np.sin(0.25 * around)
    return np.sum(u**3)


def by_loops(u):
    new = np.zeros_like(u)
    for i in range(2, len(u)):
        new[i] = u[i] * u[i - 1] - u[i - 2] ** 3
    return np.sum(new * new)


def wraps_around(u):
    total = 0.0
    for i in range(len(u)):
        total += u[i - 1] * u[i - 2] ** 2
    return total


def gathered_rows(u):
    rows = np.zeros((3, len(u)))
    rows[0, 1:] = u[:-1]
    rows[1, :] = u
    rows[2, :-1] = u[1:]
    return np.sum(np.prod(rows, axis=0)) + np.sum(rows**3)


def up_a_column(u):
    """On the way back each trip reads the row that the trip before has added to."""
    b = u.copy()
    for _ in range(3):
        for i in range(len(u) - 3, -1, -1):
            b[i, 1] += 0.3 * b[i + 1, 1] * u[i, 0] + 0.2 * np.sin(b[i + 2, 1]) * u[i, 0]
    return np.sum(b * b)


@pytest.mark.parametrize(
    "function", [burgers, five_points, by_loops, wraps_around, gathered_rows, up_a_column]
)
@pytest.mark.parametrize("n", [2, 3, 4, 20, 67])
def test_gradient(function, n):
    u = R.normal(size=(n, n) if function in (five_points, up_a_column) else n)
    found = adc.grad(function, mode="compiled")(u)
    np.testing.assert_allclose(found, adc.grad(function, mode="tape")(u), rtol=1e-11, atol=1e-12)
    v = R.normal(size=u.shape)
    h = 1e-6
    slope = (function(u + h * v) - function(u - h * v)) / (2 * h)
    assert np.sum(found * v) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_the_text_has_no_scattering_loop():
    text = str(adc.source(adc.grad(burgers), np.ones(40), stage="optimized"))
    reverse = text.split("@rt.kernel")[-1].split("def burgers_grad(")[0]  # the last kernel of the text
    assert "for j in range" in reverse and "u_bar[" in reverse
    for loop in reverse.split("for j in range")[1:]:
        assert loop.split("for ")[0].count("] +=") <= 1, loop


def two_fields(u, v):
    total = 0.0
    for i in range(1, len(u)):
        total += (u[i] - u[i - 1]) ** 2 * (v[i] + v[i - 1]) ** 2
    return total


def test_the_same_text_every_time():
    u, v = R.normal(size=(2, 40))
    texts = {
        str(adc.source(adc.grad(two_fields, argnums=(0, 1)), u, v, stage="optimized")) for _ in range(16)
    }
    assert len(texts) == 1


def mirrored(r):
    y = r.copy()
    for k in range(1, len(r)):
        a = r[k] + np.flip(r[:k]) @ y[:k]
        y[:k] += a * np.flip(y[:k])
        y[k] = a
    return np.sum(y * y)


def mirrored_by_loops(r):
    y, z = r.copy(), np.zeros(len(r))
    for k in range(1, len(r)):
        a = r[k]
        for j in range(k):
            a += r[k - j - 1] * y[j]
        for j in range(k):
            z[j] = y[j] + a * y[k - j - 1]
        for j in range(k):
            y[j] = z[j]
        y[k] = a
    return np.sum(y * y)


@pytest.mark.parametrize("function", [mirrored, mirrored_by_loops])
def test_upwards_and_downwards_are_loops_of_their_own(function):
    r = np.linspace(0.1, 0.3, 7)
    gradient = adc.grad(function, mode="compiled")
    np.testing.assert_allclose(gradient(r), adc.grad(function, mode="tape")(r), rtol=1e-11)
    for loop in str(adc.source(gradient, r, stage="optimized")).split("for j in range")[1:]:
        added = {
            line.split(" +=")[0].strip()
            for line in loop.splitlines()
            if line.strip().startswith("y_bar[") and "+=" in line
        }
        assert len(added) <= 1, loop


def waves(h, u, v):
    n, m = h.shape
    for _ in range(4):
        hn, un, vn = h.copy(), u.copy(), v.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                un[i, j] = (
                    u[i, j] - 0.1 * u[i, j] * (u[i + 1, j] - u[i - 1, j]) - 0.1 * (h[i + 1, j] - h[i - 1, j])
                )
                vn[i, j] = (
                    v[i, j] - 0.1 * v[i, j] * (u[i, j + 1] - u[i, j - 1]) - 0.1 * (h[i, j + 1] - h[i, j - 1])
                )
                hn[i, j] = h[i, j] - 0.1 * (
                    h[i + 1, j] * u[i + 1, j] - h[i - 1, j] * u[i - 1, j] + v[i, j + 1] - v[i, j - 1]
                )
        h, u, v = hn, un, vn
    return np.sum(h * h) + np.sum(u * v)


def test_fields_that_drive_each_other_are_added_to_where_it_is_computed():
    arguments = tuple(R.normal(size=(6, 7)) for _ in range(3))
    gradients = adc.grad(waves, (0, 1, 2))
    for mine, tape in zip(
        gradients(*arguments), adc.grad(waves, (0, 1, 2), mode="tape")(*arguments), strict=True
    ):
        np.testing.assert_allclose(mine, tape, rtol=1e-11, atol=1e-13)
    text = str(adc.source(gradients, *arguments, stage="optimized"))
    of_all_rows = [line for line in text.splitlines() if "part_bar" in line and "rt.empty((" in line]
    assert len(of_all_rows) <= 3, text
