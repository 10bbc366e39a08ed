"""The maximum that is subtracted to avoid overflow has no adjoint where it cancels, and has one where it does not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(8)


def log_of_mean(z):
    m = z.max(axis=1)
    return np.sum(np.sin(m + np.log(np.mean(np.exp(z - m[:, None]), axis=1))))


def weighted_rows(z):
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return np.sum(np.sin(e @ z.T / e.sum(axis=-1, keepdims=True)))


def weighted_columns(z):
    e = np.exp(z - np.max(z, axis=0))
    return np.sum(np.sin(np.cos(z[:, :2].T) @ e / np.mean(e, axis=0)))


def of_a_vector(z):
    e = np.exp(z - np.max(z, axis=1)[:, None])
    return np.sum((e @ z[0]) / np.sum(e, axis=1))


def by_loops(z):
    m = z[0, 0]
    for v in z[0]:
        m = max(m, v)
    total = 0.0
    for v in z[0]:
        total += math.exp(v - m)
    return m + math.log(total)


def of_two(z):
    total = 0.0
    for a, b in zip(z[0], z[1], strict=True):
        m = np.maximum(a, b)
        total += m + np.log(np.exp(a - m) + np.exp(b - m))
    return total


def in_place(z):
    total = 0.0
    e = np.empty(z.shape[1])
    for i in range(z.shape[0]):
        m = -np.inf
        for j in range(len(e)):
            if z[i, j] > m:
                m = z[i, j]
        n = 0.0
        for j in range(len(e)):
            e[j] = np.exp((z[i, j] - m) / 0.7)
            n += e[j]
        for j in range(len(e)):
            e[j] = e[j] / n
        total += np.sin(e[1]) * z[i, 0]
    return total


def rows_of_an_array(z):
    p = np.zeros(z.shape)
    for i in range(z.shape[0]):
        row = p[i]
        m = max(z[i])
        n = 0.0
        for j in range(z.shape[1]):
            row[j] = math.exp(z[i, j] - m)
            n += row[j]
        for j in range(z.shape[1]):
            row[j] /= n
    return np.sum(np.sin(p) * z)


def attention(z):
    p = np.zeros((z.shape[0], z.shape[0]))
    result = np.zeros(z.shape)
    for i in range(z.shape[0]):
        m = -np.inf
        for j in range(z.shape[0]):
            p[i, j] = np.dot(z[i], z[j])
            if p[i, j] > m:
                m = p[i, j]
        n = 0.0
        for j in range(z.shape[0]):
            p[i, j] = math.exp(p[i, j] - m)
            n += p[i, j]
        for j in range(z.shape[0]):
            for k in range(z.shape[1]):
                result[i, k] += p[i, j] / n * z[j, k]
    return np.sum(np.sin(result))


def taken_off(z):
    logits = 2.0 * z
    logits -= logits.max(axis=1, keepdims=True)
    logp = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    m = np.max(logp)
    logp[:, :] -= m
    return np.sum(np.sin(logp + m) * z)


def of_a_temperature(z):
    m = np.max(z)
    return np.sum(np.sin(m + 49.0 * np.log(np.sum(np.exp((z - m) / 49.0), axis=1))))  # 49 * (1 / 49) is not 1


def by_columns(z):
    m = np.max(z, axis=1)
    e = np.zeros(z.shape)
    total = np.zeros(z.shape[0])
    for j in range(z.shape[1]):
        e[:, j] = np.exp(z[:, j] - m)
        total += e[:, j]
    return np.sum(np.sin(e / total[:, None]) * z) + np.sum(m + np.log(total))


def on_some_paths(z):
    m = np.max(z)
    total = 0.0
    for v in z[0]:
        if v > 0:
            total += np.exp(v - m)
        else:
            total += np.exp(-v - m)
    return (m + np.log(total)) ** 2


# The shift stays in these.


def mean_of_maxima(z):
    m = z.max(axis=1)
    return np.mean(m) * np.sum(np.exp(z - m[:, None]))


def rows_by_columns(z):
    e = np.exp(z - np.max(z, axis=0))  # columns have factors of their own, which the product adds up
    return np.sum(np.sin(e @ z.T / np.sum(e)))


def not_divided(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return np.sum(np.sin(e @ z.T))


def with_ones(z):
    m = z[0, 0]
    for v in z[0]:
        m = max(m, v)
    total = 0.0
    for v in z[0]:
        total += math.exp(v - m) + 1.0  # does not scale
    return m + math.log(total)


def behind_its_loop(z):
    e = np.zeros(z.shape[1])
    total = 0.0
    for i in range(z.shape[0]):
        m = np.max(z[i])
        n = 0.0
        for j in range(z.shape[1]):
            total += e[j]  # of the row before, under another shift
            e[j] = np.exp(z[i, j] - m)
            n += e[j]
        for j in range(z.shape[1]):
            total += np.sin(e[j] / n)
    return total


def partly_written(z):
    e = np.ones(z.shape[1])
    total = 0.0
    for i in range(z.shape[0]):
        m = np.max(z[i])
        for j in range(z.shape[1] - 1):
            e[j] = np.exp(z[i, j] - m)
        total += e[0] / np.sum(e)
    return total


def another_name(z):
    m = np.max(z)
    e = np.zeros(z.shape[1])
    same = e if z[0, 0] > -9.0 else np.ones(z.shape[1])
    for j in range(z.shape[1]):
        e[j] = np.exp(z[0, j] - m)
    return np.sum(np.sin(same))


def in_a_loop_without_trips(z):
    e = np.ones(z.shape[1])
    total = 0.0
    for i in range(z.shape[0]):
        m = np.max(z[i])
        for _ in range(i):
            for j in range(z.shape[1]):
                e[j] = np.exp(z[i, j] - m)
        total += np.sum(e) * np.exp(m)
    return total


def zeros_that_stay(z):
    m = np.max(z)
    e = np.zeros(z.shape[1])
    for j in range(1, z.shape[1]):
        e[j] = z[0, j] - m
    return np.sum(np.sin(e + m))


def across(z):
    m = np.max(z, axis=1)
    e = np.zeros(z.shape[0])
    e[:] = np.exp(z[:, 0] - m)
    return np.sum(np.sin(z[:, :3] * e[None, :] / e[:, None]))


def one_row_divided(z):
    m = np.max(z)
    p = np.exp(z - m)
    n = np.sum(p[1])
    for j in range(z.shape[1]):
        p[1, j] = p[1, j] / n
    return np.sum(np.sin(p))


@pytest.mark.parametrize(
    "function",
    [
        log_of_mean,
        weighted_rows,
        weighted_columns,
        of_a_vector,
        mean_of_maxima,
        rows_by_columns,
        not_divided,
        by_loops,
        of_two,
        in_place,
        rows_of_an_array,
        attention,
        taken_off,
        of_a_temperature,
        by_columns,
        on_some_paths,
        with_ones,
        behind_its_loop,
        partly_written,
        another_name,
        in_a_loop_without_trips,
        zeros_that_stay,
        across,
        one_row_divided,
    ],
)
def test_gradient(function):
    z = R.normal(size=(3, 4))
    v = R.normal(size=z.shape)
    h = 1e-6
    slope = (function(z + h * v) - function(z - h * v)) / (2 * h)
    with interpreted():
        found = adc.grad(function, mode="compiled")(z)
    assert np.sum(found * v) == pytest.approx(slope, rel=1e-6, abs=1e-8)
    np.testing.assert_allclose(found, adc.grad(function, mode="tape")(z), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "function",
    [
        log_of_mean,
        weighted_rows,
        weighted_columns,
        of_a_vector,
        by_loops,
        of_two,
        in_place,
        rows_of_an_array,
        attention,
        taken_off,
        of_a_temperature,
        by_columns,
        on_some_paths,
    ],
)
def test_a_shift_that_cancels_has_no_adjoint(function):
    reverse = str(adc.source(adc.grad(function), R.normal(size=(3, 4)))).split("# reverse")[1]
    code = "\n".join(line for line in reverse.splitlines() if not line.lstrip().startswith("#"))
    assert "m_bar" not in code and "max_" not in code and "==" not in code
