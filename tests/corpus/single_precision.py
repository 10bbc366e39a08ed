"""float32 beside Python's numbers and the functions of `math`, which know double precision only."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from tests.corpus import program


@program(lambda r: (r.uniform(0.5, 1.5, size=3), np.array([3, 5])))
def numbers_of_pythons(x, i):
    k = int(i[0])
    return np.sum(x * k) + (2.0 if isinstance(k, int) else 3.0) * np.sum(x) * float(x[1])


@program(lambda r: (2.0, 0.5))
def whose_number_it_is(x, y):
    a = x * 2 if isinstance(x, np.floating) else x * 3
    b = y * 2 if isinstance(np.sin(y), np.floating) else y * 3
    return a * b * (2.0 if isinstance(y, (int, np.integer)) else 5.0)


@program(lambda r: (r.uniform(0.5, 1.5, size=3).astype(np.float32), r.normal(size=3)), argnums=(1,))
def single_numbers_in_math(s, x):
    return np.sum(x * x) * math.hypot(s[0], s[1]) + math.exp(s[2]) * x[0]


@program(lambda r: (r.normal(size=5).astype(np.float32),), tolerance=1e-3)
def multiplied_by_the_length_of_a_part(x):
    first, *middle, last = x
    return first * last + np.sum(x) * len(middle) + x[1] * len(x[2:])


@program(lambda r: (r.normal(size=4).astype(np.float32),), tolerance=1e-3)
def beside_numbers_in_a_list(x):
    total = 0
    for weight, v in zip([0.5, 2.0, 1.5, 0.1], x, strict=False):
        total += weight * v
    return total + sum(w * v for w, v in zip((1, 1, 2, 3), x, strict=False))


LEVELS = np.array([0.1, 0.2, 0.7], dtype=np.float32)


@program(lambda r: (r.normal(size=3), 0.2), argnums=(0,))
def compared_with_numbers_of_pythons(x, bound):
    total = np.sum(np.where(LEVELS < bound, x, 2.0 * x)) + np.sum(x[LEVELS >= 0.7] ** 2)
    for i in range(3):
        if LEVELS[i] <= 0.1:
            total += 3.0 * x[i]
        elif LEVELS[i] == 0.7 and not LEVELS[i] < bound:
            total += np.sin(x[i])
    return total


@program(lambda r: (r.normal(size=3), 0.2), argnums=(0,))
def compared_with_doubles(x, bound):
    return np.sum(np.where(LEVELS > np.float64(bound), x, 2.0 * x)) + np.sum(
        x[LEVELS > float(LEVELS[0])] ** 2
    )


@program(lambda r: (np.array([0.8, 1.5, 2.5], dtype=np.float32),), tolerance=1e-3)
def a_step_bounded_by_the_largest(u):
    t, n = 0.0, 0
    while t < 0.5 and n < 20:
        step = min(0.4 / np.abs(u).max(), 0.5 - t)
        u = u - step * u * u
        t += step
        n += 1
    return np.sum(u**2)


@program(lambda r: (np.array([1.5, 2.5, 3.0], dtype=np.float32),), tolerance=1e-3)
def an_extreme_times_a_number_that_is_chosen(x):
    total = np.sum(x)
    m = np.sqrt(total) if total < 0 else 0.0
    return np.sum(x * m) + np.max(x) * max(m, 1)


class Pair(NamedTuple):
    first: float
    second: float


@dataclass
class Reading:
    place: int
    values: np.ndarray
    weight: float


@program(lambda r: (np.array([1.5, 2.0], dtype=np.float32),), tolerance=1e-3)
def named_tuples_while_they_are_small(y):
    pair = Pair(*y)
    log = [pair]
    while log[-1].first < 4:
        pair = Pair(pair.first * 1.5, pair.second + pair.first)
        log.append(pair)
    table = np.array(log)
    return table.sum() + log[1].second * log[-1].first + np.sum(table[:, 1] ** 2)


@program(lambda r: (np.array([1.5, 2.0, 3.0], dtype=np.float32),), tolerance=1e-3)
def records_while_they_are_few(y):
    log, k = [], 0
    while k < y[0] * 3:
        log.append(Reading(k, y * k, y[1] + k))
        k += 1
    total = np.float32(0)
    for i, reading in enumerate(log):
        total += reading.weight * reading.values[reading.place % 2] * (i + 1)
    return total


@program(lambda r: (np.array([1.5, 0.2, 3.0], dtype=np.float32),), tolerance=1e-3)
def positions_of_what_is_large(y):
    tuples, dicts = [], []
    for k, v in enumerate(y):
        if v > 0.5:
            tuples.append((v, k))
            dicts.append({"v": v, "k": k})
    return sum(v**2 * y[k] for v, k in tuples) + sum(d["v"] * y[d["k"] - 1] for d in dicts)
