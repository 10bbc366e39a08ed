"""Densities of distributions that have nothing else here: each is one formula of its logarithm."""

import functools
import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density, located, positive, proper, real, shaped, standard


def _named(distribution, wrt, examples):
    """Register `logpdf` by its formula, and `pdf`."""

    def register(formula):
        density(distribution, "logpdf", wrt, examples)(formula)

        @density(distribution, "pdf", wrt, lambda r: examples(r)[:1])
        @functools.wraps(formula)
        def pdf(*parameters, **named):
            return np.exp(formula(*parameters, **named))

        return formula

    return register


def _from_zero(t, formula_at):
    """-inf below zero, where a formula is not asked."""
    return np.where(t < 0.0, -np.inf, formula_at)


def _kept(t):
    """The variable, replaced by 1 below zero."""
    return np.where(t < 0.0, 1.0, t)


def _inside(r, *shape):
    return r.uniform(0.15, 0.85, *shape)


def flat(c, t):
    """log(1 + c t) / c, which is t for c = 0; 0 where there is no such logarithm."""
    z = c * t
    near = np.abs(z) < 1e-3
    series = t * (1.0 - z * (0.5 - z * (1.0 / 3.0 - z * (0.25 - 0.2 * z))))
    far = np.where(near | (z <= -1.0), 1.0, z)
    return np.where(near, series, np.log1p(far) / np.where(near, 1.0, c))


# --- real ---------------------------------------------------------------------------------------------------


@_named("gennorm", "x beta loc scale", shaped(real, 1.5))
def gennorm(x, beta, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.log(0.5 * beta) - sp.gammaln(1.0 / beta) - np.abs(t) ** beta - np.log(proper(scale, beta > 0.0))


@_named("exponnorm", "x K loc scale", shaped(real, 1.5))
def exponnorm(x, K, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, K > 0.0)
    rate = 1.0 / K
    return rate * (0.5 * rate - t) + sp.log_ndtr(t - rate) - np.log(K) - np.log(scale)


@_named("johnsonsu", "x a b loc scale", shaped(real, 0.3, 1.5))
def johnsonsu(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (b > 0.0) & (a == a))
    apart = a + b * np.arcsinh(t)
    return np.log(b) - 0.5 * np.log1p(t * t) - 0.5 * apart * apart - 0.5 * LOG_TWO_PI - np.log(scale)


@_named("moyal", "x loc scale", located(real))
def moyal(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -0.5 * (t + np.exp(-t)) - 0.5 * LOG_TWO_PI - np.log(scale)


@_named("hypsecant", "x loc scale", located(real))
def hypsecant(x, loc=0.0, scale=1.0):
    t = np.abs(standard(x, loc, scale))
    return math.log(2.0 / math.pi) - t - np.log1p(np.exp(-2.0 * t)) - np.log(scale)


@_named("genextreme", "x c loc scale", shaped(_inside, 0.4))
def genextreme(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c == c)
    steps = flat(-c, t)
    return np.where(c * t >= 1.0, -np.inf, (c - 1.0) * steps - np.exp(-steps) - np.log(scale))


# --- above zero ---------------------------------------------------------------------------------------------


@_named("genpareto", "x c loc scale", shaped(positive, 0.4))
def genpareto(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c == c)
    outside = (t < 0.0) | (c * t <= -1.0)
    return np.where(outside, -np.inf, -(1.0 + c) * flat(c, t) - np.log(scale))


@_named("lomax", "x c loc scale", shaped(positive, 1.5))
def lomax(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    return _from_zero(t, np.log(c) - (c + 1.0) * np.log1p(_kept(t)) - np.log(scale))


@_named("maxwell", "x loc scale", located(positive))
def maxwell(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return _from_zero(t, 0.5 * math.log(2.0 / math.pi) + 2.0 * np.log(_kept(t)) - 0.5 * t * t - np.log(scale))


@_named("chi", "x df loc scale", shaped(positive, 2.5))
def chi(x, df, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, df > 0.0)
    constant = (1.0 - 0.5 * df) * math.log(2.0) - sp.gammaln(0.5 * df) - np.log(scale)
    return _from_zero(t, constant + sp.xlogy(df - 1.0, _kept(t)) - 0.5 * t * t)


@_named("f", "x dfn dfd loc scale", shaped(positive, 3.5, 5.0))
def f(x, dfn, dfd, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (dfn > 0.0) & (dfd > 0.0))
    n, m, y = 0.5 * dfn, 0.5 * dfd, _kept(t)
    constant = m * np.log(dfd) + n * np.log(dfn) - sp.betaln(n, m) - np.log(scale)
    return _from_zero(t, constant + sp.xlogy(n - 1.0, y) - (n + m) * np.log(dfd + dfn * y))


@_named("invgauss", "x mu loc scale", shaped(positive, 1.5))
def invgauss(x, mu, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, mu > 0.0)
    y = np.where(t <= 0.0, 1.0, t)
    log_density = (
        -0.5 * LOG_TWO_PI - 1.5 * np.log(y) - 0.5 * (y / mu - 1.0) * (1.0 / mu - 1.0 / y) - np.log(scale)
    )
    return np.where(t <= 0.0, -np.inf, log_density)


@_named("fisk", "x c loc scale", shaped(positive, 1.5))
def fisk(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    y = _kept(t)
    return _from_zero(t, np.log(c) + sp.xlogy(c - 1.0, y) - 2.0 * np.log1p(y**c) - np.log(scale))


@_named("burr12", "x c d loc scale", shaped(positive, 1.5, 2.0))
def burr12(x, c, d, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (c > 0.0) & (d > 0.0))
    y = _kept(t)
    return _from_zero(t, np.log(c * d) + sp.xlogy(c - 1.0, y) - (d + 1.0) * np.log1p(y**c) - np.log(scale))


@_named("betaprime", "x a b loc scale", shaped(positive, 1.5, 2.0))
def betaprime(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (b > 0.0))
    y = np.where(t <= 0.0, 1.0, t)
    log_density = sp.xlogy(a - 1.0, y) - (a + b) * np.log1p(y) - sp.betaln(a, b) - np.log(scale)
    return np.where(t <= 0.0, -np.inf, log_density)


@_named("gompertz", "x c loc scale", shaped(positive, 0.7))
def gompertz(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    y = _kept(t)
    return _from_zero(t, np.log(c) + y - c * np.expm1(y) - np.log(scale))


@_named("halflogistic", "x loc scale", located(positive))
def halflogistic(x, loc=0.0, scale=1.0):
    y = standard(x, loc, scale)
    t = _kept(y)
    return _from_zero(y, math.log(2.0) - t - 2.0 * np.log1p(np.exp(-t)) - np.log(scale))


@_named("gengamma", "x a c loc scale", shaped(positive, 1.5, 2.0))
def gengamma(x, a, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (c != 0.0))
    outside = (t < 0.0) | ((t == 0.0) & (c < 0.0))
    y = np.where(outside, 1.0, t)
    log_density = np.log(np.abs(c)) + sp.xlogy(c * a - 1.0, y) - y**c - sp.gammaln(a) - np.log(scale)
    return np.where(outside, -np.inf, log_density)


@_named("nakagami", "x nu loc scale", shaped(positive, 1.5))
def nakagami(x, nu, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, nu > 0.0)
    y = _kept(t)
    constant = math.log(2.0) + sp.xlogy(nu, nu) - sp.gammaln(nu) - np.log(scale)
    return _from_zero(t, constant + sp.xlogy(2.0 * nu - 1.0, y) - nu * y * y)


@_named("rice", "x b loc scale", shaped(positive, 1.5))
def rice(x, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, b >= 0.0)
    y = _kept(t)
    return _from_zero(t, np.log(y) - 0.5 * (y - b) ** 2 + np.log(sp.i0e(y * b)) - np.log(scale))


# --- between bounds -----------------------------------------------------------------------------------------


@_named("powerlaw", "x a loc scale", shaped(_inside, 1.5))
def powerlaw(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    y = _kept(t)
    return np.where((t < 0.0) | (t > 1.0), -np.inf, np.log(a) + sp.xlogy(a - 1.0, y) - np.log(scale))


@_named("triang", "x c loc scale", shaped(_inside, 0.4))
def triang(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (c >= 0.0) & (c <= 1.0))
    rising = (t < c) | (c == 1.0)
    part = np.where(rising, t / np.where(c == 0.0, 1.0, c), (1.0 - t) / np.where(c == 1.0, 1.0, 1.0 - c))
    outside = (t < 0.0) | (t > 1.0)
    return np.where(outside, -np.inf, np.log(2.0 * np.where(outside, 1.0, part)) - np.log(scale))


@_named("loguniform", "x a b loc scale", shaped(_inside, 0.1, 2.0))
def loguniform(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (b > a))
    outside = (t < a) | (t > b)
    y = np.where(outside, 1.0, t)
    return np.where(outside, -np.inf, -np.log(y) - np.log(np.log(b / a)) - np.log(scale))


@_named("wrapcauchy", "x c loc scale", shaped(_inside, 0.4))
def wrapcauchy(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (c > 0.0) & (c < 1.0))
    outside = (t < 0.0) | (t > 2.0 * math.pi)
    log_density = np.log1p(-c * c) - LOG_TWO_PI - np.log(1.0 + c * c - 2.0 * c * np.cos(t)) - np.log(scale)
    return np.where(outside, -np.inf, log_density)


# --- counts -------------------------------------------------------------------------------------------------


@density(
    "betabinom", "logpmf", "a b", lambda r: [(2, 5, 1.5, 2.0), (np.array([0, 3, 7]), 5, r.positive(3), 2.0)]
)
def betabinom(k, n, a, b, loc=0):
    hits = k - loc
    outside = (hits < 0) | (hits > n) | (np.floor(hits) < hits)
    counts = np.where(outside, 0, hits)
    ways = -np.log(n + 1.0) - sp.betaln(n - counts + 1.0, counts + 1.0)
    valid = (n >= 0) & (np.floor(n) == n) & (a > 0.0) & (b > 0.0)
    log_mass = ways + sp.betaln(counts + a, n - counts + b) - sp.betaln(a, b)
    return np.where(valid, np.where(outside, -np.inf, log_mass), np.nan)


@density("betabinom", "pmf", "a b", lambda r: [(2, 5, 1.5, 2.0)])
def betabinom_pmf(k, n, a, b, loc=0):
    return np.exp(betabinom(k, n, a, b, loc))
