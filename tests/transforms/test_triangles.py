"""What loops keep whose ends are counters of others lies in the rectangle around the triangle."""

import math

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def orthogonal(a):
    n, m = a.shape
    q = a.copy()
    total = 0.0
    for k in range(m):
        for j in range(k):
            r = 0.0
            for i in range(n):
                r += q[i, j] * q[i, k]
            for i in range(n):
                q[i, k] -= r * q[i, j]
        norm = 0.0
        for i in range(n):
            norm += q[i, k] ** 2
        norm = math.sqrt(norm)
        for i in range(n):
            q[i, k] /= norm
        total += math.log(norm)
    return total


def rotated(a):  # a triangle in a triangle
    b = a.copy()
    total = 0.0
    for j in range(a.shape[0] - 1):
        for i in range(a.shape[0] - 1, j, -1):
            r = math.sqrt(b[j, j] ** 2 + b[i, j] ** 2)
            c, s = b[j, j] / r, b[i, j] / r
            for k in range(j, a.shape[1]):
                u, v = b[j, k], b[i, k]
                b[j, k] = c * u + s * v
                b[i, k] = c * v - s * u
        total += math.log(abs(b[j, j]))
    return total


def shrinking(a):  # every other trip, backwards: on a stack, as is what bands keep
    y = a[0].copy()
    for m in range(1, y.size):
        for i in range(y.size - m - 1, -1, -2):
            y[i] = np.sin(y[i]) * a[1, m] + y[i + 1] ** 2
    return np.sum(y)


def in_bands(a):  # ends by extremes of the counter: no rectangle is known
    y = a[0].copy()
    for i in range(y.size):
        for j in range(max(0, i - 2), min(y.size, i + 2)):
            y[j] = np.sin(y[j]) + 0.1 * y[i]
    return np.sum(y)


PROGRAMS = [orthogonal, rotated, shrinking, in_bands]


def given(n, m):
    return np.random.default_rng(2).normal(size=(n, m))


@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("shape", [(2, 1), (3, 2), (6, 5)])
def test_gradients_are_the_tape_s(function, shape):
    with interpreted():
        found = adc.grad(function, mode="compiled")(given(*shape))
    np.testing.assert_allclose(found, adc.grad(function, mode="tape")(given(*shape)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", [orthogonal, rotated])
def test_nothing_grows(function):
    text = adc.source(adc.value_and_grad(function), given(6, 5), stage="optimized")
    assert "_kept = rt.empty((" in text
    assert "grown" not in text
