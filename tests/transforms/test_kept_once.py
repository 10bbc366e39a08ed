"""What takes little to make of what is kept anyway is not kept beside it."""

import re

import numpy as np
import pytest
from tests.interpreted import by_readable_text, interpreted

import adc


def gates(x, w):
    h = np.zeros(len(w))
    s = 0.0
    for t in range(len(x)):
        z = 1.0 / (1.0 + np.exp(-(w @ h + x[t])))
        n = np.maximum(w.T @ (z * h) - 0.1, 0.0)
        h = (1.0 - z) * n + z * h + x[t] ** 2
        s += np.sum(h * h)
    return s


def shrinkage(x, w):
    y = np.zeros(len(w))
    for t in range(len(x)):
        y = y - 0.3 * (w.T @ (w @ y - x[t]))
        y = np.sign(y) * np.maximum(np.abs(y) - 0.01, 0.0)
    return np.sum(y * y)


def as_long_as_it_changes(x, w):
    y = np.ones(len(w))
    k = 0
    while k < 5:
        z = np.exp(w @ y * 0.1)
        r = z / (1.0 + z)
        y = r * np.sin(z) + x[k] * y
        k += 1
        if np.sum(y) > 20.0:
            break
    return np.sum(y * y)


def on_one_side(x, w):
    y = np.ones(len(w))
    for t in range(len(x)):
        if x[t] > 0.0:
            z = np.exp(w @ y * 0.1)
            r = 1.0 / (1.0 + z)
            y = r * z * y
        else:
            z = w @ y
            y = np.tanh(z) * np.maximum(z, 0.1)
    return np.sum(y * y)


def written_behind_it(x, w):
    y = np.ones(len(w))
    for t in range(len(x)):
        z = np.exp(w @ y * 0.1)
        r = 1.0 / (1.0 + z)
        z[0] = x[t]
        q = z / (2.0 + r)
        q[-1] *= r[0]
        y = r * q * np.sin(z)
    return np.sum(y * y)


def sums_of_rows(x, w):
    y = np.ones(len(w))
    for t in range(len(x)):
        a = np.exp(0.1 * w @ np.outer(y, y))
        r = a / np.sum(a, axis=1)[:, None]
        s = np.sqrt(np.sum(r * a))
        y = np.sum(r * r, axis=0) * x[t] / s + np.max(a, axis=1)
    return np.sum(y * y)


def loops_in_loops(x, w):
    y = np.ones(len(w))
    for t in range(len(x)):
        z = np.exp(w @ y * 0.1)
        for k in range(2):
            r = 1.0 / (1.0 + z * y)
            v = np.tanh(w.T @ r)
            y = v * v * r + x[t] * k
        y = y * z
    return np.sum(y * y)


def views(x, w):
    h = np.zeros(len(w))
    for t in range(len(x)):
        g = w @ np.concatenate((h[:2], h[2:])) + x[t]
        a, b = g[:2], g[2:]
        z = 1.0 / (1.0 + np.exp(-a))
        n = np.tanh(b) * z
        h = np.concatenate((z * n, n - z))
    return np.sum(h * h)


def numbers(x, w):
    s = 1.0
    y = w[0]
    for t in range(len(x)):
        p = w[1] @ y
        q = np.sin(p) + 1.5
        s = s * q / (q + p * p)
        y = y * s + x[t]
    return s + np.sum(y)


def pairs(x, w):
    """The trips of the inner loop are counted from where the outer one stands."""
    s = 0.0
    for i in range(len(w)):
        for j in range(i + 1, len(w)):
            p = w[i] @ w[j]
            q = np.sin(p) + 1.5
            s = s + q / (q + p * p) * x[i]
            s = s * 0.9 + 1.0 / q
    return s


PROGRAMS = [
    pairs,
    gates,
    shrinkage,
    as_long_as_it_changes,
    on_one_side,
    written_behind_it,
    sums_of_rows,
    loops_in_loops,
    views,
    numbers,
]


def given(seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=6), random.normal(size=(4, 4)) * 0.7


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_are_the_tape_s(function, seed):
    wanted = adc.value_and_grad(function, (0, 1), mode="tape")(*given(seed))
    made = adc.value_and_grad(function, (0, 1), mode="compiled")
    with interpreted():
        results = [made(*given(seed))]
    results.append(by_readable_text(made)(*given(seed)))
    for value, bars in results:
        assert value == pytest.approx(wanted[0], rel=1e-12)
        for mine, theirs in zip(bars, wanted[1], strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("function", PROGRAMS)
def test_a_pullback_and_second_derivatives(function):
    x, w = given()
    dot = np.ones_like(w)
    slope = adc.jvp(adc.grad(function, 1, mode="python"), (x, w), (0.0 * x, dot), mode="python")[1]
    gradient = adc.grad(function, 1, mode="tape")
    differences = (gradient(x, w + 1e-6 * dot) - gradient(x, w - 1e-6 * dot)) / 2e-6
    np.testing.assert_allclose(slope, differences, rtol=1e-4, atol=1e-5)
    value, pull = adc.vjp(function, x, w, mode="python")
    assert value == pytest.approx(function(x, w))
    np.testing.assert_allclose(pull(2.0)[1], 2.0 * gradient(x, w), rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize(("function", "kept"), [(gates, 3), (shrinkage, 3), (views, 3)])
def test_what_is_kept(function, kept):
    text = adc.source(adc.grad(function, (0, 1)), *given())
    assert len(re.findall(r"_kept(_\d)?\[t( \+ 1)?\] = ", text)) == kept
