"""Rules of what makes positions: nonzero, unravel_index, indices, ix_, diag_indices, ..."""

import numpy as np

from adc.rules.dims import Dim
from adc.rules.gathering import UNKNOWN
from adc.rules.registry import composite, constant, lowered
from adc.rules.sampler import call

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


def _is_outside(position, n):
    if np.ndim(position) == 0:
        return position < 0 or position >= n
    return np.any((position < 0) | (position >= n))


@lowered(np.unravel_index)
def unravel_index(indices, shape, order="C"):
    lengths = shape if isinstance(shape, (list, tuple)) else (shape,)
    rest = indices
    positions = ()
    for k in range(len(lengths)):
        n = lengths[len(lengths) - 1 - k] if order == "C" else lengths[k]
        if k == len(lengths) - 1 and _is_outside(rest, n):
            raise ValueError("index is out of bounds for an array of this size")
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
        elif _is_outside(position, n):
            raise ValueError("invalid entry in coordinates array")
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
