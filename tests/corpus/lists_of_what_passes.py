"""Lists of the items that pass a test: sorted, reversed, asked for an item, an extreme, positions"""

import numpy as np
from tests.corpus import program

FOUR = np.array([0.7, -0.4, 1.3, 0.25])


@program(lambda r: (FOUR.copy(),))
def sorted_in_place(x):
    items = [v * v for v in x if v > -2.0]
    items.sort(reverse=True)
    return items[0] * 3.0 + items[-1]


@program(lambda r: (FOUR.copy(),))
def sorted_in_place_by_a_key(x):
    items = [v for v in x if v > -2.0]
    items.sort(key=lambda v: -v * v)
    return items[0] * 3.0 + items[-1] + len(items)


@program(lambda r: (FOUR.copy(),))
def reversed_in_place(x):
    items = [v * v for v in x if v > -0.3]
    same = items
    items.reverse()
    items.append(x[1])
    return items[0] * 3.0 + same[-1] * same[1]


@program(lambda r: (FOUR.copy(),))
def reversed_in_a_loop(x):
    items = []
    k = 0
    while k < len(x) and x[k] < 2.0:
        items.append(x[k])
        items.reverse()
        k += 1
    return items[0] * 3.0 + items[-1]


@program(lambda r: (FOUR.copy(),))
def greatest_with_a_default(x):
    some = [v for v in x if v > 0.0]
    none = [v for v in x if v > 100.0]
    return max(some, default=0.0) * min(some) + max(none, default=x[0])


@program(lambda r: (FOUR.copy(),))
def greatest_by_a_key(x):
    items = [v for v in x if v != 0.0]
    return max(items, key=lambda v: -v) * 2.0 + min(items, key=abs) + max(x, key=lambda v: v * v)


@program(lambda r: (FOUR.copy(),))
def least_row_by_a_key(x):
    rows = [(v * v, k * v) for k, v in enumerate(x) if v > 0.0]
    best = min(rows, key=lambda row: row[0])
    return best[0] + 3.0 * best[1]


@program(lambda r: (FOUR.copy(),))
def number_among_them(x):
    items = [v for v in x if v > 0.0]
    return (
        (x[0] if x[2] in items else x[1])
        + (x[2] if x[1] not in items else x[3])
        + (x[1] if x[3] in x else 0.0)
    )


@program(lambda r: (FOUR.copy(),))
def positions_as_an_index(x):
    positions = [k for k in range(len(x)) if x[k] > 0.0]
    y = x * 2.0
    y[positions] = y[positions] ** 2
    return np.sum(y[positions] * np.arange(len(positions))) + y[1]
