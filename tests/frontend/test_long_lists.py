"""Lists that many known trips fill are arrays, where writing the trips out would be too much text."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(4)
STEPS = 150


def trajectory(y, k):
    states = []
    for _ in range(STEPS):
        y = y + 0.01 * np.array([y[1], -k[0] * np.sin(y[0]) - k[1] * y[1]])
        states.append(y)
    states = np.array(states)
    return np.sum(states[:, 0] ** 2) + states[-1, 1]


def samples(y, k):
    values = np.array([np.exp(-k[0] * 0.01 * t) * np.sin(y[0] * t + y[1]) / (1 + t) for t in range(STEPS)])
    return np.sum(values**2)


def total_of_a_generator(y, k):
    return sum(np.exp(-k[0] * t) * np.sin(y[0] * t + y[1]) ** 2 / (1 + t) for t in range(STEPS))


def table(y, k):
    rows = [[np.sin(y[0] * i) * np.cos(k[1] * j) + k[0] for j in range(30)] for i in range(20)]
    return np.sum(np.array(rows) ** 2)


def windows(y, k):
    x = np.sin(y[0] + k[1] * np.arange(120.0))
    return np.sum(np.array([np.sum(k[0] * x[i : i + 10] ** 2) for i in range(100)]) ** 2)


def list_that_is_unpacked(y, k):
    values = [
        np.sin(y[0] * t) * np.cos(k[0] * t + y[1]) * np.exp(-k[1] * t * 0.01) / (1 + t * t) for t in range(60)
    ]
    first, *rest = values
    return first * rest[3] + len(rest) * rest[-1]


def list_of_several_kinds(y, k):
    kept = []
    for t in range(60):
        step = np.sin(y * t) * np.cos(k[0] * t + y[1]) * np.exp(-k[1] * t * 0.01) / (1 + t * t)
        kept.append(step)
        kept.append(step[0] * np.cos(step[1]) + t)
    return sum(np.sum(v) * w for w, v in enumerate(kept))


def few_trips_of_many_statements(y, k):
    p, gains = np.eye(2), []
    for _ in range(12):
        a = np.array([[1.0, 0.1], [-0.1 * k[0], 1.0 - 0.1 * k[1]]])
        gain = np.linalg.solve(np.eye(2) + p @ p, p @ a)
        p = np.eye(2) + a.T @ p @ (a - np.outer(y, y) @ gain)
        gains.append(gain @ y)
    return sum(g @ g for g in reversed(gains))


CASES = [few_trips_of_many_statements, trajectory, samples, total_of_a_generator, table, windows]
OTHERS = [list_that_is_unpacked, list_of_several_kinds]


@pytest.mark.parametrize("function", CASES + OTHERS)
def test_gradient(function):
    y, k = R.normal(size=2), R.uniform(0.2, 0.8, size=2)
    wanted = adc.value_and_grad(function, argnums=(0, 1), mode="tape")(y, k)
    with interpreted():
        found = adc.value_and_grad(function, argnums=(0, 1), mode="compiled")(y, k)
    assert found[0] == pytest.approx(wanted[0], rel=1e-10)
    for a, b in zip(found[1], wanted[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("function", CASES)
def test_text_does_not_grow_with_the_trips(function):
    text = str(adc.source(adc.grad(function), R.normal(size=2), R.uniform(0.2, 0.8, size=2)))
    assert len(text.splitlines()) < 150


def test_few_trips_are_written_out():
    def few(y):
        return np.sum(np.array([np.sin(y[t]) * t for t in range(3)]))

    assert "    for " not in str(adc.source(adc.grad(few), R.normal(size=3)))
