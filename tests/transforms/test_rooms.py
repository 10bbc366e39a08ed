"""Arrays that are made and cleared are made as zeros; nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(7)


def network(weights, inputs):
    state = np.zeros(weights.shape[0])
    total = 0.0
    for t in range(inputs.shape[0]):
        state = np.tanh(weights @ state + inputs[t])
        total += np.sum(state**2)
    return total


def short_rows(points):
    out = np.zeros((points.shape[0], 3))
    for k in range(points.shape[0] - 1):
        out[k + 1] += points[k] * points[k + 1]
    return np.sum(out**2)


def half(x):
    y = np.zeros((x.shape[0], 4))
    y[:, :2] = x[:, :2]
    return np.sum(y * np.exp(y))


def negative(x):
    y = np.full(x.shape[0], -0.0)
    for k in range(0, x.shape[0], 2):
        y[k] = x[k]
    return np.sum(np.copysign(x, y) * x)


def in_trips(x):
    total = 0.0
    for k in range(3):
        part = np.zeros_like(x)
        for j in range(k, x.shape[0]):
            part[j] = x[j] ** (k + 1)
        total += np.sum(part * x)
    return total


CASES = [
    (network, (R.normal(size=(4, 4)), R.normal(size=(5, 4)))),
    (short_rows, (R.normal(size=(6, 3)),)),
    (half, (R.normal(size=(5, 4)),)),
    (negative, (R.normal(size=7),)),
    (in_trips, (R.normal(size=6),)),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_gradients_are_the_tape_s(function, args):
    for cut in (len(args[0]), 1, 0):
        given = args if function is network else tuple(a[:cut] for a in args)
        value, found = adc.value_and_grad(function, mode="compiled")(*given)
        expected, taped = adc.value_and_grad(function, mode="tape")(*given)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(found, taped, rtol=1e-12, atol=1e-14)


def text(function, args):
    return adc.source(adc.grad(function), *args, stage="optimized")


def gains(weights, inputs):
    total = 0.0
    for t in range(inputs.shape[0]):
        total += np.sum(np.tanh(weights * inputs[t]) ** 2)
    return total


def test_what_is_cleared_is_made_as_zeros():
    found = text(gains, (R.normal(size=(3, 4)), R.normal(size=5)))
    assert "weights_bar = rt.zeros((n, n_2))" in found
    assert "= 0.0\n" not in found.replace("total", "")
    assert "np.empty" not in found


def test_a_sign_is_no_zero():
    assert "rt.zeros" not in text(negative, CASES[3][1])


@pytest.mark.parametrize("function", [short_rows, in_trips])
def test_written_into_arrays_of_the_caller(function):
    args = CASES[1][1] if function is short_rows else CASES[4][1]
    derivative = adc.grad(function, mode="compiled")
    expected, out = derivative(*args), np.full_like(args[0], np.nan)
    for _ in range(2):
        assert derivative(*args, out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_single_precision_stays_single():
    x = R.normal(size=5).astype(np.float32)
    found = text(in_trips, (x,))
    assert "rt.empty(" not in found and "rt.zeros(" not in found
    assert adc.grad(in_trips, mode="compiled")(x).dtype == np.float32
