"""Distributions of counts: Poisson, Bernoulli, binomial."""

import numpy as np
from scipy import special as sp

from adc.rules.densities import density, probability


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


# --- tails of counts ----------------------------------------------------------------------------------------


def _upper_poisson(k, mu, loc):
    n = np.floor(k - loc)
    return np.where(n >= 0.0, sp.gammainc(np.maximum(n, 0.0) + 1.0, mu), 1.0)


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
    return np.where(n >= 1.0, 0.0, np.where(n >= 0.0, p, 1.0))


def _lower_binom(k, n, p, loc):
    hits = np.floor(k - loc)
    inside = (hits >= 0.0) & (hits < n)
    counts = np.where(inside, hits, 0.0)
    below = sp.betainc(np.where(inside, n - counts, 1.0), counts + 1.0, 1.0 - p)
    return np.where(inside, below, np.where(hits < 0.0, 0.0, 1.0))


@density(
    "binom", "cdf", "p", lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3)), (7, 5, 0.4)]
)
def binom_cdf(k, n, p, loc=0):
    return _lower_binom(k, n, p, loc)


@density("binom", "sf", "p", lambda r: [(2, 5, 0.3), (r.integers(0, 5, 3), 5, probability(r, 3))])
def binom_sf(k, n, p, loc=0):
    return 1.0 - _lower_binom(k, n, p, loc)
