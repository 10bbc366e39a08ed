"""Distributions of matrices: Wishart's, its inverse's, and the normal one."""

import math

import numpy as np
from scipy import special as sp

from adc.errors import UnsupportedError
from adc.rules.densities import LOG_TWO_PI, density, proper
from adc.rules.linear_systems import of_triangle, symmetric
from adc.rules.registry import static
from adc.rules.sampler import call


@static
def _of_one(name, ndim, scale_ndim):
    if ndim != 2 or scale_ndim != 2:
        raise UnsupportedError(
            f"scipy.stats.{name}.logpdf of arrays of {ndim} and {scale_ndim} axes is not supported",
            repair="Give one matrix, and one for the scale.",
        )


def _draws(r):
    return [
        (r.positive_definite(3), 5, r.positive_definite(3)),
        (r.positive_definite(2), 3, r.positive_definite(2)),
    ]


def _log_determinant(matrix):
    return np.linalg.slogdet(of_triangle(matrix, True))[1]


def _normalisation(df, n):
    """What the densities of Wishart have in common; NaN where there are too few degrees of freedom."""
    half = 0.5 * proper(df, df > n - 1.0)
    return half * n * math.log(2.0) + sp.multigammaln(half, n)


_SYMMETRIC = {"x": symmetric, "scale": symmetric}


@density("wishart", "logpdf", "x df scale", _draws, _SYMMETRIC)
def wishart_logpdf(x, df, scale):
    _of_one("wishart", np.ndim(x), np.ndim(scale))
    n = x.shape[0]
    apart = np.trace(np.linalg.solve(of_triangle(scale, True), x))
    sizes = (df - n - 1.0) * _log_determinant(x) - df * _log_determinant(scale)
    return 0.5 * (sizes - apart) - _normalisation(df, n)


@density("wishart", "pdf", "x df scale", _draws, _SYMMETRIC)
def wishart_pdf(x, df, scale):
    return np.exp(wishart_logpdf(x, df, scale))


@density("invwishart", "logpdf", "x df scale", _draws, _SYMMETRIC)
def invwishart_logpdf(x, df, scale):
    _of_one("invwishart", np.ndim(x), np.ndim(scale))
    n = x.shape[0]
    apart = np.trace(np.linalg.solve(of_triangle(x, True), of_triangle(scale, True)))
    sizes = df * _log_determinant(scale) - (df + n + 1.0) * _log_determinant(x)
    return 0.5 * (sizes - apart) - _normalisation(df, n)


@density("invwishart", "pdf", "x df scale", _draws, _SYMMETRIC)
def invwishart_pdf(x, df, scale):
    return np.exp(invwishart_logpdf(x, df, scale))


def _as_matrix(x_dot):
    return symmetric(x_dot) if np.ndim(x_dot) == 2 else x_dot


def _covariance(cov, n):
    """The lower triangle that a covariance is the square of; it may be a number, or a diagonal."""
    return np.linalg.cholesky(cov if np.ndim(cov) == 2 else cov * np.eye(n))


@density(
    "matrix_normal",
    "logpdf",
    "X mean rowcov colcov",
    lambda r: [
        (r.normal(2, 3), r.normal(2, 3), r.positive_definite(2), r.positive_definite(3)),
        (r.normal(2, 3), np.zeros((2, 3)), 1.5),
        call(r.normal(2, 3), rowcov=r.positive_definite(2), colcov=r.positive(3)),
    ],
    {"rowcov": _as_matrix, "colcov": _as_matrix},
)
def matrix_normal_logpdf(X, mean=None, rowcov=1.0, colcov=1.0):
    _of_one("matrix_normal", np.ndim(X), 2)
    if mean is None and (np.ndim(rowcov) == 0 or np.ndim(colcov) == 0):
        raise ValueError("The shape of array `X` is not compatible with the distribution parameters.")
    rows, columns = X.shape
    if mean is not None and (np.ndim(mean) != 2 or mean.shape[0] != rows or mean.shape[1] != columns):
        raise ValueError("Array `mean` must have the shape of `X`.")
    rooted, beside = _covariance(rowcov, rows), _covariance(colcov, columns)
    centred = X if mean is None else X - mean
    white = np.linalg.solve(beside, np.linalg.solve(rooted, centred).T)
    sizes = columns * np.sum(np.log(np.diagonal(rooted))) + rows * np.sum(np.log(np.diagonal(beside)))
    return -0.5 * (rows * columns * LOG_TWO_PI + np.sum(white * white)) - sizes
