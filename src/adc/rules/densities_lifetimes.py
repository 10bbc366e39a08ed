"""Lifetimes and extremes: Weibull, Rayleigh, half-normal, half-Cauchy, inverse gamma, Pareto and Gumbel."""

import math

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


def _above_zero(t):
    """The variable, and 0 below the support."""
    return np.where(t < 0.0, 0.0, t)


def _inside(t, log_density):
    """-inf below the support."""
    return np.where(t < 0.0, -np.inf, log_density)


def _kept(t):
    """The variable, replaced by 1 below the support."""
    return np.where(t < 0.0, 1.0, t)


def _beyond_one(x, b, loc, scale):
    """Where x lies in a Pareto distribution, and 1 below its support."""
    t = standard(x, loc, scale, b > 0.0)
    return np.where(t < 1.0, 1.0, t)


def _more(r, *shape):
    """Where the Pareto distribution lives, also of the examples' scale."""
    return 1.5 + positive(r, *shape)


# --- weibull_min --------------------------------------------------------------------------------------------


@density("weibull_min", "logpdf", "x c loc scale", shaped(positive, 1.7))
def weibull_min_logpdf(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    return _inside(t, np.log(c) + sp.xlogy(c - 1.0, _kept(t)) - _kept(t) ** c - np.log(scale))


@density("weibull_min", "pdf", "x c loc scale", shaped(positive, 1.7))
def weibull_min_pdf(x, c, loc=0.0, scale=1.0):
    return np.exp(weibull_min_logpdf(x, c, loc, scale))


@density("weibull_min", "cdf", "x c loc scale", shaped(positive, 1.7))
def weibull_min_cdf(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    return -np.expm1(-power(_above_zero(t), c))


@density("weibull_min", "sf", "x c loc scale", shaped(positive, 1.7))
def weibull_min_sf(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    return np.exp(-power(_above_zero(t), c))


@density("weibull_min", "logsf", "x c loc scale", shaped(positive, 1.7))
def weibull_min_logsf(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    return -power(_above_zero(t), c)


@density("weibull_min", "ppf", "q c loc scale", shaped(probability, 1.7))
def weibull_min_ppf(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, c > 0.0) * (-np.log1p(-unit(q))) ** (1.0 / c)


# --- rayleigh -----------------------------------------------------------------------------------------------


@density("rayleigh", "logpdf", "x loc scale", located(positive))
def rayleigh_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return _inside(t, np.log(_kept(t)) - 0.5 * t * t - np.log(scale))


@density("rayleigh", "pdf", "x loc scale", located(positive))
def rayleigh_pdf(x, loc=0.0, scale=1.0):
    return np.exp(rayleigh_logpdf(x, loc, scale))


@density("rayleigh", "cdf", "x loc scale", located(positive))
def rayleigh_cdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -np.expm1(-0.5 * _above_zero(t) ** 2)


@density("rayleigh", "sf", "x loc scale", located(positive))
def rayleigh_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.exp(-0.5 * _above_zero(t) ** 2)


@density("rayleigh", "logsf", "x loc scale", located(positive))
def rayleigh_logsf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -0.5 * _above_zero(t) ** 2


@density("rayleigh", "ppf", "q loc scale", located(probability))
def rayleigh_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (np.sqrt(-2.0 * np.log1p(-q)))


# --- halfnorm -----------------------------------------------------------------------------------------------


@density("halfnorm", "logpdf", "x loc scale", located(positive))
def halfnorm_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return _inside(t, 0.5 * math.log(2.0 / math.pi) - 0.5 * t * t - np.log(scale))


@density("halfnorm", "pdf", "x loc scale", located(positive))
def halfnorm_pdf(x, loc=0.0, scale=1.0):
    return np.exp(halfnorm_logpdf(x, loc, scale))


@density("halfnorm", "cdf", "x loc scale", located(positive))
def halfnorm_cdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return sp.erf(_above_zero(t) / math.sqrt(2.0))


@density("halfnorm", "sf", "x loc scale", located(positive))
def halfnorm_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return 2.0 * sp.ndtr(-_above_zero(t))


@density("halfnorm", "logsf", "x loc scale", located(positive))
def halfnorm_logsf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return math.log(2.0) + sp.log_ndtr(-_above_zero(t))


@density("halfnorm", "ppf", "q loc scale", located(probability))
def halfnorm_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * sp.ndtri(0.5 * (1.0 + unit(q)))


# --- halfcauchy ---------------------------------------------------------------------------------------------


@density("halfcauchy", "logpdf", "x loc scale", located(positive))
def halfcauchy_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return _inside(t, math.log(2.0 / math.pi) - np.log1p(t * t) - np.log(scale))


@density("halfcauchy", "pdf", "x loc scale", located(positive))
def halfcauchy_pdf(x, loc=0.0, scale=1.0):
    return np.exp(halfcauchy_logpdf(x, loc, scale))


@density("halfcauchy", "cdf", "x loc scale", located(positive))
def halfcauchy_cdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return 2.0 / math.pi * np.arctan(_above_zero(t))


@density("halfcauchy", "sf", "x loc scale", located(positive))
def halfcauchy_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return 2.0 / math.pi * np.arctan2(1.0, _above_zero(t))


@density("halfcauchy", "logsf", "x loc scale", located(positive))
def halfcauchy_logsf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.log(2.0 / math.pi * np.arctan2(1.0, _above_zero(t)))


@density("halfcauchy", "ppf", "q loc scale", located(probability))
def halfcauchy_ppf(q, loc=0.0, scale=1.0):
    t = np.tan(0.5 * math.pi * unit(q))
    return loc + proper(scale) * np.where(
        q == 1.0, np.inf, t
    )  # half of pi has no number, and its tangent is finite


# --- invgamma -----------------------------------------------------------------------------------------------


@density("invgamma", "logpdf", "x a loc scale", shaped(positive, 2.5))
def invgamma_logpdf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    y = np.where(t <= 0.0, 1.0, t)
    return np.where(t <= 0.0, -np.inf, -(a + 1.0) * np.log(y) - sp.gammaln(a) - 1.0 / y - np.log(scale))


@density("invgamma", "pdf", "x a loc scale", shaped(positive, 2.5))
def invgamma_pdf(x, a, loc=0.0, scale=1.0):
    return np.exp(invgamma_logpdf(x, a, loc, scale))


@density("invgamma", "cdf", "x a loc scale", shaped(positive, 2.5))
def invgamma_cdf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    y = np.where(t <= 0.0, 1.0, t)
    return np.where(t <= 0.0, 0.0, sp.gammaincc(a, 1.0 / y))


@density("invgamma", "sf", "x a loc scale", shaped(positive, 2.5))
def invgamma_sf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    y = np.where(t <= 0.0, 1.0, t)
    return np.where(t <= 0.0, 1.0, sp.gammainc(a, 1.0 / y))


@density("invgamma", "ppf", "q a loc scale", shaped(probability, 2.5))
def invgamma_ppf(q, a, loc=0.0, scale=1.0):
    return loc + proper(scale, a > 0.0) * (1.0 / sp.gammainccinv(a, q))


# --- pareto -------------------------------------------------------------------------------------------------


@density("pareto", "logpdf", "x b loc scale", shaped(_more, 2.5))
def pareto_logpdf(x, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, b > 0.0)
    return np.where(
        t < 1.0, -np.inf, np.log(b) - (b + 1.0) * np.log(_beyond_one(x, b, loc, scale)) - np.log(scale)
    )


@density("pareto", "pdf", "x b loc scale", shaped(_more, 2.5))
def pareto_pdf(x, b, loc=0.0, scale=1.0):
    return np.exp(pareto_logpdf(x, b, loc, scale))


@density("pareto", "cdf", "x b loc scale", shaped(_more, 2.5))
def pareto_cdf(x, b, loc=0.0, scale=1.0):
    return 1.0 - 1.0 / power(_beyond_one(x, b, loc, scale), b)


@density("pareto", "sf", "x b loc scale", shaped(_more, 2.5))
def pareto_sf(x, b, loc=0.0, scale=1.0):
    return 1.0 / power(_beyond_one(x, b, loc, scale), b)


@density("pareto", "logsf", "x b loc scale", shaped(_more, 2.5))
def pareto_logsf(x, b, loc=0.0, scale=1.0):
    return -b * np.log(_beyond_one(x, b, loc, scale))


@density("pareto", "ppf", "q b loc scale", shaped(probability, 2.5))
def pareto_ppf(q, b, loc=0.0, scale=1.0):
    return loc + proper(scale, b > 0.0) * (1.0 - unit(q)) ** (-1.0 / b)


# --- gumbel_r -----------------------------------------------------------------------------------------------


def _grown(t):
    """exp(t), and a large number instead of infinity: what is multiplied with its exponential is zero."""
    return np.exp(np.minimum(t, 700.0))


@density("gumbel_r", "logpdf", "x loc scale", located(real))
def gumbel_r_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -t - np.exp(-t) - np.log(scale)


@density("gumbel_r", "pdf", "x loc scale", located(real))
def gumbel_r_pdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.exp(-t - _grown(-t)) / scale


@density("gumbel_r", "cdf", "x loc scale", located(real))
def gumbel_r_cdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.exp(-_grown(-t))


@density("gumbel_r", "logcdf", "x loc scale", located(real))
def gumbel_r_logcdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -np.exp(-t)


@density("gumbel_r", "sf", "x loc scale", located(real))
def gumbel_r_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -np.expm1(-_grown(-t))


@density("gumbel_r", "ppf", "q loc scale", located(probability))
def gumbel_r_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (-np.log(-np.log(q)))


# --- gumbel_l -----------------------------------------------------------------------------------------------


@density("gumbel_l", "logpdf", "x loc scale", located(real))
def gumbel_l_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return t - np.exp(t) - np.log(scale)


@density("gumbel_l", "pdf", "x loc scale", located(real))
def gumbel_l_pdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.exp(t - _grown(t)) / scale


@density("gumbel_l", "cdf", "x loc scale", located(real))
def gumbel_l_cdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -np.expm1(-_grown(t))


@density("gumbel_l", "sf", "x loc scale", located(real))
def gumbel_l_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.exp(-_grown(t))


@density("gumbel_l", "logsf", "x loc scale", located(real))
def gumbel_l_logsf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return -np.exp(t)


@density("gumbel_l", "ppf", "q loc scale", located(probability))
def gumbel_l_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (np.log(-np.log1p(-q)))
