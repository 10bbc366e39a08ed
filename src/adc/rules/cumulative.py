"""Rules of running sums, products and extremes, and of the linear recurrence that their derivatives are
made of.
"""

import math
import operator

import numpy as np

from adc.rules import shapes
from adc.rules.gathering import scatter_along_axis
from adc.rules.reductions import axis_of, without_nan
from adc.rules.registry import composite, linear, lowered, pull, push, static
from adc.rules.sampler import call


def recurrence(a, b):
    """The y with y[0] = b[0] and y[k] = a[k] * y[k-1] + b[k] along the first axis. Its adjoint is one too."""
    y = np.zeros_like(b)
    n = b.shape[0]
    y[:1] = b[:1]
    for k in range(1, n):
        y[k] = a[k] * y[k - 1] + b[k]
    return y


def _backwards(a, y_bar):
    """The u with u[k] = y_bar[k] + a[k+1] * u[k+1]."""
    shifted = np.concatenate((np.ones_like(a[:1]), np.flip(a[1:], 0)))
    return np.flip(recurrence(shifted, np.flip(y_bar, 0)), 0)


def _previous(y):
    """y[k-1], and 0 before the first."""
    return np.concatenate((np.zeros_like(y[:1]), y[:-1]))


@pull(
    recurrence,
    wrt="a b",
    name="recurrence",
    spelling="recurrence",
    cost=4,
    shape=lambda a, b: shapes.shape_of(b),
    examples=lambda r: [
        (r.normal(4), r.normal(4)),
        (r.normal(3, 2), r.normal(3, 2)),
        (r.normal(1), r.normal(1)),
        (r.normal(0), r.normal(0)),
    ],
)
def recurrence_pull(y_bar, y, a, b):
    b_bar = _backwards(a, y_bar)
    return b_bar * _previous(y), b_bar


@push(recurrence)
def recurrence_push(y, a, b, *, a_dot, b_dot):
    return recurrence(a, b_dot + a_dot * _previous(y))


lowered(recurrence)(recurrence)


def _running(a, axis=None):
    shape = shapes.shape_of(a)
    return (shapes.size(shape),) if axis is None or not shape else shape


def _axis_examples(r):
    return [
        r.nonzero(4),
        call(r.nonzero(2, 3)),
        call(r.nonzero(2, 3), axis=0),
        call(r.nonzero(2, 3), axis=1),
        call(r.nonzero(2, 3, 2), axis=-2),
        r.normal(1),
        r.normal(0),
        call(0.7, axis=0),
    ]


@linear(np.cumsum, wrt="a", methods="cumsum", shape=_running, examples=_axis_examples)
def cumsum(z_bar, a, axis=None):
    axis = axis_of(a, axis)  # NumPy takes axis 0 of a number for none
    if axis is None:
        return np.reshape(np.flip(np.cumsum(np.flip(z_bar, 0)), 0), np.shape(a))
    return np.flip(np.cumsum(np.flip(z_bar, axis), axis=axis), axis)


def widened(a):
    """An array as NumPy adds it up: truth values and small integers as integers of 64 bits."""
    if np.ndim(a) == 0:
        return a + 0
    kind = a.dtype.kind
    if kind == "b" or (kind == "i" and a.dtype.itemsize < 8):
        return a.astype(np.int64)
    return a.astype(np.uint64) if kind == "u" and a.dtype.itemsize < 8 else a


def _along_rows(a, axis, step, start):
    """What `step` makes of the elements so far, row by row: the running value is a number."""
    rows = (1, np.size(a)) if axis is None else (math.prod(a.shape[:-1]), a.shape[-1])
    x = np.reshape(a, rows) if axis is None or np.ndim(a) != 2 else a
    y = np.zeros_like(x)
    for i in range(x.shape[0]):
        total = start
        for k in range(x.shape[1]):
            total = step(total, x[i, k])
            y[i, k] = total
    return np.ravel(y) if axis is None else np.reshape(y, np.shape(a))


def _along_first(a, axis, step):
    """The same for another axis than the last: the running values are rows."""
    x = np.moveaxis(a, axis, 0)
    y = np.zeros_like(x)
    n = x.shape[0]
    y[:1] = x[:1]
    for k in range(1, n):
        y[k] = step(y[k - 1], x[k])
    return np.moveaxis(y, 0, axis)


@lowered(np.cumsum)
def cumsum_loop(a, axis=None):
    axis = axis_of(a, axis)
    if axis is None or axis % np.ndim(a) == np.ndim(a) - 1:
        return _along_rows(widened(a), axis, operator.add, 0)
    return _along_first(widened(a), axis, operator.add)


@pull(
    np.cumprod,
    wrt="a",
    methods="cumprod",
    shape=_running,
    cost=2,
    notes="exact where elements are zero",
    examples=lambda r: [*_axis_examples(r), np.array([2.0, 0.0, 3.0, 0.0, 4.0])],
)
def cumprod_pull(z_bar, z, a, axis=None):
    axis = axis_of(a, axis)
    if axis is None:
        return np.reshape(_product_pull(z_bar, z, np.ravel(a)), np.shape(a))
    x_bar = _product_pull(np.moveaxis(z_bar, axis, 0), np.moveaxis(z, axis, 0), np.moveaxis(a, axis, 0))
    return np.moveaxis(x_bar, 0, axis)


def _product_pull(z_bar, z, x):
    before = np.concatenate((np.ones_like(z[:1]), z[:-1]))
    return before * _backwards(x, z_bar)


@push(np.cumprod)
def cumprod_push(z, a, axis=None, *, a_dot):
    axis = axis_of(a, axis)
    if axis is None:
        return _product_push(z, np.ravel(a), np.ravel(a_dot))
    return np.moveaxis(
        _product_push(np.moveaxis(z, axis, 0), np.moveaxis(a, axis, 0), np.moveaxis(a_dot, axis, 0)), 0, axis
    )


def _product_push(z, x, x_dot):
    before = np.concatenate((np.ones_like(z[:1]), z[:-1]))
    return recurrence(x, before * x_dot)


@lowered(np.cumprod)
def cumprod_loop(a, axis=None):
    axis = axis_of(a, axis)
    if axis is None or axis % np.ndim(a) == np.ndim(a) - 1:
        return _along_rows(widened(a), axis, operator.mul, 1)
    return _along_first(widened(a), axis, operator.mul)


def record_positions(a, z):
    """For each position along the first axis, where the running extreme `z` of `a` was met first or again."""
    positions = np.reshape(np.arange(a.shape[0]), (a.shape[0],) + (1,) * (np.ndim(a) - 1))
    return np.maximum.accumulate(np.where(a == z, positions, 0), axis=0)


def running_maximum(array, axis=0):
    x = array if np.ndim(array) == 1 else np.moveaxis(array, axis, 0)
    y = np.zeros_like(x)
    n = x.shape[0]
    y[:1] = x[:1]
    for k in range(1, n):
        y[k] = np.maximum(y[k - 1], x[k])
    return y if np.ndim(array) == 1 else np.moveaxis(y, 0, axis)


def running_minimum(array, axis=0):
    x = array if np.ndim(array) == 1 else np.moveaxis(array, axis, 0)
    y = np.zeros_like(x)
    n = x.shape[0]
    y[:1] = x[:1]
    for k in range(1, n):
        y[k] = np.minimum(y[k - 1], x[k])
    return y if np.ndim(array) == 1 else np.moveaxis(y, 0, axis)


def _scattered(z_bar, z, a, axis):
    x = np.moveaxis(a, axis, 0)
    chosen = record_positions(x, np.moveaxis(z, axis, 0))
    return np.moveaxis(scatter_along_axis(np.moveaxis(z_bar, axis, 0), chosen, 0, x.shape[0]), 0, axis)


def _picked(a_dot, z, a, axis):
    x = np.moveaxis(a, axis, 0)
    chosen = record_positions(x, np.moveaxis(z, axis, 0))
    return np.moveaxis(np.take_along_axis(np.moveaxis(a_dot, axis, 0), chosen, axis=0), 0, axis)


@pull(
    np.maximum.accumulate,
    wrt="array",
    name="maximum.accumulate",
    spelling="np.maximum.accumulate",
    cost=4,
    shape=lambda array, axis=0: array.shape,
    notes="a tie goes to the later element",
    examples=lambda r: [r.distinct(5), call(r.distinct(2, 4), axis=1)],
)
def maximum_accumulate_pull(z_bar, z, array, axis=0):
    return _scattered(z_bar, z, array, axis)


@push(np.maximum.accumulate)
def maximum_accumulate_push(z, array, axis=0, *, array_dot):
    return _picked(array_dot, z, array, axis)


@pull(
    np.minimum.accumulate,
    wrt="array",
    name="minimum.accumulate",
    spelling="np.minimum.accumulate",
    cost=4,
    shape=lambda array, axis=0: array.shape,
    notes="a tie goes to the later element",
    examples=lambda r: [r.distinct(5), call(r.distinct(2, 4), axis=1)],
)
def minimum_accumulate_pull(z_bar, z, array, axis=0):
    return _scattered(z_bar, z, array, axis)


@push(np.minimum.accumulate)
def minimum_accumulate_push(z, array, axis=0, *, array_dot):
    return _picked(array_dot, z, array, axis)


lowered(np.maximum.accumulate)(running_maximum)
lowered(np.minimum.accumulate)(running_minimum)


@composite(np.nancumsum, examples=lambda r: [np.array([1.0, np.nan, 2.0]), call(r.normal(2, 3), axis=1)])
def nancumsum(a, axis=None):
    return np.cumsum(without_nan(a, 0.0), axis=axis)


@composite(np.nancumprod, examples=lambda r: [np.array([1.5, np.nan, 2.0]), call(r.normal(2, 3), axis=1)])
def nancumprod(a, axis=None):
    return np.cumprod(without_nan(a, 1.0), axis=axis)


@static
def _only_axis(ndim):
    if ndim > 1:
        raise ValueError(
            "for arrays of more than one axis, np.cumulative_sum and np.cumulative_prod want `axis`"
        )
    return 0


if hasattr(np, "cumulative_sum"):  # NumPy 2.1

    @composite(
        np.cumulative_sum,
        wrt="x",
        examples=lambda r: [
            r.normal(3),
            call(r.normal(2, 3), axis=1),
            call(r.normal(2, 3), axis=0, include_initial=True),
        ],
    )
    def cumulative_sum(x, axis=None, include_initial=False):
        x = np.atleast_1d(x)
        k = _only_axis(np.ndim(x)) if axis is None else axis % np.ndim(x)
        sums = np.cumsum(x, axis=k)
        if include_initial:
            first = np.zeros(x.shape[:k] + (1,) + x.shape[k + 1 :], dtype=x.dtype)
            return np.concatenate((first, sums), axis=k)
        return sums

    @composite(
        np.cumulative_prod,
        wrt="x",
        examples=lambda r: [
            r.normal(3),
            call(r.normal(2, 3), axis=1),
            call(r.normal(2, 3), axis=0, include_initial=True),
        ],
    )
    def cumulative_prod(x, axis=None, include_initial=False):
        x = np.atleast_1d(x)
        k = _only_axis(np.ndim(x)) if axis is None else axis % np.ndim(x)
        products = np.cumprod(x, axis=k)
        if include_initial:
            first = np.ones(x.shape[:k] + (1,) + x.shape[k + 1 :], dtype=x.dtype)
            return np.concatenate((first, products), axis=k)
        return products
