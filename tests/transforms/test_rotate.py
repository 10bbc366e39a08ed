"""Arrays that a loop hands round: no trip makes or copies one, and the derivatives stay right."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(3)


def leapfrog(speed, source):
    before, now = np.zeros_like(speed), np.zeros_like(speed)
    seen = 0.0
    for t in range(source.shape[0]):
        after = np.zeros_like(speed)
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + speed[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        after[1] += source[t]
        seen += after[-2] ** 2
        before, now = now, after
    return seen + np.sum(now * before)


def two_buffers(x, source):
    u, new = x.copy(), np.zeros_like(x)
    for t in range(source.shape[0]):
        new[1:-1] = u[1:-1] + 0.1 * source[t] * (u[2:] - u[:-2]) * u[1:-1]
        new[0] = u[-1]
        new[-1] = 0.5 * u[0]
        u, new = new, u
    return np.sum(u**2)


def polynomials(x, c):
    before, now = np.ones_like(x), x
    total = 0.5 * x
    for k in range(c.shape[0]):
        before, now = now, 2.0 * x * now - before
        total = total + c[k] * now
    return np.sum(total)


def slopes_of_two_steps(x, h):
    y, old = x.copy(), np.zeros_like(x)
    for k in range(h.shape[0]):
        slope = np.empty_like(y)
        slope[1:] = y[:-1] - y[1:] ** 2
        slope[0] = -y[0]
        y = y + h[k] * (1.5 * slope - 0.5 * old)
        old = slope
    return np.sum(y**2)


def reversed_each_time(x, h):
    y = x * 1.0
    for k in range(h.shape[0]):
        y = h[k] * y[::-1] + np.sin(y)
    return np.sum(y * x)


CASES = [leapfrog, two_buffers, polynomials, slopes_of_two_steps, reversed_each_time]


def trips_of(text):
    """The lines in loops around other loops."""
    return [line for line in text.splitlines() if re.match(" {8}", line)]


@pytest.mark.parametrize("function", CASES)
def test_no_trip_makes_an_array(function):
    x, h = 0.3 * R.normal(size=9), R.normal(size=4)
    text = adc.value_and_grad(function, argnums=(0, 1), mode="compiled").source(x, h, stage="optimized")
    assert not [line for line in trips_of(text) if "rt.empty" in line or "rt.zeros" in line], text


@pytest.mark.parametrize("function", [leapfrog, two_buffers])
def test_no_trip_copies_an_adjoint(function):
    x, h = 0.3 * R.normal(size=9), R.normal(size=4)
    text = adc.value_and_grad(function, argnums=(0, 1), mode="compiled").source(x, h, stage="optimized")
    reverse = text[text.index("# reverse") :]
    assert not re.search(r"^ {12}(\w+)_bar\[(\w+)\] = \w+_bar\[\2\]$", reverse, re.MULTILINE), text


def agree(found, wanted):
    for a, b in zip((found[0], *found[1]), (wanted[0], *wanted[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
@pytest.mark.parametrize("n", [3, 8])
@pytest.mark.parametrize("function", CASES)
def test_gradient(function, n, steps):
    x, h = 0.3 * R.normal(size=n), R.normal(size=steps)
    wanted = adc.value_and_grad(function, argnums=(0, 1), mode="tape")(x, h)
    with interpreted():
        found = adc.value_and_grad(function, argnums=(0, 1), mode="compiled")(x, h)
    agree(found, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("function", CASES)
def test_gradient_compiled(function):
    gradient = adc.value_and_grad(function, argnums=(0, 1), mode="compiled")
    for n, steps in ((9, 6), (3, 0), (40, 7)):
        x, h = 0.3 * R.normal(size=n), R.normal(size=steps)
        kept = x.copy(), h.copy()
        first, again = gradient(x, h), gradient(x, h)
        agree(first, adc.value_and_grad(function, argnums=(0, 1), mode="tape")(x, h))
        agree(again, first)
        np.testing.assert_array_equal(kept[0], x)
        np.testing.assert_array_equal(kept[1], h)


def test_the_arrays_of_a_result_are_apart():
    def last_two(x):
        before = now = x
        for _ in range(3):
            before, now = now, 1.5 * now - 0.5 * before[::-1]
        return before, now

    x = R.normal(size=5)
    with interpreted():
        values, slopes = adc.jvp(last_two, (x,), (x,), mode="compiled")
    for found, expected in zip((*values, *slopes), (*last_two(x), *last_two(x)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    for k, one in enumerate((*values, *slopes)):
        assert not any(np.shares_memory(one, other) for other in (x, *(*values, *slopes)[k + 1 :]))
