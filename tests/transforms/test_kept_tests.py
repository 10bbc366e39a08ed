"""Truth values are kept in place of what was compared, where only the comparison asks for it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(3)


def shortest(w, s):
    d = w.copy()
    for k in range(d.shape[0]):
        for i in range(d.shape[0]):
            for j in range(d.shape[0]):
                v = d[i, k] + d[k, j]
                if v < d[i, j]:
                    d[i, j] = v
    return np.sum(d * s)


def spikes(w, s):
    v, total = 0.0, 0.0
    for t in range(w.shape[1]):
        v = 0.9 * v + w[0, t]
        if v > s:
            total += w[1, t] * s
            v = v - 1.0
    return total + v


def spikes_that_count(w, s):
    v, total = 0.0, 0.0
    for t in range(w.shape[1]):
        v = 0.9 * v + w[0, t]
        if v > s:
            total += v * v
            v = 0.0
    return total


def both(w, s):
    x, y = 0.2, 0.4
    for t in range(w.shape[1]):
        if (x < y and y < 3.0 * s) or t == 2:
            x, y = y + w[0, t], x
        else:
            x, y = x * 0.5, y - w[1, t]
    return x + 2.0 * y


def until(w, s):
    x, t = 0.1, 0
    while x < 3.0:
        if x * x > s + t % 2:
            x = x + w[0, t]
        else:
            x = x + w[1, t] + 0.5
        t = (t + 1) % 4
    return x


def in_a_branch(w, s):
    x, y = 1.0, 0.5
    for t in range(w.shape[1]):
        if t % 2:
            if x > y:
                x = x * w[0, t]
            y += w[1, t]
        else:
            y = 0.3 * y
    return x * y


def of_the_trip_around(w, s):
    total, x = 0.0, 0.5
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            if x > w[i, j]:
                total += w[i, j] * s
        x = total - x
    return total


def asked_twice(w, s):
    x, count = 0.5, 0.0
    for t in range(w.shape[1]):
        large = x > s
        if large:
            x -= w[0, t]
        count += np.where(large, w[1, t], 0.1 * x)
    return count


def sorted_by_hand(w, s):
    x = w[0].copy()
    for i in range(x.size):
        for j in range(x.size - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
    return np.sum(x * np.arange(x.size)) * s


def integers(w, s):
    x, k = 0.5, 3
    for t in range(w.shape[1]):
        k = (k * 5 + 1) % 7
        if k > 3:
            x += w[0, t] * s
        else:
            x *= w[1, t]
    return x


def truth_of_truths(w, s):
    on, x = False, 0.4
    for t in range(w.shape[1]):
        on = not on and w[0, t] > 0.5
        x = x * w[1, t] if on else x + s
        if (x > 1.0) == on:
            x = x * 0.5
    return x


def modes(w, s):
    mode, x = "off", 0.3
    for t in range(w.shape[1]):
        mode = "on" if mode == "off" and w[0, t] > 0.5 else "off"
        x += w[1, t] * {"off": 1.0, "on": s}[mode]
    return x


FUNCTIONS = [
    truth_of_truths,
    modes,
    shortest,
    spikes,
    spikes_that_count,
    both,
    until,
    in_a_branch,
    of_the_trip_around,
    asked_twice,
    sorted_by_hand,
    integers,
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_gradients(function, seed):
    w, s = np.abs(np.random.default_rng(seed).normal(size=(5, 5))) + 0.1, 0.6
    wanted = adc.value_and_grad(function, (0, 1), mode="tape")(w, s)
    gradient = adc.value_and_grad(function, (0, 1), mode="compiled")
    with interpreted():
        for _ in range(2):
            found = gradient(w, s)
            np.testing.assert_allclose(found[0], wanted[0], rtol=1e-13)
            for a, b in zip(found[1], wanted[1], strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def kept(function):
    """The names of what is kept, with the dtype where it is no float."""
    text = str(
        adc.source(adc.grad(function, (0, 1), mode="compiled"), np.ones((5, 5)), 0.6, stage="optimized")
    )
    return {(n, d) for n, d in re.findall(r"(\w+)_kept = rt\.empty(?:_of)?\([^\n]*?(np\.bool_)?\)\n", text)}


def test_one_byte_for_three_numbers():
    assert kept(shortest) == {("less_v", "np.bool_")}


def test_what_the_branch_asks_for_is_kept_itself():
    assert not any(dtype for _, dtype in kept(spikes_that_count))
    assert ("greater_v", "np.bool_") in kept(spikes)


@pytest.mark.machine_code
def test_compiled():
    w, s = np.abs(R.normal(size=(5, 5))), 0.6
    found = adc.grad(shortest, (0, 1), mode="compiled")(w, s)
    for a, b in zip(found, adc.grad(shortest, (0, 1), mode="tape")(w, s), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
