"""Rules of reading elements by computed positions: take, sort, compress, choose, bincount, ..."""

import numpy as np

from adc.rules import shapes
from adc.rules.dims import Dim
from adc.rules.movement import stretched
from adc.rules.reductions import axis_of, in_dtype
from adc.rules.registry import composite, constant, linear, lowered
from adc.rules.sampler import call

UNKNOWN = Dim(-1)


def count_of(lengths):
    """How many elements an array of these lengths has."""
    count = 1
    for n in lengths:
        count = count * n
    return count


def scatter_along_axis(values, indices, axis, length):
    """Zeros of `length` along `axis`, `values` added at `indices`: the transpose of take_along_axis.

    Beside the axis, indices of length 1 are those of every value.
    """
    moved = np.moveaxis(values, axis, 0)
    where_to = np.moveaxis(indices, axis, 0)
    result = np.zeros((length, *moved.shape[1:]), dtype=moved.dtype)
    others = np.indices(moved.shape, sparse=True)[1:]
    np.add.at(result, (where_to, *others), moved)
    return np.moveaxis(result, 0, axis)


def _scattered_shape(values, indices, axis, length):
    k = axis % values.ndim
    return (*values.shape[:k], Dim.of(length), *values.shape[k + 1 :])


@linear(
    scatter_along_axis,
    wrt="values",
    name="scatter_along_axis",
    spelling="scatter_along_axis",
    cost=4,
    shape=_scattered_shape,
    extra={"dtype": "values", "order": "A"},
    examples=lambda r: [
        (r.normal(3), np.array([4, 0, 4]), 0, 5),
        (r.normal(2, 3), r.integers(0, 4, 2, 3), 1, 4),
        (r.normal(2, 3), r.integers(0, 4, 1, 3), 1, 4),
    ],
)
def scatter(z_bar, values, indices, axis, length):
    return np.take_along_axis(z_bar, indices, axis)


def _scattered(values, indices, length):
    result = np.zeros(length, dtype=values.dtype)
    np.add.at(result, indices, values)
    return result


@lowered(scatter_along_axis)
def scatter_loop(values, indices, axis, length):
    if np.ndim(values) == 1:
        return _scattered(values, indices, length)
    moved = np.moveaxis(values, axis, 0)
    n = moved.shape[0]
    rest = np.shape(moved)[1:]
    m = count_of(rest)
    flat = np.reshape(moved, (n, m))
    where_to = np.reshape(np.broadcast_to(np.moveaxis(indices, axis, 0), np.shape(moved)), (n, m))
    result = np.zeros((length, m), dtype=values.dtype)
    for i in range(n):
        for j in range(m):
            result[where_to[i, j], j] += flat[i, j]
    return np.moveaxis(np.reshape(result, (length,) + rest), 0, axis)


def _taken_along_axis(arr, indices, axis=-1, *, require):
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        return tuple(indices.shape)
    if indices.ndim != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    k = axis % arr.ndim
    beside = [(*x.shape[:k], Dim(1), *x.shape[k + 1 :]) for x in (indices, arr)]
    stretched = shapes.broadcast(beside, require)
    return (*stretched[:k], indices.shape[k], *stretched[k + 1 :])


@linear(
    np.take_along_axis,
    wrt="arr",
    cost=2,
    extra={"dtype": "arr"},
    shape=_taken_along_axis,
    examples=lambda r: [
        (r.normal(3), np.array([2, 0, 2]), 0),
        (r.normal(2, 3), np.array([4, 0, 4]), None),
        (r.normal(2, 3), r.integers(0, 3, 2, 4), 1),
        (r.normal(3, 2), r.integers(0, 3, 2, 2), -2),
        *[(r.normal(3, 4), np.array([[1, -1]]))] * (np.lib.NumpyVersion(np.__version__) >= "2.3.0"),
        (r.normal(1, 4), r.integers(0, 4, 3, 2), 1),
        (r.normal(2, 3, 1), r.integers(0, 3, 1, 2, 4), 1),
    ],
)
def take_along_axis(z_bar, arr, indices, axis=-1):
    if axis is None:
        return np.reshape(scatter_along_axis(z_bar, indices, 0, np.size(arr)), np.shape(arr))
    return scatter_along_axis(z_bar, indices, axis, arr.shape[axis])


@lowered(np.take_along_axis)
def take_along_axis_loop(arr, indices, axis=-1):
    moved = np.ravel(arr) if axis is None else np.moveaxis(arr, axis, 0)
    if np.ndim(moved) == 1:
        return moved[indices]
    where_from = np.moveaxis(indices, 0 if axis is None else axis, 0)
    n = moved.shape[0]
    k = where_from.shape[0]
    rest = stretched(np.shape(where_from)[1:], np.shape(moved)[1:])
    m = count_of(rest)
    flat = np.reshape(np.broadcast_to(moved, (n,) + rest), (n, m))
    positions = np.reshape(np.broadcast_to(where_from, (k,) + rest), (k, m))
    result = np.zeros((k, m), dtype=arr.dtype)
    for i in range(k):
        for j in range(m):
            result[i, j] = flat[positions[i, j], j]
    return np.moveaxis(np.reshape(result, (k,) + rest), 0, 0 if axis is None else axis)


def leading(axis, ndim):
    """Full slices for the axes before `axis`."""
    return (slice(None),) * (axis % ndim)


@composite(
    np.take,
    methods="take",
    examples=lambda r: [
        (r.normal(4), np.array([2, 0, 2])),
        (r.normal(4), 1),
        (r.normal(2, 3), np.array([4, 0])),
        call(r.normal(2, 3), np.array([1, 1, 0]), axis=1),
        call(r.normal(2, 3), 1, axis=0),
        call(0.7, 0, axis=0),
        call(r.normal(4, 3), np.array([[0, 3], [1, 1]]), axis=0),
        call(r.normal(4), np.array([5, -6]), mode="wrap"),
        call(r.normal(4), np.array([5, 2]), mode="clip"),
    ],
)
def take(a, indices, axis=None, mode="raise"):
    axis = axis_of(a, axis)
    x = np.ravel(a) if axis is None else a
    k = 0 if axis is None else axis
    n = x.shape[k]
    if mode == "wrap":
        positions = np.remainder(indices, n)
    elif mode == "clip":
        positions = np.clip(indices, 0, n - 1)
    else:
        positions = indices
    found = x[leading(k, np.ndim(x)) + (positions,)]
    if np.ndim(indices) == 0 and np.ndim(x) > 1:  # by an integer it is a view
        found = np.copy(found)
    return found


@composite(
    np.compress,
    wrt="a",
    examples=lambda r: [
        (np.array([True, False, True]), r.normal(3)),
        (np.array([False, True]), r.normal(2, 3), 0),
        (np.array([True, False, True]), r.normal(2, 3), 1),
        (np.array([False, True, True, False, True, True]), r.normal(2, 3)),
    ],
)
def compress(condition, a, axis=None):
    axis = axis_of(a, axis)
    x = np.ravel(a) if axis is None else a
    k = 0 if axis is None else axis
    return x[leading(k, np.ndim(x)) + (np.flatnonzero(condition),)]


@composite(
    np.extract,
    wrt="arr",
    examples=lambda r: [
        (np.array([True, False, True]), r.normal(3)),
        (np.array([[True, False], [True, True]]), r.normal(2, 2)),
    ],
)
def extract(condition, arr):
    return np.ravel(arr)[np.flatnonzero(condition)]


@composite(
    np.choose,
    wrt="choices",
    methods="choose",
    examples=lambda r: [
        (np.array([1, 0, 1]), (r.normal(3), r.normal(3))),
        (np.array([2, 0]), (1.5, r.normal(2), r.normal(2))),
        call([1, 0, 1], (r.normal(3), r.normal(3))),
        (np.array([[0, 0], [0, 0]]), (r.normal(2),)),
        call(np.array([3, -1, 1]), (r.normal(3), r.normal(3)), mode="clip"),
        call(np.array([3, -1, 1]), (r.normal(3), r.normal(3)), mode="wrap"),
    ],
)
def choose(a, choices, mode="raise"):
    n = len(choices)
    chosen = np.array(a) if isinstance(a, (list, tuple)) else a
    if mode == "wrap":
        chosen = np.remainder(chosen, n)
    elif mode == "clip":
        chosen = np.clip(chosen, 0, n - 1)
    elif np.any((chosen < 0) | (chosen >= n)):
        raise ValueError("invalid entry in choice array")
    result = choices[0] if n > 1 else np.where(chosen == 0, choices[0], choices[0])
    for k in range(1, n):
        result = np.where(chosen == k, choices[k], result)
    # Where one number chooses, what it chooses is an array of another name: NumPy gives a copy.
    return np.copy(result) if np.ndim(chosen) == 0 and np.ndim(result) > 0 else result


@composite(
    np.select,
    wrt="choicelist default",
    examples=lambda r: [
        ((r.mask(3), r.mask(3)), (r.normal(3), r.normal(3)), 0.5),
        ((r.mask(2, 3),), (r.normal(2, 3),)),
    ],
)
def select(condlist, choicelist, default=0):
    result = default
    for k in range(len(condlist) - 1, -1, -1):
        result = np.where(condlist[k], choicelist[k], result)
    kinds = []
    for v in (*choicelist, default):
        kinds.append(np.array(v) if isinstance(v, (list, tuple)) else v)
    return in_dtype(result, np.result_type(*kinds))  # where both are numbers np.where has made doubles


# --- order --------------------------------------------------------------------------------------------------


def _argsorted(a, axis=-1, *_, **__):
    return (shapes.size(a.shape),) if axis is None or a.ndim == 0 else a.shape


constant(
    np.argsort,
    parameters="a, axis=-1, kind=None",
    methods="argsort",
    shape=_argsorted,
    examples=lambda r: [r.distinct(4), call(r.distinct(2, 3), axis=0), 0.5, 3],
)
constant(
    np.argpartition,
    parameters="a, kth, axis=-1",
    methods="argpartition",
    extra={"dtype": "int64"},
    shape=lambda a, kth, axis=-1: _argsorted(a, axis),
    examples=lambda r: [(r.distinct(4), 1)],
)
constant(
    np.lexsort,
    parameters="keys, axis=-1",
    examples=lambda r: [
        call((r.distinct(4), r.distinct(4))),
        call((r.distinct(5), np.array([1.0, 0.0, 1.0, 0.0, 1.0]))),
    ],
)


@lowered(np.lexsort)
def lexsort(keys, axis=-1):
    order = np.argsort(keys[0], axis=axis, kind="stable")
    for k in range(1, len(keys)):
        sorted_key = np.take_along_axis(keys[k], order, axis)
        order = np.take_along_axis(order, np.argsort(sorted_key, axis=axis, kind="stable"), axis)
    return order


@composite(
    np.sort,
    examples=lambda r: [
        r.distinct(5),
        r.distinct(2, 3),
        call(r.distinct(2, 3), axis=0),
        call(r.distinct(2, 3), axis=None),
        r.normal(0),
        call(r.normal(0, 3), axis=0),
        call(r.distinct(4), kind="stable"),
    ],
    notes="a tie keeps the order that argsort gives",
)
def sort(a, axis=-1, kind=None):
    x = np.ravel(a) if axis is None else a
    k = -1 if axis is None else axis
    ordered = np.take_along_axis(x, np.argsort(x, axis=k, kind=kind), axis=k)
    return ordered


@composite(
    np.partition,
    examples=lambda r: [
        (r.distinct(5), 2),
        call(r.distinct(2, 4), 1, axis=1),
        call(r.distinct(3, 2), 1, axis=0),
    ],
)
def partition(a, kth, axis=-1):
    x = np.ravel(a) if axis is None else a
    k = -1 if axis is None else axis
    return np.take_along_axis(x, np.argpartition(x, kth, axis=k), axis=k)


constant(
    np.searchsorted,
    parameters='a, v, side="left"',
    methods="searchsorted",
    extra={"dtype": "int64"},
    shape=lambda a, v, *_, **__: shapes.shape_of(v),
    examples=lambda r: [(np.array([0.0, 1.0, 2.0]), r.normal(3)), (np.array([0.0, 1.0, 2.0]), 0.5)],
)
constant(
    np.digitize,
    parameters="x, bins, right=False",
    shape=lambda x, *_, **__: shapes.shape_of(x),
    examples=lambda r: [(r.normal(3), np.array([0.0, 1.0, 2.0]))],
)

# --- counting with weights ----------------------------------------------------------------------------------


def _binned(x, weights=None, minlength=0, require=lambda x, y: None):
    if weights is not None:
        shapes.require_alike(shapes.shape_of(x), shapes.shape_of(weights), require)
    return (UNKNOWN,)


@linear(
    np.bincount,
    wrt="weights",
    shape=_binned,
    cost=2,
    examples=lambda r: [
        (np.array([0, 2, 1, 2]), r.normal(4)),
        call(np.array([0, 2, 1, 2]), r.normal(4), minlength=6),
    ],
    notes="linear in the weights",
    extra={"float64_only": True},
)
def bincount(z_bar, x, weights=None, minlength=0):
    return z_bar[x]
