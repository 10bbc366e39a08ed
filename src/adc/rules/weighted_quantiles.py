"""Quantiles of elements with weights: the first element up to which the weights sum to the level.

Which element that is is piecewise constant in the weights and the level.
"""

import numpy as np

from adc.rules import statistics as statistics  # registers what stands below
from adc.rules.registry import full, static
from adc.rules.statistics import as_levels, as_percents, lengths_left, merged_first, reduced_axes


@static
def _inverted(method):
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")


def _beside(weights, a, axes):
    """The weights in the shape of the elements."""
    if np.ndim(weights) == np.ndim(a):
        return weights
    wanted = ()
    for k in range(np.ndim(a)):
        wanted = wanted + (a.shape[k] if k in axes else 1,)
    return np.broadcast_to(np.reshape(weights, wanted), np.shape(a))


def _weighted(a, q, axis, method, keepdims, weights, without_nan=False):
    _inverted(method)
    axes = reduced_axes(axis, np.ndim(a))
    columns = merged_first(a, axes)
    shares = merged_first(_beside(np.array(weights), a, axes), axes)
    if not np.all(shares >= 0.0):
        raise ValueError("Weights must be non-negative.")
    if without_nan:  # these come last, and weigh nothing
        shares = np.where(np.isnan(columns), 0.0, shares)
    order = np.argsort(columns, axis=0)
    ordered = np.take_along_axis(columns, order, axis=0)
    sums = np.cumsum(np.take_along_axis(shares, order, axis=0), axis=0)
    n = columns.shape[0]
    reached = sums / sums[n - 1]
    reached = np.where(reached == 0.0, -1.0, reached)
    levels = np.reshape(q, (np.size(q), 1) + (1,) * (np.ndim(columns) - 1))
    place = np.minimum(np.sum(np.where(reached < levels, 1, 0), axis=1), n - 1)
    rows = np.take_along_axis(ordered, place, axis=0)
    if not without_nan:
        rows = np.where(np.isnan(ordered[n - 1]), np.nan, rows)
    return np.reshape(rows, np.shape(q) + lengths_left(a, axes, keepdims))


@full(np.quantile)
def quantile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is None:
        return np.quantile(a, q, axis=axis, method=method, keepdims=keepdims)
    return _weighted(a, as_levels(q), axis, method, keepdims, weights)


@full(np.percentile)
def percentile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is None:
        return np.percentile(a, q, axis=axis, method=method, keepdims=keepdims)
    return _weighted(a, as_percents(q), axis, method, keepdims, weights)


@full(np.nanquantile)
def nanquantile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is None:
        return np.nanquantile(a, q, axis=axis, method=method, keepdims=keepdims)
    return _weighted(a, as_levels(q), axis, method, keepdims, weights, True)


@full(np.nanpercentile)
def nanpercentile(a, q, axis=None, method="linear", keepdims=False, weights=None):
    if weights is None:
        return np.nanpercentile(a, q, axis=axis, method=method, keepdims=keepdims)
    return _weighted(a, as_percents(q), axis, method, keepdims, weights, True)
