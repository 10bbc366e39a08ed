"""What a program computes raises where Python and NumPy raise, whether or not its gradient reads it."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

X = np.array([0.5, 1.0, 2.0])
Y = np.ones(4)
SADDLE = np.array([[1.0, 2.0], [2.0, 1.0]])
NAN = np.array([np.nan, 1.0, 2.0])


def element(x):
    x[10]
    return np.sum(x**2)


def row_of_a_trip(x):
    for i in range(len(x) + 1):
        x[i]
    return np.sum(x**2)


def written(x):
    y = np.zeros(x.size)
    for i in range(x.size):
        y[i + 1] = x[i]
    return np.sum(x**2)


def positions(x, i):
    x[np.array([i, 0])]
    return np.sum(x**2)


def shape(x):
    x.reshape(2, 2)
    return np.sum(x**2)


def extreme(x):
    np.max(x[5:])
    return np.sum(x**2)


def whole(x):
    int(x[0])
    return np.sum(x**2)


def quotient(x, n):
    1 // n
    return np.sum(x**2)


def joined(x, y):
    np.concatenate([x[None], y[None]])
    return np.sum(x**2)


def compared(x):
    return x[0] + 2.0 * float(x[10] > 0)


def constant_term(x, c):
    return np.sum(x**2) + c[7]


def validated(x, a):
    np.linalg.cholesky(a)
    return np.sum(x**2)


def inverted(x, a):
    for k in range(2):
        np.linalg.inv(a * (k + 1.0))
    return np.sum(x**2)


def not_square(x, a):
    return np.sum(x**2) + np.linalg.inv(a)[0, 0] + np.linalg.det(a)


def room(x, n):
    np.zeros((2, n))
    return np.sum(x**2)


def rounded_down(x):
    math.floor(x[0])
    return np.sum(x**2)


def sorted_into(x, y):
    np.digitize(x, y)
    return np.sum(x**2)


UNREAD = [
    (sorted_into, (X, np.array([1.0, 3.0, 2.0]))),
    (validated, (X, SADDLE)),
    (inverted, (X, np.zeros((2, 2)))),
    (not_square, (X, np.ones((2, 3)))),
    (room, (X, -1)),
    (rounded_down, (NAN,)),
    (element, (X,)),
    (row_of_a_trip, (X,)),
    (written, (X,)),
    (positions, (X, 7)),
    (shape, (X,)),
    (extreme, (X,)),
    (whole, (NAN,)),
    (quotient, (X, 0)),
    (joined, (X, Y)),
    (compared, (X,)),
    (constant_term, (X, Y)),
]


# --- what the gradient reads, and compiled code would go on with ---------------------------------------------


def whole_factor(x):
    return int(x[0]) * x[1]


def rounded_factor(x):
    return round(x[0]) * x[1]


def quotient_factor(x, n):
    return x[1] * (5 // n)


def rest_factor(x, n):
    total = 0.0
    for i in range(3):
        total += x[i] * (i % n)
    return total


def rows_below(x, y):
    return np.sum(np.concatenate([x[None], y[None]]) ** 2)


def rows_beside(x, y):
    return np.sum(np.hstack([x[:, None], y[:, None]]) ** 2)


def rows_stacked(x, y):
    return np.sum(np.stack([x, y]) ** 2)


def rows_listed(x, y):
    return np.sum(np.array([x, y]) ** 2)


def masked(x, y):
    return np.sum(x[y > 0])


def mask_written(x, y):
    x[y > 0] = 1.0
    return np.sum(x**2)


def between_points(x, y):
    return np.sum(np.interp(0.5, x, y))


def counted(x, y):
    return np.sum(np.bincount(np.array([0, 1, 1]), weights=y) * x[0])


def summed_room(x, n):
    return np.sum(x**2) + np.sum(np.zeros(n) + x[0])


def points_between(x, n):
    return np.sum(np.linspace(0.0, x[0], n) * x[1])


def floor_factor(x):
    return math.floor(x[0]) * x[1] + x[math.ceil(x[0])]


def every(x, n):
    return np.sum(x[::n])


def inserted(x, n):
    return np.sum(np.insert(x, n, 1.0) ** 2)


def deleted(x, n):
    return np.sum(np.delete(x, n) ** 2)


def chosen(x, n):
    return np.choose(n, [np.sum(x), x[0]])


def trace(x):
    return np.trace(x)


class Diverged(Exception):
    def __init__(self, trip, total):
        super().__init__(f"{total} after {trip} trips")


def diverges(x):
    total = 0.0
    for k in range(len(x)):
        total += x[k] ** 2
        if total > 2.0:
            raise Diverged(k, total)
    return total


def ill_posed(x):
    if x[0] < 1.0:
        raise np.linalg.LinAlgError("too small")
    return np.sum(x**2)


def popped(x):
    rest = [x[0]]
    return rest.pop() * rest.pop()


READ = [
    (summed_room, (X, -1)),
    (points_between, (X, -2)),
    (floor_factor, (NAN,)),
    (inserted, (X, 4)),
    (inserted, (X, -4)),
    (deleted, (X, 3)),
    (chosen, (X, 2)),
    (diverges, (X,)),
    (ill_posed, (X,)),
    (whole_factor, (NAN,)),
    (whole_factor, (X * np.inf,)),
    (rounded_factor, (NAN,)),
    (quotient_factor, (X, 0)),
    (rest_factor, (X, 0)),
    (rows_below, (X, Y)),
    (rows_beside, (X, Y)),
    (rows_stacked, (X, Y)),
    (rows_listed, (X, Y)),
    (masked, (X, Y)),
    (mask_written, (X, Y)),
    (between_points, (X, Y)),
    (counted, (X, Y)),
]


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize("function, arguments", UNREAD + READ)
def test_raises_as_the_function_does(function, arguments, mode):
    with pytest.raises(Exception) as expected:
        function(*map(np.copy, arguments)) if function is mask_written else function(*arguments)
    gradient = adc.grad(function, mode=mode)
    with interpreted() if mode == "compiled" else contextlib.nullcontext():
        with pytest.raises(expected.type) as caught:
            gradient(*arguments)
    assert str(caught.value) == str(expected.value)
    assert caught.traceback[-1].path == expected.traceback[-1].path or "test_unread" in str(caught.traceback)


@pytest.mark.parametrize(
    "transform",
    [
        lambda f, x, c: adc.vjp(f, x, c, mode="python"),
        lambda f, x, c: adc.jvp(f, (x, c), (x, c), mode="python"),
        lambda f, x, c: adc.hvp(f, (x, c), (x, c), mode="python"),
        lambda f, x, c: adc.hessian(f, mode="python")(x, c),
        lambda f, x, c: adc.grad(lambda x, c: np.sum(adc.grad(f)(x, c)), mode="python")(x, c),
    ],
    ids=["vjp", "jvp", "hvp", "hessian", "grad of grad"],
)
@pytest.mark.parametrize(
    "function, other, error", [(validated, SADDLE, np.linalg.LinAlgError), (constant_term, Y[:3], IndexError)]
)
def test_raises_under_every_transform(transform, function, other, error):
    with pytest.raises(error):
        transform(function, X, other)


@pytest.mark.parametrize(
    "function, arguments, error",
    [(popped, (X,), IndexError), (every, (X, 0), ValueError), (trace, (X,), ValueError)],
)
def test_what_is_seen_while_compiling_is_told(function, arguments, error):
    with pytest.raises(error) as expected:
        function(*arguments)
    with pytest.raises((adc.errors.AdcError, error), match=str(expected.value)):
        adc.grad(function, mode="compiled")(*arguments)
    with pytest.raises(error, match=str(expected.value)):
        adc.grad(function, mode="tape")(*arguments)


@pytest.mark.parametrize("function, arguments", [(whole_factor, (X * 1e30,)), (rounded_factor, (X * 1e30,))])
def test_an_integer_of_more_than_64_bits_is_told_of(function, arguments):
    with pytest.raises(adc.DerivativeError, match="more than 64 bits"):
        adc.grad(function, mode="compiled")(*arguments)


@pytest.mark.parametrize("stage", ["adjoint", "optimized"])
def test_nothing_is_checked_that_is_proven(stage):
    def shifted(x):
        total = 0.0
        for k, _ in enumerate(x[1:]):
            _, here = x[k], x[k + 1]
            total += here * here
        return total

    assert "raise" not in adc.grad(shifted).source(X, stage=stage)


def test_one_check_in_front_of_the_loop():
    def pairs(x, c):
        total = 0.0
        for k in range(x.size):
            a, _ = x[k], c[k]
            total += a * a
        return total

    text = adc.grad(pairs).source(X, Y, stage="optimized")
    (line,) = [line for line in text.splitlines() if "raise IndexError" in line]
    assert line.startswith("        raise") and "for" in text[text.index(line) :]
