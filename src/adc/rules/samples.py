"""Rules of scipy.stats for samples: means, moments, entropy, scores."""

from typing import Any, NamedTuple

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.errors import UnsupportedError
from adc.rules import reductions as reductions
from adc.rules import special as special
from adc.rules.reductions import in_dtype
from adc.rules.registry import composite, static
from adc.rules.sampler import call
from adc.rules.statistics import merged_first, reduced_axes
from adc.rules.usual import require_usual


def rule(function, wrt, examples):
    """Register a function of samples by its formula."""
    name = function.__name__
    return composite(
        function,
        wrt=wrt,
        name=f"stats.{name}",
        spelling=f"scipy.stats.{name}",
        examples=examples,
        extra={"float64_only": True, "rtol": 1e-9},
    )


def _sampled(function, wrt="a", positive=False, extra=(), several=1):
    """Register a function of samples along an axis by its formula."""

    def examples(r):
        draw = r.positive if positive else r.normal
        return [
            draw(6),
            draw(5, 2),
            call(draw(2, 5), axis=1),
            call(draw(2, 3), axis=None),
            *(call(draw(2, 3, 2), axis=(0, -1), keepdims=True) for _ in range(several)),
            *(f(r) for f in extra),
        ]

    return rule(function, wrt, examples)


def along(a, axis):
    """The samples, and the axis along which they lie."""
    if axis is None:
        return np.ravel(a), 0
    return (merged_first(a, reduced_axes(axis, np.ndim(a))), 0) if isinstance(axis, tuple) else (a, axis)


def kept(value, a, axis, keepdims):
    """A statistic of samples, with the axes of theirs left with length one if so wanted."""
    if not keepdims:
        return value
    return np.reshape(value, (1,) * np.ndim(a)) if axis is None else np.expand_dims(value, axis)


def require_propagated(name, nan_policy):
    """SciPy can leave NaN out, or raise; a rule passes it on."""
    require_usual(name, "Choose the elements that are not NaN before.", nan_policy=(nan_policy, "propagate"))


@static
def _of_one_axis(name, ndim, weights):
    if ndim != 1 or weights is not None:
        what = "weights" if ndim == 1 else "an array of several axes"
        raise UnsupportedError(
            f'{name} with nan_policy="omit" of {what} is not supported',
            repair="Call it for each row, or choose the elements that are not NaN before: x[~np.isnan(x)].",
        )


def chosen(name, a, nan_policy, weights=None):
    """The samples that count: all, or with `nan_policy="omit"` those that are not NaN."""
    if nan_policy == "omit":
        _of_one_axis(name, np.ndim(a), weights)
        return a[~np.isnan(a)]
    require_propagated(name, nan_policy)
    return a


def _moment(x, axis, order):
    centred = x - np.mean(x, axis=axis, keepdims=True)
    return np.mean(centred**order, axis=axis)


@_sampled(
    stats.gmean, "a weights", positive=True, extra=(lambda r: call(r.positive(4), weights=r.positive(4)),)
)
def gmean(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False):
    a = chosen("scipy.stats.gmean", a, nan_policy, weights)
    return np.exp(np.average(np.log(a), axis=axis, weights=weights, keepdims=keepdims))


@_sampled(
    stats.hmean, "a weights", positive=True, extra=(lambda r: call(r.positive(4), weights=r.positive(4)),)
)
def hmean(a, axis=0, dtype=None, *, weights=None, nan_policy="propagate", keepdims=False):
    a = chosen("scipy.stats.hmean", a, nan_policy, weights)
    inverse = 1.0 / np.where(a < 0.0, np.nan, a)  # SciPy has a mean of none below zero
    return 1.0 / np.average(inverse, axis=axis, weights=weights, keepdims=keepdims)


@rule(
    stats.pmean,
    "a weights",
    lambda r: [
        (r.positive(5), 2),
        (r.positive(5), 0.0),
        call(r.positive(2, 4), -0.5, axis=1, keepdims=True),
        call(r.positive(4), 0, weights=r.positive(4)),
        call(r.positive(4), 1.5, weights=r.positive(4)),
    ],
)
def pmean(a, p, *, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    a = chosen("scipy.stats.pmean", a, nan_policy, weights)
    if p == 0:
        mean = gmean(a, axis, dtype, weights, keepdims=keepdims)
        if not isinstance(p, int):  # a number that is 0, by which the mean may be differentiated
            logs = np.log(a)
            centred = logs - np.average(logs, axis=axis, weights=weights, keepdims=True)
            spread = np.average(centred**2, axis=axis, weights=weights, keepdims=keepdims)
            skewed = np.average(centred**3, axis=axis, weights=weights, keepdims=keepdims)
            mean = mean * np.exp(p * (spread / 2.0 + p * skewed / 6.0))
    else:
        powers = np.where(a < 0.0, np.nan, a) ** p
        mean = np.average(powers, axis=axis, weights=weights, keepdims=keepdims) ** (1.0 / p)
    return mean


@rule(stats.gstd, "a", lambda r: [r.positive(5), call(r.positive(2, 4), axis=1, ddof=0)])
def gstd(a, axis=0, ddof=1, *, keepdims=False, nan_policy="propagate"):
    a = chosen("scipy.stats.gstd", a, nan_policy)
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


@_sampled(
    stats.skew, extra=(lambda r: call(r.normal(5), bias=False), lambda r: call(r.normal(2), bias=False))
)
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    x, k = along(chosen("scipy.stats.skew", a, nan_policy), axis)
    value = _moment(x, k, 3) / _moment(x, k, 2) ** 1.5
    n = x.shape[k]
    if not bias:
        value = np.where(n > 2, value * np.sqrt((n - 1.0) * n) / np.maximum(n - 2.0, 1.0), value)
    return kept(value, a, axis, keepdims)


@_sampled(
    stats.kurtosis,
    extra=(
        lambda r: call(r.normal(5), fisher=False),
        lambda r: call(r.normal(6), bias=False),
        lambda r: call(r.normal(3), bias=False),
    ),
)
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    x, k = along(chosen("scipy.stats.kurtosis", a, nan_policy), axis)
    value = _moment(x, k, 4) / _moment(x, k, 2) ** 2
    n = x.shape[k]
    if not bias:
        corrected = (n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2
        value = np.where(n > 3, corrected / np.maximum((n - 2.0) * (n - 3.0), 1.0) + 3.0, value)
    return kept(value - 3.0 if fisher else value, a, axis, keepdims)


@_sampled(
    stats.entropy,
    "pk qk",
    positive=True,
    extra=(lambda r: (r.positive(4), r.positive(4)), lambda r: call(r.positive(4), base=2.0)),
)
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    require_propagated("scipy.stats.entropy", nan_policy)
    x, k = along(pk, axis)
    # Not of the shares: the slope at one that is 0 is infinite, and would reach the others through their sum.
    nothing = 1.0 * (x.shape[k] == 0)  # its entropy is 0: a whole of 1 in place of a quotient of zeros
    total = np.sum(x, axis=k, keepdims=True) + nothing
    size = np.sum(np.abs(total), axis=k)
    if qk is None:
        value = np.sum(sp.entr(x * np.sign(total)), axis=k) / size + np.log(size)
    else:
        y, _ = along(qk, axis)
        total_y = np.sum(y, axis=k, keepdims=True) + nothing
        ratio = np.sum(np.abs(total_y), axis=k) / size
        value = np.sum(sp.rel_entr(x * np.sign(total), y * np.sign(total_y)), axis=k) / size + np.log(ratio)
    return kept(value if base is None else value / np.log(base), pk, axis, keepdims)


def _kstat(x, k, n):
    """The unbiased estimate of the n-th cumulant, by sums of powers."""
    count = x.shape[k] * 1.0
    if n not in (1, 2, 3, 4):
        raise ValueError("k-statistics only supported for 1<=n<=4")
    mean = np.mean(x, axis=k, keepdims=True)
    if n == 1:
        return np.squeeze(mean, k)
    # A cumulant does not change where the mean is taken away, and sums of powers of small numbers cancel less.
    second = np.sum((x - mean) ** 2, axis=k)
    if n == 2:
        return second / (count - 1.0)
    if n == 3:
        return count * np.sum((x - mean) ** 3, axis=k) / ((count - 1.0) * (count - 2.0))
    fourth = np.sum((x - mean) ** 4, axis=k)
    above = count * (count + 1.0) * fourth - 3.0 * (count - 1.0) * second**2
    return above / ((count - 1.0) * (count - 2.0) * (count - 3.0))


@rule(
    stats.kstat,
    "data",
    lambda r: [r.normal(6), *(call(r.normal(2, 6), n, axis=1, keepdims=n > 2) for n in (1, 2, 3, 4))],
)
def kstat(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    x, k = along(chosen("scipy.stats.kstat", data, nan_policy), axis)
    return kept(np.where(x.shape[k] > 0, _kstat(x, k, n), np.nan), data, axis, keepdims)


@rule(stats.kstatvar, "data", lambda r: [r.normal(6), *(call(r.normal(2, 6), n, axis=1) for n in (1, 2))])
def kstatvar(data, n=2, *, axis=None, nan_policy="propagate", keepdims=False):
    require_propagated("scipy.stats.kstatvar", nan_policy)
    x, k = along(data, axis)
    count = x.shape[k] * 1.0
    second = _kstat(x, k, 2)
    if n == 1:
        return kept(second / count, data, axis, keepdims)
    if n == 2:
        value = (2.0 * count * second**2 + (count - 1.0) * _kstat(x, k, 4)) / (count * (count + 1.0))
        return kept(value, data, axis, keepdims)
    raise ValueError("Only n=1 or n=2 supported.")


@_sampled(stats.sem, extra=(lambda r: call(r.normal(5), ddof=0),))
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    x, k = along(chosen("scipy.stats.sem", a, nan_policy), axis)
    return kept(np.std(x, axis=k, ddof=ddof) / float(x.shape[k]) ** 0.5, a, axis, keepdims)


@_sampled(stats.zscore, several=0, extra=(lambda r: call(r.normal(5), ddof=1),))
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    if nan_policy == "omit":
        middle = np.nanmean(a, axis=axis, keepdims=True)
        return (a - middle) / np.nanstd(a, axis=axis, ddof=ddof, keepdims=True)
    require_propagated("scipy.stats.zscore", nan_policy)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


class Correlation(NamedTuple):
    """What `scipy.stats.pearsonr` returns."""

    statistic: Any
    pvalue: Any

    __adc_model__ = True  # type: ignore[misc]


@static
def _two_sided(alternative, method):
    if alternative != "two-sided" or method is not None:
        raise UnsupportedError(
            "scipy.stats.pearsonr with `alternative` or `method` is not supported",
            repair="The statistic does not depend on them: leave them away.",
        )


@composite(
    stats.pearsonr,
    wrt="x y",
    name="stats.pearsonr",
    spelling="scipy.stats.pearsonr",
    examples=lambda r: [
        (r.normal(5), r.normal(5)),
        (r.normal(2), r.normal(2)),
        (r.normal(4, 2), r.normal(4, 2)),
        call(r.normal(2, 6), r.normal(2, 6), axis=1),
    ],
    extra={"float64_only": True, "real_only": True, "rtol": 1e-9},
)
def pearsonr(x, y, *, alternative="two-sided", method=None, axis=0):
    _two_sided(alternative, method)
    a, k = along(x, axis)
    b, _ = along(y, axis)
    if a.shape[k] < 2 or b.shape[k] < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    a = a - np.mean(a, axis=k, keepdims=True)
    b = b - np.mean(b, axis=k, keepdims=True)
    r = np.sum(a * b, axis=k) / np.sqrt(np.sum(a * a, axis=k) * np.sum(b * b, axis=k))
    r = np.clip(r, -1.0, 1.0)  # which rounding may leave
    n = a.shape[k]
    half = np.maximum(n * 0.5 - 1.0, 0.5)
    below = np.where(n > 2, (1.0 - np.abs(r)) * 0.5, 0.25)
    pvalue = np.where(n > 2, 2.0 * sp.betainc(half, half, below), 1.0)
    return Correlation(r, in_dtype(pvalue, np.result_type(a.dtype, b.dtype)))
