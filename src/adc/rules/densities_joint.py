"""Distributions of several variables: normal, Dirichlet."""

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density
from adc.rules.linear_systems import symmetric
from adc.rules.sampler import call


def _balanced(x_dot):
    """A direction in which a point stays on the simplex."""
    return x_dot - np.mean(x_dot, axis=0)


def _symmetric(x_dot):
    return symmetric(x_dot) if np.ndim(x_dot) == 2 else x_dot


@density(
    "multivariate_normal",
    "logpdf",
    "x mean cov",
    lambda r: [
        (r.normal(3), r.normal(3), r.positive_definite(3)),
        (r.normal(4, 3), r.normal(3), r.positive_definite(3)),
        (r.normal(2), np.zeros(2)),
    ],
    {"cov": _symmetric},
)
def multivariate_normal_logpdf(x, mean=None, cov=1.0):
    centred = x if mean is None else x - mean
    n = x.shape[-1]
    matrix = cov * np.eye(n, dtype=centred.dtype) if np.ndim(cov) == 0 else cov
    factor = np.linalg.cholesky(matrix)
    rows = np.reshape(centred, (-1, n))
    white = np.linalg.solve(factor, rows.T)
    log_density = (
        -0.5 * np.sum(white * white, axis=0) - 0.5 * n * LOG_TWO_PI - np.sum(np.log(np.diagonal(factor)))
    )
    return log_density[0] if np.ndim(x) == 1 else np.reshape(log_density, np.shape(x)[:-1])


@density(
    "multivariate_normal",
    "pdf",
    "x mean cov",
    lambda r: [(r.normal(3), r.normal(3), r.positive_definite(3))],
    {"cov": _symmetric},
)
def multivariate_normal_pdf(x, mean=None, cov=1.0):
    return np.exp(multivariate_normal_logpdf(x, mean, cov))


@density(
    "multivariate_normal",
    "entropy",
    "cov",
    lambda r: [call(mean=np.zeros(3), cov=r.positive_definite(3))],
    {"cov": _symmetric},
)
def multivariate_normal_entropy(mean=None, cov=1.0):
    if np.ndim(cov) == 0:
        return 0.5 * (LOG_TWO_PI + 1.0) + 0.5 * np.log(cov)
    return 0.5 * cov.shape[0] * (LOG_TWO_PI + 1.0) + 0.5 * np.linalg.slogdet(cov)[1]


@density(
    "dirichlet",
    "logpdf",
    "x alpha",
    lambda r: [(np.array([0.2, 0.5, 0.3]), r.positive(3) + 1.0)],
    {"x": _balanced},
)
def dirichlet_logpdf(x, alpha):
    weights = np.reshape(alpha, (np.size(alpha),) + (1,) * (np.ndim(x) - 1))
    constant = sp.gammaln(np.sum(alpha)) - np.sum(sp.gammaln(alpha))
    return np.sum(sp.xlogy(weights - 1.0, x), axis=0) + constant


@density(
    "dirichlet",
    "pdf",
    "x alpha",
    lambda r: [(np.array([0.2, 0.5, 0.3]), r.positive(3) + 1.0)],
    {"x": _balanced},
)
def dirichlet_pdf(x, alpha):
    return np.exp(dirichlet_logpdf(x, alpha))
