"""Of an array that a loop fills only the rest is cleared."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(13)


def beside(x, w):
    total = 0.0
    for i in range(len(x)):
        total += w[i] * np.sin(x[i])
    return total


def backwards(x, w):
    s = 1.0
    for i in range(len(x)):
        s = s * np.cos(x[i]) + w[i]
    return s


def known_trips(x, w):
    s = 1.0
    for i in range(4):
        s = s * np.cos(x[i]) + w[i]
    return s


def tables(x, w):
    total = 0.0
    for i in range(len(x)):
        for j in range(x.shape[1]):
            total += w[i, j] * x[i, j] ** 2
    return total


def records(x, w):
    total = 0.0
    for i in range(len(x)):
        a, b, c, d, e = w[i]
        total += x[i] * (a * b - np.sin(c) * d + e)
    return total


def twice(x, w):
    total = 0.0
    for i in range(len(x)):
        total += w[i] * x[i]
    for i in range(len(x)):
        total += w[i] ** 2 * x[i]
    return total


def neighbours(x, w):
    total = 0.0
    for i in range(1, len(x)):
        total += w[i] * w[i - 1] * x[i]
    return total


def some(x, w):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            total += w[i + 1] * np.exp(x[i])  # of which nobody knows that it is there in the last trip
    return total


def chosen(x, w):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            total += w[i] * np.exp(x[i])
    return total


def triangle(x, w):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += w[i, j] * x[i, j]
    return total


def not_all_columns(x, w):
    total = 0.0
    for i in range(len(x)):
        total += w[i, 0] * np.sin(w[i, 2]) * x[i]
    return total


def table(n, m):
    return R.normal(size=(n, m))


CASES = [
    (beside, R.normal(size=6), R.normal(size=9)),
    (beside, R.normal(size=6), R.normal(size=6)),
    (beside, R.normal(size=0), R.normal(size=3)),
    (backwards, R.normal(size=5), R.normal(size=8)),
    (tables, table(4, 3), table(6, 5)),
    (known_trips, R.normal(size=5), R.normal(size=7)),
    (known_trips, R.normal(size=4), R.normal(size=4)),
    (tables, table(4, 3), table(4, 3)),
    (tables, table(0, 3), table(2, 5)),
    (tables, table(3, 0), table(4, 2)),
    (records, R.normal(size=4), table(7, 5)),
    (records, R.normal(size=0), table(3, 5)),
    (twice, R.normal(size=4), R.normal(size=6)),
    (chosen, R.normal(size=8), R.normal(size=9)),
    (neighbours, R.normal(size=5), R.normal(size=7)),
    (some, R.normal(size=8), R.normal(size=9)),
    (triangle, table(5, 5), table(6, 7)),
    (not_all_columns, R.normal(size=4), table(5, 3)),
]


@pytest.mark.parametrize(("function", "x", "w"), CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_are_the_tape_s(function, x, w, dtype):
    x, w = x.astype(dtype), w.astype(dtype)
    wanted = adc.grad(function, (0, 1), mode="tape")(x, w)
    with interpreted():
        found = adc.grad(function, (0, 1), mode="compiled")(x, w)
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == dtype
        np.testing.assert_allclose(a, b, rtol=1e-11 if dtype is np.float64 else 1e-4, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("function", "x", "w"), [CASES[0], CASES[4], CASES[10]])
@pytest.mark.machine_code
def test_gradients_compiled(function, x, w):
    found = adc.grad(function, (0, 1), mode="compiled")(x, w)
    for a, b in zip(found, adc.grad(function, (0, 1), mode="tape")(x, w), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


def optimized(function, x, w):
    return adc.source(adc.grad(function, (0, 1)), x, w, stage="optimized")


def test_what_is_added_once_is_assigned():
    text = optimized(*CASES[0])
    assert "w_bar[i] +=" not in text
    assert "w_bar = rt.empty(" in text
    assert "for i in range(n, n_2):" in text
    text = optimized(*CASES[4])
    assert "w_bar = rt.empty(" in text
    assert "w_bar[i, j] +=" not in text


def test_a_choice_in_each_trip_is_assigned():
    text = optimized(*CASES[13])
    assert "w_bar = rt.empty(" in text
    assert "w_bar[i] = exp if greater else 0.0" in text


@pytest.mark.parametrize(("function", "x", "w"), CASES[14:])
def test_what_is_not_filled_is_made_as_zeros(function, x, w):
    assert "w_bar = rt.zeros(" in optimized(function, x, w)
