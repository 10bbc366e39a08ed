"""How densities and distribution functions of scipy.stats are registered: by their formulas, as composites.

Outside the support a log-density is -inf and its derivative zero. What an untaken branch of np.where
computes there is kept finite, so that no NaN reaches an adjoint. Of NaN, and of parameters that a distribution
does not have, everything is NaN: comparisons ask whether a point is outside, and what is unknown is not.
"""

import math

import numpy as np
from scipy import stats

from adc.rules.registry import composite
from adc.rules.sampler import call

LOG_TWO_PI = math.log(2.0 * math.pi)


def density(distribution, method, wrt, examples, directions=None, doubles=True):
    """Register `scipy.stats.<distribution>.<method>` by its formula; `doubles`: in double precision throughout."""
    spelling = f"scipy.stats.{distribution}.{method}"
    return composite(
        getattr(getattr(stats, distribution), method),
        wrt=wrt,
        examples=examples,
        spelling=spelling,
        name=f"stats.{distribution}.{method}",
        extra={
            "float64_only": True,
            "doubles": doubles,
            "real_only": True,
            "array_like": True,
            "rtol": 1e-9,
            "directions": directions or {},
        },
    )


def located(x):
    """Examples for a location-scale family: plain, shifted, and with arrays of parameters."""

    def examples(r):
        return [
            x(r, 3),
            (x(r, 2, 3), 0.2, 1.3),
            call(x(r, 3), loc=0.1 * r.positive(3), scale=r.positive(3)),
            x(r),
        ]

    return examples


def shaped(x, *shapes):
    """Examples for a family with shape parameters before location and scale."""

    def examples(r):
        return [(x(r, 3), *shapes), call(x(r, 2, 3), *shapes, loc=0.05, scale=1.3), (x(r), *shapes)]

    return examples


def real(r, *shape):
    return r.normal(*shape)


def positive(r, *shape):
    return r.positive(*shape) + 0.1


def probability(r, *shape):
    return r.uniform(0.15, 0.85, *shape)


def standard(x, loc, scale, valid=None):
    """Where x lies in the distribution of location 0 and scale 1; `valid` says which other parameters it has."""
    return (x - loc) / proper(scale, valid)


def proper(scale, valid=None):
    """A scale, and NaN where it or another parameter is none."""
    positive_scale = scale > 0.0
    return np.where(positive_scale if valid is None else valid & positive_scale, scale, np.nan)


def power(t, c):
    """T to the power of a shape that is positive; NaN where it is none, as NaN to the power of 0 is 1."""
    return t ** np.where(c > 0.0, c, np.nan)


def unit(p):
    """A probability, and NaN where it is none."""
    return np.where((p >= 0.0) & (p <= 1.0), p, np.nan)
