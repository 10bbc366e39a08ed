"""Rules of reductions over axes."""

import numpy as np

from adc.rules import shapes
from adc.rules.elementary import root
from adc.rules.registry import composite, constant, linear, pull, push, static
from adc.rules.sampler import call


def _axis_examples(r):
    return [
        r.normal(3),
        r.normal(2, 3),
        call(r.normal(2, 3), axis=1),
        call(r.normal(2, 3), axis=0, keepdims=True),
        call(r.normal(2, 3), axis=-1),
        call(r.normal(2, 3, 4), axis=(0, 2)),
        call(r.normal(2, 3), keepdims=True),
    ]


def _distinct_axis_examples(r):
    return [
        r.distinct(3),
        r.distinct(2, 3),
        call(r.distinct(2, 3), axis=1),
        call(r.distinct(2, 3), axis=0, keepdims=True),
        call(r.distinct(2, 3), axis=-1),
        call(r.distinct(2, 3, 4), axis=(0, 2)),
    ]


def expanded(z, axis, keepdims):
    """A reduced array with the reduced axes put back with length 1."""
    if axis is None or keepdims:
        return z
    return np.expand_dims(z, axis)


def without_nan(a, value):
    """An array with a value in place of NaN; integers and truth values as they are."""
    return np.where(np.isnan(a), value, a) if may_be_nan(a) else a


def may_be_nan(a):
    return np.ndim(a) == 0 or a.dtype.kind in "fc"


def as_floats(a):
    """An array with which NumPy computes in floats, of integers in double precision."""
    return a if may_be_nan(a) else a.astype(np.float64)


def in_dtype(x, dtype):
    """A number or array with another dtype, or itself where it has that."""
    return x if np.result_type(x) == dtype else x.astype(dtype)


def count(a, axis):
    """How many elements are reduced into one."""
    if axis is None:
        return np.size(a)
    n = 1
    for k in axis if isinstance(axis, tuple) else (axis,):
        n = n * a.shape[k]
    return n


def axis_of(a, axis):
    """The axis of a call of functions that take axis 0 of an array without axes for no axis."""
    return axis if np.ndim(a) else None


@linear(np.sum, wrt="a", methods="sum", shape=shapes.reduced, examples=_axis_examples)
def sum(z_bar, a, axis=None, keepdims=False):
    return np.broadcast_to(expanded(z_bar, axis_of(a, axis), keepdims), np.shape(a))


@linear(np.mean, wrt="a", methods="mean", shape=shapes.reduced, examples=_axis_examples)
def mean(z_bar, a, axis=None, keepdims=False):
    return np.broadcast_to(expanded(z_bar, axis, keepdims) / count(a, axis), np.shape(a))


def _first_hit(a, z, axis):
    """True at the element that argmax/argmin over `axis` would choose: the first that equals the extreme,
    or is NaN.
    """
    if axis is None or np.ndim(a) == 0:  # NumPy takes the axis 0 of an array without axes
        return np.reshape(np.arange(np.size(a)), np.shape(a)) == np.argmax((a == z) | np.isnan(a))
    along = [1] * np.ndim(a)
    for k in axis if isinstance(axis, tuple) else (axis,):
        along[k] = a.shape[k]
    positions = np.reshape(np.arange(count(a, axis)), tuple(along))
    if isinstance(axis, int):
        return positions == np.argmax((a == z) | np.isnan(a), axis=axis, keepdims=True)
    hits = np.where((a == z) | np.isnan(a), positions, count(a, axis))
    return positions == np.min(hits, axis=axis, keepdims=True)


@pull(
    np.max,
    np.amax,
    wrt="a",
    methods="max",
    shape=shapes.reduced,
    cost=2,
    examples=_distinct_axis_examples,
    notes="a tie goes to the first element, as argmax chooses",
)
def max_pull(z_bar, z, a, axis=None, keepdims=False):
    chosen = _first_hit(a, expanded(z, axis, keepdims), axis)
    return np.where(chosen, expanded(z_bar, axis, keepdims), 0.0)


@push(np.max)
def max_push(z, a, axis=None, keepdims=False, *, a_dot):
    chosen = _first_hit(a, expanded(z, axis, keepdims), axis)
    return np.sum(np.where(chosen, a_dot, 0.0), axis=axis, keepdims=keepdims)


@pull(
    np.min,
    np.amin,
    wrt="a",
    methods="min",
    shape=shapes.reduced,
    cost=2,
    examples=_distinct_axis_examples,
    notes="a tie goes to the first element, as argmin chooses",
)
def min_pull(z_bar, z, a, axis=None, keepdims=False):
    chosen = _first_hit(a, expanded(z, axis, keepdims), axis)
    return np.where(chosen, expanded(z_bar, axis, keepdims), 0.0)


@push(np.min)
def min_push(z, a, axis=None, keepdims=False, *, a_dot):
    chosen = _first_hit(a, expanded(z, axis, keepdims), axis)
    return np.sum(np.where(chosen, a_dot, 0.0), axis=axis, keepdims=keepdims)


def flattened(a, axis):
    """The reduced axes merged into one, which comes last."""
    if axis is None:
        return np.reshape(a, (np.size(a),))
    if not isinstance(axis, tuple):
        return np.moveaxis(a, axis, -1)
    moved = np.moveaxis(a, axis, tuple(range(-len(axis), 0)))
    return np.reshape(moved, np.shape(moved)[: np.ndim(a) - len(axis)] + (count(a, axis),))


def _unflattened(flat, a, axis):
    """The inverse of `flattened`, for an array of the shape of `a`."""
    if axis is None:
        return np.reshape(flat, np.shape(a))
    if not isinstance(axis, tuple):
        return np.moveaxis(flat, -1, axis)
    ends = tuple(range(-len(axis), 0))
    return np.moveaxis(np.reshape(flat, np.shape(np.moveaxis(a, axis, ends))), ends, axis)


def _others(a, axis):
    """For each element, the product of all others that are reduced with it: exact where elements are zero."""
    flat = flattened(a, axis)
    before = np.cumprod(_shifted(flat), axis=-1)
    after = np.flip(np.cumprod(_shifted(np.flip(flat, -1)), axis=-1), -1)
    return _unflattened(before * after, a, axis)


def _shifted(flat):
    """One, then all elements of the last axis but the last one."""
    return np.concatenate((np.ones_like(flat[..., :1]), flat[..., :-1]), axis=-1)


@pull(
    np.prod,
    wrt="a",
    methods="prod",
    shape=shapes.reduced,
    cost=2,
    notes="exact where elements are zero",
    examples=lambda r: [
        *_axis_examples(r),
        np.array([2.0, 0.0, 3.0]),
        np.array([2.0, 0.0, 0.0]),
        call(np.array([[0.0, 2.0], [3.0, 4.0]]), axis=1),
        r.normal(1),
    ],
)
def prod_pull(z_bar, z, a, axis=None, keepdims=False):
    axis = axis_of(a, axis)
    return expanded(z_bar, axis, keepdims) * _others(a, axis)


@push(np.prod)
def prod_push(z, a, axis=None, keepdims=False, *, a_dot):
    axis = axis_of(a, axis)
    return np.sum(_others(a, axis) * a_dot, axis=axis, keepdims=keepdims)


@composite(np.ptp, examples=_distinct_axis_examples, notes="ties as max and min")
def ptp(a, axis=None, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@static
def _is_zero(ddof):
    return isinstance(ddof, int) and ddof == 0


def degrees(n, ddof):
    """What the squares of `n` elements are divided by: zero where there are fewer than are taken off."""
    return n if _is_zero(ddof) else max(n - ddof, 0)


def squared(x):
    """The squares of numbers, or of the absolute values of complex ones."""
    return np.real(x) ** 2 + np.imag(x) ** 2 if np.iscomplexobj(x) else x * x


def _variance(a, axis, ddof, keepdims):
    centred = a - np.mean(a, axis=axis, keepdims=True)
    squares = squared(centred)
    return np.sum(squares, axis=axis, keepdims=keepdims) / degrees(count(a, axis), ddof)


@composite(
    np.var,
    methods="var",
    examples=lambda r: [*_axis_examples(r), call(r.normal(4), ddof=1), call(r.normal(2, 3), axis=1, ddof=1)],
)
def var(a, axis=None, ddof=0, keepdims=False):
    return _variance(a, axis, ddof, keepdims)


@composite(
    np.std,
    methods="std",
    notes="0 where all elements are equal",
    examples=lambda r: [
        *_axis_examples(r),
        call(r.normal(4), ddof=1),
        call(r.normal(2, 3), axis=1, ddof=1),
        np.ones(3),
    ],
)
def std(a, axis=None, ddof=0, keepdims=False):
    return root(_variance(a, axis, ddof, keepdims))


@static
def _ascending(axes, ndim):
    """The order in which axes ascend."""
    return tuple(sorted(range(len(axes)), key=lambda k: axes[k] % ndim))


@static
def _is_among(k, axes, ndim):
    return k in [axis % ndim for axis in axes]


@composite(
    np.average,
    wrt="a weights",
    examples=lambda r: [
        r.normal(3),
        call(r.normal(2, 3), axis=1),
        call(r.normal(3), weights=r.positive(3)),
        call(r.normal(2, 3), axis=1, weights=r.positive(3)),
        call(r.normal(2, 3), weights=r.positive(2, 3)),
        call(r.normal(2, 3), axis=0, weights=r.positive(2), returned=True),
        call(r.normal(2, 3, 4), axis=(2, 0), weights=r.positive(4, 2)),
    ],
)
def average(a, axis=None, weights=None, returned=False, keepdims=False):
    if weights is None:
        total = np.mean(a, axis=axis, keepdims=keepdims)
        if returned:
            return total, np.zeros_like(total) + count(a, axis)
        return total
    dtype = np.result_type(weights if may_be_nan(a) else np.float64, a, weights)
    w = in_dtype(weights, dtype)
    if np.ndim(w) != np.ndim(a):
        axes = axis if isinstance(axis, (list, tuple)) else (axis,)
        w = np.transpose(w, _ascending(axes, np.ndim(a)))
        for k in range(np.ndim(a)):
            if not _is_among(k, axes, np.ndim(a)):
                w = np.expand_dims(w, k)
            elif w.shape[k] != a.shape[k]:
                raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    else:
        for k in range(np.ndim(a)):
            if w.shape[k] != a.shape[k]:
                raise TypeError("Axis must be specified when shapes of a and weights differ.")
    scale = np.sum(np.broadcast_to(w, np.shape(a)), axis=axis, keepdims=keepdims)
    total = np.sum(a * w, axis=axis, keepdims=keepdims) / scale
    if returned:
        return total, scale
    return total


for function in (np.argmax, np.argmin):
    constant(
        function,
        parameters="a, axis=None, keepdims=False",
        methods=function.__name__,
        shape=lambda a, axis=None, keepdims=False: shapes.reduced(a, axis if a.ndim else None, keepdims),
        examples=lambda r: [*_distinct_axis_examples(r)[:4], call(0.5, axis=0)],
    )
for test in (np.any, np.all):
    constant(
        test,
        parameters="a, axis=None, keepdims=False",
        methods=test.__name__,
        shape=shapes.reduced,
        examples=_axis_examples,
    )
constant(
    np.count_nonzero,
    parameters="a, axis=None, keepdims=False",
    shape=shapes.reduced,
    examples=lambda r: [*_axis_examples(r), 0.5, 3],
)
constant(
    np.nanargmax,
    parameters="a, axis=None, keepdims=False",
    shape=shapes.reduced,
    examples=lambda r: [np.array([1.0, np.nan, 2.0])],
)
constant(
    np.nanargmin,
    parameters="a, axis=None, keepdims=False",
    shape=shapes.reduced,
    examples=lambda r: [np.array([1.0, np.nan, 2.0])],
)
