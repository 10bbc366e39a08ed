"""Loops with a known number of trips inside of loops that run nobody knows how often."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=7),))
def relaxed_until_it_rests(u):
    u = u.copy()
    k = 0
    while k < 40:
        change = 0.0
        for i in range(1, len(u) - 1):
            new = 0.5 * (u[i - 1] + u[i + 1]) - 0.1 * np.sin(u[i])
            change = max(change, abs(new - u[i]))
            u[i] = new
        k += 1
        if change < 1e-2:
            break
    return np.sum(u * u)


@program(lambda r: (r.normal(size=11), np.array([3, 0, 5, 1, 2]), 0.7), argnums=(0, 2))
def sequences_of_different_lengths(x, lengths, w):
    first = 0
    total = 0.0
    for s in range(len(lengths)):
        h = 0.1
        for k in range(lengths[s]):
            h = np.tanh(w * h + x[first + k])
        total += h * h
        first += lengths[s]
    return total


@program(lambda r: (r.normal(size=5), r.uniform(0.5, 1.5, 5)), argnums=(0, 1))
def half_steps_of_a_step_that_is_chosen(y, p):
    y = y.copy()
    slope = np.zeros(len(y))
    middle = np.zeros(len(y))
    t, h = 0.0, 0.3
    while t < 1.0:
        for i in range(len(y)):
            slope[i] = p[i] * np.sin(y[i]) - y[i] ** 3
        for i in range(len(y)):
            z = y[i] + 0.5 * h * slope[i]
            middle[i] = p[i] * np.sin(z) - z**3
        for i in range(len(y)):
            y[i] += h * middle[i]
        t += h
        h = 0.2 if t > 0.5 else 0.3
    return np.sum(y * y)


@program(lambda r: (r.normal(size=6), np.array([2, 0, 3])))
def down_and_up(x, counts):
    x = x.copy()
    for t in range(len(counts)):
        for _ in range(counts[t]):
            for i in range(len(x) - 1, 0, -1):
                x[i] = np.tanh(x[i] + 0.3 * x[i - 1] ** 2)
            for i in range(1, len(x)):
                x[i - 1] *= np.cos(x[i])
    return np.sum(x)


@program(lambda r: (r.uniform(size=(5, 6)), r.uniform(size=(5, 6))), argnums=(0, 1))
def grid_until_it_rests(u, f):
    u = u.copy()
    rest, k = 1.0, 0
    while rest > 0.05 and k < 9:
        rest = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                d = (
                    0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j] * u[i, j] ** 2)
                    - u[i, j]
                )
                u[i, j] += 0.9 * d
                rest = max(rest, abs(d))
        k += 1
    return np.sum(u * u)


@program(lambda r: (r.normal(size=9),))
def every_second(x):
    x = x.copy()
    k = 0
    while np.sum(x * x) > 1.0 and k < 5:
        for i in range(0, len(x), 2):
            x[i] *= 0.5 * np.cos(x[i])
        k += 1
    return np.sum(x * x)


@program(lambda r: (r.normal(size=9),))
def some_trips_alone(x):
    x = x.copy()
    k = 0
    while np.sum(x * x) > 1.0 and k < 5:
        for i in range(len(x)):
            if x[i] > 0.1:
                x[i] = np.sin(x[i]) * 0.5
        k += 1
    return np.sum(x * x)


@program(lambda r: (r.normal(size=3),))
def three_at_a_time(x):
    x = x.copy()
    k = 0
    while np.sum(x * x) > 0.1 and k < 5:
        for i in range(3):
            x[i] = np.sin(x[i]) * 0.5
        k += 1
    return np.sum(x * x)


@program(lambda r: (r.normal(size=4), np.array([2, 1])))
def rows_without_a_trip(x, counts):
    total = 0.0
    y = x.copy()
    for t in range(len(counts)):
        for _ in range(counts[t]):
            for i in range(4 - len(x), len(x) - 4):
                y[i] = np.exp(y[i])
            for i in range(len(x)):
                y[i] = np.sin(y[i])
        total += np.sum(y)
    return total


@program(lambda r: (r.normal(size=8), np.array([2, 0, 1])))
def two_values_by_a_condition(x, counts):
    y = x.copy()
    for t in range(len(counts)):
        for _ in range(counts[t]):
            for i in range(len(x)):
                y[i] = y[i] ** 2 if y[i] > 0.2 else np.sin(y[i])
    return np.sum(y)
