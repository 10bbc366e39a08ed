"""Rules of operations that move elements without changing them: reshape, transpose, where, ..."""

import math
from dataclasses import replace

import numpy as np

from adc.rules import shapes
from adc.rules.dims import Dim
from adc.rules.registry import composite, linear, named
from adc.rules.sampler import call


def _reshaped(a, shape, *_, **__):
    lengths = [Dim.of(d) for d in (shape if isinstance(shape, tuple) else (shape,))]
    if Dim(-1) in lengths:
        known = tuple(d for d in lengths if d != Dim(-1))
        lengths[lengths.index(Dim(-1))] = _missing(shapes.shape_of(a), known)
    return tuple(lengths)


def _missing(shape, known):
    """The length that -1 stands for. Equal factors are struck: NumPy refuses -1 where one of them is zero."""
    number, factors = _factored(shape)
    divisor, others = _factored(known)
    for d in tuple(others):
        if d in factors:
            factors.remove(d)
            others.remove(d)
    common = math.gcd(number, divisor) or 1
    total = shapes.size(tuple(factors)) * (number // common)
    rest = shapes.size(tuple(others)) * (divisor // common)
    if rest == Dim(1):
        return total
    return total // rest.const if rest.known else Dim.symbol("quotient", total, rest)


def _factored(shape):
    """The number of elements as a number and unknown lengths."""
    number, factors = 1, []
    for length in shape:
        for d in length.factors:
            if d.known is None:
                factors.append(d)
            else:
                number *= d.const
    return number, factors


@linear(
    np.reshape,
    wrt="a",
    shape=_reshaped,
    examples=lambda r: [
        (r.normal(6), (2, 3)),
        (r.normal(2, 3), 6),
        (r.normal(2, 3), (3, -1)),
        (r.normal(2, 3), -1),
    ],
)
def reshape(z_bar, a, shape):
    return np.reshape(z_bar, np.shape(a))


@linear(
    np.ravel,
    wrt="a",
    methods="ravel flatten",
    shape=lambda a: (shapes.size(shapes.shape_of(a)),),
    examples=lambda r: [r.normal(6), r.normal(2, 3)],
)
def ravel(z_bar, a):
    return np.reshape(z_bar, np.shape(a))


def numbered(ndim):
    """An array whose axes tell where they went: axis k has the length k."""
    return np.empty(tuple(range(ndim)))


def _transposed(a, axes=None):
    return tuple(a.shape[k] for k in np.transpose(numbered(a.ndim), axes).shape)


@linear(
    np.transpose,
    wrt="a",
    methods="T",
    shape=_transposed,
    examples=lambda r: [
        r.normal(3),
        r.normal(2, 3),
        call(r.normal(2, 3, 4), (1, 2, 0)),
        call(r.normal(2, 3, 4), axes=(0, -1, 1)),
    ],
)
def transpose(z_bar, a, axes=None):
    if axes is None:
        return np.transpose(z_bar)
    inverse = [0] * len(axes)
    for position, axis in enumerate(axes):
        inverse[axis % len(axes)] = position
    return np.transpose(z_bar, tuple(inverse))


@linear(
    np.where,
    wrt="x y",
    cost=1,
    shape=lambda condition, x, y: None,
    examples=lambda r: [
        (r.mask(4), r.normal(4), r.normal(4)),
        (r.mask(2, 3), r.normal(3), 0.5),
        (True, 1.5, 2.5),
    ],
)
def where(z_bar, condition, x, y):
    return np.where(condition, z_bar, 0.0), np.where(condition, 0.0, z_bar)


# `where(z_bar != 0.0, product, 0.0)` as an adjoint is made: a zero contributes zero even where a partial is infinite.
# It is the product for all z_bar, and that is what its own derivative follows.
unless_zero = replace(named("where"), extra={"unless_zero": True})


def stretched(lengths, others):
    """The lengths that arrays of these lengths are broadcast to."""
    return np.shape(np.zeros(lengths + (0,)) + np.zeros(others + (0,)))[:-1]


@linear(
    np.broadcast_to,
    wrt="array",
    shape=lambda array, shape: tuple(Dim.of(d) for d in (shape if isinstance(shape, tuple) else (shape,))),
    examples=lambda r: [(r.normal(3), (2, 3)), (1.5, (2,)), (r.normal(2, 1), (2, 3))],
)
def broadcast_to(z_bar, array, shape):
    return z_bar


def _expanded(a, axis):
    pattern = np.shape(np.expand_dims(np.empty((0,) * a.ndim), axis))  # raises what NumPy raises
    lengths = iter(a.shape)
    return tuple(Dim(1) if length == 1 else next(lengths) for length in pattern)


@linear(
    np.expand_dims,
    wrt="a",
    shape=_expanded,
    examples=lambda r: [(r.normal(3), 0), (r.normal(3), -1), (r.normal(2, 3), (0, 2))],
)
def expand_dims(z_bar, a, axis):
    return np.reshape(z_bar, np.shape(a))


def _squeezed(a, axis=None):
    if axis is None:
        return tuple(d for d in a.shape if d.known != 1)
    axes = shapes.normalize_axes(axis, a.ndim)
    return tuple(d for k, d in enumerate(a.shape) if k not in axes)


@linear(
    np.squeeze,
    wrt="a",
    methods="squeeze",
    shape=_squeezed,
    extra={"gives_back": True},
    examples=lambda r: [(r.normal(1, 3), 0), r.normal(2, 1), (r.normal(1, 2, 1), (0, 2))],
)
def squeeze(z_bar, a, axis=None):
    return np.reshape(z_bar, np.shape(a))


def _joined(arrays, axis=0, require=lambda x, y: None):
    if axis is None:
        return (sum((shapes.size(shapes.shape_of(a)) for a in arrays), Dim(0)),)
    first = arrays[0].shape
    if not first:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    k = axis % len(first)
    total = Dim(0)
    for a in arrays:
        total = total + a.shape[k]
        shapes.require_alike(first, a.shape, require, but=k)
    return (*first[:k], total, *first[k + 1 :])


@linear(
    np.concatenate,
    wrt="arrays",
    shape=_joined,
    examples=lambda r: [
        call((r.normal(2), r.normal(3))),
        call((r.normal(2, 3), r.normal(1, 3))),
        call((r.normal(2, 3), r.normal(2, 2)), axis=1),
        call((r.normal(2, 3), r.normal(2, 2)), axis=-1),
        call((r.normal(2, 3), r.normal(2)), axis=None),
    ],
)
def concatenate(z_bar, arrays, axis=0):
    bars = []
    start = 0
    if axis is None:
        for a in arrays:
            stop = start + np.size(a)
            bars.append(np.reshape(z_bar[start:stop], np.shape(a)))
            start = stop
        return tuple(bars)
    for a in arrays:
        stop = start + a.shape[axis]
        index = [slice(None)] * z_bar.ndim
        index[axis] = slice(start, stop)
        bars.append(z_bar[tuple(index)])
        start = stop
    return tuple(bars)


def _stacked(arrays, axis=0, require=lambda x, y: None):
    first = shapes.shape_of(arrays[0])
    for a in arrays[1:]:
        shapes.require_alike(first, shapes.shape_of(a), require)
    k = axis % (len(first) + 1)
    return (*first[:k], Dim(len(arrays)), *first[k:])


@linear(
    np.stack,
    wrt="arrays",
    shape=_stacked,
    examples=lambda r: [
        call((r.normal(2), r.normal(2))),
        call((r.normal(2, 3), r.normal(2, 3)), axis=1),
        call((r.normal(2, 3), r.normal(2, 3)), axis=-1),
    ],
)
def stack(z_bar, arrays, axis=0):
    bars = []
    for k in range(len(arrays)):
        index = [slice(None)] * z_bar.ndim
        index[axis] = k
        bars.append(z_bar[tuple(index)])
    return tuple(bars)


if hasattr(np, "astype"):  # NumPy 2.1

    @composite(np.astype, wrt="x", examples=lambda r: [(r.normal(3), float), (r.normal(2, 3), np.float64)])
    def astype(x, dtype):
        return x.astype(dtype)
