"""Rules of arrays with elements put in or left out: insert, delete, trim_zeros."""

import numpy as np

from adc.rules.reductions import in_dtype
from adc.rules.registry import composite, static
from adc.rules.sampler import call, corner


def _places(obj, n):
    """The positions along an axis of length n that a slice, a mask, a list or an array names."""
    if isinstance(obj, slice):
        return np.arange(n)[obj]
    named = np.array(obj) if isinstance(obj, (list, tuple)) else obj
    return np.flatnonzero(named) if named.dtype.kind == "b" else named


def _merged(places, n):
    """For each position of the longer axis where its element comes from: below n the old ones, then the new ones."""
    count = np.size(places)
    wrapped = np.where(places < 0, places + n, places)
    order = np.argsort(wrapped, kind="stable")
    taken = np.zeros(count, dtype=np.int64)
    taken[order] = wrapped[order] + np.arange(count)
    kept = np.ones(n + count)
    kept[taken] = 0.0
    source = np.zeros(n + count, dtype=np.int64)
    source[taken] = np.arange(n, n + count)
    source[np.flatnonzero(kept)] = np.arange(n)
    return source


@composite(
    np.insert,
    wrt="arr values",
    examples=lambda r: [
        (r.normal(4), 1, 0.5),
        (r.normal(4), -1, 0.5),
        (r.normal(4), 2, r.normal(3)),
        call(r.normal(2, 3), 1, r.normal(3), axis=0),
        call(r.normal(2, 3), 1, 0.5, axis=1),
        call(r.normal(2, 3), 1, r.normal(2), axis=1),
        call(r.normal(2, 3), 1, r.normal(3, 1), axis=1),
        call(r.normal(2, 3), (1,), r.normal(2, 1), axis=1),
        (r.normal(4), (3, 1), r.normal(2)),
        (r.normal(4), (0, 2), 1.5),
        call(r.normal(2, 3), (1, 2), r.normal(2, 1), axis=1),
        call(r.normal(2, 3), (2, 0), r.normal(3), axis=0),
        (r.normal(4), np.array([3, -4]), r.normal(2)),
        (r.normal(4), slice(1, 3), r.normal(2)),
        (r.normal(4), np.array([True, False, False, True]), 0.5),
    ],
)
def insert(arr, obj, values, axis=None):
    x = np.reshape(arr, (np.size(arr),)) if axis is None else arr
    k = 0 if axis is None else axis % np.ndim(arr)
    n = x.shape[k]
    before = (slice(None),) * k
    outer = np.shape(x)[:k]
    rest = np.shape(x)[k + 1 :]
    alone = isinstance(obj, (list, tuple)) and len(obj) == 1
    if alone or (not isinstance(obj, (list, tuple, slice)) and np.ndim(obj) == 0):
        given = obj[0] if alone else obj
        if not -n <= given <= n:
            raise IndexError("the index of an inserted element is out of bounds")
        position = given + n if given < 0 else given
        new = np.reshape(values, (1,) * (np.ndim(x) - np.ndim(values)) + np.shape(values))
        # The first axis of the values is that of the positions, where a single one is named without a list.
        new = in_dtype(new if alone else np.moveaxis(new, 0, k), arr.dtype)
        new = np.broadcast_to(new, outer + (np.shape(new)[k],) + rest)
        return np.concatenate(
            (x[before + (slice(0, position),)], new, x[before + (slice(position, n),)]), axis=k
        )
    places = _places(obj, n)
    new = in_dtype(np.broadcast_to(values, outer + (np.size(places),) + rest), arr.dtype)
    return np.concatenate((x, new), axis=k)[before + (_merged(places, n),)]


@composite(
    np.delete,
    wrt="arr",
    extra={"order": "A"},
    examples=lambda r: [
        (r.normal(4), 1),
        (r.normal(4), -1),
        call(r.normal(2, 3), 1, axis=1),
        (r.normal(2, 3), 2),
        (r.normal(5), (3, 0)),
        call(r.normal(3, 4), (1, 2), axis=1),
        call(r.normal(3, 4), slice(0, 2), axis=1),
        call(r.normal(5), slice(None, None, 2)),
        (r.normal(5), np.array([3, 0, -2])),
        call(r.normal(2, 3), np.array([True, False, True]), axis=1),
    ],
)
def delete(arr, obj, axis=None):
    x = np.reshape(arr, (np.size(arr),)) if axis is None else arr
    k = 0 if axis is None else axis % np.ndim(arr)
    n = x.shape[k]
    before = (slice(None),) * k
    if isinstance(obj, (list, tuple, slice)) or np.ndim(obj) > 0:
        kept = np.ones(n)
        kept[_places(obj, n)] = 0.0
        return x[before + (np.flatnonzero(kept),)]
    if not -n <= obj < n:
        raise IndexError("the index of a deleted element is out of bounds")
    position = obj + n if obj < 0 else obj
    return np.concatenate((x[before + (slice(0, position),)], x[before + (slice(position + 1, n),)]), axis=k)


@static
def _trimmed(axis, ndim):
    """The axes along which zeros are left out, each with all others."""
    axes = tuple(range(ndim)) if axis is None else axis if isinstance(axis, (list, tuple)) else (axis,)
    chosen = [range(ndim)[k] for k in axes]
    return tuple((k, tuple(j for j in range(ndim) if j != k)) for k in chosen)


@static
def _sides(trim):
    """Whether zeros are left out in front, and at the end."""
    sides = trim.lower()
    if sides not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {sides!r}")
    return "f" in sides, "b" in sides


@composite(
    np.trim_zeros,
    wrt="filt",
    examples=lambda r: [
        corner(np.array([0.0, 1.0, 0.0, 2.0, 0.0])),
        corner(np.array([0.0, 1.0]), "f"),
        corner(np.array([0.0, 1.0, 0.0]), "B"),
        r.nonzero(3),
        corner(np.zeros(3)),
        *[corner(np.array([[0.0, 1.0], [0.0, 0.0]]), "f", axis) for axis in (None, 1)]
        * (np.lib.NumpyVersion(np.__version__) >= "2.2.0"),
    ],
    notes="the number of zeros is piecewise constant",
)
def trim_zeros(filt, trim="fb", axis=None):
    in_front, at_the_end = _sides(trim)
    result = filt
    for k, others in _trimmed(axis, np.ndim(filt)):
        filled = np.flatnonzero(np.any(filt != 0.0, axis=others))
        first = filled[0] if in_front and np.size(filled) > 0 else 0
        last = np.shape(filt)[k] if np.size(filled) > 0 else 0
        if at_the_end and np.size(filled) > 0:
            last = filled[-1] + 1
        result = result[(slice(None),) * k + (slice(first, last),)]
    return result
