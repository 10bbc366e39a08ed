"""Rules of functions that rename, reverse or repeat axes: swapaxes, moveaxis, flip, rot90, roll, tile,
repeat, ...
"""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.element_calls import CUT_OFF, OF_THE_FIRST, loses_fractions
from adc.rules.movement import numbered
from adc.rules.reductions import axis_of
from adc.rules.registry import composite, linear, lowered, static
from adc.rules.sampler import call


@static
def swapped(axis1, axis2, ndim):
    return np.swapaxes(numbered(ndim), axis1, axis2).shape


@static
def moved(source, destination, ndim):
    """The order of axes that np.moveaxis gives."""
    return np.moveaxis(numbered(ndim), source, destination).shape


@static
def rolled(axis, start, ndim):
    return np.rollaxis(numbered(ndim), axis, start).shape


@composite(
    np.swapaxes, methods="swapaxes", examples=lambda r: [(r.normal(2, 3), 0, 1), (r.normal(2, 3, 4), -1, 0)]
)
def swapaxes(a, axis1, axis2):
    return np.transpose(a, swapped(axis1, axis2, np.ndim(a)))


@composite(
    np.moveaxis,
    examples=lambda r: [
        (r.normal(2, 3), 0, -1),
        (r.normal(2, 3, 4), (0, 1), (-1, 0)),
        (r.normal(2, 3, 4), [0, 1], [-1, -2]),
        (r.normal(2, 3, 4), 2, 0),
    ],
)
def moveaxis(a, source, destination):
    return np.transpose(a, moved(source, destination, np.ndim(a)))


@composite(
    np.rollaxis,
    examples=lambda r: [(r.normal(2, 3, 4), 2), (r.normal(2, 3, 4), 0, 3), (r.normal(2, 3, 4), -1, 1)],
)
def rollaxis(a, axis, start=0):
    return np.transpose(a, rolled(axis, start, np.ndim(a)))


@composite(
    np.matrix_transpose,
    *((np.linalg.matrix_transpose,) if hasattr(np.linalg, "matrix_transpose") else ()),
    methods="mT",
    examples=lambda r: [r.normal(2, 3), r.normal(4, 2, 3)],
)
def matrix_transpose(x):
    return np.swapaxes(x, -1, -2)


@composite(
    np.atleast_1d,
    wrt="arys",
    extra={"gives_back": True},
    examples=lambda r: [1.5, r.normal(3), (r.normal(2), 1.5)],
)
def atleast_1d(*arys):
    results = []
    for a in arys:
        results.append(np.reshape(a, (1,)) if np.ndim(a) == 0 else a)
    return results[0] if len(arys) == 1 else tuple(results)


@composite(
    np.atleast_2d,
    wrt="arys",
    extra={"gives_back": True},
    examples=lambda r: [1.5, r.normal(3), r.normal(2, 3), (r.normal(2), 1.5)],
)
def atleast_2d(*arys):
    results = []
    for a in arys:
        results.append(np.reshape(a, (1,) * (2 - np.ndim(a)) + np.shape(a)) if np.ndim(a) < 2 else a)
    return results[0] if len(arys) == 1 else tuple(results)


def _three(a):
    if np.ndim(a) == 0:
        return np.reshape(a, (1, 1, 1))
    if np.ndim(a) == 1:
        return np.reshape(a, (1, np.size(a), 1))
    return np.expand_dims(a, 2) if np.ndim(a) == 2 else a


@composite(
    np.atleast_3d,
    wrt="arys",
    extra={"gives_back": True},
    examples=lambda r: [1.5, r.normal(3), r.normal(2, 3), r.normal(2, 3, 2)],
)
def atleast_3d(*arys):
    results = []
    for a in arys:
        results.append(_three(a))
    return results[0] if len(arys) == 1 else tuple(results)


@static
def _reversing(axis, ndim):
    axes = range(ndim) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
    reversed_axes = {k % ndim for k in axes}
    return tuple(slice(None, None, -1) if k in reversed_axes else slice(None) for k in range(ndim))


@composite(
    np.flip,
    examples=lambda r: [
        r.normal(3),
        r.normal(2, 3),
        call(r.normal(2, 3), axis=1),
        call(r.normal(2, 3, 2), axis=(0, -1)),
    ],
)
def flip(m, axis=None):
    return m[_reversing(axis, np.ndim(m))]


@composite(np.fliplr, examples=lambda r: [r.normal(2, 3)])
def fliplr(m):
    return m[:, ::-1]


@composite(np.flipud, examples=lambda r: [r.normal(3), r.normal(2, 3)])
def flipud(m):
    return m[::-1]


@composite(
    np.rot90,
    examples=lambda r: [
        r.normal(2, 3),
        (r.normal(2, 3), 2),
        (r.normal(2, 3), -1),
        call(r.normal(2, 3, 4), axes=(1, 2)),
    ],
)
def rot90(m, k=1, axes=(0, 1)):
    turns = k % 4
    if turns == 0:
        return m
    if turns == 2:
        return np.flip(m, (axes[0], axes[1]))
    if turns == 1:
        return np.swapaxes(np.flip(m, axes[1]), axes[0], axes[1])
    return np.flip(np.swapaxes(m, axes[0], axes[1]), axes[1])


@static
def _paired(shift, axis):
    """(shift, axis) pairs."""
    if isinstance(axis, tuple):
        shifts = shift if isinstance(shift, tuple) else (shift,) * len(axis)
        return tuple(zip(shifts, axis, strict=True))
    return tuple((s, axis) for s in shift) if isinstance(shift, tuple) else ((shift, axis),)


@linear(
    np.roll,
    wrt="a",
    shape=lambda a, *_, **__: a.shape,
    examples=lambda r: [
        (r.normal(4), 1),
        (r.normal(2, 3), 2),
        (r.normal(2, 3), -1, 1),
        (r.normal(2, 3), (1, 1), (0, 1)),
        (r.normal(4), 7),
        (r.normal(0), 1),
    ],
)
def roll(z_bar, a, shift, axis=None):
    # An integer without a sign would be made a large one.
    if not isinstance(shift, tuple):
        return np.roll(z_bar, -int(shift), axis)
    back = ()
    for by in shift:
        back = back + (-int(by),)
    return np.roll(z_bar, back, axis)


@lowered(np.roll)
def roll_by_parts(a, shift, axis=None):
    if axis is None:
        return np.reshape(_rolled_along(np.ravel(a), shift, 0), np.shape(a))
    result = a
    for by, k in _paired(shift, axis):
        result = _rolled_along(result, by, k)
    return result


def _rolled_along(a, shift, axis):
    n = a.shape[axis]
    before = (slice(None),) * (axis % np.ndim(a))
    cut = n - shift % np.maximum(n, 1)
    return np.concatenate((a[before + (slice(cut, None),)], a[before + (slice(None, cut),)]), axis=axis)


@composite(
    np.tile,
    wrt="A",
    examples=lambda r: [
        (r.normal(3), 2),
        (r.normal(3), (2, 3)),
        (r.normal(2, 3), (2, 1)),
        (r.normal(2, 3), 2),
        (1.5, 3),
        (r.normal(2, 3), (2, 1, 2)),
        (r.normal(2, 3), [1, 3]),
    ],
)
def tile(A, reps):
    times = tuple(reps) if isinstance(reps, (list, tuple)) else (reps,)
    ndim = max(len(times), np.ndim(A))
    times = (1,) * (ndim - len(times)) + times
    lengths = (1,) * (ndim - np.ndim(A)) + np.shape(A)
    apart = ()
    stretched = ()
    result = ()
    for k in range(ndim):
        apart = apart + (1, lengths[k])
        stretched = stretched + (times[k], lengths[k])
        result = result + (times[k] * lengths[k],)
    tiled = np.reshape(np.broadcast_to(np.reshape(A, apart), stretched), result)
    return np.copy(tiled)


@composite(
    np.repeat,
    methods="repeat",
    examples=lambda r: [
        (r.normal(3), 2),
        (r.normal(2, 3), 2),
        (r.normal(2, 3), 2, 1),
        call(r.normal(2, 3), 2, axis=0),
        (1.5, 3),
        call(1.5, 3, axis=0),
        (r.normal(3), np.array([1, 0, 2])),
        call(r.normal(2, 3), np.array([2, 1]), axis=0),
        (r.normal(3), np.array([2])),
    ],
)
def repeat(a, repeats, axis=None):
    axis = axis_of(a, axis)
    x = np.reshape(a, (np.size(a),)) if axis is None else a
    k = 0 if axis is None else axis % np.ndim(a)
    lengths = np.shape(x)
    n = lengths[k]
    if np.ndim(repeats) == 0:
        stretched = np.broadcast_to(
            np.expand_dims(x, k + 1), lengths[: k + 1] + (repeats,) + lengths[k + 1 :]
        )
        repeated = np.reshape(stretched, lengths[:k] + (n * repeats,) + lengths[k + 1 :])
        return np.copy(repeated)
    each = repeats + np.zeros(n, dtype=int)  # as many as there are elements, or one
    if np.any(each < 0):
        raise ValueError("repeats may not contain negative values.")
    positions = np.searchsorted(np.cumsum(each), np.arange(np.sum(each)), side="right")
    return x[(slice(None),) * k + (positions,)]


@composite(np.resize, examples=lambda r: [(r.normal(3), 5), (r.normal(2, 3), (4, 2)), (r.normal(4), (1, 2))])
def resize(a, new_shape):
    shape = new_shape if isinstance(new_shape, tuple) else (new_shape,)
    total = 1
    for n in shape:
        total = total * n
    return np.reshape(np.ravel(a)[np.remainder(np.arange(total), np.size(a))], shape)


@composite(
    np.broadcast_arrays,
    wrt="args",
    extra={"gives_back": True},
    examples=lambda r: [(r.normal(3), r.normal(2, 1)), (1.5, r.normal(2))],
)
def broadcast_arrays(*args):
    total = 0.0
    for a in args:
        # Only the shape of the sum is used.
        total = total + np.zeros_like(a)
    results = []
    for a in args:
        results.append(np.broadcast_to(a, np.shape(total)))
    return tuple(results)


@static
def _is_turned(indexing):
    """Whether the first two axes change places."""
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    return indexing == "xy"


@composite(
    np.meshgrid,
    wrt="xi",
    examples=lambda r: [
        (r.normal(2), r.normal(3)),
        call(r.normal(2), r.normal(3), indexing="ij"),
        call(r.normal(2), r.normal(3), r.normal(4)),
        call(r.normal(2), r.normal(3), sparse=True),
        r.normal(3),
    ],
)
def meshgrid(*xi, indexing="xy", sparse=False, copy=True):
    ndim = len(xi)
    lengths = ()
    for x in xi:
        lengths = lengths + (np.size(x),)
    swap = _is_turned(indexing) and ndim > 1
    if swap:
        lengths = (lengths[1], lengths[0]) + lengths[2:]
    results = []
    for k in range(ndim):
        axis = (1 - k) if swap and k < 2 else k
        column = np.reshape(xi[k], (1,) * axis + (np.size(xi[k]),) + (1,) * (ndim - 1 - axis))
        grid = column if sparse else np.broadcast_to(column, lengths)
        results.append(np.copy(grid) if copy else grid)
    return tuple(results)


@static
def _windowed(axis, ndim, count):
    """The axes along which windows slide, one for each of their lengths."""
    axes = range(ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    if len(axes) != count:
        raise ValueError(f"Must provide matching length window_shape and axis; got {count} and {len(axes)}")
    return tuple(k % ndim for k in axes)


@composite(
    np.lib.stride_tricks.sliding_window_view,
    spelling="np.lib.stride_tricks.sliding_window_view",
    name="sliding_window_view",
    extra={"view": True},
    notes="a copy",
    examples=lambda r: [
        (r.normal(6), 3),
        (r.normal(3, 4), (2, 3)),
        call(r.normal(3, 5), 2, axis=1),
        call(r.normal(3, 4, 2), (2, 2), axis=(1, 0)),
        (r.normal(3), 3),
    ],
)
def sliding_window_view(x, window_shape, axis=None):
    lengths = window_shape if isinstance(window_shape, (tuple, list)) else (window_shape,)
    axes = _windowed(axis, np.ndim(x), len(lengths))
    result = x
    for k in range(len(lengths)):
        places = result.shape[axes[k]] - lengths[k] + 1
        if places < 1:
            raise ValueError("window shape cannot be larger than input array shape")
        positions = np.arange(places)[:, np.newaxis] + np.arange(lengths[k])
        windows = result[(slice(None),) * axes[k] + (positions,)]
        result = np.moveaxis(windows, axes[k] + 1, -1)
    return result


# --- the user's function along axes -------------------------------------------------------------------------


@static
def _check_first(parts):
    if loses_fractions(parts):
        raise UnsupportedError(
            f"np.apply_along_axis {OF_THE_FIRST} here", why=CUT_OFF, repair="Return 0.0 for 0."
        )


@composite(
    np.apply_along_axis,
    wrt="arr args",
    extra={"order": "A"},
    examples=lambda r: [
        (np.cumsum, 0, r.normal(3, 2)),
        (np.sum, 1, r.normal(2, 3, 2)),
        (np.diff, -1, r.normal(2, 3)),
        (np.diag, 0, r.normal(2, 3)),
        (np.prod, 0, r.normal(3)),
        (np.convolve, 1, r.normal(2, 4), r.normal(3), "same"),
        (np.quantile, 0, r.distinct(4), 0.3),
    ],
)
def apply_along_axis(func1d, axis, arr, *args):
    moved = np.moveaxis(arr, axis, -1)
    if np.ndim(arr) == 1:
        found = func1d(moved, *args)
        return np.copy(found) if np.ndim(found) else found
    outer = np.shape(moved)[:-1]
    rows = np.reshape(moved, (-1, moved.shape[-1]))
    parts = []
    for k in range(rows.shape[0]):
        parts.append(func1d(rows[k], *args))
    _check_first(parts)
    joined = np.stack(tuple(parts))
    own = np.shape(joined)[1:]
    first = axis % np.ndim(arr)
    sources = tuple(range(len(outer), len(outer) + len(own)))
    return np.moveaxis(np.reshape(joined, outer + own), sources, tuple(range(first, first + len(own))))


@composite(
    np.apply_over_axes,
    wrt="a",
    examples=lambda r: [
        (np.sum, r.normal(2, 3, 2), (0, -1)),
        (np.cumsum, r.normal(2, 3), [1]),
        (np.max, r.distinct(2, 3), 0),
    ],
)
def apply_over_axes(func, a, axes):
    result = a
    for axis in axes if isinstance(axes, (list, tuple)) else (axes,):
        k = tuple(range(np.ndim(a)))[axis]
        found = func(result, k)
        result = found if np.ndim(found) == np.ndim(a) else np.expand_dims(found, k)
    return result
