"""Rules of putting arrays together: hstack, block, append, np.r_, ..."""

import numpy as np

from adc.rules.grids import spaced
from adc.rules.reductions import in_dtype
from adc.rules.registry import composite, static
from adc.rules.sampler import call


def _columns(r):
    return [
        call((r.normal(2), r.normal(3))),
        call((r.normal(2, 3), r.normal(2, 1))),
        call((1.5, r.normal(2))),
    ]


def _rows_of(array):
    """An array given in place of a sequence of its rows."""
    if np.ndim(array) == 0:
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    if array.shape[0] == 0:
        raise ValueError("need at least one array to concatenate")
    return array


def rows_joined(a, axis):
    """The subarrays a[0], a[1], ... joined along an axis, without a loop over them."""
    if np.shape(a)[0] == 0:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        return np.copy(np.ravel(a))
    axis = range(np.ndim(a) - 1)[axis]
    moved = np.moveaxis(a, 0, axis)
    lengths = np.shape(moved)
    return np.copy(
        np.reshape(moved, lengths[:axis] + (lengths[axis] * lengths[axis + 1],) + lengths[axis + 2 :])
    )


@composite(
    np.hstack, wrt="tup", examples=lambda r: [*_columns(r), r.normal(3), r.normal(2, 3), r.normal(2, 3, 2)]
)
def hstack(tup):
    if not isinstance(tup, (list, tuple)):
        if np.ndim(tup) > 1:
            return rows_joined(tup, 0 if np.ndim(tup) == 2 else 1)
        return np.copy(_rows_of(tup))
    parts = []
    for a in tup:
        parts.append(np.reshape(a, (1,)) if np.ndim(a) == 0 else a)
    return np.concatenate(tuple(parts), axis=1 if parts and np.ndim(parts[0]) > 1 else 0)


@composite(
    np.vstack,
    *((np.row_stack,) if hasattr(np, "row_stack") else ()),
    wrt="tup",
    examples=lambda r: [
        call((r.normal(3), r.normal(3))),
        call((r.normal(2, 3), r.normal(3))),
        r.normal(3),
        r.normal(2, 3),
        r.normal(2, 3, 2),
    ],
)
def vstack(tup):
    if not isinstance(tup, (list, tuple)):
        if np.ndim(tup) > 2:
            return rows_joined(tup, 0)
        tup = _rows_of(tup)
        return np.copy(tup) if np.ndim(tup) == 2 else np.copy(np.expand_dims(tup, 1))
    parts = []
    for a in tup:
        parts.append(np.atleast_2d(a))
    return np.concatenate(tuple(parts), axis=0)


@composite(
    np.dstack,
    wrt="tup",
    examples=lambda r: [
        call((r.normal(3), r.normal(3))),
        call((r.normal(2, 3), r.normal(2, 3))),
        r.normal(3),
        r.normal(2, 3),
        r.normal(2, 3, 2),
        r.normal(2, 1, 3, 2),
    ],
)
def dstack(tup):
    if not isinstance(tup, (list, tuple)):
        if np.ndim(tup) > 3:
            return rows_joined(tup, 2)
        tup = _rows_of(tup)
        whole = np.reshape(tup, np.shape(tup) + (1,) * (2 - np.ndim(tup))) if np.ndim(tup) < 2 else tup
        last = np.copy(np.moveaxis(whole, 0, -1))
        return last if np.ndim(last) == 3 else np.expand_dims(last, 0)
    parts = []
    for a in tup:
        parts.append(np.atleast_3d(a))
    return np.concatenate(tuple(parts), axis=2)


@composite(
    np.column_stack,
    wrt="tup",
    examples=lambda r: [
        call((r.normal(3), r.normal(3))),
        call((r.normal(2, 3), r.normal(2))),
        r.normal(3),
        r.normal(2, 3),
        r.normal(2, 3, 2),
    ],
)
def column_stack(tup):
    if not isinstance(tup, (list, tuple)):
        if np.ndim(tup) > 2:
            return rows_joined(tup, 1)
        tup = _rows_of(tup)
        return np.copy(np.transpose(tup)) if np.ndim(tup) == 2 else np.copy(np.expand_dims(tup, 0))
    parts = []
    for a in tup:
        parts.append(np.reshape(a, (np.size(a), 1)) if np.ndim(a) < 2 else a)
    return np.concatenate(tuple(parts), axis=1)


def _depth(arrays):
    return 1 + _depth(arrays[0]) if isinstance(arrays, (list, tuple)) else 0


def _joined(arrays, axis, ndim):
    if not isinstance(arrays, (list, tuple)):
        return np.reshape(arrays, (1,) * (ndim - np.ndim(arrays)) + np.shape(arrays))
    parts = []
    for a in arrays:
        parts.append(_joined(a, axis + 1, ndim))
    return np.concatenate(tuple(parts), axis=axis)


def _rank(arrays):
    rank = 0
    if not isinstance(arrays, (list, tuple)):
        return np.ndim(arrays)
    for a in arrays:
        rank = max(rank, _rank(a))
    return rank


@composite(
    np.block,
    wrt="arrays",
    examples=lambda r: [
        call([[r.normal(2, 2), r.normal(2, 3)], [r.normal(1, 2), r.normal(1, 3)]]),
        call([r.normal(2), r.normal(3)]),
        call([[1.5, 2.5], [3.5, 4.5]]),
    ],
)
def block(arrays):
    depth = _depth(arrays)
    if depth == 0:
        return np.copy(arrays)
    ndim = max(depth, _rank(arrays))
    return _joined(arrays, ndim - depth, ndim)


@composite(
    np.append,
    wrt="arr values",
    examples=lambda r: [
        (r.normal(3), r.normal(2)),
        (r.normal(3), 1.5),
        call(r.normal(2, 3), r.normal(1, 3), axis=0),
        (r.normal(2, 2), r.normal(2)),
    ],
)
def append(arr, values, axis=None):
    if axis is None:
        return np.concatenate((np.reshape(arr, (np.size(arr),)), np.reshape(values, (np.size(values),))))
    return np.concatenate((arr, values), axis=axis)


# --- np.r_ and np.c_ ----------------------------------------------------------------------------------------


@static
def _directive(text, axis, ndmin, trans1d):
    """What a text in front says: the axis to join along, the least rank, and where the axes of lesser ranks go."""
    if text in ("r", "c"):
        raise ValueError("np.r_ with 'r' or 'c' makes an np.matrix; use np.vstack")
    numbers = [int(part) for part in text.split(",")]
    return (*numbers, *(axis, ndmin, trans1d)[len(numbers) :])


@static
def _placed(ndim, ndmin, trans1d):
    """The order of the axes of an array that was given axes of length 1 in front; None where they stay."""
    if trans1d == -1 or ndim >= ndmin:
        return None
    added = ndmin - ndim
    first = trans1d if trans1d >= 0 else trans1d + added + 1
    axes = list(range(ndmin))
    return tuple(axes[:first] + axes[added:] + axes[first:added])


def _index_joined(key, axis, ndmin, trans1d):
    items = key if isinstance(key, tuple) else (key,)
    parts, kinds = [], []
    for item in items:
        if isinstance(item, str):
            axis, ndmin, trans1d = _directive(item, axis, ndmin, trans1d)
        else:
            parts.append(_part(item, ndmin, trans1d))
            kinds.append(item if np.ndim(item) == 0 and not isinstance(item, slice) else parts[-1])
    joined = np.concatenate(tuple(parts), axis=axis)
    return in_dtype(joined, np.result_type(*kinds))  # beside arrays a number of Python's has no dtype


def _part(item, ndmin, trans1d):
    if isinstance(item, slice):
        values = spaced(item)
        row = np.reshape(values, (1,) * (ndmin - 1) + (np.size(values),))
        return row if ndmin == 1 or trans1d == -1 else np.swapaxes(row, -1, trans1d)
    array = item
    if isinstance(item, (list, tuple)):
        array = np.stack(tuple(item)) if len(item) > 0 else np.zeros(0)
    ndim = np.ndim(array)
    whole = np.reshape(array, (1,) * (ndmin - ndim) + np.shape(array)) if ndim < ndmin else array
    order = None if ndim == 0 else _placed(ndim, ndmin, trans1d)
    return whole if order is None else np.transpose(whole, order)


@composite(
    np.r_.__getitem__,
    wrt="key",
    name="r_",
    spelling="np.r_.__getitem__",
    notes="np.r_[x, y]",
    examples=lambda r: [
        call((r.normal(3), r.normal(2))),
        call((r.normal(2), 1.5, slice(0, 3))),
        call((r.normal(2, 3), r.normal(1, 3))),
        call((slice(-1.0, 1.0, 4j), r.normal(2), [0.5, 1.0])),
        call(r.normal(3)),
    ],
)
def row_joined(key):
    return _index_joined(key, 0, 1, -1)


@composite(
    np.c_.__getitem__,
    wrt="key",
    name="c_",
    spelling="np.c_.__getitem__",
    notes="np.c_[x, y]",
    examples=lambda r: [
        call((r.normal(3), r.normal(3))),
        call((r.normal(3, 2), r.normal(3), slice(0, 3))),
        call((r.normal(1, 2), 1.5)),
    ],
)
def column_joined(key):
    return _index_joined(key, -1, 2, 0)
