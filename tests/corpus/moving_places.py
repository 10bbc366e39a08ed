"""Writes and reads at places that are more than a counter, to which several trips come, from either end of an array."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=5), 3))
def sum_of_counters(x, m):
    """The last of several trips that come to a place has the place."""
    y = np.zeros(x.shape[0] + m)
    for i in range(x.shape[0]):
        for j in range(m):
            y[i + j] = x[i] * x[j]
    return np.sum(y * y * y)


@program(lambda r: (r.normal(size=9),))
def sum_of_counters_known(x):
    y = np.zeros(x.shape[0] + 4)
    for i in range(x.shape[0]):
        for j in range(4):
            y[i + j] = np.sin(x[i]) * x[j]
    return y[x.shape[0] // 2] * y[-2]


@program(lambda r: (r.normal(size=9), 10))
def sum_of_counters_in_columns(x, m):
    """Rows that might go abreast, each with a column of its own that moves with the inner counter."""
    y = np.zeros((x.shape[0] + m, 2))
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(m):
            s = np.tanh(s + x[i])
            y[i + j, 0] = s
    return np.sum(y * y)


@program(lambda r: (r.normal(size=9), np.array([0, 1, 0, 2, 1, 0, 0, 3, 1])))
def counter_and_data(x, at):
    """What a trip reads beside its place, another one writes, whose place is further on."""
    y = np.zeros(2 * x.shape[0])
    y[0] = 0.3
    for i in range(1, x.shape[0]):
        k = max(at[i], 0)
        y[i + k] = y[i + k - 1] * x[i] + 0.1
    return np.sum(y * y)


@program(lambda r: (r.normal(size=9), np.array([0, 1, 2, 0, 1, 3, 2, 2, 1])))
def data_alone(x, at):
    y = np.full(x.shape[0], 0.4)
    for i in range(x.shape[0]):
        k = max(at[i], 1)
        y[k] = np.tanh(y[k - 1] * x[i] + 0.1)
    return np.sum(y * y)


@program(lambda r: (r.normal(size=9), r.normal(size=9)))
def from_both_ends(x, w):
    """The first trip comes to the last element from the end, the last one from the front."""
    n = x.shape[0]
    y = np.zeros(n - 1)
    total = 0.0
    for i in range(n):
        y[i - 1] = np.sin(x[i])
    for i in range(n):
        total += y[i - 1] * w[i]
    return total


@program(lambda r: (r.normal(size=9),))
def again_from_the_front(x):
    n = x.shape[0]
    y = np.zeros(n - 1)
    for i in range(n):
        y[i - 1] = np.sin(x[i]) * y[i - 1] + x[i]
    return np.sum(y * y)


@program(lambda r: (r.normal(size=9), 2))
def from_before_the_front(x, before):
    """How far in front of the array the trips begin is not known."""
    y = np.zeros(x.shape[0])
    total = 0.0
    for i in range(-before, x.shape[0]):
        y[i] = np.sin(x[i]) + i * x[0]
    for i in range(-before, x.shape[0]):
        total += y[i] * x[i] * (i + 3)
    return total


@program(lambda r: (r.normal(size=6), r.normal(size=6)))
def shorter_each_time(x, w):
    """A loop whose end a number counts down that the loop around changes."""
    m = x.shape[0]
    total = 0.0
    for i in range(x.shape[0]):
        m = m - 1
        for j in range(m):
            total += x[j] * w[i]
    return total
