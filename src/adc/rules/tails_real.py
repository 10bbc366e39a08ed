"""Survival functions, logarithms of tails, and quantiles of distributions on the real line."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import density, located, probability, proper, real, shaped, standard, unit


def _laplace_below(t):
    tail = 0.5 * np.exp(np.where(t > 0.0, -t, t))  # not -abs(t), whose derivative at 0 is 0
    return np.where(t > 0.0, 1.0 - tail, tail)


def _laplace_quantile(q):
    upper = q > 0.5
    tail = np.where(upper, 1.0 - q, q)
    return np.where(upper, -np.log(2.0 * tail), np.log(2.0 * tail))


def _t_quantile(q, df):
    return np.where(q == 0.0, -np.inf, sp.stdtrit(df, np.where(q == 0.0, 0.5, q)))  # SciPy's own is inf there


def _cauchy_quantile(q):
    ends = (q == 0.0) | (q == 1.0)
    inner = unit(np.where(ends, 0.5, q))
    # From the nearer end where one is near: half a turn less would leave little of a small probability.
    lower, middle = inner < 0.5, np.abs(inner - 0.5) < 0.25
    end = np.where(middle, 0.25, np.where(lower, inner, 1.0 - inner))
    beside = np.where(lower, -1.0, 1.0) / np.tan(math.pi * end)
    inside = np.where(middle, np.tan(math.pi * (inner - 0.5)), beside)
    return np.where(ends, np.where(q == 0.0, -np.inf, np.inf), inside)


@density("norm", "isf", "q loc scale", located(probability))
def norm_isf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (-sp.ndtri(q))


@density("t", "sf", "x df loc scale", shaped(real, 3.5))
def t_sf(x, df, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, df > 0.0)
    return sp.stdtr(df, -t)


@density("t", "logsf", "x df loc scale", shaped(real, 3.5))
def t_logsf(x, df, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, df > 0.0)
    return np.log(sp.stdtr(df, -t))


@density("t", "ppf", "q df loc scale", shaped(probability, 3.5))
def t_ppf(q, df, loc=0.0, scale=1.0):
    return loc + proper(scale, df > 0.0) * _t_quantile(q, df)


@density("t", "isf", "q df loc scale", shaped(probability, 3.5))
def t_isf(q, df, loc=0.0, scale=1.0):
    return loc + proper(scale, df > 0.0) * -_t_quantile(q, df)


@density("laplace", "sf", "x loc scale", located(real))
def laplace_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return _laplace_below(-t)


@density("laplace", "logcdf", "x loc scale", located(real))
def laplace_logcdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.log(_laplace_below(t))


@density("laplace", "logsf", "x loc scale", located(real))
def laplace_logsf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.log(_laplace_below(-t))


@density("laplace", "ppf", "q loc scale", located(probability))
def laplace_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (_laplace_quantile(q))


@density("laplace", "isf", "q loc scale", located(probability))
def laplace_isf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (-_laplace_quantile(q))


@density("cauchy", "sf", "x loc scale", located(real))
def cauchy_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.arctan2(1.0, t) / math.pi


@density("cauchy", "logcdf", "x loc scale", located(real))
def cauchy_logcdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.log(np.arctan2(1.0, -t) / math.pi)


@density("cauchy", "logsf", "x loc scale", located(real))
def cauchy_logsf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.log(np.arctan2(1.0, t) / math.pi)


@density("cauchy", "ppf", "q loc scale", located(probability))
def cauchy_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * _cauchy_quantile(q)


@density("cauchy", "isf", "q loc scale", located(probability))
def cauchy_isf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * -_cauchy_quantile(q)


@density("logistic", "pdf", "x loc scale", located(real))
def logistic_pdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return sp.expit(t) * sp.expit(-t) / scale


@density("logistic", "sf", "x loc scale", located(real))
def logistic_sf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return sp.expit(-t)


@density("logistic", "logcdf", "x loc scale", located(real))
def logistic_logcdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return sp.log_expit(t)


@density("logistic", "logsf", "x loc scale", located(real))
def logistic_logsf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return sp.log_expit(-t)


@density("logistic", "ppf", "q loc scale", located(probability))
def logistic_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (sp.logit(q))


@density("logistic", "isf", "q loc scale", located(probability))
def logistic_isf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (-sp.logit(q))
