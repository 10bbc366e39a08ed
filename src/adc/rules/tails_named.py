"""Tails and quantiles of distributions with shapes: one formula of two logarithms, and one of the quantile."""

import functools

import numpy as np
from scipy import special as sp

from adc.rules.densities import (
    density,
    located,
    positive,
    power,
    probability,
    proper,
    real,
    shaped,
    standard,
    unit,
)
from adc.rules.densities_named import flat
from adc.rules.densities_shaped import log_mass


def tails(distribution, wrt, examples):
    """Register `cdf`, `sf`, `logcdf` and `logsf` by a function that gives the last two."""

    def register(formula):
        @functools.wraps(formula)
        def both(x, *parameters, **named):
            # Infinity is certain, whatever the parameters are: a formula would multiply it by what is zero there.
            ends = np.isinf(x)
            below, above = formula(np.where(ends, 0.5, x), *parameters, **named)
            low, high = np.where(x > 0.0, 0.0, -np.inf), np.where(x > 0.0, -np.inf, 0.0)
            ends = ends & (below == below)  # NaN stays, which says that a parameter is none
            return np.where(ends, low, below), np.where(ends, high, above)

        @density(distribution, "cdf", wrt, examples)
        @functools.wraps(formula)
        def below(*parameters, **named):
            return np.exp(both(*parameters, **named)[0])

        @density(distribution, "sf", wrt, lambda r: examples(r)[:1])
        @functools.wraps(formula)
        def above(*parameters, **named):
            return np.exp(both(*parameters, **named)[1])

        @density(distribution, "logcdf", wrt, lambda r: examples(r)[:1])
        @functools.wraps(formula)
        def log_below(*parameters, **named):
            return both(*parameters, **named)[0]

        @density(distribution, "logsf", wrt, lambda r: examples(r)[:1])
        @functools.wraps(formula)
        def log_above(*parameters, **named):
            return both(*parameters, **named)[1]

        return formula

    return register


def quantiles(distribution, wrt, *shapes):
    """Register `ppf` and `isf` by a function whose `q` is the logarithms of the probabilities below and above."""
    examples = shaped(probability, *shapes)

    def register(formula):
        @density(distribution, "ppf", wrt, examples)
        @functools.wraps(formula)
        def of_below(q, *parameters, **named):
            p = unit(q)
            return formula((np.log(p), np.log1p(-p)), *parameters, **named)

        @density(distribution, "isf", wrt, lambda r: examples(r)[:1])
        @functools.wraps(formula)
        def of_above(q, *parameters, **named):
            p = unit(q)
            return formula((np.log1p(-p), np.log(p)), *parameters, **named)

        return formula

    return register


def rest(log):
    """The logarithm of the other probability: log(1 - exp(log))."""
    certain = log >= 0.0
    inner = np.where(certain, -1.0, log)
    return np.where(
        certain, -np.inf, np.where(inner > -0.7, np.log(-np.expm1(inner)), np.log1p(-np.exp(inner)))
    )


def _box(c, u):
    """(exp(c u) - 1) / c, which is u for c = 0."""
    z = c * u
    near = np.abs(z) < 1e-3
    series = u * (1.0 + z * (0.5 + z * (1.0 / 6.0 + z * (1.0 / 24.0 + z / 120.0))))
    return np.where(near, series, np.expm1(np.where(near, 1.0, z)) / np.where(near, 1.0, c))


def _above_zero(t):
    return np.where(t <= 0.0, 0.0, t)  # NaN stays


def _inside(r, *shape):
    return r.uniform(0.15, 0.85, *shape)


# --- extremes -----------------------------------------------------------------------------------------------


@tails("genextreme", "x c loc scale", shaped(_inside, 0.4))
def genextreme(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, np.isfinite(c))
    beyond = c * t >= 1.0
    y = np.exp(-flat(-c, np.where(beyond, 0.0, t)))
    below = np.where(beyond, np.where(c > 0.0, 0.0, -np.inf), -y)
    return below, rest(below)


@quantiles("genextreme", "q c loc scale", 0.4)
def genextreme_quantile(q, c, loc=0.0, scale=1.0):
    return loc - proper(scale, np.isfinite(c)) * _box(c, np.log(-q[0]))


@tails("genpareto", "x c loc scale", shaped(positive, 0.4))
def genpareto(x, c, loc=0.0, scale=1.0):
    t = _above_zero(standard(x, loc, scale, np.isfinite(c)))
    beyond = c * t <= -1.0
    above = np.where(beyond, -np.inf, -flat(c, np.where(beyond, 0.0, t)))
    return rest(above), above


@quantiles("genpareto", "q c loc scale", 0.4)
def genpareto_quantile(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, np.isfinite(c)) * _box(c, -q[1])


@tails("lomax", "x c loc scale", shaped(positive, 1.5))
def lomax(x, c, loc=0.0, scale=1.0):
    above = -c * np.log1p(_above_zero(standard(x, loc, scale, c > 0.0)))
    return rest(above), above


@quantiles("lomax", "q c loc scale", 1.5)
def lomax_quantile(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, c > 0.0) * np.expm1(-q[1] / c)


@tails("gompertz", "x c loc scale", shaped(positive, 0.9))
def gompertz(x, c, loc=0.0, scale=1.0):
    above = -c * np.expm1(_above_zero(standard(x, loc, scale, c > 0.0)))
    return rest(above), above


@quantiles("gompertz", "q c loc scale", 0.9)
def gompertz_quantile(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, c > 0.0) * np.log1p(-q[1] / c)


@tails("fisk", "x c loc scale", shaped(positive, 1.7))
def fisk(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    outside = t <= 0.0
    odds = c * np.log(np.where(outside, 1.0, t))
    return np.where(outside, -np.inf, sp.log_expit(odds)), np.where(outside, 0.0, sp.log_expit(-odds))


@quantiles("fisk", "q c loc scale", 1.7)
def fisk_quantile(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, c > 0.0) * np.exp((q[0] - q[1]) / c)


# --- between bounds -----------------------------------------------------------------------------------------


@tails(
    "truncnorm", "x a b loc scale", shaped(lambda r, *shape: 0.3 * r.uniform(-1.0, 1.0, *shape), -1.5, 2.0)
)
def truncnorm(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a < b)
    left, right = t <= a, t >= b
    inner = np.where(left | right, 0.5 * (a + b), t)
    whole = log_mass(a, b)
    below = np.where(left, -np.inf, np.where(right, 0.0, log_mass(a, inner) - whole))
    return below, np.where(right, -np.inf, np.where(left, 0.0, log_mass(inner, b) - whole))


@quantiles("truncnorm", "q a b loc scale", -1.5, 2.0)
def truncnorm_quantile(q, a, b, loc=0.0, scale=1.0):
    upper = a > 0.0  # from the side where the mass is small
    near, far = sp.ndtr(np.where(upper, -a, a)), sp.ndtr(np.where(upper, -b, b))
    at = near * np.exp(q[1]) + far * np.exp(q[0])
    return loc + proper(scale, a < b) * np.where(upper, -1.0, 1.0) * sp.ndtri(at)


@tails("triang", "x c loc scale", shaped(_inside, 0.4))
def triang(x, c, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale, (c >= 0.0) & (c <= 1.0)), 0.0, 1.0)
    left = t < c
    below, above = np.where(left, t, 1.0), np.where(left, 1.0, 1.0 - t)
    rising, falling = (
        below * below / np.where(left, c, 1.0),
        above * above / np.where(left | (c == 1.0), 1.0, 1.0 - c),
    )
    return np.log(np.where(left, rising, 1.0 - falling)), np.log(np.where(left, 1.0 - rising, falling))


@quantiles("triang", "q c loc scale", 0.4)
def triang_quantile(q, c, loc=0.0, scale=1.0):
    below, above = np.exp(q[0]), np.exp(q[1])
    left = below < c
    found = np.where(left, np.sqrt(c * below), 1.0 - np.sqrt((1.0 - c) * above))
    return loc + proper(scale, (c >= 0.0) & (c <= 1.0)) * found


@tails("powerlaw", "x a loc scale", shaped(_inside, 1.7))
def powerlaw(x, a, loc=0.0, scale=1.0):
    t = np.minimum(standard(x, loc, scale, a > 0.0), 1.0)
    below = np.where(t <= 0.0, -np.inf, a * np.log(np.where(t <= 0.0, 1.0, t)))
    return below, rest(below)


@quantiles("powerlaw", "q a loc scale", 1.7)
def powerlaw_quantile(q, a, loc=0.0, scale=1.0):
    return loc + proper(scale, a > 0.0) * np.exp(q[0] / a)


# --- made of the normal distribution ------------------------------------------------------------------------


@tails("johnsonsu", "x a b loc scale", shaped(real, 0.3, 1.5))
def johnsonsu(x, a, b, loc=0.0, scale=1.0):
    apart = a + b * np.arcsinh(standard(x, loc, scale, (b > 0.0) & (a == a)))
    return sp.log_ndtr(apart), sp.log_ndtr(-apart)


@quantiles("johnsonsu", "q a b loc scale", 0.3, 1.5)
def johnsonsu_quantile(q, a, b, loc=0.0, scale=1.0):
    return loc + proper(scale, (b > 0.0) & (a == a)) * np.sinh((sp.ndtri_exp(q[0]) - a) / b)


@tails("invgauss", "x mu loc scale", shaped(positive, 0.9))
def invgauss(x, mu, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, mu > 0.0)
    outside = t <= 0.0
    y = np.where(outside, 1.0, t)
    root = np.sqrt(y)
    apart, sum_of_both = (y / mu - 1.0) / root, (y / mu + 1.0) / root
    reflected = 2.0 / mu + sp.log_ndtr(-sum_of_both)
    upper, lower = sp.log_ndtr(-apart), sp.log_ndtr(apart)
    below = lower + np.log1p(np.exp(reflected - lower))
    above = upper + np.log1p(-np.exp(reflected - upper))
    return np.where(outside, -np.inf, below), np.where(outside, 0.0, above)


# --- incomplete gamma and beta functions --------------------------------------------------------------------


@tails("maxwell", "x loc scale", located(positive))
def maxwell(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    outside = t <= 0.0
    half = 0.5 * np.where(outside, 1.0, t) ** 2
    below, above = np.log(sp.gammainc(1.5, half)), np.log(sp.gammaincc(1.5, half))
    return np.where(outside, -np.inf, below), np.where(outside, 0.0, above)


@tails("f", "x dfn dfd loc scale", shaped(positive, 3.5, 5.0))
def f(x, dfn, dfd, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (dfn > 0.0) & (dfd > 0.0))
    outside = t <= 0.0
    part = dfn * np.where(outside, 1.0, t)
    n, m, share = 0.5 * dfn, 0.5 * dfd, 1.0 / (1.0 + dfd / part)
    below, above = np.log(sp.betainc(n, m, share)), np.log(sp.betaincc(n, m, share))
    return np.where(outside, -np.inf, below), np.where(outside, 0.0, above)


# --- what others have beside their tails --------------------------------------------------------------------


def _log_below(distribution, wrt, examples):
    """Register `logcdf` by a function that gives `logsf`."""

    def register(formula):
        @density(distribution, "logcdf", wrt, examples)
        @functools.wraps(formula)
        def below(*parameters, **named):
            return rest(formula(*parameters, **named))

        return formula

    return register


@_log_below("weibull_min", "x c loc scale", shaped(positive, 1.7))
def weibull_min(x, c, loc=0.0, scale=1.0):
    return -power(_above_zero(standard(x, loc, scale, c > 0.0)), c)


@density("weibull_min", "isf", "q c loc scale", shaped(probability, 1.7))
def weibull_min_isf(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, c > 0.0) * (-np.log(unit(q))) ** (1.0 / c)


@_log_below("rayleigh", "x loc scale", located(positive))
def rayleigh(x, loc=0.0, scale=1.0):
    return -0.5 * _above_zero(standard(x, loc, scale)) ** 2


@density("rayleigh", "isf", "q loc scale", located(probability))
def rayleigh_isf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * np.sqrt(-2.0 * np.log(unit(q)))


@_log_below("pareto", "x b loc scale", shaped(lambda r, *shape: positive(r, *shape) + 1.5, 1.7))
def pareto(x, b, loc=0.0, scale=1.0):
    return -b * np.log(np.maximum(standard(x, loc, scale, b > 0.0), 1.0))


@density("pareto", "isf", "q b loc scale", shaped(probability, 1.7))
def pareto_isf(q, b, loc=0.0, scale=1.0):
    return loc + proper(scale, b > 0.0) * unit(q) ** (-1.0 / b)


@density("halfnorm", "isf", "q loc scale", located(probability))
def halfnorm_isf(q, loc=0.0, scale=1.0):
    return loc - proper(scale) * sp.ndtri(0.5 * unit(q))
