"""Distributions on the real line: normal, Student's t, Laplace, Cauchy, logistic.

Log-densities do not ask whether the scale is positive: its logarithm says so.
"""

import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density, located, probability, proper, real, shaped, standard

# --- normal -------------------------------------------------------------------------------------------------


@density("norm", "logpdf", "x loc scale", located(real))
def norm_logpdf(x, loc=0.0, scale=1.0):
    t = (x - loc) / scale
    return -0.5 * t * t - 0.5 * LOG_TWO_PI - np.log(scale)


@density("norm", "pdf", "x loc scale", located(real))
def norm_pdf(x, loc=0.0, scale=1.0):
    return np.exp(norm_logpdf(x, loc, scale))


@density("norm", "cdf", "x loc scale", located(real))
def norm_cdf(x, loc=0.0, scale=1.0):
    return sp.ndtr(standard(x, loc, scale))


@density("norm", "logcdf", "x loc scale", located(real))
def norm_logcdf(x, loc=0.0, scale=1.0):
    return sp.log_ndtr(standard(x, loc, scale))


@density("norm", "sf", "x loc scale", located(real))
def norm_sf(x, loc=0.0, scale=1.0):
    return sp.ndtr(-standard(x, loc, scale))


@density("norm", "logsf", "x loc scale", located(real))
def norm_logsf(x, loc=0.0, scale=1.0):
    return sp.log_ndtr(-standard(x, loc, scale))


@density("norm", "ppf", "q loc scale", located(probability))
def norm_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * sp.ndtri(q)


# --- Student's t --------------------------------------------------------------------------------------------


@density("t", "logpdf", "x df loc scale", shaped(real, 3.5))
def t_logpdf(x, df, loc=0.0, scale=1.0):
    t = (x - loc) / scale
    constant = -sp.betaln(0.5 * df, 0.5) - 0.5 * np.log(
        df
    )  # of many degrees of freedom gammaln is rounded too much
    return constant - 0.5 * (df + 1.0) * np.log1p(t * t / df) - np.log(scale)


@density("t", "pdf", "x df loc scale", shaped(real, 3.5))
def t_pdf(x, df, loc=0.0, scale=1.0):
    return np.exp(t_logpdf(x, df, loc, scale))


@density("t", "cdf", "x df loc scale", shaped(real, 3.5))
def t_cdf(x, df, loc=0.0, scale=1.0):
    return sp.stdtr(df, standard(x, loc, scale, df > 0.0))


@density("t", "logcdf", "x df loc scale", shaped(real, 3.5))
def t_logcdf(x, df, loc=0.0, scale=1.0):
    return np.log(t_cdf(x, df, loc, scale))


# --- Laplace, Cauchy, logistic ------------------------------------------------------------------------------


@density("laplace", "logpdf", "x loc scale", located(real))
def laplace_logpdf(x, loc=0.0, scale=1.0):
    return -np.abs((x - loc) / scale) - math.log(2.0) - np.log(scale)


@density("laplace", "pdf", "x loc scale", located(real))
def laplace_pdf(x, loc=0.0, scale=1.0):
    return np.exp(laplace_logpdf(x, loc, scale))


@density("laplace", "cdf", "x loc scale", located(real))
def laplace_cdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    tail = 0.5 * np.exp(np.where(t > 0.0, -t, t))  # not -abs(t), whose derivative at 0 is 0
    return np.where(t > 0.0, 1.0 - tail, tail)


@density("cauchy", "logpdf", "x loc scale", located(real))
def cauchy_logpdf(x, loc=0.0, scale=1.0):
    t = (x - loc) / scale
    return -math.log(math.pi) - np.log1p(t * t) - np.log(scale)


@density("cauchy", "pdf", "x loc scale", located(real))
def cauchy_pdf(x, loc=0.0, scale=1.0):
    return np.exp(cauchy_logpdf(x, loc, scale))


@density("cauchy", "cdf", "x loc scale", located(real))
def cauchy_cdf(x, loc=0.0, scale=1.0):
    return 0.5 + np.arctan(standard(x, loc, scale)) / math.pi


@density("logistic", "logpdf", "x loc scale", located(real))
def logistic_logpdf(x, loc=0.0, scale=1.0):
    t = (x - loc) / scale
    return sp.log_expit(t) + sp.log_expit(-t) - np.log(scale)


@density("logistic", "cdf", "x loc scale", located(real))
def logistic_cdf(x, loc=0.0, scale=1.0):
    return sp.expit(standard(x, loc, scale))
