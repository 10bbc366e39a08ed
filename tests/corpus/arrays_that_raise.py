"""`try` around what NumPy raises of arrays: extremes of nothing, positions outside; and around what it never raises"""

import numpy as np
from tests.corpus import program

THREE = np.array([0.3, 0.5, 0.2])


def _checked(x, limit):
    try:
        spread = np.ptp(x) + np.median(x) + np.percentile(x, 30.0)
        if spread > limit:
            raise ValueError("too wide")
        y = np.sort(x)[0] * spread + np.trace(np.outer(x, x)) + round(x[0], 2) + x[x > 0.25].sum()
    except Exception:
        y = x[0] * 3.0
    return y


@program(lambda r: (THREE.copy(),))
def guards_beside_statistics(x):
    return _checked(x, 2.0) + _checked(x * 2.0, 1.0)


def _largest(x, start):
    try:
        m = np.max(x[start:])
    except ValueError:
        m = 2.0 * x[0]
    return m * m


@program(lambda r: (THREE.copy(), 1, 3), argnums=(0,))
def extreme_of_nothing(x, start, end):
    return _largest(x, start) + 3.0 * _largest(x, end)


@program(lambda r: (THREE.copy(), 0), argnums=(0,))
def extremes_of_columns(x, count):
    table = np.outer(x, x)
    try:
        m = table[:, :count].max(axis=0).sum() + table[:count].min(axis=0) @ x
    except ValueError:
        m = 2.0 * x[0]
    return m


def _taken(x, places):
    try:
        y = x.copy()
        y[places] = 0.5 * y[places]
        return np.sum(np.sort(y) * np.arange(len(y)))
    except IndexError:
        return x[0] * 3.0


@program(lambda r: (THREE.copy(), np.array([0, -3]), np.array([1, 3])), argnums=(0,))
def positions_outside(x, inside, outside):
    return _taken(x, inside) + 2.0 * _taken(x, outside)
