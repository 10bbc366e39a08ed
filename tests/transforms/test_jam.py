"""Rows of recurrences go abreast where no element is read before it is made."""

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc


def sweeps(start, w):
    a = start.copy()
    n, m = a.shape
    for _ in range(2):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (
                    w * a[i - 1, j + 1] + 0.3 * a[i, j - 1] ** 2 * a[i + 1, j - 1] + 0.2 * a[i + 1, j + 1]
                )
    return np.sum(a * a)


def sweeps_back(start, w):
    a = start.copy()
    n, m = a.shape
    for i in range(n - 2, 0, -1):
        for j in range(m - 2, 0, -1):
            a[i, j] = w * a[i + 1, j - 1] + np.sin(a[i, j + 1]) * a[i - 1, j]
    return np.sum(a * a)


def sweeps_in_time(start, w):
    u = start[0].copy()
    for _ in range(start.shape[0]):
        for i in range(1, len(u) - 1):
            u[i] = (1 - w) * u[i] + w * 0.5 * (u[i - 1] ** 2 + u[i + 1])
    return np.sum(u**3)


def table(c, w):
    n, m = c.shape
    d = np.full((n + 1, m + 1), 50.0)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        d[i, 0] = w * i
        for j in range(1, m + 1):
            d[i, j] = c[i - 1, j - 1] ** 2 + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, m]


def table_by_cases(c, w):
    n, m = c.shape
    d = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0 and j == 0:
                d[i, j] = c[i, j]
            elif i == 0:
                d[i, j] = w * d[i, j - 1] + c[i, j]
            elif j == 0:
                d[i, j] = d[i - 1, j] + c[i, j]
            else:
                d[i, j] = max(d[i - 1, j], d[i, j - 1]) * c[i, j]
    return d[n - 1, m - 1]


def band(c, w):
    n, m = c.shape
    d = np.full((n + 1, m + 1), 50.0)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - 3), min(m, i + 3) + 1):
            d[i, j] = w * c[i - 1, j - 1] + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, min(n, m)]


def filtered(x, w):
    n, m = x.shape
    y = np.zeros((n, m))
    total = 0.0
    for i in range(n):
        state = 0.1 * x[i, 0]
        older = state
        for j in range(m):
            state, older = w * state + 0.5 * older * x[i, j], state
            y[i, j] = state
            if i > 0:
                y[i, j] += 0.2 * y[i - 1, j]
            total += state * state
        total += older
    return total + np.sum(y * y)


JAMMED = [sweeps, sweeps_back, sweeps_in_time, table, table_by_cases, band, filtered]


def from_the_end(start, w):  # row 0 reads the last row, which is not to be new by then
    a = start.copy()
    n, m = a.shape
    for i in range(n):
        for j in range(1, m):
            a[i, j] = w * a[i - 1, j] + 0.5 * a[i, j - 1]
    return np.sum(a * a)


def far_ahead(start, w):  # row i + 1 waits for all of row i
    a = start.copy()
    n, m = a.shape
    for i in range(1, n):
        for j in range(1, m):
            a[i, j] = w * a[i - 1, m - j] + 0.5 * a[i, j - 1]
    return np.sum(a * a)


def with_ends(start, w):  # row i + 1 begins with what row i ends with
    a = start.copy()
    n, m = a.shape
    for i in range(1, n):
        a[i, 0] = w * a[i - 1, m - 1]
        for j in range(1, m):
            a[i, j] = a[i, j] * a[i, j - 1]
    return np.sum(a * a)


def handed_on(start, w):  # a row goes on with what the one before it carried
    n, m = start.shape
    state = w
    total = 0.0
    for i in range(n):
        for j in range(m):
            state = np.tanh(state * start[i, j])
            total += state
    return total


NOT_JAMMED = [from_the_end, far_ahead, with_ends, handed_on]


@pytest.mark.parametrize("function", [*JAMMED, *NOT_JAMMED])
@pytest.mark.parametrize("shape", [(3, 9), (8, 2), (15, 11), (6, 4)])
def test_gradients_are_the_tape_s(function, shape):
    given = np.random.default_rng(1).uniform(0.4, 1.3, shape), 0.6
    value, found = adc.value_and_grad(function, (0, 1), mode="compiled")(*given)
    expected, taped = adc.value_and_grad(function, (0, 1), mode="tape")(*given)
    assert value == pytest.approx(expected, rel=1e-13)
    for a, b in zip(found, taped, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def test_rows_that_are_not_there_load_nothing():
    """What compiled code reads behind an array is an error here."""

    def triangle(x, y):
        n = x.size
        w = np.outer(x, y)
        total = 0.0
        for i in range(n - 1, -1, -1):
            total += x[i] * y[i]
            for j in range(i + 1):
                w[j, i] -= 0.5 * x[i] * x[i]
                total += w[i, i] * y[i]
        return np.tanh(total) + np.sum(w)

    given = np.linspace(0.1, 0.9, 7), np.linspace(-0.4, 0.8, 7)
    assert "_abreast" in adc.source(adc.grad(triangle, (0, 1)), *given, stage="optimized")
    with interpreted():
        found = adc.grad(triangle, (0, 1), mode="compiled")(*given)
    for a, b in zip(found, adc.grad(triangle, (0, 1), mode="tape")(*given), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)


def text(function):
    return adc.source(adc.value_and_grad(function, (0, 1)), np.ones((9, 9)), 0.6, stage="optimized")


@pytest.mark.parametrize("function", JAMMED)
def test_rows_go_abreast(function):
    assert "for k in range(6):" in text(function)


@pytest.mark.parametrize("function", NOT_JAMMED)
def test_rows_that_wait_for_all_of_another_go_one_by_one(function):
    assert "range(6)" not in text(function)


def test_each_row_is_behind_what_it_reads():
    """It reads the element to the right in the row above: two trips, one more so that it need not wait."""
    assert "j = j_first - 2 * k" in text(sweeps)
    assert "j = j_first - k" in text(table)


def test_elements_are_the_same_to_the_last_bit():
    def last(start):
        a = start.copy()
        n, m = a.shape
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                a[i, j] = (a[i - 1, j + 1] + abs(a[i, j - 1]) + a[i + 1, j]) * 0.3
        return a

    start = np.random.default_rng(2).normal(size=(17, 13))
    found, _ = adc.vjp(last, start)
    np.testing.assert_array_equal(found, last(start))
