"""None, and names that have a value on some paths only."""

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=6),))
def previous_of_the_first_is_none(x):
    previous = None
    s = 0.0
    for v in x:
        if previous is not None:
            s += (v - previous) ** 2
        previous = v
    return s


@program(lambda r: (r.normal(size=6),))
def best_so_far(x):
    best = None
    for v in x:
        if best is None or v * v > best:
            best = v * v
    return best


@program(lambda r: (r.normal(size=(5, 3)),))
def best_row_so_far(m):
    best, where = None, None
    for i, row in enumerate(m):
        score = row @ row
        if best is None or score > best:
            best, where = score, row * i
    return best * np.sum(where)


@program(lambda r: (r.normal(size=6),))
def best_pair_so_far(x):
    best = None
    for i in range(len(x) - 1):
        if best is None or x[i] < best[0]:
            best = (x[i], x[i + 1])
    return best[0] * best[1]


@program(lambda r: (r.normal(size=6),))
def assigned_in_the_first_trip(x):
    first = True
    for v in x:
        if first:
            m = v
            first = False
        else:
            m = 0.9 * m + 0.1 * v
    return m * m


@program(lambda r: (r.normal(size=6), 0.3))
def set_back_to_none(x, t):
    held, s = None, 0.0
    for v in x:
        if v > t:
            held = None
        elif held is None:
            held = v
        else:
            s += held * v
    if held:
        s += held
    return s


def _root_or_none(x):
    if x < 0:
        return None
    return np.sqrt(x)


@program(lambda r: (r.normal(size=6),))
def a_function_that_may_return_none(x):
    s = 0.0
    for v in x:
        root = _root_or_none(v)
        if root is None:
            s -= v
        else:
            s += root * v
    return s


@program(lambda r: (0.7, r.uniform(1, 2, 4)))
def default_by_or(scale, x):
    scale = scale or 0.5
    offset = x[0] and 2.0 * x[1]
    return np.sum(x * scale) * offset + (0.0 or x[2])


@program(lambda r: (r.uniform(1, 2, 4), 0.4))
def assigned_on_the_path_that_reads_it(x, t):
    if t > 0.2:
        y = x * 2.0
        z = t
    s = 0.0
    if t > 0.1:
        s += np.sum(y) * z
    return s


@program(lambda r: (1.5, 0.6))
def assigned_in_a_while_and_read_behind_it(x, rate):
    while x > 0.2:
        last = x * x
        x = x * rate
    return last * x


@program(lambda r: (r.normal(size=5), 0.3))
def read_on_one_side_of_an_or(x, t):
    best, s = None, 0.0
    for v in x:
        if best is None or best > t:
            s += 0.5 * best if best is not None else 0.3
            best = v
    return s * best
