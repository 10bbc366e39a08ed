"""Loops that look for an extreme and keep what they found."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=(7, 2)), r.normal(size=7), r.normal(size=(5, 2))))
def nearest_with_its_weight(points, weight, places):
    total = 0.0
    for i in range(places.shape[0]):
        best = 1e9
        hit = -1
        for k in range(points.shape[0]):
            d = np.sqrt((points[k, 0] - places[i, 0]) ** 2 + (points[k, 1] - places[i, 1]) ** 2)
            if d > 0.1 and d < best:
                best = d
                hit = k
        if hit >= 0:
            total += np.exp(-best) * weight[hit]
    return total


@program(lambda r: (r.normal(size=(6, 3)), r.normal(size=(5, 3)), r.uniform(0.5, 1.5, size=5)))
def least_of_sums(p, q, w):
    total = 0.0
    for a in p:
        best = np.inf
        for k in range(len(q)):
            d = 0.0
            for j in range(3):
                d += (a[j] - q[k, j]) ** 2
            best = min(best, w[k] * d)
        total += np.sqrt(best)
    return total


@program(lambda r: (r.normal(size=(6, 6)), 3))
def largest_of_windows(x, k):
    total = 0.0
    for i in range(x.shape[0] // k):
        for j in range(x.shape[1] // k):
            largest = -np.inf
            for a in range(k):
                for b in range(k):
                    v = x[i * k + a, j * k + b] * x[a, b]
                    if v > largest:
                        largest = v
            total += largest * largest
    return total


@program(lambda r: (r.normal(size=9),))
def the_second_best(x):
    first = second = -1e3
    for k in range(len(x)):
        v = np.sin(x[k]) * x[k]
        if v > first:
            second = first
            first = v
        elif v > second:
            second = v
    return first * second


@program(lambda r: (r.normal(size=9), r.normal(size=9)))
def two_numbers_of_the_best(x, y):
    best, slope, kept = x[0], y[0], 1.0
    for k in range(1, len(x)):
        s = x[k] * y[k]
        if s > best:
            best, slope, kept = s, np.cos(y[k]), x[k]
    return best * slope + kept


@program(lambda r: (r.normal(size=9),))
def summed_while_it_looks(x):
    best = 0.0
    total = 0.0
    for k in range(len(x)):
        if x[k] ** 2 > best:
            best = x[k] ** 2
        total += best * x[k]
    return total + best


@program(lambda r: (r.normal(size=9), r.normal(size=9)))
def a_sum_beside_a_search(x, y):
    best = -2.0
    total = 0.0
    for k in range(len(x)):
        d = x[k] * y[k]
        total += np.sin(d)
        best = max(best, d)
    return total * best


@program(lambda r: (r.normal(size=9),))
def both_ends(x):
    low, high = 10.0, -10.0
    for k in range(len(x)):
        v = x[k] ** 3 - x[k]
        if v < low:
            low = v
        if v > high:
            high = v
    return (high - low) ** 2


@program(lambda r: (r.normal(size=8),))
def from_the_back(x):
    total = 0.0
    for i in range(len(x)):
        best = x[i]
        for k in range(len(x) - 1, i, -1):
            if x[k] * x[i] >= best:
                best = x[k] * x[i]
        total += best * (i + 1)
    return total


@program(lambda r: (r.normal(size=8), 0.4))
def every_third_of_those_behind(x, c):
    total = 0.0
    for i in range(len(x)):
        best = c * x[i]
        at = -7
        for k in range(i + 1, len(x), 3):
            if np.cos(c * x[k]) > best:
                best = np.cos(c * x[k])
                at = k
        total += best * (2.0 if at < 0 else x[at])
    return total


@program(lambda r: (r.normal(size=9), 0.3))
def nothing_found(x, c):
    best = c * c
    for k in range(len(x)):
        if x[k] > 100.0:
            best = x[k]
    return best * x[0]


@program(lambda r: (r.normal(size=9), 0.3))
def a_limit_in_place_of_the_best(x, c):
    best = c
    for k in range(len(x)):
        if x[k] > 0.5:
            best = 2.0
        elif x[k] < -1.0:
            best = x[k] * c
    return best * x[0] + c


@program(lambda r: (r.normal(size=9), r.normal(size=9)))
def elements_that_the_search_changes(x, w):
    y = x.copy()
    best = -1e3
    for k in range(1, len(x)):
        y[k] = y[k] + 0.5 * np.sin(y[k - 1])
        if y[k] * w[k] > best:
            best = y[k] * w[k]
    return best * best + np.sum(y)


@program(lambda r: (r.normal(size=(6, 2)), r.normal(size=2)))
def with_a_vector_of_the_trip(points, place):
    best = 1e9
    d = np.zeros(2)
    for k in range(len(points)):
        d[0] = points[k, 0] - place[0]
        d[1] = points[k, 1] - place[1]
        s = d[0] ** 2 + d[1] ** 2
        if s < best:
            best = s
    return np.exp(-best)


@program(lambda r: (r.normal(size=(6, 3)), r.normal(size=3)))
def arrays_of_the_trip(points, place):
    best = 1e9
    for p in points:
        d = p - place
        s = np.sum(d * d)
        if s < best:
            best = s
    return np.exp(-best)


@program(lambda r: (r.normal(size=(5, 4)), r.normal(size=(4, 4))))
def the_best_path(score, change):
    state = score[0].copy()
    new = np.zeros(4)
    for t in range(1, len(score)):
        for j in range(4):
            best = -1e300
            for i in range(len(change)):
                best = max(best, state[i] + change[i, j] * state[j])
            new[j] = best + score[t, j]
        for j in range(4):
            state[j] = new[j] - 0.5 * new[0]
    return np.sum(state * state)


@program(lambda r: (r.normal(size=9), 0.7))
def by_what_was_counted(x, c):
    best = -1e3
    count = 0
    for k in range(len(x)):
        if x[k] > 0.0:
            count += 1
        s = x[k] * c**count
        if s > best:
            best = s
    return best * c


@program(lambda r: (r.normal(size=9), 0.7))
def in_the_state_of_the_loop_around(x, c):
    state = c
    for _ in range(4):
        best = -1e3
        for k in range(len(x)):
            v = x[k] * np.cos(state + k)
            if v > best:
                best = v
        state = 0.5 * state + best * c
    return state * state


@program(lambda r: (r.normal(size=9), 0.7))
def what_was_best_before(x, c):
    best = c
    for _ in range(3):
        for k in range(len(x)):
            if x[k] * best > best + 0.1:
                best = x[k] * np.sin(c)
        c = 0.9 * c
    return best + c


@program(lambda r: (r.normal(size=(5, 6)), r.normal(size=(5, 6))))
def the_best_of_a_table(x, w):
    best = 0.1
    row = column = -1
    for i in range(len(x)):
        for j in range(x.shape[1]):
            s = np.tanh(x[i, j]) * w[i, j]
            if s > best:
                best = s
                row, column = i, j
    return best * x[row, column] * w[column % 5, row]
