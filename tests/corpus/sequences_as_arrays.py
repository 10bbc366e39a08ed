"""Named tuples, deques and ranges where NumPy makes an array of them."""

from collections import deque
from typing import NamedTuple

import numpy as np
from tests.corpus import program


class Point(NamedTuple):
    x: float
    y: float


@program(lambda r: (Point(0.3, 0.7), r.normal(size=(3, 2))))
def a_named_tuple_as_a_vector(p, directions):
    q = np.array(p)
    moved = directions @ q + np.dot(directions, p) * np.linalg.norm(p)
    out = np.zeros((2, 2))
    out[0] = Point(p.y, p.x)
    out[:, 1] += p
    return np.sum(np.sin(moved)) + np.sum(np.exp(p)) * np.sum(out**2) + np.sum(directions * p)


@program(lambda r: (r.normal(size=3),))
def the_last_states_in_a_deque(x):
    memory = deque(maxlen=3)
    for _ in range(5):
        memory.append(x)
        x = np.sin(x) + 0.5 * np.mean(memory, axis=0)
    rows = np.stack(memory)
    return (
        np.sum(rows**2)
        + np.sum(np.array(memory) @ np.concatenate(memory)[:3])
        + np.sum(np.max(memory, axis=0))
    )


@program(lambda r: (r.normal(size=3),))
def named_tuples_of_rows(x):
    pair = Point(x, x**2)
    return np.sum(np.stack(pair) ** 2) + np.sum(np.hypot(*pair)) + np.polyval(Point(x[0], x[1]), 2.0)


@program(lambda r: (r.normal(size=(2, 3)),))
def ranges_beside_arrays(x):
    weighted = x * range(1, 4) + range(x.shape[1]) / np.exp(x)
    weighted[0] -= range(3)
    weighted[1, 1:] = range(len(x))
    powers = x[0, 0] ** range(3) * np.hypot(x[1], range(3))
    return np.sum(weighted**2) + np.sum(powers) + range(3) @ x[1]


@program(lambda r: (r.normal(size=3),))
def arrays_compared_with_ranges(x):
    chosen = np.argsort(x) == range(x.size)
    return np.sum(x[chosen] ** 2) + np.sum(
        np.where(range(3) != np.argsort(x), x, 2.0 * x) * (x > range(-1, 2))
    )


@program(lambda r: (np.array([1.5, 2.0, 3.0]),))
def numbers_of_numpys_compared_with_lists(x):
    near = np.argsort(x)[1] == [2, 1, 0]
    return np.sum(np.where(near, x**2, x)) + np.sum((x[2] > (1.0, 4.0)) * x[0])
