"""Distributions of counts: Poisson, Bernoulli, binomial.

A number between two counts has no mass. Comparisons ask whether a count is outside, so that NaN stays NaN.
"""

import numpy as np
from scipy import special as sp

from adc.rules.densities import density, probability


def _between(n):
    return np.floor(n) < n


def _where_rated(mu, value):
    """The value where mu is the mean of a Poisson distribution, and NaN elsewhere."""
    return np.where(mu >= 0.0, value, np.nan)


def _where_tried(n, p, value):
    """The value where n is a number of trials, and p the probability of success; NaN elsewhere."""
    return np.where((n >= 0) & (np.floor(n) == n) & (p >= 0.0) & (p <= 1.0), value, np.nan)


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
    outside = (n < 0) | _between(n)
    counts = np.where(outside, 0, n)
    return _where_rated(mu, np.where(outside, -np.inf, sp.xlogy(counts, mu) - mu - sp.gammaln(counts + 1.0)))


@density("poisson", "pmf", "mu", lambda r: [(2, 1.3), (r.integers(0, 5, 3), r.positive(3))])
def poisson_pmf(k, mu, loc=0):
    return np.exp(poisson_logpmf(k, mu, loc))


@density("poisson", "cdf", "mu", lambda r: [(2, 1.3), (r.integers(0, 5, 3), r.positive(3))])
def poisson_cdf(k, mu, loc=0):
    n = np.floor(k - loc)
    return _where_rated(mu, np.where(n < 0.0, 0.0, sp.gammaincc(np.maximum(n, 0.0) + 1.0, mu)))


@density(
    "bernoulli",
    "logpmf",
    "p",
    lambda r: [(1, 0.3), (np.array([0, 1, 1]), probability(r, 3)), (np.array([0, 2]), 0.4)],
)
def bernoulli_logpmf(k, p, loc=0):
    n = k - loc
    outside = (n < 0) | (n > 1) | _between(n)
    log_mass = np.where(n == 1, np.log(p), np.where(n == 0, np.log1p(-p), np.nan))
    return _where_tried(1, p, np.where(outside, -np.inf, log_mass))


@density(
    "bernoulli",
    "pmf",
    "p",
    lambda r: [(1, 0.3), (np.array([0, 1, 1]), probability(r, 3)), (np.array([0, 2]), 0.4)],
)
def bernoulli_pmf(k, p, loc=0):
    n = k - loc
    outside = (n < 0) | (n > 1) | _between(n)
    mass = np.where(n == 1, p, np.where(n == 0, 1.0 - p, np.nan))
    return _where_tried(1, p, np.where(outside, 0.0, mass))


@density("bernoulli", "cdf", "p", lambda r: [(1, 0.3), (np.array([0, 1, -1]), probability(r, 3))])
def bernoulli_cdf(k, p, loc=0):
    n = np.floor(k - loc)
    below = np.where(n >= 1.0, 1.0, np.where(n < 0.0, 0.0, 1.0 - p + 0.0 * n))
    return _where_tried(1, p, below)


@density(
    "binom",
    "logpmf",
    "p",
    lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3)), (np.array([2, 7]), 5, 0.4)],
)
def binom_logpmf(k, n, p, loc=0):
    hits = k - loc
    outside = (hits < 0) | (hits > n) | _between(hits)
    counts = np.where(outside, 0, hits)
    ways = sp.gammaln(n + 1.0) - sp.gammaln(counts + 1.0) - sp.gammaln(n - counts + 1.0)
    log_mass = ways + sp.xlogy(counts, p) + sp.xlog1py(n - counts, -p)
    return _where_tried(n, p, np.where(outside, -np.inf, log_mass))


@density("binom", "pmf", "p", lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3))])
def binom_pmf(k, n, p, loc=0):
    return np.exp(binom_logpmf(k, n, p, loc))


# --- tails of counts ----------------------------------------------------------------------------------------


def _upper_poisson(k, mu, loc):
    n = np.floor(k - loc)
    return _where_rated(mu, np.where(n < 0.0, 1.0, sp.gammainc(np.maximum(n, 0.0) + 1.0, mu)))


@density("poisson", "sf", "mu", lambda r: [(2, 1.3), (r.integers(0, 5, 3), r.positive(3))])
def poisson_sf(k, mu, loc=0):
    return _upper_poisson(k, mu, loc)


@density("poisson", "logsf", "mu", lambda r: [(2, 1.3), (r.integers(0, 5, 3), r.positive(3))])
def poisson_logsf(k, mu, loc=0):
    return np.log(_upper_poisson(k, mu, loc))


@density("poisson", "logcdf", "mu", lambda r: [(2, 1.3), (r.integers(0, 5, 3), r.positive(3))])
def poisson_logcdf(k, mu, loc=0):
    return np.log(poisson_cdf(k, mu, loc))


@density("bernoulli", "sf", "p", lambda r: [(1, 0.3), (np.array([0, 1, -1]), probability(r, 3))])
def bernoulli_sf(k, p, loc=0):
    n = np.floor(k - loc)
    above = np.where(n >= 1.0, 0.0, np.where(n < 0.0, 1.0, p + 0.0 * n))
    return _where_tried(1, p, above)


def _lower_binom(k, n, p, loc):
    hits = np.floor(k - loc)
    outside = (hits < 0.0) | (hits >= n)
    counts = np.where(outside, 0.0, hits)
    below = sp.betainc(np.where(outside, 1.0, n - counts), counts + 1.0, 1.0 - p)
    return _where_tried(n, p, np.where(outside, np.where(hits < 0.0, 0.0, 1.0), below))


@density(
    "binom", "cdf", "p", lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3)), (7, 5, 0.4)]
)
def binom_cdf(k, n, p, loc=0):
    return _lower_binom(k, n, p, loc)


@density("binom", "sf", "p", lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3))])
def binom_sf(k, n, p, loc=0):
    return 1.0 - _lower_binom(k, n, p, loc)


@density(
    "geom",
    "logpmf",
    "p",
    lambda r: [(2, 0.3), (np.array([1, 3, 4]), probability(r, 3)), (np.array([0, 2]), 0.4)],
)
def geom_logpmf(k, p, loc=0):
    n = k - loc
    outside = (n < 1) | _between(n)
    more = np.where(outside, 1, n) - 1
    rate = np.where((p > 0.0) & (p <= 1.0), p, np.nan)
    return np.where(outside, -np.inf + 0.0 * rate, sp.xlog1py(more, -rate) + np.log(rate))


@density("geom", "pmf", "p", lambda r: [(2, 0.3), (np.array([1, 3, 4]), probability(r, 3))])
def geom_pmf(k, p, loc=0):
    return np.exp(geom_logpmf(k, p, loc))


@density(
    "nbinom",
    "logpmf",
    "n p",
    lambda r: [(2, 3.5, 0.3), (np.array([0, 3, 4]), 2.5, probability(r, 3)), (np.array([-1, 2]), 4.0, 0.4)],
)
def nbinom_logpmf(k, n, p, loc=0):
    m = k - loc
    outside = (m < 0) | _between(m)
    counts = np.where(outside, 0, m)
    rate = np.where((n > 0.0) & (p > 0.0) & (p <= 1.0), p, np.nan)
    ways = sp.gammaln(n + counts) - sp.gammaln(counts + 1.0) - sp.gammaln(n)
    return np.where(outside, -np.inf + 0.0 * rate, ways + n * np.log(rate) + sp.xlog1py(counts, -rate))


@density("nbinom", "pmf", "n p", lambda r: [(2, 3.5, 0.3), (np.array([0, 3, 4]), 2.5, probability(r, 3))])
def nbinom_pmf(k, n, p, loc=0):
    return np.exp(nbinom_logpmf(k, n, p, loc))
