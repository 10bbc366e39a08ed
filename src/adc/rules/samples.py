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


def _sampled(function, wrt="a", positive=False, extra=()):
    """Register a function of samples along an axis by its formula."""

    def examples(r):
        draw = r.positive if positive else r.normal
        return [
            draw(6),
            draw(5, 2),
            call(draw(2, 5), axis=1),
            call(draw(2, 3), axis=None),
            *(f(r) for f in extra),
        ]

    return rule(function, wrt, examples)


def along(a, axis):
    """The samples, and the axis along which they lie."""
    return (np.ravel(a), 0) if axis is None else (a, axis)


def _moment(x, axis, order):
    centred = x - np.mean(x, axis=axis, keepdims=True)
    return np.mean(centred**order, axis=axis)


@_sampled(
    stats.gmean, "a weights", positive=True, extra=(lambda r: call(r.positive(4), weights=r.positive(4)),)
)
def gmean(a, axis=0, dtype=None, weights=None):
    x, k = along(a, axis)
    return np.exp(np.average(np.log(x), axis=k, weights=weights))


@_sampled(
    stats.hmean, "a weights", positive=True, extra=(lambda r: call(r.positive(4), weights=r.positive(4)),)
)
def hmean(a, axis=0, dtype=None, *, weights=None):
    x, k = along(a, axis)
    return 1.0 / np.average(1.0 / x, axis=k, weights=weights)


@_sampled(
    stats.skew, extra=(lambda r: call(r.normal(5), bias=False), lambda r: call(r.normal(2), bias=False))
)
def skew(a, axis=0, bias=True):
    x, k = along(a, axis)
    value = _moment(x, k, 3) / _moment(x, k, 2) ** 1.5
    n = x.shape[k]
    if bias:
        return value
    return np.where(n > 2, value * np.sqrt((n - 1.0) * n) / np.maximum(n - 2.0, 1.0), value)


@_sampled(
    stats.kurtosis,
    extra=(
        lambda r: call(r.normal(5), fisher=False),
        lambda r: call(r.normal(6), bias=False),
        lambda r: call(r.normal(3), bias=False),
    ),
)
def kurtosis(a, axis=0, fisher=True, bias=True):
    x, k = along(a, axis)
    value = _moment(x, k, 4) / _moment(x, k, 2) ** 2
    n = x.shape[k]
    if not bias:
        corrected = (n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2
        value = np.where(n > 3, corrected / np.maximum((n - 2.0) * (n - 3.0), 1.0) + 3.0, value)
    return value - 3.0 if fisher else value


@_sampled(
    stats.entropy,
    "pk qk",
    positive=True,
    extra=(lambda r: (r.positive(4), r.positive(4)), lambda r: call(r.positive(4), base=2.0)),
)
def entropy(pk, qk=None, base=None, axis=0):
    x, k = along(pk, axis)
    # Not of the shares: the slope at one that is 0 is infinite, and would reach the others through their sum.
    total = np.sum(x, axis=k, keepdims=True)
    size = np.sum(np.abs(total), axis=k)
    if qk is None:
        value = np.sum(sp.entr(x * np.sign(total)), axis=k) / size + np.log(size)
    else:
        y, _ = along(qk, axis)
        total_y = np.sum(y, axis=k, keepdims=True)
        ratio = np.sum(np.abs(total_y), axis=k) / size
        value = np.sum(sp.rel_entr(x * np.sign(total), y * np.sign(total_y)), axis=k) / size + np.log(ratio)
    return value if base is None else value / np.log(base)


@_sampled(stats.sem, extra=(lambda r: call(r.normal(5), ddof=0),))
def sem(a, axis=0, ddof=1):
    x, k = along(a, axis)
    return np.std(x, axis=k, ddof=ddof) / float(x.shape[k]) ** 0.5


@_sampled(stats.zscore, extra=(lambda r: call(r.normal(5), ddof=1),))
def zscore(a, axis=0, ddof=0):
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
    a = a - np.mean(a, axis=k, keepdims=True)
    b = b - np.mean(b, axis=k, keepdims=True)
    r = np.sum(a * b, axis=k) / np.sqrt(np.sum(a * a, axis=k) * np.sum(b * b, axis=k))
    r = np.clip(r, -1.0, 1.0)  # which rounding may leave
    n = a.shape[k]
    half = np.maximum(n * 0.5 - 1.0, 0.5)
    below = np.where(n > 2, (1.0 - np.abs(r)) * 0.5, 0.25)
    pvalue = np.where(n > 2, 2.0 * sp.betainc(half, half, below), 1.0)
    return Correlation(r, in_dtype(pvalue, np.result_type(a.dtype, b.dtype)))
