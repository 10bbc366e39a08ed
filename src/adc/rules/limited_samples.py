"""Rules of scipy.stats for samples within limits: tmean, tvar, tstd, tsem, tmin, tmax. Which are within is constant."""

import numpy as np
from scipy import stats

from adc.rules.elementary import root
from adc.rules.sampler import call
from adc.rules.samples import along, kept, require_propagated, rule


def _outside(x, limits, inclusive):
    """Which elements are not within the limits."""
    outside = np.zeros(x.shape, dtype=np.bool_)
    if limits is None:
        return outside
    lower, upper = limits
    closed_below, closed_above = inclusive
    if lower is not None:
        outside = outside | ((x < lower) if closed_below else (x <= lower))
    if upper is not None:
        outside = outside | ((x > upper) if closed_above else (x >= upper))
    if np.any(outside) and np.all(outside):
        raise ValueError("No array values within given limits")
    return outside


def _examples(r):
    return [
        r.normal(6),
        call(r.distinct(7), (-1.0, 1.5)),
        call(r.normal(2, 5), (None, 0.8), (True, False), axis=1),
        call(r.normal(2, 3), axis=None, keepdims=True),
    ]


def _mean_within(x, outside, k):
    n = np.sum(np.where(outside, np.zeros_like(x), np.ones_like(x)), axis=k, keepdims=True)
    total = np.sum(np.where(outside, 0.0, x), axis=k, keepdims=True)
    return np.where(n > 0.0, total / np.maximum(n, 1.0), np.nan), n


@rule(stats.tmean, "a", _examples)
def tmean(a, limits=None, inclusive=(True, True), axis=None, *, nan_policy="propagate", keepdims=False):
    require_propagated("scipy.stats.tmean", nan_policy)
    x, k = along(a, axis)
    mean, _ = _mean_within(x, _outside(x, limits, inclusive), k)
    return kept(np.squeeze(mean, k), a, axis, keepdims)


def _variance_within(a, limits, inclusive, axis, ddof):
    """The variance of the elements within the limits, and how many they are."""
    x, k = along(a, axis)
    outside = _outside(x, limits, inclusive)
    mean, n = _mean_within(x, outside, k)
    # The mean of none is NaN, which would reach the elements through a zero adjoint.
    centred = np.where(outside, 0.0, x - np.where(n > 0.0, mean, 0.0))
    squares = np.sum(centred * centred, axis=k)
    within = np.squeeze(n, k)
    free = within - ddof
    return np.where(free > 0.0, squares / np.where(free > 0.0, free, 1.0), np.nan), within


@rule(stats.tvar, "a", _examples)
def tvar(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate", keepdims=False):
    require_propagated("scipy.stats.tvar", nan_policy)
    variance, _ = _variance_within(a, limits, inclusive, axis, ddof)
    return kept(variance, a, axis, keepdims)


@rule(stats.tstd, "a", _examples)
def tstd(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate", keepdims=False):
    require_propagated("scipy.stats.tstd", nan_policy)
    variance, _ = _variance_within(a, limits, inclusive, axis, ddof)
    return kept(root(variance), a, axis, keepdims)


@rule(stats.tsem, "a", _examples)
def tsem(a, limits=None, inclusive=(True, True), axis=0, ddof=1, *, nan_policy="propagate", keepdims=False):
    require_propagated("scipy.stats.tsem", nan_policy)
    variance, within = _variance_within(a, limits, inclusive, axis, ddof)
    return kept(root(variance) / np.sqrt(np.maximum(within, 1.0)), a, axis, keepdims)


def _bounded_examples(r):
    return [
        r.distinct(6),
        call(r.distinct(7), 0.1),
        call(r.distinct(2, 5), 0.2, axis=1, inclusive=False),
        call(r.distinct(2, 3), axis=None, keepdims=True),
    ]


@rule(stats.tmin, "a", _bounded_examples)
def tmin(a, lowerlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False):
    require_propagated("scipy.stats.tmin", nan_policy)
    x, k = along(a, axis)
    outside = _outside(x, (lowerlimit, None), (inclusive, True))
    least = np.min(np.where(outside, np.inf, x), axis=k)
    return kept(np.where(np.all(outside, axis=k), np.nan, least), a, axis, keepdims)


@rule(stats.tmax, "a", _bounded_examples)
def tmax(a, upperlimit=None, axis=0, inclusive=True, nan_policy="propagate", *, keepdims=False):
    require_propagated("scipy.stats.tmax", nan_policy)
    x, k = along(a, axis)
    outside = _outside(x, (None, upperlimit), (True, inclusive))
    greatest = np.max(np.where(outside, -np.inf, x), axis=k)
    return kept(np.where(np.all(outside, axis=k), np.nan, greatest), a, axis, keepdims)
