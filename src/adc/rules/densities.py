"""Rules of scipy.stats: log-densities, densities and distribution functions, as their formulas.

Outside the support a log-density is -inf and its derivative zero. What an untaken branch of np.where
computes there is kept finite, so that no NaN reaches an adjoint.
"""

import math

import numpy as np
from scipy import special as sp
from scipy import stats

from adc.rules import special as special
from adc.rules.linear_systems import symmetric
from adc.rules.registry import composite
from adc.rules.sampler import call

LOG_TWO_PI = math.log(2.0 * math.pi)


def _balanced(x_dot):
    """A direction in which a point stays on the simplex."""
    return x_dot - np.mean(x_dot, axis=0)


def _symmetric(x_dot):
    return symmetric(x_dot) if np.ndim(x_dot) == 2 else x_dot


def density(distribution, method, wrt, examples, directions=None):
    """Register `scipy.stats.<distribution>.<method>` by its formula."""
    spelling = f"scipy.stats.{distribution}.{method}"
    return composite(
        getattr(getattr(stats, distribution), method),
        wrt=wrt,
        examples=examples,
        spelling=spelling,
        name=f"stats.{distribution}.{method}",
        extra={"float64_only": True, "rtol": 1e-9, "directions": directions or {}},
    )


def _located(x):
    """Examples for a location-scale family: plain, shifted, and with arrays of parameters."""

    def examples(r):
        return [
            x(r, 3),
            (x(r, 2, 3), 0.2, 1.3),
            call(x(r, 3), loc=0.1 * r.positive(3), scale=r.positive(3)),
            x(r),
        ]

    return examples


def _shaped(x, *shapes):
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


def standard(x, loc, scale):
    return (x - loc) / scale


# --- normal -------------------------------------------------------------------------------------------------


@density("norm", "logpdf", "x loc scale", _located(real))
def norm_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -0.5 * t * t - 0.5 * LOG_TWO_PI - np.log(scale)


@density("norm", "pdf", "x loc scale", _located(real))
def norm_pdf(x, loc=0.0, scale=1.0):
    return np.exp(norm_logpdf(x, loc, scale))


@density("norm", "cdf", "x loc scale", _located(real))
def norm_cdf(x, loc=0.0, scale=1.0):
    return sp.ndtr(standard(x, loc, scale))


@density("norm", "logcdf", "x loc scale", _located(real))
def norm_logcdf(x, loc=0.0, scale=1.0):
    return sp.log_ndtr(standard(x, loc, scale))


@density("norm", "sf", "x loc scale", _located(real))
def norm_sf(x, loc=0.0, scale=1.0):
    return sp.ndtr(-standard(x, loc, scale))


@density("norm", "logsf", "x loc scale", _located(real))
def norm_logsf(x, loc=0.0, scale=1.0):
    return sp.log_ndtr(-standard(x, loc, scale))


@density("norm", "ppf", "q loc scale", _located(probability))
def norm_ppf(q, loc=0.0, scale=1.0):
    return loc + scale * sp.ndtri(q)


# --- Student's t --------------------------------------------------------------------------------------------


@density("t", "logpdf", "x df loc scale", _shaped(real, 3.5))
def t_logpdf(x, df, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    constant = sp.gammaln(0.5 * (df + 1.0)) - sp.gammaln(0.5 * df) - 0.5 * np.log(df * math.pi)
    return constant - 0.5 * (df + 1.0) * np.log1p(t * t / df) - np.log(scale)


@density("t", "pdf", "x df loc scale", _shaped(real, 3.5))
def t_pdf(x, df, loc=0.0, scale=1.0):
    return np.exp(t_logpdf(x, df, loc, scale))


@density("t", "cdf", "x loc scale", _shaped(real, 3.5))
def t_cdf(x, df, loc=0.0, scale=1.0):
    return sp.stdtr(df, standard(x, loc, scale))


@density("t", "logcdf", "x loc scale", _shaped(real, 3.5))
def t_logcdf(x, df, loc=0.0, scale=1.0):
    return np.log(t_cdf(x, df, loc, scale))


# --- distributions on the positive half-line ----------------------------------------------------------------


def _inside(t, log_density):
    """-inf below the support."""
    return np.where(t >= 0.0, log_density, -np.inf)


def _kept(t):
    """The variable, replaced by 1 below the support."""
    return np.where(t >= 0.0, t, 1.0)


@density("gamma", "logpdf", "x a loc scale", _shaped(positive, 2.5))
def gamma_logpdf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    y = _kept(t)
    return _inside(t, sp.xlogy(a - 1.0, y) - y - sp.gammaln(a) - np.log(scale))


@density("gamma", "pdf", "x a loc scale", _shaped(positive, 2.5))
def gamma_pdf(x, a, loc=0.0, scale=1.0):
    return np.exp(gamma_logpdf(x, a, loc, scale))


@density("gamma", "cdf", "x loc scale", _shaped(positive, 2.5))
def gamma_cdf(x, a, loc=0.0, scale=1.0):
    return sp.gammainc(a, np.maximum(standard(x, loc, scale), 0.0))


@density("chi2", "logpdf", "x df loc scale", _shaped(positive, 3.5))
def chi2_logpdf(x, df, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    y = _kept(t)
    return _inside(
        t,
        sp.xlogy(0.5 * df - 1.0, y)
        - 0.5 * y
        - sp.gammaln(0.5 * df)
        - 0.5 * df * math.log(2.0)
        - np.log(scale),
    )


@density("chi2", "pdf", "x df loc scale", _shaped(positive, 3.5))
def chi2_pdf(x, df, loc=0.0, scale=1.0):
    return np.exp(chi2_logpdf(x, df, loc, scale))


@density("chi2", "cdf", "x loc scale", _shaped(positive, 3.5))
def chi2_cdf(x, df, loc=0.0, scale=1.0):
    return sp.gammainc(0.5 * df, 0.5 * np.maximum(standard(x, loc, scale), 0.0))


@density("expon", "logpdf", "x loc scale", _located(positive))
def expon_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return _inside(t, -t - np.log(scale))


@density("expon", "pdf", "x loc scale", _located(positive))
def expon_pdf(x, loc=0.0, scale=1.0):
    return np.exp(expon_logpdf(x, loc, scale))


@density("expon", "cdf", "x loc scale", _located(positive))
def expon_cdf(x, loc=0.0, scale=1.0):
    return -np.expm1(-np.maximum(standard(x, loc, scale), 0.0))


@density("lognorm", "logpdf", "x s loc scale", _shaped(positive, 0.7))
def lognorm_logpdf(x, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = t > 0.0
    log_t = np.log(np.where(inside, t, 1.0))
    return np.where(
        inside, -0.5 * (log_t / s) ** 2 - log_t - np.log(s) - 0.5 * LOG_TWO_PI - np.log(scale), -np.inf
    )


@density("lognorm", "pdf", "x s loc scale", _shaped(positive, 0.7))
def lognorm_pdf(x, s, loc=0.0, scale=1.0):
    return np.exp(lognorm_logpdf(x, s, loc, scale))


@density("lognorm", "cdf", "x s loc scale", _shaped(positive, 0.7))
def lognorm_cdf(x, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = t > 0.0
    return np.where(inside, sp.ndtr(np.log(np.where(inside, t, 1.0)) / s), 0.0)


# --- distributions on an interval ---------------------------------------------------------------------------


@density(
    "beta",
    "logpdf",
    "x a b loc scale",
    lambda r: [
        (probability(r, 3), 2.5, 1.5),
        call(probability(r, 2, 3), 2.5, 1.5, loc=0.05, scale=1.3),
        (1.2, 2.0, 3.0),
    ],
)
def beta_logpdf(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = (t >= 0.0) & (t <= 1.0)
    y = np.where(inside, t, 0.5)
    return np.where(
        inside, sp.xlogy(a - 1.0, y) + sp.xlog1py(b - 1.0, -y) - sp.betaln(a, b) - np.log(scale), -np.inf
    )


@density("beta", "pdf", "x a b loc scale", _shaped(probability, 2.5, 1.5))
def beta_pdf(x, a, b, loc=0.0, scale=1.0):
    return np.exp(beta_logpdf(x, a, b, loc, scale))


@density("beta", "cdf", "x loc scale", _shaped(probability, 2.5, 1.5))
def beta_cdf(x, a, b, loc=0.0, scale=1.0):
    return sp.betainc(a, b, np.clip(standard(x, loc, scale), 0.0, 1.0))


@density(
    "uniform",
    "logpdf",
    "x loc scale",
    lambda r: [probability(r, 3), (probability(r, 2, 3), -0.2, 1.3), (1.5,)],
)
def uniform_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.where((t >= 0.0) & (t <= 1.0), -np.log(scale) + np.zeros_like(t), -np.inf)


@density(
    "uniform", "pdf", "x loc scale", lambda r: [probability(r, 3), (probability(r, 2, 3), -0.2, 1.3), (1.5,)]
)
def uniform_pdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.where((t >= 0.0) & (t <= 1.0), 1.0 / scale + np.zeros_like(t), 0.0)


@density(
    "uniform", "cdf", "x loc scale", lambda r: [probability(r, 3), (probability(r, 2, 3), -0.2, 1.3), (1.5,)]
)
def uniform_cdf(x, loc=0.0, scale=1.0):
    return np.clip(standard(x, loc, scale), 0.0, 1.0)


# --- Laplace, Cauchy, logistic ------------------------------------------------------------------------------


@density("laplace", "logpdf", "x loc scale", _located(real))
def laplace_logpdf(x, loc=0.0, scale=1.0):
    return -np.abs(standard(x, loc, scale)) - math.log(2.0) - np.log(scale)


@density("laplace", "pdf", "x loc scale", _located(real))
def laplace_pdf(x, loc=0.0, scale=1.0):
    return np.exp(laplace_logpdf(x, loc, scale))


@density("laplace", "cdf", "x loc scale", _located(real))
def laplace_cdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    tail = 0.5 * np.exp(-np.abs(t))
    return np.where(t > 0.0, 1.0 - tail, tail)


@density("cauchy", "logpdf", "x loc scale", _located(real))
def cauchy_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -math.log(math.pi) - np.log1p(t * t) - np.log(scale)


@density("cauchy", "pdf", "x loc scale", _located(real))
def cauchy_pdf(x, loc=0.0, scale=1.0):
    return np.exp(cauchy_logpdf(x, loc, scale))


@density("cauchy", "cdf", "x loc scale", _located(real))
def cauchy_cdf(x, loc=0.0, scale=1.0):
    return 0.5 + np.arctan(standard(x, loc, scale)) / math.pi


@density("logistic", "logpdf", "x loc scale", _located(real))
def logistic_logpdf(x, loc=0.0, scale=1.0):
    t = -np.abs(standard(x, loc, scale))
    return t - 2.0 * np.log1p(np.exp(t)) - np.log(scale)


@density("logistic", "cdf", "x loc scale", _located(real))
def logistic_cdf(x, loc=0.0, scale=1.0):
    return sp.expit(standard(x, loc, scale))


# --- counts -------------------------------------------------------------------------------------------------


@density(
    "poisson",
    "logpmf",
    "mu",
    lambda r: [
        (2, 1.3),
        (r.integers(0, 5, 3), r.positive(3)),
        (np.array([-1, 2]), 1.5),
        (np.array([2, 3]), 1.5, 1),
    ],
)
def poisson_logpmf(k, mu, loc=0):
    n = k - loc
    counts = np.where(n >= 0, n, 0)
    return np.where(n >= 0, sp.xlogy(counts, mu) - mu - sp.gammaln(counts + 1.0), -np.inf)


@density("poisson", "pmf", "mu", lambda r: [(2, 1.3), (r.integers(0, 5, 3), r.positive(3))])
def poisson_pmf(k, mu, loc=0):
    return np.exp(poisson_logpmf(k, mu, loc))


@density("poisson", "cdf", "mu", lambda r: [(2, 1.3), (r.integers(0, 5, 3), r.positive(3))])
def poisson_cdf(k, mu, loc=0):
    n = np.floor(k - loc)
    return np.where(n >= 0.0, sp.gammaincc(np.maximum(n, 0.0) + 1.0, mu), 0.0)


@density(
    "bernoulli",
    "logpmf",
    "p",
    lambda r: [(1, 0.3), (np.array([0, 1, 1]), probability(r, 3)), (np.array([0, 2]), 0.4)],
)
def bernoulli_logpmf(k, p, loc=0):
    n = k - loc
    inside = (n == 0) | (n == 1)
    return np.where(inside, np.where(n == 1, np.log(p), np.log1p(-p)), -np.inf)


@density(
    "bernoulli",
    "pmf",
    "p",
    lambda r: [(1, 0.3), (np.array([0, 1, 1]), probability(r, 3)), (np.array([0, 2]), 0.4)],
)
def bernoulli_pmf(k, p, loc=0):
    n = k - loc
    return np.where(n == 1, p, np.where(n == 0, 1.0 - p, 0.0))


@density("bernoulli", "cdf", "p", lambda r: [(1, 0.3), (np.array([0, 1, -1]), probability(r, 3))])
def bernoulli_cdf(k, p, loc=0):
    n = np.floor(k - loc)
    return np.where(n >= 1.0, 1.0, np.where(n >= 0.0, 1.0 - p, 0.0))


@density(
    "binom",
    "logpmf",
    "p",
    lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3)), (np.array([2, 7]), 5, 0.4)],
)
def binom_logpmf(k, n, p, loc=0):
    hits = k - loc
    inside = (hits >= 0) & (hits <= n)
    counts = np.where(inside, hits, 0)
    ways = sp.gammaln(n + 1.0) - sp.gammaln(counts + 1.0) - sp.gammaln(n - counts + 1.0)
    return np.where(inside, ways + sp.xlogy(counts, p) + sp.xlog1py(n - counts, -p), -np.inf)


@density("binom", "pmf", "p", lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3))])
def binom_pmf(k, n, p, loc=0):
    return np.exp(binom_logpmf(k, n, p, loc))


# --- several variables --------------------------------------------------------------------------------------


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
