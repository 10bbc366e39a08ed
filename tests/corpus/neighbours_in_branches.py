"""Neighbours that a branch reads or writes only where there are some: tables of recurrences, stencils with borders."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(4, 5)), r.normal(size=(4, 5))))
def borders_by_conditional_expressions(t, power):
    n, m = t.shape
    for _ in range(2):
        new = t.copy()
        for i in range(n):
            for j in range(m):
                up = t[i - 1, j] if i > 0 else t[i, j]
                down = t[i + 1, j] if i < n - 1 else t[i, j]
                left = t[i, j - 1] if j > 0 else t[i, j]
                right = t[i, j + 1] if j < m - 1 else t[i, j]
                new[i, j] = t[i, j] * (1.0 + 0.1 * power[i, j]) + 0.2 * np.sin(up + down + left * right)
        t = new
    return np.sum(t**2)


@program(lambda r: (r.normal(size=4), r.normal(size=5)))
def table_by_cases(a, b):
    n, m = len(a), len(b)
    D = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            c = (a[i] - b[j]) ** 2
            if i == 0 and j == 0:
                D[i, j] = c
            elif i == 0:
                D[i, j] = c + D[i, j - 1]
            elif j == 0:
                D[i, j] = c * D[i - 1, j]
            else:
                D[i, j] = c + np.log1p(np.exp(-D[i - 1, j] * D[i, j - 1])) * D[i - 1, j - 1]
    return D[-1, -1]


@program(lambda r: (r.normal(size=6),))
def in_place_where_not_at_the_border(x):
    x = x.copy()
    n = len(x)
    for _ in range(3):
        for i in range(n):
            if i != 0 and not i == n - 1:
                x[i] = x[i] + 0.3 * np.sin(x[i - 1] * x[i + 1])
            else:
                x[i] = x[i] ** 2 * 0.5
    return np.sum(x**3)


@program(lambda r: (r.normal(size=6),))
def first_reads_the_last(x):
    y = np.zeros(6)
    for i in range(6):
        if i >= 0:
            y[i] = x[i - 1] * x[i] + y[i - 1]
    return np.sum(y**2)


@program(lambda r: (r.normal(size=6),))
def written_behind_what_is_read(x):
    x = x.copy()
    for i in range(6):
        if 0 <= i < 5:
            x[i + 1] = x[i + 1] * np.sin(x[i])
        if i > 1 or i == 0:
            x[i] = np.exp(x[i - 1]) if i > 0 else x[i] ** 2
    return np.sum(x * np.arange(6.0))


@program(lambda r: (r.normal(size=7), 3))
def window_within_limits(x, w):
    n = len(x)
    y = np.zeros(n)
    for i in range(n):
        for k in range(-w, w + 1):
            j = i + k
            if 0 <= j and j < n:
                y[i] += x[j] ** 2 / (1 + k * k)
    return np.sum(y**2)


@program(lambda r: (r.normal(size=8),))
def sorted_by_insertion(x):
    x = x.copy()
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return np.sum(x * np.arange(8.0))


@program(lambda r: (r.normal(size=5), r.normal(size=5)))
def comparisons_of_numbers_are_joined(x, y):
    total = 0.0
    for i in range(5):
        a, b = x[i], y[i]
        if (a > 0 and b > a) or i == 4:
            total += a * b**2
        elif not (a < 0 or b < 0):
            total += a**3
        elif -1.0 < a < b:
            total -= np.cos(a) * b
    return total


@program(lambda r: (r.normal(size=1), r.normal(size=(1, 3))))
def rows_that_only_some_trips_have(x, y):
    total = 0.0
    for k in range(3):
        for i in range(k, len(x)):
            total += np.sin(x[i] - x[k]) ** 2 + np.sum(y[i] * y[k])
    return total


@program(lambda r: (r.normal(size=(4, 5)), r.normal(size=6)))
def indices_come_round(u, v):
    n, m = u.shape
    total = 0.0
    for i in range(n):
        for j in range(m):
            d = u[(i + 1) % n, j] + u[(i - 1) % n, j] + u[i, (j + 1) % m] * u[i, (j - 1) % m] - 4 * u[i, j]
            total += d * d + v[(2 * i + j) % 6] * u[i, j]
    return total


@program(lambda r: (r.normal(size=(6, 3)), 0.8))
def pairs_within_a_distance(p, reach):
    energy = 0.0
    for i in range(len(p)):
        for j in range(i + 1, len(p)):
            d = p[i] - p[j]
            r2 = d @ d
            if r2 < reach * reach:
                energy += (1.0 - r2) ** 2
            elif r2 < 4.0:
                energy -= 0.1 * np.exp(-r2)
    return energy


@program(lambda r: (r.normal(size=6), r.normal(size=6)))
def mirrored_before_its_own(x, w):
    """One side adds to an element that the other side's write, which it shares, may be to."""
    n = len(x)
    out = np.zeros(n)
    for i in range(n):
        if x[i] > 0.0:
            out[i] = x[i] * w[i]
        else:
            out[n - 1 - i] += x[i] * 2.0
            out[i] = x[i] * 3.0
    return np.sum(out * w)
