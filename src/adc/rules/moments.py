"""Means, variances, standard deviations and entropies of the distributions of scipy.stats: three formulas each."""

import functools
import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density, probability, proper, unit
from adc.rules.sampler import call

_EULER = 0.5772156649015329


def _moments(distribution, wrt, *draws, where=None, entropy=True):
    """Register `mean`, `var`, `std` and `entropy` by a function that gives the first two and the last.

    `draws` are of the shapes that it has; `where` holds keywords of the example.
    """
    where = {"loc": 0.3, "scale": 1.7} if where is None else where

    def examples(r):
        return [call(*(draw(r, 2) for draw in draws), **where)]

    def register(formula):
        @density(distribution, "mean", wrt, examples)
        @functools.wraps(formula)
        def mean(*parameters, **named):
            return formula(*parameters, **named)[0]

        @density(distribution, "var", wrt, examples)
        @functools.wraps(formula)
        def variance(*parameters, **named):
            return formula(*parameters, **named)[1]

        @density(distribution, "std", wrt, examples)
        @functools.wraps(formula)
        def deviation(*parameters, **named):
            return np.sqrt(formula(*parameters, **named)[1])

        if entropy:

            @density(distribution, "entropy", wrt, examples)
            @functools.wraps(formula)
            def uncertainty(*parameters, **named):
                return formula(*parameters, **named)[2]

        return formula

    return register


def _shape(r, *shape):
    return r.positive(*shape) + 2.5


def _moved(loc, scale, mean, variance, entropy, valid=None):
    """The three, from those of location 0 and scale 1; each has the shape of all parameters."""
    scale = proper(scale, valid)
    like = 0.0 * loc
    return loc + scale * mean, scale * scale * variance + like, np.log(scale) + entropy + like


@_moments("norm", "loc scale")
def norm(loc=0.0, scale=1.0):
    return _moved(loc, scale, 0.0, 1.0, 0.5 + 0.5 * LOG_TWO_PI)


@_moments("laplace", "loc scale")
def laplace(loc=0.0, scale=1.0):
    return _moved(loc, scale, 0.0, 2.0, 1.0 + math.log(2.0))


@_moments("logistic", "loc scale")
def logistic(loc=0.0, scale=1.0):
    return _moved(loc, scale, 0.0, math.pi**2 / 3.0, 2.0)


@_moments("gumbel_r", "loc scale")
def gumbel_r(loc=0.0, scale=1.0):
    return _moved(loc, scale, _EULER, math.pi**2 / 6.0, 1.0 + _EULER)


@_moments("gumbel_l", "loc scale")
def gumbel_l(loc=0.0, scale=1.0):
    return _moved(loc, scale, -_EULER, math.pi**2 / 6.0, 1.0 + _EULER)


@_moments("expon", "loc scale")
def expon(loc=0.0, scale=1.0):
    return _moved(loc, scale, 1.0, 1.0, 1.0)


@_moments("uniform", "loc scale")
def uniform(loc=0.0, scale=1.0):
    return _moved(loc, scale, 0.5, 1.0 / 12.0, 0.0)


@_moments("rayleigh", "loc scale")
def rayleigh(loc=0.0, scale=1.0):
    return _moved(
        loc, scale, math.sqrt(0.5 * math.pi), 2.0 - 0.5 * math.pi, 1.0 + 0.5 * _EULER - 0.5 * math.log(2.0)
    )


@_moments("halfnorm", "loc scale")
def halfnorm(loc=0.0, scale=1.0):
    return _moved(
        loc, scale, math.sqrt(2.0 / math.pi), 1.0 - 2.0 / math.pi, 0.5 + 0.5 * math.log(0.5 * math.pi)
    )


@_moments("gamma", "a loc scale", _shape)
def gamma(a, loc=0.0, scale=1.0):
    entropy = a + sp.gammaln(a) + (1.0 - a) * sp.digamma(a)
    return _moved(loc, scale, a, a, entropy, a > 0.0)


@_moments("chi2", "df loc scale", _shape)
def chi2(df, loc=0.0, scale=1.0):
    half = 0.5 * df
    entropy = half + math.log(2.0) + sp.gammaln(half) + (1.0 - half) * sp.digamma(half)
    return _moved(loc, scale, df, 2.0 * df, entropy, df > 0.0)


@_moments("beta", "a b loc scale", _shape, _shape)
def beta(a, b, loc=0.0, scale=1.0):
    total = a + b
    variance = a * b / (total * total * (total + 1.0))
    entropy = sp.betaln(a, b) - (a - 1.0) * sp.digamma(a) - (b - 1.0) * sp.digamma(b)
    entropy = entropy + (total - 2.0) * sp.digamma(total)
    return _moved(loc, scale, a / total, variance, entropy, (a > 0.0) & (b > 0.0))


@_moments("lognorm", "s loc scale", probability)
def lognorm(s, loc=0.0, scale=1.0):
    variance = np.expm1(s * s) * np.exp(s * s)
    return _moved(loc, scale, np.exp(0.5 * s * s), variance, 0.5 + 0.5 * LOG_TWO_PI + np.log(s), s > 0.0)


@_moments("weibull_min", "c loc scale", _shape)
def weibull_min(c, loc=0.0, scale=1.0):
    mean = sp.gamma(1.0 + 1.0 / c)
    variance = sp.gamma(1.0 + 2.0 / c) - mean * mean
    return _moved(loc, scale, mean, variance, 1.0 + _EULER * (1.0 - 1.0 / c) - np.log(c), c > 0.0)


@_moments("t", "df loc scale", _shape)
def t(df, loc=0.0, scale=1.0):
    mean = np.where(df > 1.0, 0.0, np.inf)
    variance = np.where(df > 2.0, df / np.where(df > 2.0, df - 2.0, 1.0), np.where(df > 1.0, np.inf, np.nan))
    more = 0.5 * (df + 1.0)
    entropy = more * (sp.digamma(more) - sp.digamma(0.5 * df)) + 0.5 * np.log(df) + sp.betaln(0.5 * df, 0.5)
    return _moved(loc, scale, mean, variance, entropy, df > 0.0)


@_moments("pareto", "b loc scale", _shape)
def pareto(b, loc=0.0, scale=1.0):
    above_one, above_two = np.where(b > 1.0, b - 1.0, np.nan), np.where(b > 2.0, b - 2.0, np.nan)
    mean = np.where(b > 1.0, b / above_one, np.inf)
    variance = np.where(b > 2.0, b / (above_two * above_one * above_one), np.inf)
    return _moved(loc, scale, mean, variance, 1.0 + 1.0 / b - np.log(b), b > 0.0)


@_moments("invgamma", "a loc scale", _shape)
def invgamma(a, loc=0.0, scale=1.0):
    above_one, above_two = np.where(a > 1.0, a - 1.0, np.nan), np.where(a > 2.0, a - 2.0, np.nan)
    mean = np.where(a > 1.0, 1.0 / above_one, np.inf)
    variance = np.where(a > 2.0, 1.0 / (above_two * above_one * above_one), np.inf)
    return _moved(loc, scale, mean, variance, a + sp.gammaln(a) - (1.0 + a) * sp.digamma(a), a > 0.0)


# --- counts -------------------------------------------------------------------------------------------------


@_moments("poisson", "mu", _shape, where={"loc": 1}, entropy=False)
def poisson(mu, loc=0):
    mu = np.where(mu >= 0.0, mu, np.nan) + 0.0 * loc
    return mu + loc, mu


@_moments("bernoulli", "p", probability, where={"loc": 1})
def bernoulli(p, loc=0):
    p = unit(p) + 0.0 * loc
    return p + loc, p * (1.0 - p), sp.entr(p) + sp.entr(1.0 - p)


@_moments("binom", "p", lambda r, k: r.integers(2, 6, k), probability, where={"loc": 1}, entropy=False)
def binom(n, p, loc=0):
    p = np.where((n >= 0) & (np.floor(n) == n), unit(p), np.nan) + 0.0 * loc
    return n * p + loc, n * p * (1.0 - p)


@_moments("geom", "p", probability, where={"loc": 1}, entropy=False)
def geom(p, loc=0):
    p = np.where(p > 0.0, unit(p), np.nan) + 0.0 * loc
    return 1.0 / p + loc, (1.0 - p) / (p * p)


@_moments("nbinom", "n p", _shape, probability, where={"loc": 1}, entropy=False)
def nbinom(n, p, loc=0):
    p = np.where((n > 0.0) & (p > 0.0), unit(p), np.nan) + 0.0 * loc
    return n * (1.0 - p) / p + loc, n * (1.0 - p) / (p * p)
