"""Rules of reading elements by computed positions: take, sort, compress, choose, unique, ..."""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import shapes
from adc.rules.dims import Dim
from adc.rules.movement import stretched
from adc.rules.reductions import axis_of, in_dtype
from adc.rules.registry import composite, constant, full, linear, lowered, static
from adc.rules.sampler import call, corner

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


@lowered(scatter_along_axis)
def scatter_loop(values, indices, axis, length):
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
        return tuple(indices.shape)
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
    return np.take_along_axis(x, np.argsort(x, axis=k, kind=kind), axis=k)


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


@composite(
    np.unique,
    wrt="ar",
    notes="the adjoint of a repeated value goes to one of its places",
    examples=lambda r: [r.distinct(4), corner(np.array([0.5, 1.5, 0.5, -1.0])), r.distinct(2, 3)],
)
def unique(ar):
    ordered = np.sort(np.ravel(ar))
    first = np.concatenate((np.ones_like(ordered[:1]) > 0.0, ordered[1:] != ordered[:-1]))
    return ordered[np.flatnonzero(first)]


constant(
    np.searchsorted,
    parameters='a, v, side="left", sorter=None',
    methods="searchsorted",
    shape=lambda a, v, *_, **__: shapes.shape_of(v),
    examples=lambda r: [(np.array([0.0, 1.0, 2.0]), r.normal(3)), (np.array([0.0, 1.0, 2.0]), 0.5)],
)
constant(
    np.digitize,
    parameters="x, bins, right=False",
    shape=lambda x, *_, **__: shapes.shape_of(x),
    examples=lambda r: [(r.normal(3), np.array([0.0, 1.0, 2.0]))],
)
constant(np.nonzero, parameters="a", methods="nonzero", examples=lambda r: [r.normal(3), r.mask(2, 3)])


@lowered(np.nonzero)
def nonzero(a):
    rest = np.flatnonzero(a)
    positions = ()
    for k in range(np.ndim(a) - 1, 0, -1):
        positions = (np.remainder(rest, a.shape[k]),) + positions
        rest = rest // a.shape[k]
    return (rest,) + positions


constant(np.flatnonzero, parameters="a", shape=lambda a: (UNKNOWN,), examples=lambda r: [r.mask(4)])
constant(np.argwhere, parameters="a", shape=lambda a: (UNKNOWN, Dim(a.ndim)), examples=lambda r: [r.mask(4)])
constant(
    np.unravel_index,
    parameters='indices, shape, order="C"',
    examples=lambda r: [(3, (2, 3)), (np.array([5, 1]), (2, 3)), call(np.array([5, 1]), (2, 3), order="F")],
)
constant(
    np.ravel_multi_index,
    parameters='multi_index, dims, mode="raise", order="C"',
    examples=lambda r: [
        call((1, 2), (2, 3)),
        call((np.array([1, 0]), np.array([2, 1])), (2, 3), order="F"),
        call((5, -1), (2, 3), mode="wrap"),
    ],
)


@lowered(np.unravel_index)
def unravel_index(indices, shape, order="C"):
    lengths = shape if isinstance(shape, (list, tuple)) else (shape,)
    rest = indices
    positions = ()
    for k in range(len(lengths)):
        n = lengths[len(lengths) - 1 - k] if order == "C" else lengths[k]
        # What lies outside stays outside: an index with it is refused.
        position = (rest % n if k < len(lengths) - 1 else rest,)
        positions = position + positions if order == "C" else positions + position
        rest = rest // n
    return positions


@lowered(np.ravel_multi_index)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    lengths = dims if isinstance(dims, (list, tuple)) else (dims,)
    flat = 0
    for k in range(len(lengths)):
        axis = k if order == "C" else len(lengths) - 1 - k
        n = lengths[axis]
        position = multi_index[axis]
        if mode == "wrap":
            position = position % n
        elif mode == "clip":
            position = np.clip(position, 0, n - 1)
        flat = flat * n + position
    return flat


constant(
    np.indices,
    parameters="dimensions, dtype=int, sparse=False",
    examples=lambda r: [
        call((2, 3)),
        call((4,)),
        call((2, 1, 3)),
        call((2, 3), sparse=True),
        call((2, 3), float),
    ],
)


@lowered(np.indices)
def indices(dimensions, dtype=int, sparse=False):
    rank = len(dimensions)
    axes = []
    for k in range(rank):
        n = dimensions[k]
        places = np.reshape(np.arange(n, dtype=dtype), (*(1,) * k, n, *(1,) * (rank - k - 1)))
        axes.append(places if sparse else np.broadcast_to(places, tuple(dimensions)))
    return tuple(axes) if sparse else np.stack(axes)


@composite(
    np.ix_,
    name="ix_",
    wrt="args",
    examples=lambda r: [
        (np.array([0, 1]), np.array([2, 3])),
        (np.array([True, False]), np.array([1])),
        ([0, 2], [1, 3]),
        (range(1, 3), (0, 2)),
        (r.normal(3), r.normal(2)),
    ],
)
def ix_(*args):
    result = ()
    for k in range(len(args)):
        given = np.array(args[k]) if isinstance(args[k], (list, tuple, range)) else args[k]
        positions = np.flatnonzero(given) if given.dtype.kind == "b" else given
        shape = (1,) * k + (np.size(positions),) + (1,) * (len(args) - 1 - k)
        result = result + (np.reshape(positions, shape),)
    return result


constant(np.diag_indices, parameters="n, ndim=2", examples=lambda r: [3, (4, 3)])
constant(np.tril_indices, parameters="n, k=0, m=None", examples=lambda r: [3])
constant(np.triu_indices, parameters="n, k=0, m=None", examples=lambda r: [3])


constant(np.diag_indices_from, parameters="arr", examples=lambda r: [r.normal(3, 3)])
for function in (np.tril_indices_from, np.triu_indices_from):
    constant(function, parameters="arr, k=0", examples=lambda r: [r.normal(3, 3), (r.normal(3, 4), 1)])


@lowered(np.diag_indices)
def diag_indices(n, ndim=2):
    return (np.arange(n),) * ndim


@lowered(np.diag_indices_from)
def diag_indices_from(arr):
    return (np.arange(arr.shape[0]),) * np.ndim(arr)


@composite(
    np.union1d, wrt="ar1 ar2", examples=lambda r: [(r.distinct(3), r.distinct(2) + 0.05)], notes="as unique"
)
def union1d(ar1, ar2):
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@composite(
    np.setdiff1d,
    wrt="ar1",
    examples=lambda r: [(r.distinct(4), r.distinct(2) + 0.05), (r.distinct(3), np.array([0.5]))],
    notes="as unique",
)
def setdiff1d(ar1, ar2, assume_unique=False):
    found = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return found[~np.isin(found, ar2)]


@composite(
    np.intersect1d,
    wrt="ar1",
    examples=lambda r: [(np.array([4, 1, 7, 4]), np.array([7, 4, 9]))],  # a difference would part equal ones
    notes="as unique; of two equal elements that of the first array is taken",
)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if return_indices:
        first, places = np.unique(ar1, return_index=True)
        second, others = np.unique(ar2, return_index=True)
        return first[np.isin(first, second)], places[np.isin(first, second)], others[np.isin(second, first)]
    found = np.sort(np.ravel(ar1)) if assume_unique else np.unique(ar1)
    return found[np.isin(found, ar2)]


@composite(
    np.setxor1d,
    wrt="ar1 ar2",
    examples=lambda r: [(r.distinct(4), r.distinct(2) + 0.05)],
    notes="as unique",
)
def setxor1d(ar1, ar2, assume_unique=False):
    first = np.ravel(ar1) if assume_unique else np.unique(ar1)
    second = np.ravel(ar2) if assume_unique else np.unique(ar2)
    return np.sort(np.concatenate((first[~np.isin(first, second)], second[~np.isin(second, first)])))


@full(np.unique)
def unique_and_more(
    ar,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    *,
    equal_nan=True,
    sorted=True,
):
    if axis is not None:
        refuse_axis(axis)
    flat = np.ravel(ar)
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    first = np.concatenate((np.ones_like(ordered[:1]) > 0.0, ordered[1:] != ordered[:-1]))
    places = np.flatnonzero(first)
    result = (ordered[places],)
    if return_index:
        result = result + (order[places],)
    if return_inverse:
        inverse = np.zeros(np.size(flat), dtype=np.int64)
        inverse[order] = np.cumsum(np.where(first, 1, 0)) - 1
        result = result + (np.reshape(inverse, np.shape(ar)),)
    if return_counts:
        result = result + (np.diff(np.append(places, np.size(flat))),)
    return result if len(result) > 1 else result[0]


@static
def refuse_axis(axis):
    raise UnsupportedError(f"np.unique with axis={axis} is not supported", repair="Leave `axis` away.")


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
