"""Rows of independent recurrences go in strips, and the loops over the rows of a strip vectorise."""

import math

import numpy as np
import pytest

import adc


def paths(z, s0, sigma):
    n, steps = z.shape
    total = 0.0
    for p in range(n):
        s = s0
        for t in range(steps):
            s = s * math.exp(0.01 + sigma * z[p, t])
        total += max(s - 1.0, 0.0)
    return total / n


def units(x, w, u):
    n, m = x.shape
    loss = 0.0
    for i in range(n):
        h = 0.1
        for t in range(m):
            h = np.tanh(w * h + x[i, t] * u)
            loss += h * x[i, t]
        loss -= h
    return loss


def averages(x, a, b):
    n, m = x.shape
    y = np.zeros((n, m))
    for i in range(n - 1, -1, -1):
        s = x[i, 0]
        for j in range(m):
            s = a * s + (1 - a) * x[i, j] * b
            y[i, j] = s
    return np.sum(y * y)


def systems(d, a, b):
    n, m = d.shape
    x = np.zeros((n, m))
    for i in range(n):
        c, y = np.zeros(m), np.zeros(m)
        for j in range(1, m):
            den = 3.0 + d[i, j] + a * c[j - 1]
            c[j] = -1.0 / den
            y[j] = (b + y[j - 1]) / den
        for j in range(m - 2, -1, -1):
            x[i, j] = y[j] - c[j] * x[i, j + 1]
    return np.sum(x * x)


def shared(x, a, b):  # all rows add to the gradient of one vector, and each has a number of its own
    n, m = x.shape
    w = np.linspace(a, b, m)
    scale = x[:, 0] * b
    total = 0.0
    for i in range(1, n):
        s = 1.0
        for j in range(1, m):
            s = np.sin(s * w[j] + x[i, j]) * scale[i]
            scale[i] += 0.1 * s
        total += s * scale[i]
    return total + np.sum(scale)


def from_the_other_end(
    x, a, b
):  # what the reverse sweep restores is read before it is, further along the row
    n, m = x.shape
    w = np.outer(x[:, 0], np.linspace(a, b, m))
    for i in range(n):
        for j in range(m):
            w[i, j] = w[i, j] - 0.1
            w[i, j] += np.sin(a + x[0, m - 1 - j]) * w[i, m - 1 - j]
    return np.sum(np.tanh(w) * x)


IN_STRIPS = [paths, units, averages, systems, shared, from_the_other_end]


def handed_on(x, a, b):
    s = a
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s = np.tanh(s * b + x[i, j])
        total += s
    return total


def of_the_row_above(x, a, b):
    n, m = x.shape
    y = x.copy()
    for i in range(1, n):
        s = a
        for j in range(m):
            s = np.tanh(s * b + y[i - 1, m - 1 - j])
            y[i, j] = s
    return np.sum(y)


def read_as_it_grows(x, a, b):
    total = 0.0
    for i in range(x.shape[0]):
        s = a
        for j in range(x.shape[1]):
            s = np.tanh(s * b + x[i, j])
        total += s * np.sin(total)
    return total


NOT_IN_STRIPS = [handed_on, of_the_row_above, read_as_it_grows]


@pytest.mark.parametrize("function", [*IN_STRIPS, *NOT_IN_STRIPS])
@pytest.mark.parametrize("shape", [(1, 4), (24, 3), (33, 5), (50, 1)])
def test_gradients_are_the_tape_s(function, shape):
    given = np.random.default_rng(3).uniform(0.2, 0.9, shape), 0.6, 0.4
    value, found = adc.value_and_grad(function, (0, 1, 2), mode="compiled")(*given)
    expected, taped = adc.value_and_grad(function, (0, 1, 2), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-12)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_other_types_and_layouts(dtype, order):
    x = np.asarray(np.random.default_rng(4).uniform(0.2, 0.9, (40, 6)), dtype, order)
    _, found = adc.value_and_grad(units, mode="compiled")(x, 0.6, 0.4)
    _, taped = adc.value_and_grad(units, mode="tape")(x, 0.6, 0.4)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, taped, rtol=1e-4 if dtype == np.float32 else 1e-11)


def text(function):
    gradient = adc.value_and_grad(function, (0, 1, 2))
    return adc.source(gradient, np.ones((40, 6)), 0.6, 0.4, stage="optimized")


@pytest.mark.parametrize("function", IN_STRIPS)
def test_rows_go_in_strips(function):
    assert "_strip[" in text(function)


@pytest.mark.parametrize("function", NOT_IN_STRIPS)
def test_rows_that_depend_on_each_other_go_one_by_one(function):
    assert "_strip[" not in text(function)


def test_what_a_strip_has_of_an_array_is_laid_out_by_trips_where_functions_are_called():
    assert "x_strip[t, k]" in text(units)
    assert "x[i, j]" in text(averages)


def test_the_adjoint_to_read_has_no_strips():
    gradient = adc.value_and_grad(units)
    assert "x_strip" not in adc.source(gradient, np.ones((40, 6)), 0.6, 0.4)
