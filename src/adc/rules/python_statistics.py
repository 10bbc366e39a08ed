"""Rules of Python's statistics: means, variances and medians of a sequence of numbers."""

import statistics

import numpy as np

from adc.rules.reductions import root
from adc.rules.registry import composite


def _python(function, wrt, examples):
    """Register a function of Python's by its formula."""
    name = f"statistics.{function.__name__}"
    extra = {"float64_only": True, "rtol": 1e-12}
    return composite(function, wrt=wrt, name=name, spelling=name, examples=examples, extra=extra)


def _some(data):
    """Raise what Python raises of no numbers."""
    if np.shape(data)[0] == 0:
        raise ValueError("mean requires at least one data point")


def _numbers(r):
    return [r.distinct(5), r.distinct(2)]


def _positive(r):
    return [r.positive(5), r.positive(2)]


@_python(statistics.mean, "data", _numbers)
def mean(data):
    _some(data)
    return np.mean(data)


@_python(statistics.fmean, "data weights", lambda r: [r.normal(5), (r.normal(3), r.positive(3))])
def fmean(data, weights=None):
    _some(data)
    return np.mean(data) if weights is None else np.sum(data * weights) / np.sum(weights)


@_python(statistics.geometric_mean, "data", _positive)
def geometric_mean(data):
    _some(data)
    return np.exp(np.mean(np.log(data)))


@_python(statistics.harmonic_mean, "data weights", _positive)
def harmonic_mean(data, weights=None):
    _some(data)
    return 1.0 / np.mean(1.0 / data) if weights is None else np.sum(weights) / np.sum(weights / data)


@_python(statistics.median, "data", _numbers)
def median(data):
    _some(data)
    return np.median(data)


def _spread(data, centre, fewer):
    if np.shape(data)[0] <= fewer:
        raise ValueError("variance requires more data points")
    apart = data - (np.mean(data) if centre is None else centre)
    return np.sum(apart * apart) / (np.shape(data)[0] - fewer)


@_python(statistics.variance, "data xbar", _numbers)
def variance(data, xbar=None):
    return _spread(data, xbar, 1)


@_python(statistics.pvariance, "data mu", _numbers)
def pvariance(data, mu=None):
    return _spread(data, mu, 0)


@_python(statistics.stdev, "data xbar", _numbers)
def stdev(data, xbar=None):
    return root(_spread(data, xbar, 1))


@_python(statistics.pstdev, "data mu", _numbers)
def pstdev(data, mu=None):
    return root(_spread(data, mu, 0))
