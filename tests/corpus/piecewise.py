"""where, maximum, minimum, abs, sign and clip."""

import numpy as np
from tests.corpus import program


def mixed(r):
    return np.array([0.5, -1.5, 2.5, -0.2]), np.array([1.5, -2.5, 0.3, 0.7])


@program(mixed)
def where(x, y):
    return np.sum(np.where(x > 0, x * x, y) + np.where(x < y, 0.0, x * y) + np.where(y > 0, 1.0, y))


@program(lambda r: (np.array([0.5, -1.5, 2.5]),))
def where_without_nan(x):
    safe = np.where(x > 0, x, 1.0)
    return np.sum(np.where(x > 0, np.log(safe), 0.0))


@program(lambda r: (np.array([[0.5, -1.5], [2.5, 0.1]]), 0.3, np.array([1.0, 2.0])))
def where_broadcast(x, s, y):
    return np.sum(np.where(x > 0, s, y) * x) + np.sum(np.where(y > 1.5, x, s))


@program(mixed)
def maximum_and_minimum(x, y):
    return np.sum(np.maximum(x, y) ** 2 + np.minimum(x, y) ** 3 + np.maximum(x, 0) * y + np.minimum(0.2, y))


@program(mixed)
def absolute_and_sign(x, y):
    return np.sum(np.abs(x) * y + abs(y) ** 2 + np.sign(x) * y + np.fabs(x * y))


@program(mixed)
def clip(x, y):
    return np.sum(np.clip(x, -1.0, 1.0) * y + np.clip(y, 0.0, x + 2))


@program(lambda r: (0.7, -1.3))
def scalars(x, y):
    return (
        max(x, y) * min(x, y, 0.1)
        + abs(y) * np.maximum(x, y)
        + np.where(x > y, x, y) * y
        + np.clip(y, -1.0, 1.0) * x
    )


@program(lambda r: (np.array([1.2, -2.7, 0.4]),))
def rounding(x):
    return np.sum(np.floor(x) * x + np.ceil(x) * x * x + np.round(x) * x + np.trunc(x)) + int(x[0]) * x[1]


@program(lambda r: (np.array([1.2, -2.7, 0.4, 3.0]),))
def relu_and_softplus(x):
    a = np.maximum(0.0, x)
    b = np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0.0)
    return np.sum(a * b)


@program(lambda r: (np.array([1.2, -2.7, 0.4, 3.0]), 0.9))
def huber(x, delta):
    a = np.abs(x)
    return np.sum(np.where(a < delta, 0.5 * x * x, delta * (a - 0.5 * delta)))


@program(lambda r: (np.array([1.2, -2.7, 0.4, 3.0]),))
def running_maximum(x):
    m = x[0]
    s = 0.0
    for i in range(1, 4):
        m = max(m, x[i])
        s += m * x[i]
    return s


@program(lambda r: (r.normal(size=(5, 7)), r.normal(size=(2, 3))))
def largest_of_windows_by_loops(x, w):
    total = 0.0
    for i in range(x.shape[0] // 2):
        for j in range(x.shape[1] // 2):
            m = x[2 * i, 2 * j]
            for a in range(2):
                for b in range(2):
                    m = max(m, x[2 * i + a, 2 * j + b])
            total += w[i, j] * m * m
    return total


@program(lambda r: (r.normal(size=(5, 7)), r.normal(size=(2, 3))))
def functions_of_windows_by_loops(x, w):
    total = 0.0
    for i in range(w.shape[0]):
        for j in range(w.shape[1]):
            s = 1.0
            for a in range(2):
                for b in range(3):
                    s = s * np.cos(x[2 * i + a, 2 * j + b]) + 0.1 * w[i, j]
            total += s
    return total


@program(lambda r: (r.normal(size=5), 0.7))
def functions_by_condition(x, slope):
    return np.sum(np.piecewise(x, [x < 0.0, x >= 0.5], [lambda t: slope * t, lambda t: t**2, 0.3]))


@program(lambda r: (np.array([-1.0, 2.0, 0.5]),))
def root_of_what_a_choice_cuts_off(x):
    kept, within = np.maximum(x, 0), np.clip(x, 0.0, 1.5)
    return np.sum(np.sqrt(kept) - 0.3 * np.sqrt(kept)) + np.sum(np.sqrt(within)) + np.sqrt(max(x[0], 0.0))


@program(lambda r: (np.array([-0.4, 0.3, 2.5, 1.2]), 1.5, 0.7))
def bounds_that_changed_places(x, low, high):
    return np.sum(np.clip(x, low, high) * np.arange(1.0, 5.0)) + np.clip(x[0], high, low) * low


@program(lambda r: (np.array([0.3, 0.4, 0.9]), np.array([0.4]), np.array([2.5])))
def one_knot(x, at, values):
    return np.sum(np.interp(x, at, values) * x) + np.interp(0.1, at, values, left=0.3)


@program(lambda r: (r.normal(size=4),))
def quotient_by_zero_that_is_not_chosen(x):
    return np.sum(np.where(x > 10.0, x / 0.0, x * x))
