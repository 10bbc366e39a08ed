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


def root(v):
    return np.sqrt(v) if v > 0 else None


def first_below(x, least):
    for v in x:
        if v < least:
            return v
    return None


def place_below(x, least):
    for i, v in enumerate(x):
        if v < least:
            return i, v


def by_the_first_found(x):
    first = first_below(x, 0.0)
    pair = place_below(x, -0.5)
    other = next((v for v in x if v > 1.5), None)
    s = x[0] ** 2 if first is None else first * x[1]
    if pair is not None:
        k, v = pair
        s += v * x[k - 1]
    return s if other is None else s * other


@program(lambda r: (np.array([0.55, -0.3, 2.0, -1.1]),))
def found_in_a_loop_or_none(x):
    return by_the_first_found(x) + by_the_first_found(x**2) + by_the_first_found(-x)


def by_what_containers_hold(x):
    found = [root(v) for v in (x[0], x[1], x[2])]
    found.append(root(x[3]))
    named = {"first": root(x[0]), "second": root(x[1])}
    s = sum(v for v in found if v is not None) * (3.0 if None in found else 1.0)
    s += (named["second"] or 0.5) * x[2] + x[3] * any(v is None for v in named.values())
    return s + (x[1] if found[1] == None else 2.0 * x[2])  # noqa: E711


@program(lambda r: (np.array([0.55, -0.3, 2.0, -1.1]),))
def none_in_containers(x):
    return by_what_containers_hold(x) + by_what_containers_hold(x**2) + by_what_containers_hold(-x)


def by_kind(x):
    a = root(x[0])
    pair = (root(x[1]), 1)
    s = x[2] ** 2 if isinstance(a, float) else x[3] ** 2
    return s * x[1] if pair == (None, 1) else s


@program(lambda r: (np.array([0.55, -0.3, 2.0, -1.1]),))
def kind_of_what_may_be_none(x):
    return by_kind(x) + 3.0 * by_kind(-x)


@program(lambda r: (np.array([9.0, 0.7, -0.4]),))
def a_list_of_those_that_are_there(x):
    """What is missing has no length; the list has that of the others."""
    first = None if x[0] > 5.0 else x * 2.0
    second = None if x[1] > 5.0 else np.array([0.0, x[1], 1.0])
    found = [v for v in (first, second) if v is not None]
    if not found:
        return x[0]
    return sum(v @ x for v in found)


class _Best:
    def __init__(self):
        self.place = self.value = None


@program(lambda r: (np.array([0.5, 1.2, 0.8]),))
def an_index_that_is_none_at_first(x):
    best, least = _Best(), 1e9
    for j in range(3):
        if x[j] < least:
            least = best.value = x[j]
            best.place = j
    return x.reshape(1, 3)[0, best.place] * best.value + x[None, best.place :].sum()
