"""Neighbours by the trees of scipy.spatial: which points are near is piecewise constant, how far they are is a norm."""

import functools

import numpy as np
from scipy.spatial import KDTree, cKDTree

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.rules.registry import constant, static
from adc.rules.spatial import minkowski_along


@functools.lru_cache(maxsize=8)
def _tree(shape, memory, box):
    return KDTree(np.frombuffer(memory).reshape(shape), boxsize=box)


def _made(points, box):
    given = np.ascontiguousarray(points, dtype=float)
    return _tree(given.shape, given.tobytes(), box)


# --- what is constant ---------------------------------------------------------------------------------------


def neighbours(points, box, x, k, eps, p, bound):
    """The places of the nearest points of each of `x`; where there are too few of them, their number."""
    return np.asarray(_made(points, box).query(x, k, eps, p, bound)[1], dtype=np.int64)


def within(points, box, x, r, p, eps, ordered, counted):
    """The places of all points in a ball around each of `x`, or their number."""
    return _made(points, box).query_ball_point(x, r, p, eps, return_sorted=ordered, return_length=counted)


def around_others(points, box, others, r, p, eps):
    """The places of all points in a ball around each of other points."""
    return _made(points, box).query_ball_tree(_made(others, box), r, p, eps)


def pairs(points, box, r, p, eps, kind):
    """The pairs of points that are near each other."""
    return _made(points, box).query_pairs(r, p, eps, output_type=kind)


def number_of_pairs(points, box, others, r, p, cumulative):
    """How many pairs of points of two trees are near each other."""
    return _made(points, box).count_neighbors(_made(others, box), r, p, cumulative=cumulative)


for _function, _parameters, _name in (
    (neighbours, "points, box, x, k, eps, p, bound", "query"),
    (within, "points, box, x, r, p, eps, ordered, counted", "query_ball_point"),
    (around_others, "points, box, others, r, p, eps", "query_ball_tree"),
    (pairs, "points, box, r, p, eps, kind", "query_pairs"),
    (number_of_pairs, "points, box, others, r, p, cumulative", "count_neighbors"),
):
    constant(
        _function,
        parameters=_parameters,
        spelling=f"scipy.spatial.KDTree.{_name}",
        name=f"tree.{_name}",
        extra={"tape": "SciPy finds it in C++, which compiled code cannot call"},
    )


# --- the tree -----------------------------------------------------------------------------------------------


@static
def _refuse_weights():
    raise UnsupportedError(
        "KDTree.count_neighbors with `weights` is not supported",
        why="Its result has a derivative by the weights, which SciPy's loops do not tell.",
        repair="Sum the products of the weights over the pairs that `query_ball_tree` finds.",
    )


def _numbers(x):
    return np.asarray(x).astype(float)


class Tree:
    """`KDTree(data, boxsize=)`; a box is a tuple of lengths, 0 along an axis that has no end."""

    __adc_model__ = True

    def __init__(self, data, box):
        self.data = data
        self.box = box
        self.n = data.shape[0]
        self.m = data.shape[1]

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=np.inf, workers=1):
        x = _numbers(x)
        places = neighbours(self.data, self.box, x, k, eps, p, distance_upper_bound)
        known = places < self.n
        step = x if np.ndim(places) == np.ndim(x) - 1 else np.expand_dims(x, -2)
        step = step - self.data[np.where(known, places, 0)]
        if self.box is not None:
            lengths = np.array(self.box)
            step = step - lengths * np.rint(step / np.where(lengths == 0.0, np.inf, lengths))
        return np.where(known, minkowski_along(step, p), np.inf), places

    def query_ball_point(self, x, r, p=2.0, eps=0.0, workers=1, return_sorted=None, return_length=False):
        return within(self.data, self.box, x, r, p, eps, return_sorted, return_length)

    def query_ball_tree(self, other, r, p=2.0, eps=0.0):
        return around_others(self.data, self.box, other.data, r, p, eps)

    def query_pairs(self, r, p=2.0, eps=0.0, output_type="set"):
        return pairs(self.data, self.box, r, p, eps, output_type)

    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
        if weights is not None:
            _refuse_weights()
        return number_of_pairs(self.data, self.box, other.data, r, p, cumulative)


@static
def _box(boxsize, m):
    """The lengths of a box as a tuple."""
    return None if boxsize is None else tuple(np.broadcast_to(boxsize, m).astype(float).tolist())


def tree(data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
    """`KDTree(data)`."""
    points = _numbers(data)
    return Tree(points, _box(boxsize, points.shape[1]))


def _outside(made):
    return Tree(np.asarray(made.data), _box(made.boxsize, made.m))


for _kind in (KDTree, cKDTree):
    registry.stands_for(_kind, tree)
    registry.model_of_type(_kind, _outside)
