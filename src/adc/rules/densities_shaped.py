"""Distributions with shapes of their own: skew and truncated normal, von Mises, and Student's of vectors."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density, real, shaped, standard
from adc.rules.densities_joint import _symmetric
from adc.rules.sampler import call


@density("skewnorm", "logpdf", "x a loc scale", shaped(real, 1.5))
def skewnorm_logpdf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return math.log(2.0) + sp.log_ndtr(a * t) - 0.5 * t * t - 0.5 * LOG_TWO_PI - np.log(scale)


@density("skewnorm", "pdf", "x a loc scale", shaped(real, 1.5))
def skewnorm_pdf(x, a, loc=0.0, scale=1.0):
    return np.exp(skewnorm_logpdf(x, a, loc, scale))


@density("vonmises", "logpdf", "x kappa loc scale", shaped(real, 1.5))
def vonmises_logpdf(x, kappa, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, kappa >= 0.0)
    return -2.0 * kappa * np.sin(0.5 * t) ** 2 - LOG_TWO_PI - np.log(sp.i0e(kappa)) - np.log(scale)


@density("vonmises", "pdf", "x kappa loc scale", shaped(real, 1.5))
def vonmises_pdf(x, kappa, loc=0.0, scale=1.0):
    return np.exp(vonmises_logpdf(x, kappa, loc, scale))


def log_mass(a, b):
    """The logarithm of the normal distribution's mass between two bounds, taken on the side where it is small."""
    low, high = np.where(a > 0.0, -b, a), np.where(a > 0.0, -a, b)
    upper = sp.log_ndtr(high)
    return upper + np.log1p(-np.exp(sp.log_ndtr(low) - upper))


@density(
    "truncnorm",
    "logpdf",
    "x a b loc scale",
    shaped(lambda r, *shape: 0.3 * r.uniform(-1.0, 1.0, *shape), -1.5, 2.0),
)
def truncnorm_logpdf(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a < b)
    outside = (t < a) | (t > b)
    y = np.where(outside, 0.0, t)
    return np.where(outside, -np.inf, -0.5 * y * y - 0.5 * LOG_TWO_PI - log_mass(a, b) - np.log(scale))


@density(
    "truncnorm",
    "pdf",
    "x a b loc scale",
    shaped(lambda r, *shape: 0.3 * r.uniform(-1.0, 1.0, *shape), -1.5, 2.0),
)
def truncnorm_pdf(x, a, b, loc=0.0, scale=1.0):
    return np.exp(truncnorm_logpdf(x, a, b, loc, scale))


@density(
    "multivariate_t",
    "logpdf",
    "x loc shape df",
    lambda r: [
        (r.normal(3), r.normal(3), r.positive_definite(3), 3.5),
        (r.normal(4, 3), r.normal(3), r.positive_definite(3), 2.5),
        (r.normal(3), np.zeros(3), r.positive_definite(3)),
        call(r.normal(2), shape=r.positive_definite(2), df=2.5),
    ],
    {"shape": _symmetric},
)
def multivariate_t_logpdf(x, loc=None, shape=1.0, df=1.0):
    centred = x if loc is None else x - loc
    n = x.shape[-1]
    if loc is not None and np.size(loc) != n:
        raise ValueError(
            "the location and the points have different lengths: points of one variable are x[:, None]"
        )
    rows = np.reshape(centred, (-1, n))
    factor = np.linalg.cholesky(shape if np.ndim(shape) == 2 else shape * np.eye(n, dtype=rows.dtype))
    white = np.linalg.solve(factor, rows.T)
    constant = sp.gammaln(0.5 * (df + n)) - sp.gammaln(0.5 * df) - 0.5 * n * np.log(df * math.pi)
    constant = constant - np.sum(np.log(np.diagonal(factor)))
    log_density = constant - 0.5 * (df + n) * np.log1p(np.sum(white * white, axis=0) / df)
    return log_density[0] if np.ndim(x) == 1 else np.reshape(log_density, np.shape(x)[:-1])


@density(
    "multivariate_t",
    "pdf",
    "x loc shape df",
    lambda r: [(r.normal(3), r.normal(3), r.positive_definite(3), 3.5)],
    {"shape": _symmetric},
)
def multivariate_t_pdf(x, loc=None, shape=1.0, df=1.0):
    return np.exp(multivariate_t_logpdf(x, loc, shape, df))
