"""Branches of which one side raises: what the other leaves behind is all there is afterwards."""

import collections
import math

import numpy as np
from tests.corpus import program


@program(lambda r: (0.7,))
def last_return_in_a_branch(x):
    if x < 0:
        raise ValueError("negative")
    elif x == 0.0:
        return 0.0
    if x < 8:
        return x * x
    raise ValueError("too large")


@program(lambda r: (0.7,))
def return_from_a_loop(x):
    """Bisection as it is written by hand."""
    a, b = 0, 30.0 * x
    fa, fb = np.floor(a / x) - 77, np.floor(10 * b / x) - 77
    if fa * fb > 0.0:
        raise ValueError("the ends must have different signs")
    elif fa == 0.0:
        return a
    elif fb == 0.0:
        return b
    width = b - a
    for _ in range(100):
        width *= 0.5
        middle = a + width
        f = np.floor(10 * middle / x) - 77
        if f * fa >= 0.0:
            a = middle
        if f == 0.0:
            return middle
        elif width < 1e-9:
            return middle
    raise ValueError("not converged")


@program(lambda r: (np.abs(r.normal(size=3)),))
def array_of_the_other_side(x):
    if x[0] < 0:
        raise ValueError("negative")
    else:
        y = x * 2
    return np.sum(y * y * x)


@program(lambda r: (np.abs(r.normal(size=3)),))
def tuple_of_the_other_side(x):
    if x[0] < 0:
        raise ValueError("negative")
    else:
        pair = (x[0] * 2, x * x[1])
    return pair[0] * np.sum(pair[1])


@program(lambda r: (np.abs(r.normal(size=3)),))
def side_that_raises_last(x):
    if x[0] >= 0:
        pair, y = [x[0] * 2, x[1]], x[1:]
    else:
        raise ValueError("negative")
    pair[1] = pair[1] * 3.0
    return pair[0] * pair[1] + np.sum(y * y)


@program(lambda r: (np.abs(r.normal(size=3)),))
def dict_of_the_other_side(x):
    if x[0] < 0:
        raise ValueError("negative")
    else:
        found = {"first": x[0] * 2, "all": x * 3}
    return found["first"] * found["all"][1]


@program(lambda r: (np.abs(r.normal(size=3)),))
def nothing_or_an_array(x):
    if x[0] < 0:
        raise ValueError("negative")
    elif x[0] > 100:
        y = None
    else:
        y = x * 3
    return 0.0 if y is None else np.sum(y * x)


@program(lambda r: (-np.abs(r.normal(size=3)),))
def raise_deep_inside(x):
    if x[0] > 0:
        y = x * 3
    elif x[0] < -100:
        y = x * 2
    else:
        if x[1] > 0:
            raise ValueError("mixed signs")
        else:
            y = x * 5
        y = y * y
    return np.sum(y * x)


@program(lambda r: (np.abs(r.normal(size=3)),))
def list_that_the_other_side_makes(x):
    if x[0] < 0:
        raise ValueError("negative")
    else:
        kept = []
        for v in x:
            if v > 0.1:
                kept.append(v * v)
    return sum(kept) * len(kept)


@program(lambda r: (np.abs(r.normal(size=3)),))
def arrays_in_a_loop(x):
    for _ in range(3):
        if x[0] < 0:
            raise ValueError("negative")
        elif x[0] > 10:
            y = x * 2.0
        else:
            y = x * 3
        x = y * x[0]
    return np.sum(x * x)


@program(lambda r: (np.abs(r.normal(size=3)),))
def return_from_an_endless_loop(x):
    while True:
        if x[0] < 0:
            raise ValueError("negative")
        elif x[0] > 10:
            return np.sum(x * x)
        x = x * (2.0 + x[1])


def _taken(x):
    if x[0] < 0:
        raise ValueError("negative")
    elif x[0] > 10:
        return x[0], x
    if x[0] > 5:
        return x[0], x * 2
    raise ValueError("too small")


@program(lambda r: (np.abs(r.normal(size=3)) + 5.5,))
def tuple_of_a_helper_that_may_raise(x):
    number, array = _taken(x)
    return number * np.sum(array * array)


@program(lambda r: (np.abs(r.normal(size=3)), 2))
def both_sides_may_raise(x, kind):
    if x[0] > 100:
        if kind == 1:
            raise ValueError("large")
        elif x[1] > 3:
            raise ValueError("too large")
        else:
            raise TypeError("no number")
    elif x[2] > 100:
        y = x[:2]
    else:
        y = x[1:]
    return np.sum(y * y)


@program(lambda r: (np.abs(r.normal(size=3)),))
def default_of_none(x, limit=None):
    """What is not given raises where it is asked for, and only there."""
    total = 0.0
    for v in x:
        if v > 8.0:
            total = total - v / limit
        elif v < 0.0:
            total = ("none of " + v) if v < limit else v
        else:
            total += v * v
    return total


class _Plain:
    pass


_Pair = collections.namedtuple("_Pair", "first second")


@program(lambda r: (0.7,))
def calls_that_surely_raise(x):
    """What Python raises of plain calls is the program's, not the compiler's."""
    total = x
    for call in (lambda: _Pair(x), lambda: max([1, "a"]), lambda: round(math.nan), lambda: iter(_Plain())):
        try:
            call()
        except (TypeError, ValueError):
            total += x * x
    return total


@program(lambda r: (r.normal(size=5),))
def operands_that_would_raise(x):
    few, limit, s, k = [1.0, 2.0], None, 0.0, 0
    for v in x:
        s += few[5] if v > 100.0 else v * v
        if v < 100.0 or limit > 3:
            s += 0.1 * v
    while k < 2:
        s *= max(x[k], few[4]) if x[k] > 100.0 else 1.5
        k += 1
    return s


@program(lambda r: (np.array([0.3, 0.6, -0.1, 0.5]),))
def text_in_place_of_a_number(x):
    best, first = 0.0, True
    for v in x:
        word = "low" if v < 0.4 else "high"
        if first or word > best:
            best, first = word, False
    return x[0] * x[1] if best == "low" else x[2]
