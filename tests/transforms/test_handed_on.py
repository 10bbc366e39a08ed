"""What trips read of elements that the one before has written is handed on in numbers, where they may go abreast."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(8)


def lattice(values, p):
    """Values of an option, from the last day to the first, each day over the one behind it."""
    v = values.copy()
    for day in range(len(v) - 1, 0, -1):
        for i in range(day):
            v[i] = 0.99 * (p * v[i + 1] + (1.0 - p) * v[i])
    return v[0]


def successes(values, p):
    """The distribution of how many of some events happen."""
    f = np.zeros(len(values) + 1)
    f[0] = 1.0
    for i in range(len(values)):
        q = p * values[i]
        for k in range(i + 1, 0, -1):
            f[k] = f[k] * (1.0 - q) + f[k - 1] * q
        f[0] *= 1.0 - q
    return np.sum(f * np.arange(len(f)) ** 2)


def both_ways(values, p):
    u = values.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u[i] = u[i] * p + u[i + 1] * u[i + 1]
        for i in range(len(u) - 1, 0, -1):
            u[i] = np.cos(p * u[i]) + 0.3 * u[i - 1]
    return np.sum(u * u)


PROGRAMS = [lattice, successes, both_ways]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(function):
    gradient = adc.value_and_grad(function, argnums=(0, 1), mode="compiled")
    for n in (1, 2, 3, 4, 9, 30):
        values = R.uniform(0.2, 0.9, n)
        value, found = gradient(values, 0.4)
        wanted, bars = adc.value_and_grad(function, argnums=(0, 1), mode="tape")(values, 0.4)
        np.testing.assert_allclose(value, wanted, rtol=1e-12)
        for g, bar in zip(found, bars, strict=True):
            np.testing.assert_allclose(g, bar, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_no_loop_of_the_sweep_reads_what_it_has_just_written(function):
    values = R.uniform(0.2, 0.9, 30)
    gradient = adc.grad(function, argnums=(0, 1), mode="compiled")
    with interpreted():
        gradient(values, 0.4)
    text = str(gradient.source(values, 0.4, stage="optimized"))
    assert re.search(r"^ +\w+_element\w* = [fuv]_bar\[", text, re.MULTILINE), text
    for array in re.findall(r"(\w+_bar)\[[ik] - 1\] \+= ", text):
        assert f"{array}[i] = " not in text and f"{array}[k] = " not in text, text


def test_a_state_that_waits_for_itself_is_left():
    def f(x):
        y = x.copy()
        for i in range(1, len(y)):
            y[i] = np.sin(y[i - 1]) + y[i]
        return y[-1]

    text = str(adc.source(adc.grad(f), X := R.normal(size=20), stage="handed on"))
    assert "y[i - 1]" in text or "y[difference]" in text, (text, X)
