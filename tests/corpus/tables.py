"""Tables of numbers as people write them down, lists and tuples, read at positions that the data decide."""

from bisect import bisect_left

import numpy as np
from tests.corpus import program

TIMES = [0.1 * k for k in range(20)]
RATES = tuple(0.5 * k * k for k in range(20))
MIXED = [0, 0.5, 1, 2.5, 4, 5.5, 7, 9, 11.5, 14, 17, 21]  # whole numbers without a point
COUNTS = [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]
ROWS = [(0.1 * k, k, 2.0**-k) for k in range(12)]


@program(lambda r: (0.77,))
def between_two_entries(x):
    j = bisect_left(TIMES, x)
    k = j - 1
    return RATES[k] + (RATES[j] - RATES[k]) * (x - TIMES[k]) / (TIMES[j] - TIMES[k])


@program(lambda r: (0.77,))
def found_by_a_while(x):
    i = 0
    while TIMES[i + 1] < x:
        i += 1
    return MIXED[i] * x + MIXED[i + 1] * x * x


@program(lambda r: (0.77,))
def found_by_a_bisection(x):
    low, high = 0, len(TIMES) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if TIMES[middle] > x:
            high = middle
        else:
            low = middle
    return RATES[low] * x + TIMES[high]


@program(lambda r: (3.3,))
def whole_numbers(x):
    k = int(x)
    return x ** COUNTS[k] / COUNTS[k + 2] + COUNTS[-k] * x


@program(lambda r: (r.normal(size=12), 5.4))
def numbers_of_the_data(x, t):
    squares = [v * v for v in x]
    k = int(t)
    return squares[k] * t + squares[-1 - k]


@program(lambda r: (0.77,))
def rows_of_a_table(x):
    time, count, share = ROWS[int(10 * x)]
    return time * count * x + share * x * x


@program(lambda r: (np.array([0.33, 0.65, 0.97, 1.73]),))
def read_for_each_element(x):
    total = 0.0
    for v in x:
        k = int(v / 0.1)
        total += MIXED[k % 12] * v + RATES[k] * v * v
    return total


def _interpolated(x, xs, ys):
    """As a library that may not need NumPy has it."""
    n = len(xs)
    k = n - 1
    for i in range(n):
        if x < xs[i]:
            k = i - 1
            break
    if k == -1:
        return ys[0]
    elif k == n - 1:
        return ys[k]
    return ys[k] + (ys[k + 1] - ys[k]) * (x - xs[k]) / (xs[k + 1] - xs[k])


@program(lambda r: (0.77, 2.4))
def a_helper_given_tables(x, y):
    return _interpolated(x, TIMES, RATES) * _interpolated(y, list(range(12)), MIXED) + _interpolated(
        9.0, TIMES, RATES
    )
