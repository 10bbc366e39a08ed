"""Rules of scipy.stats for samples: means, moments, entropy, scores."""

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.rules import reductions as reductions
from adc.rules import special as special
from adc.rules.registry import composite
from adc.rules.sampler import call


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

    name = function.__name__
    return composite(
        function,
        wrt=wrt,
        name=f"stats.{name}",
        spelling=f"scipy.stats.{name}",
        examples=examples,
        extra={"float64_only": True, "rtol": 1e-9},
    )


def _along(a, axis):
    """The samples, and the axis along which they lie."""
    return (np.ravel(a), 0) if axis is None else (a, axis)


def _moment(x, axis, order):
    centred = x - np.mean(x, axis=axis, keepdims=True)
    return np.mean(centred**order, axis=axis)


@_sampled(
    stats.gmean, "a weights", positive=True, extra=(lambda r: call(r.positive(4), weights=r.positive(4)),)
)
def gmean(a, axis=0, dtype=None, weights=None):
    x, k = _along(a, axis)
    return np.exp(np.average(np.log(x), axis=k, weights=weights))


@_sampled(
    stats.hmean, "a weights", positive=True, extra=(lambda r: call(r.positive(4), weights=r.positive(4)),)
)
def hmean(a, axis=0, dtype=None, *, weights=None):
    x, k = _along(a, axis)
    return 1.0 / np.average(1.0 / x, axis=k, weights=weights)


@_sampled(stats.skew, extra=(lambda r: call(r.normal(5), bias=False),))
def skew(a, axis=0, bias=True):
    x, k = _along(a, axis)
    value = _moment(x, k, 3) / _moment(x, k, 2) ** 1.5
    n = x.shape[k]
    return value if bias else value * np.sqrt((n - 1.0) * n) / (n - 2.0)


@_sampled(
    stats.kurtosis, extra=(lambda r: call(r.normal(5), fisher=False), lambda r: call(r.normal(6), bias=False))
)
def kurtosis(a, axis=0, fisher=True, bias=True):
    x, k = _along(a, axis)
    value = _moment(x, k, 4) / _moment(x, k, 2) ** 2
    n = x.shape[k]
    if not bias:
        value = ((n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return value - 3.0 if fisher else value


@_sampled(
    stats.entropy,
    "pk qk",
    positive=True,
    extra=(lambda r: (r.positive(4), r.positive(4)), lambda r: call(r.positive(4), base=2.0)),
)
def entropy(pk, qk=None, base=None, axis=0):
    x, k = _along(pk, axis)
    p = x / np.sum(x, axis=k, keepdims=True)
    if qk is None:
        value = np.sum(sp.entr(p), axis=k)
    else:
        y, _ = _along(qk, axis)
        value = np.sum(sp.rel_entr(p, y / np.sum(y, axis=k, keepdims=True)), axis=k)
    return value if base is None else value / np.log(base)


@_sampled(stats.sem, extra=(lambda r: call(r.normal(5), ddof=0),))
def sem(a, axis=0, ddof=1):
    x, k = _along(a, axis)
    return np.std(x, axis=k, ddof=ddof) / np.sqrt(float(x.shape[k]))


@_sampled(stats.zscore, extra=(lambda r: call(r.normal(5), ddof=1),))
def zscore(a, axis=0, ddof=0):
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)
