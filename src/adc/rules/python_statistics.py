"""Rules of Python's statistics: means, variances and medians of a sequence of numbers, and of two sequences."""

import statistics
import sys
from typing import Any, NamedTuple

import numpy as np

from adc.rules.elementary import root
from adc.rules.registry import composite
from adc.rules.sampler import call

# `math.sumprod`, which these add products up with since Python 3.12, keeps the class of the numbers.
_SUMMED = 2 if sys.version_info >= (3, 12) else None


def _python(function, wrt, examples, as_data=None):
    """Register a function of Python's by its formula.

    It gives a float; of `as_data` arguments and more a number of the class of the data.
    """
    name = f"statistics.{function.__name__}"
    extra = {"doubles": not as_data, "float64_only": True, "rtol": 1e-12, "as_data": as_data}
    return composite(function, wrt=wrt, name=name, spelling=name, examples=examples, extra=extra)


def _some(data):
    """Raise what Python raises of no numbers."""
    if np.shape(data)[0] == 0:
        raise ValueError("mean requires at least one data point")


def _numbers(r):
    return [r.distinct(5), r.distinct(2)]


def _positive(r):
    return [r.positive(5), r.positive(2)]


@_python(statistics.mean, "data", _numbers, as_data=1)
def mean(data):
    _some(data)
    return np.mean(data)


@_python(
    statistics.fmean,
    "data weights",
    lambda r: [r.normal(5)] + [(r.normal(3), r.positive(3))] * (sys.version_info >= (3, 11)),
    as_data=_SUMMED,
)
def fmean(data, weights=None):
    _some(data)
    return np.mean(data) if weights is None else np.sum(data * weights) / np.sum(weights)


@_python(statistics.geometric_mean, "data", _positive)
def geometric_mean(data):
    _some(data)
    return np.exp(np.mean(np.log(data)))


@_python(statistics.harmonic_mean, "data weights", _positive, as_data=1)
def harmonic_mean(data, weights=None):
    _some(data)
    return 1.0 / np.mean(1.0 / data) if weights is None else np.sum(weights) / np.sum(weights / data)


@_python(statistics.median, "data", _numbers, as_data=1)
def median(data):
    _some(data)
    return np.median(data)


def _spread(data, centre, fewer):
    if np.shape(data)[0] <= fewer:
        raise ValueError("variance requires more data points")
    apart = data - (np.mean(data) if centre is None else centre)
    return np.sum(apart * apart) / (np.shape(data)[0] - fewer)


@_python(statistics.variance, "data xbar", _numbers, as_data=1)
def variance(data, xbar=None):
    return _spread(data, xbar, 1)


@_python(statistics.pvariance, "data mu", _numbers, as_data=1)
def pvariance(data, mu=None):
    return _spread(data, mu, 0)


@_python(statistics.stdev, "data xbar", _numbers)
def stdev(data, xbar=None):
    return root(_spread(data, xbar, 1))


@_python(statistics.pstdev, "data mu", _numbers)
def pstdev(data, mu=None):
    return root(_spread(data, mu, 0))


class Line(NamedTuple):
    """What `statistics.linear_regression` returns."""

    slope: Any
    intercept: Any


def _pairs(r):
    return [(r.normal(5), r.normal(5)), (r.normal(2), r.normal(2))]


def _lines(r):
    through_zero = [call(r.normal(3), r.normal(3), proportional=True)]
    return _pairs(r) + through_zero * (sys.version_info >= (3, 11))


def _apart(x, y):
    if np.shape(x)[0] != np.shape(y)[0] or np.shape(x)[0] < 2:
        raise ValueError("both inputs must have the same number of data points, and at least two")
    return x - np.mean(x), y - np.mean(y)


@_python(statistics.covariance, "x y", _pairs, as_data=_SUMMED)
def covariance(x, y):
    dx, dy = _apart(x, y)
    return np.sum(dx * dy) / (np.shape(x)[0] - 1)


@_python(statistics.correlation, "x y", _pairs, as_data=_SUMMED)
def correlation(x, y):
    dx, dy = _apart(x, y)
    return np.sum(dx * dy) / np.sqrt(np.sum(dx * dx) * np.sum(dy * dy))


@_python(statistics.linear_regression, "x y", _lines, as_data=_SUMMED)
def linear_regression(x, y, proportional=False):
    dx, dy = _apart(x, y)
    if proportional:
        return Line(np.sum(x * y) / np.sum(x * x), 0.0)
    slope = np.sum(dx * dy) / np.sum(dx * dx)
    return Line(slope, np.mean(y) - slope * np.mean(x))
