"""Distributions of several variables: normal, Dirichlet, multinomial."""

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density
from adc.rules.linear_systems import of_triangle, symmetric
from adc.rules.sampler import call

# Eigenvalues of a covariance below this part of the largest count as zero, as SciPy has it.
ROUNDING = 1e6 * float(np.finfo(np.float64).eps)
MISCOUNT = 10.0 * float(np.finfo(np.float64).eps)


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
        r.normal(3),
        (r.normal(3), 0.5, 1.5),
        (r.normal(4, 3), r.normal(3), r.positive(3)),
        (0.5, -0.5, 1.5),
        call(r.normal(4, 2), r.normal(2), r.positive_definite(2), allow_singular=True),
    ],
    {"cov": _symmetric},
)
def multivariate_normal_logpdf(x, mean=None, cov=1.0, allow_singular=False):
    if np.ndim(cov) == 0 and (mean is None or np.ndim(mean) == 0):
        # One variable, of which x has several values.
        apart = x if mean is None else x - mean
        return -0.5 * (apart * apart / cov + np.log(cov) + LOG_TWO_PI)
    centred = x if mean is None else x - mean
    n = x.shape[-1]
    if mean is not None and np.size(mean) != n:
        raise ValueError(
            "the mean and the points have different lengths: points of one variable are x[:, None]"
        )
    matrix = cov if np.ndim(cov) == 2 else cov * np.eye(n, dtype=centred.dtype)
    rows = np.reshape(centred, (-1, n))
    if allow_singular:
        log_density = _on_the_support(rows, matrix)
    else:
        factor = np.linalg.cholesky(matrix)
        white = np.linalg.solve(factor, rows.T)
        constant = 0.5 * n * LOG_TWO_PI + np.sum(np.log(np.diagonal(factor)))
        log_density = -0.5 * np.sum(white * white, axis=0) - constant
    return log_density[0] if np.ndim(x) == 1 else np.reshape(log_density, np.shape(x)[:-1])


def _on_the_support(rows, matrix):
    """The log-density of each row, of a covariance that may be singular."""
    matrix = of_triangle(matrix, True)
    variances, axes = np.linalg.eigh(matrix)
    rounding = ROUNDING * np.max(np.abs(variances))
    inside = variances > rounding
    kept = np.where(inside, variances, 1.0)
    # Not by the axes: those of equal variances do not say how they turn with the matrix.
    distances = np.sum((rows @ np.linalg.pinv(matrix, ROUNDING)) * rows, axis=1)
    # The rest of a row lies outside the support.
    outside = np.where(inside, 0.0, rows @ axes)
    log_density = -0.5 * (distances + np.sum(np.log(kept)) + np.sum(inside) * LOG_TWO_PI)
    return np.where(np.sum(outside * outside, axis=1) < (1e3 * rounding) ** 2, log_density, -np.inf)


@density(
    "multivariate_normal",
    "pdf",
    "x mean cov",
    lambda r: [(r.normal(3), r.normal(3), r.positive_definite(3))],
    {"cov": _symmetric},
)
def multivariate_normal_pdf(x, mean=None, cov=1.0, allow_singular=False):
    return np.exp(multivariate_normal_logpdf(x, mean, cov, allow_singular))


@density(
    "multivariate_normal",
    "entropy",
    "cov",
    lambda r: [
        call(mean=np.zeros(3), cov=r.positive_definite(3)),
        call(mean=np.zeros(3), cov=r.positive(3)),
        call(mean=np.zeros(3), cov=1.5),
    ],
    {"cov": _symmetric},
)
def multivariate_normal_entropy(mean=None, cov=1.0):
    if np.ndim(cov) == 2:
        return 0.5 * cov.shape[0] * (LOG_TWO_PI + 1.0) + 0.5 * np.linalg.slogdet(of_triangle(cov, True))[1]
    if np.ndim(cov) == 1:
        return 0.5 * np.sum(np.log(cov) + LOG_TWO_PI + 1.0)
    count = 1 if mean is None else np.size(mean)
    return 0.5 * count * (np.log(cov) + LOG_TWO_PI + 1.0)


@density(
    "dirichlet",
    "logpdf",
    "x alpha",
    lambda r: [
        (np.array([0.2, 0.5, 0.3]), r.positive(3) + 1.0),
        (np.array([0.4]), r.positive(2) + 1.0),
    ],
    {"x": _balanced},
    doubles=False,
)
def dirichlet_logpdf(x, alpha):
    if x.shape[0] == np.size(alpha) - 1:  # the last share is what is left
        x = np.concatenate((x, 1.0 - np.sum(x, axis=0, keepdims=True)))
    if x.shape[0] != np.size(alpha):
        raise ValueError("Vector 'x' must have as many entries as 'alpha', or one less")
    weights = np.reshape(alpha, (np.size(alpha),) + (1,) * (np.ndim(x) - 1))
    constant = sp.gammaln(np.sum(alpha)) - np.sum(sp.gammaln(alpha))
    return np.sum(sp.xlogy(weights - 1.0, x), axis=0) + constant


@density(
    "dirichlet",
    "pdf",
    "x alpha",
    lambda r: [(np.array([0.2, 0.5, 0.3]), r.positive(3) + 1.0)],
    {"x": _balanced},
    doubles=False,
)
def dirichlet_pdf(x, alpha):
    return np.exp(dirichlet_logpdf(x, alpha))


def _shares(r, *shape):
    p = r.positive(*shape) + 0.1
    return p / np.sum(p, axis=-1, keepdims=True)


def _balanced_rows(p_dot):
    """A direction in which shares add up to what they did."""
    return p_dot - np.mean(p_dot, axis=-1, keepdims=True)


@density(
    "multinomial",
    "logpmf",
    "p",
    lambda r: [
        (np.array([1, 2, 0]), 3, _shares(r, 3)),
        (np.array([[1, 2], [3, 1], [0, -1]]), np.array([3, 4, -1]), _shares(r, 3, 2)),
        (np.array([[1, 2], [3, 1]]), 3, np.array([0.3, 0.7])),
    ],
    {"p": _balanced_rows},
)
def multinomial_logpmf(x, n, p):
    counts, shares = np.atleast_1d(x), np.atleast_1d(p)  # which may be lists
    if counts.shape[-1] != shares.shape[-1]:
        raise ValueError("the counts and the shares have different lengths")
    # SciPy lets the last share make up for the others where they do not add up to one.
    excess = np.sum(shares, axis=-1, keepdims=True) - 1.0
    last = shares[..., -1:] - np.where(np.abs(excess) > MISCOUNT, excess, 0.0)
    shares = np.concatenate((shares[..., :-1], last), axis=-1)
    outside = np.any((counts < 0) | (np.floor(counts) < counts), axis=-1) | (np.sum(counts, axis=-1) != n)
    taken = np.where(np.expand_dims(outside, -1), 0.0, counts)
    log_mass = sp.gammaln(n + 1.0) + np.sum(sp.xlogy(taken, shares) - sp.gammaln(taken + 1.0), axis=-1)
    proper = np.all((shares >= 0.0) & (shares <= 1.0), axis=-1) & (n >= 0)
    return np.where(proper, np.where(outside, -np.inf, log_mass), np.nan)


@density(
    "multinomial", "pmf", "p", lambda r: [(np.array([1, 2, 0]), 3, _shares(r, 3))], {"p": _balanced_rows}
)
def multinomial_pmf(x, n, p):
    return np.exp(multinomial_logpmf(x, n, p))
