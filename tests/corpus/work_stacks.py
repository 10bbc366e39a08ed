"""Lists of tuples and lists of numbers from which a `while` takes rows: work stacks"""

import itertools
import math

import numpy as np
from tests.corpus import program


@program(lambda r: (0.0, 2.0, 3.0))
def adaptive_simpson(a, b, k):
    def area(low, high):
        middle = 0.5 * (low + high)
        return (high - low) / 6.0 * sum(w * math.sin(k * t) for w, t in ((1, low), (4, middle), (1, high)))

    stack = [(a, b, area(a, b), 1e-4)]
    total = 0.0
    while stack:
        low, high, whole, tolerance = stack.pop()
        middle = 0.5 * (low + high)
        left, right = area(low, middle), area(middle, high)
        if abs(left + right - whole) < 15.0 * tolerance:
            total += left + right + (left + right - whole) / 15.0
        else:
            stack.append((low, middle, left, 0.5 * tolerance))
            stack.append((middle, high, right, 0.5 * tolerance))
    return total


@program(lambda r: (r.normal(size=(4, 4)),))
def flood(a):
    seen = np.zeros(a.shape, dtype=bool)
    stack = [(0, 0)]
    total = 0.0
    while stack:
        i, j = stack.pop()
        if not (0 <= i < 4 and 0 <= j < 4) or seen[i, j] or a[i, j] > 0.9:
            continue
        seen[i, j] = True
        total += a[i, j] ** 2
        stack.extend([(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)])
    return total


@program(lambda r: (r.normal(size=8),))
def quicksort(x):
    x = x.copy()
    ranges = [(0, len(x) - 1)]
    while ranges:
        low, high = ranges.pop()
        if low >= high:
            continue
        place = low
        for j in range(low, high):
            if x[j] < x[high]:
                x[place], x[j] = x[j], x[place]
                place += 1
        x[place], x[high] = x[high], x[place]
        ranges.append((low, place - 1))
        ranges.append((place + 1, high))
    return np.sum(x * np.arange(8))


@program(lambda r: (np.array([0.4, -0.3, 1.2, 0.9, -0.7, 0.5]),))
def row_read_before_its_place_is_filled_again(x):
    rows = [[x[0], x[1]]]
    total = 0.0
    for k in range(2, 6):
        if x[k] > 0.0:
            rows.append([x[k], x[k - 1]])
        elif len(rows) > 0:
            row = rows.pop()
            rows.append([row[1], row[0] * 2.0])
            total += row[0]
    last = rows[-1]
    rows.pop()
    rows.append([3.0, 4.0])
    return total + last[0] * last[1] + sum(a * b for a, b in rows)


@program(lambda r: (np.array([0.4, -0.3, 1.2, 0.9, -0.7, 0.5]),))
def largest_pair_of_an_iterator(x):
    a, b = max(itertools.combinations(x, 2), key=lambda pair: pair[0] * pair[1])
    c = min((v for v in x if v > 0.0), key=lambda v: -v)
    return a * b + c**2


@program(lambda r: (r.normal(size=3).astype(np.float32),))
def one_float32_scaled_by_a_power_of_two(x):
    return np.ldexp(x[0], 2) + np.sum(np.ldexp(x, np.arange(3)))


@program(lambda r: (np.array([0.4, -0.3, 1.2, 0.9, -0.7, 0.5]),))
def extremes_of_generators_by_a_key(x):
    nearest = min((2.0 * v for v in x), key=abs)
    least = max((v for v in x if v > 5.0), key=lambda v: -v, default=x[1])
    return nearest + least**2 + max((v * v for v in x if v < 0.0), key=lambda v: -v)
