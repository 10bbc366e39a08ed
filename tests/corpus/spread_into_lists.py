"""`[0.0, *x, 1.0]` of arrays and lists that have as many elements as the data has; objects without `__init__`."""

import itertools

import numpy as np
from tests.corpus import program


@program(lambda r: (r.normal(size=6),))
def ends_around_what_is_between(x):
    edges = [-1.0, *x[1:-1], 1.0]
    total = 0.0
    for a, b in itertools.pairwise(edges):
        total += (b - a) ** 2 * a
    edges[0] = x[0] * total
    edges.append(x[2])
    return np.sum(np.array(edges) ** 3)


@program(lambda r: (np.eye(3) + 0.1 * r.normal(size=(3, 3)), r.normal(size=3)))
def points_to_all_sides(spread, centre):
    points = [np.zeros(len(spread)), *spread.T, *(-spread.T)]
    total = 0.0
    for point in points:
        total += np.sin(centre @ point) + np.sum(point**4)
    moved = np.array([np.tanh(p * centre) for p in points])
    return total + np.var(moved)


def large(x):
    for v in x:
        if v > 0.0:
            yield v * v


@program(lambda r: (np.array([0.5, -0.3, 1.2, 0.1]),))
def what_generators_give(x):
    some = [*large(x), 1.0]
    more = [*(2.0 * v for v in x if v > 0.3), *some]
    pairs = [(1.0, x[0]), *zip(x, 2.0 * x, strict=False)]
    total = 0.0
    for v in more:
        total = np.sin(total) + v
    for a, b in pairs:
        total += a * b
    return total


class Motion:
    def __init__(self, angle, shift):
        c, s = np.cos(angle), np.sin(angle)
        self.turn, self.shift = np.array([[c, -s], [s, c]]), shift

    def __matmul__(self, other):
        both = self.__class__.__new__(Motion)
        both.turn = self.turn @ other.turn
        both.shift = self.turn @ other.shift + self.shift
        return both

    @classmethod
    def still(cls, shift):
        motion = object.__new__(cls)
        motion.turn = np.eye(2)
        motion.shift = shift
        return motion


@program(lambda r: (r.normal(size=2), r.normal(size=2)))
def objects_made_without_their_init(angles, shift):
    motion = Motion.still(shift)
    for k in range(2):
        motion = Motion(angles[k], shift * k) @ motion
    return np.sum(motion.shift**2) + motion.turn[0, 1] * motion.shift[0]
