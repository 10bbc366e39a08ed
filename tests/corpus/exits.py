"""break, continue and return anywhere; else of loops."""

# ruff: noqa: B007  (as people write it)

import math
from typing import NamedTuple

import numpy as np
from tests.corpus import program

MIXED = np.array([0.5, -1.5, 2.5, 0.7, -0.3])


@program(lambda r: (MIXED.copy(),))
def break_in_for(x):
    s = 0.0
    for i in range(5):
        if x[i] > 2:
            break
        s += x[i] * x[i]
    return s * x[0]


@program(lambda r: (MIXED.copy(), 10.0))
def break_never_taken(x, limit):
    s = 1.0
    for i in range(5):
        s = s + x[i] * s
        if abs(s) > limit:
            break
    return s * limit


@program(lambda r: (MIXED.copy(),))
def continue_in_for(x):
    s = 1.0
    for i in range(5):
        if x[i] < 0:
            continue
        s = s * x[i] + i
    return s


@program(lambda r: (MIXED.copy(),))
def break_and_continue(x):
    s = 1.0
    for i in range(5):
        if x[i] < -1:
            continue
        s = s * x[i]
        if s > 0.8:
            break
        s += 1
    return s * x[3]


@program(lambda r: (0.4,))
def break_in_while(x):
    k = 0
    while True:
        x = x * 1.3 + 0.1
        k += 1
        if x > 1.0:
            break
    return x * k


@program(lambda r: (0.4,))
def continue_in_while(x):
    k = 0
    while k < 6:
        k += 1
        if k % 2 == 0:
            continue
        x = np.sin(x) * k
    return x


@program(lambda r: (0.4, 1.7))
def early_return(x, y):
    if x > y:
        return x
    z = x * y
    if z > 0.5:
        return z * z + x
    return z


@program(lambda r: (MIXED.copy(),))
def return_in_loop(x):
    s = 0.0
    for i in range(5):
        s += x[i] ** 2
        if s > 2.0:
            return s * x[i]
    return s


@program(lambda r: (np.arange(12.0).reshape(3, 4) / 7,))
def return_from_nested_loops(a):
    s = 1.0
    for i in range(3):
        for j in range(4):
            s += a[i, j] * s
            if s > 3.0:
                return s * a[i, j]
    return -s


@program(lambda r: (np.arange(12.0).reshape(3, 4) / 7,))
def break_inner_only(a):
    s = 0.5
    for i in range(3):
        for j in range(4):
            if j > i:
                break
            s += a[i, j] * s
        s = s * 1.1
    return s


@program(lambda r: (MIXED.copy(), 9.0))
def for_else(x, target):
    for i in range(5):
        if x[i] > target:
            s = x[i]
            break
    else:
        s = np.sum(x) * target
    return s * x[0]


@program(lambda r: (MIXED.copy(), 2.0))
def for_else_with_break(x, target):
    s = 0.0
    for i in range(5):
        if x[i] > target:
            s = x[i] * s
            break
        s += x[i]
    else:
        s = 100 * s
    return s * x[0]


@program(lambda r: (0.4,))
def while_else(x):
    k = 0
    while k < 3:
        x = x * x + 0.5
        k += 1
    else:
        x = x * 3
    return x


@program(lambda r: (MIXED.copy(),))
def write_before_break(x):
    y = x.copy()
    for i in range(1, 5):
        y[i] = y[i] * y[i - 1]
        if y[i] < -1:
            break
        y[i] += 1.0
    return np.sum(y * y)


@program(lambda r: (0.4, 1.7))
def return_of_different_expressions(x, y):
    for k in range(4):
        if k == 2:
            if x < y:
                return x * y * k
            return y
        x = x + 0.1 * y
    return x


def first_above(x, limit):
    for i in range(x.shape[0]):
        if x[i] > limit:
            return i
    return -1


def safe_log(v):
    if v <= 0:
        return 0.0
    return np.log(v)


@program(lambda r: (MIXED.copy(),))
def helpers_with_early_returns(x):
    k = first_above(x, 1.0)
    s = 0.0
    for i in range(5):
        s += safe_log(x[i])
    return s * x[k]


@program(lambda r: (np.array([2.0, 1.0]), 0.5))
def bisection(x, target):
    low, high = 0.0, x[0]
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle * middle * x[1] > target:
            high = middle
        else:
            low = middle
    # One Newton step from the root carries its derivative.
    root = 0.5 * (low + high)
    return root - (root * root * x[1] - target) / (2 * root * x[1]) + 0 * x[0]


@program(lambda r: (MIXED.copy(),))
def pass_everywhere(x):
    pass
    for i in range(5):
        pass
    if x[0] > 0:
        pass
    else:
        return x[1]
    return x[0] ** 2


@program(lambda r: (MIXED.copy(),))
def search_then_use(x):
    found = False
    k = 0
    while not found and k < 5:
        if x[k] < -1:
            found = True
        else:
            k += 1
    return x[k] ** 2 if found else x[0]


@program(lambda r: ({"rate": 0.1, "w": r.normal(size=3)}, r.normal(size=3)))
def handler_of_a_missing_key(params, x):
    try:
        b = params["bias"]
    except KeyError as error:
        b = 0.5 if error.args else 0.0
    return np.tanh(params["w"] @ x + b) * params["rate"]


def _as_many(bins, word):
    try:
        n = len(bins)
    except TypeError:
        n = 1
    try:
        return n * np.dtype(word).itemsize
    except (TypeError, ValueError):
        return n


@program(lambda r: (r.normal(size=3),))
def handler_of_a_number_that_has_no_length(x):
    return _as_many(5, "f8") * np.sum(x**2) + _as_many((1, 2), "no such type") * np.sum(x) * _as_many(
        x[0], "f4"
    )


@program(lambda r: (r.normal(size=3), "cubic"))
def handler_of_a_known_raise(x, kind):
    def order(word):
        if word not in ("linear", "square"):
            raise ValueError(f"no such kind: {word}")
        return 1 if word == "linear" else 2

    try:
        n = order(kind)
    except (KeyError, ValueError):
        n = 3
    else:
        n = n * 2
    return np.sum(x**n)


@program(lambda r: (r.normal(size=5), 0.3))
def return_from_a_loop_over_a_list_in_a_loop(x, s):
    for i in range(0, 5, 2):
        pair = [0.2 * i, s]
        for v in pair:
            if v > x[0] - 5.0:
                return v * (x @ x)
    return np.sum(x)


@program(lambda r: (r.normal(size=5), 0.3))
def break_from_a_loop_over_a_tuple_in_a_loop(x, s):
    total = 0.0
    for v in x:
        for w in (v, s, v * s):
            total += w
            if w > 0.1:
                break
        else:
            total *= 2.0
    return total


CAUGHT = dict.fromkeys(("compiled", "python"), "whether it is raised is only known when it runs")


@program(lambda r: (r.normal(size=4),))
def caught_index_that_nobody_uses(x):
    try:
        v = x[10]
    except IndexError:
        v = x[0] * 2.0
    else:
        v = 0.0
    return v * x[1]


@program(lambda r: (0.0, 1.4), argnums=(1,))
def caught_division(n, x):
    try:
        scale = 1.0 / n
    except ZeroDivisionError:
        scale = 3.0
    return scale * x * x


def _logarithm(v, otherwise):
    try:
        return math.log(v)
    except ValueError:
        return otherwise


@program(lambda r: (1.4, -2.0), argnums=(0,))
def caught_logarithm(x, v):
    return x * _logarithm(v, 2.0) + x * _logarithm(3.0, 2.0)


@program(lambda r: (r.normal(size=(2, 2)),))
def caught_factorization(a):
    s = a @ a.T - 10.0 * np.eye(2)
    try:
        factor = np.linalg.cholesky(s)
    except np.linalg.LinAlgError:
        factor = np.linalg.cholesky(-s)
    return np.sum(factor)


@program(lambda r: (r.normal(size=3),), refused=CAUGHT)
def caught_infinity(x):
    with np.errstate(divide="raise"):
        try:
            y = x / np.zeros(3)
        except FloatingPointError:
            y = x * 2.0
    return np.sum(y)


@program(lambda r: (r.normal(size=4),))
def handler_of_a_missing_attribute(x):
    """As libraries ask for a precision."""
    length = np.sum(x**2)
    try:
        smallest = np.finfo(length.type).eps * 3
    except (AttributeError, ValueError):
        smallest = 1e-12
    return math.sqrt(length) if length > smallest else length


def _relaxed(a, b, limit, trips):
    x = np.zeros_like(b)
    for k in range(trips):
        old = x.copy()
        for i in range(len(b)):
            x[i] = (b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
        if np.max(np.abs(x - old)) < limit:
            return x, k
    return x, trips


@program(lambda r: (r.normal(size=(3, 3)) + 5.0 * np.eye(3), r.normal(size=3)))
def a_state_returned_from_the_loop_that_writes_it(a, b):
    settled, k = _relaxed(a, b, 1e-3, 50)
    early, n = _relaxed(a, b, 1e-9, 2)
    return np.sum(settled * early) + k + n


def _first_over(x, limit):
    kept = []
    for v in x:
        if v < -1.0:
            return kept
        kept.append(v * v)
        if v > limit:
            return kept
    return [v * 2.0 for v in x]


@program(lambda r: (np.array([0.5, -0.3, 1.4, 0.2, -1.5]),))
def a_list_returned_from_two_places(x):
    one, two, three = _first_over(x, 1.0), _first_over(x, 9.0), _first_over(x[:2], 9.0)
    return sum(one) + 2.0 * sum(two) + sum(three) * len(one) + len(two)


def _searched(x):
    best = x.copy()
    for k in range(len(x)):
        best[k] *= 2.0
        if best[k] > 3.0:
            return best
        if best[k] < -3.0:
            break
    else:
        best[0] += 1.0
    best *= 3.0
    return best


@program(lambda r: (np.array([0.5, 1.6, 0.2]), np.array([0.5, -1.6, 0.2]), np.array([0.7, 0.2, 0.1])))
def beside_a_break_and_an_else(x, y, z):
    return sum(np.sum(_searched(v) * np.arange(3.0)) for v in (x, y, z))


def _secant(f, a, b):
    fa, fb = f(a), f(b)
    path = [a, b]
    for _ in range(40):
        if fb == fa:
            return b, path
        c = b - fb * (b - a) / (fb - fa)
        path.append(c)
        if abs(c - b) < 1e-9:
            return c, path
        a, fa, b, fb = b, fb, c, f(c)
    return b, path


@program(lambda r: (1.7, 0.3))
def different_things_returned_with_what_it_writes(p, q):
    root, path = _secant(lambda x: np.exp(x) - p * x - 2.0, 0.5, 1.5)
    line, short = _secant(lambda x: q * x - p, 0.5, 1.5)
    return root * root + path[2] * line + len(short) + short[-1]


class Solved(NamedTuple):
    x: float
    trips: int
    path: list


def _object_of(f, x, tolerance=1e-3):
    path = []
    for n in range(20):
        y = f(x)
        path.append(y)
        if abs(y - x) < tolerance:
            return Solved(y, n + 1, path)
        x = y
    return Solved(x, 20, path)


def _dict_of(f, x, tolerance=1e-3):
    path = [x]
    while len(path) < 20:
        x = f(x)
        path.append(x)
        if abs(path[-1] - path[-2]) < tolerance:
            return {"x": x, "path": path, "good": True, "trips": len(path) - 1}
    return {"x": x, "path": path, "good": False, "trips": 0}


def _part_of(f, x, tolerance=1e-3):
    path = np.zeros(20)
    for n in range(20):
        path[n] = f(x)
        if abs(path[n] - x) < tolerance:
            return path[n], path[: n + 1]
        x = path[n]
    return x, path


@program(lambda r: (0.6, 0.4))
def an_object_a_dict_and_a_part_returned_with_what_it_writes(p, q):
    total = 0.0
    for tolerance in (1e-3, 0.0):
        solved = _object_of(lambda t: p * np.cos(t), q, tolerance)
        found = _dict_of(lambda t: p * np.cos(t), q, tolerance)
        last, path = _part_of(lambda t: q * np.cos(t), p, tolerance)
        total += solved.x * solved.trips + solved.path[0] + len(solved.path) + found["x"] * found["path"][1]
        total += found["trips"] * q + found["good"] + last * len(path) + np.sum(path)
    return total
