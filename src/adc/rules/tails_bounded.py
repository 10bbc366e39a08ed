"""Survival functions, logarithms of tails, and quantiles of distributions on the half-line and on an interval."""

import numpy as np
from scipy import special as sp

from adc.rules.densities import density, located, positive, probability, proper, shaped, standard, unit


def _log(part, outside):
    """The logarithm, and -inf outside the support, where its derivative is zero."""
    return np.where(outside, -np.inf, np.log(np.where(outside, 1.0, part)))


@density("gamma", "sf", "x a loc scale", shaped(positive, 2.5))
def gamma_sf(x, a, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, a > 0.0), 0.0)
    return sp.gammaincc(a, t)


@density("gamma", "logcdf", "x a loc scale", shaped(positive, 2.5))
def gamma_logcdf(x, a, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, a > 0.0), 0.0)
    return _log(sp.gammainc(a, t), t <= 0.0)


@density("gamma", "logsf", "x a loc scale", shaped(positive, 2.5))
def gamma_logsf(x, a, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, a > 0.0), 0.0)
    return np.log(sp.gammaincc(a, t))


@density("gamma", "ppf", "q a loc scale", shaped(probability, 2.5))
def gamma_ppf(q, a, loc=0.0, scale=1.0):
    return loc + proper(scale, a > 0.0) * (sp.gammaincinv(a, q))


@density("gamma", "isf", "q a loc scale", shaped(probability, 2.5))
def gamma_isf(q, a, loc=0.0, scale=1.0):
    return loc + proper(scale, a > 0.0) * (sp.gammainccinv(a, q))


@density("chi2", "sf", "x df loc scale", shaped(positive, 3.5))
def chi2_sf(x, df, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, df > 0.0), 0.0)
    return sp.gammaincc(0.5 * df, 0.5 * t)


@density("chi2", "logcdf", "x df loc scale", shaped(positive, 3.5))
def chi2_logcdf(x, df, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, df > 0.0), 0.0)
    return _log(sp.gammainc(0.5 * df, 0.5 * t), t <= 0.0)


@density("chi2", "logsf", "x df loc scale", shaped(positive, 3.5))
def chi2_logsf(x, df, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, df > 0.0), 0.0)
    return np.log(sp.gammaincc(0.5 * df, 0.5 * t))


@density("chi2", "ppf", "q df loc scale", shaped(probability, 3.5))
def chi2_ppf(q, df, loc=0.0, scale=1.0):
    return loc + proper(scale, df > 0.0) * (2.0 * sp.gammaincinv(0.5 * df, q))


@density("chi2", "isf", "q df loc scale", shaped(probability, 3.5))
def chi2_isf(q, df, loc=0.0, scale=1.0):
    return loc + proper(scale, df > 0.0) * (2.0 * sp.gammainccinv(0.5 * df, q))


@density("expon", "sf", "x loc scale", located(positive))
def expon_sf(x, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale), 0.0)
    return np.exp(-t)


@density("expon", "logcdf", "x loc scale", located(positive))
def expon_logcdf(x, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale), 0.0)
    return _log(-np.expm1(-t), t <= 0.0)


@density("expon", "logsf", "x loc scale", located(positive))
def expon_logsf(x, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale), 0.0)
    return -t


@density("expon", "ppf", "q loc scale", located(probability))
def expon_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (-np.log1p(-unit(q)))


@density("expon", "isf", "q loc scale", located(probability))
def expon_isf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (-np.log(unit(q)))


def _log_inside(t):
    """The logarithm, and 0 outside the support."""
    return np.log(np.where(t <= 0.0, 1.0, t))


@density("lognorm", "sf", "x s loc scale", shaped(positive, 0.7))
def lognorm_sf(x, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, s > 0.0)
    return np.where(t <= 0.0, 1.0, sp.ndtr(-_log_inside(t) / s))


@density("lognorm", "logcdf", "x s loc scale", shaped(positive, 0.7))
def lognorm_logcdf(x, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, s > 0.0)
    return np.where(t <= 0.0, -np.inf, sp.log_ndtr(_log_inside(t) / s))


@density("lognorm", "logsf", "x s loc scale", shaped(positive, 0.7))
def lognorm_logsf(x, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, s > 0.0)
    return np.where(t <= 0.0, 0.0, sp.log_ndtr(-_log_inside(t) / s))


@density("lognorm", "ppf", "q s loc scale", shaped(probability, 0.7))
def lognorm_ppf(q, s, loc=0.0, scale=1.0):
    return loc + proper(scale, s > 0.0) * (np.exp(s * sp.ndtri(q)))


@density("lognorm", "isf", "q s loc scale", shaped(probability, 0.7))
def lognorm_isf(q, s, loc=0.0, scale=1.0):
    return loc + proper(scale, s > 0.0) * (np.exp(-s * sp.ndtri(q)))


@density("beta", "sf", "x a b loc scale", shaped(probability, 2.5, 1.5))
def beta_sf(x, a, b, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale, (a > 0.0) & (b > 0.0)), 0.0, 1.0)
    return sp.betainc(b, a, 1.0 - t)


@density("beta", "logcdf", "x a b loc scale", shaped(probability, 2.5, 1.5))
def beta_logcdf(x, a, b, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale, (a > 0.0) & (b > 0.0)), 0.0, 1.0)
    return _log(sp.betainc(a, b, t), t <= 0.0)


@density("beta", "logsf", "x a b loc scale", shaped(probability, 2.5, 1.5))
def beta_logsf(x, a, b, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale, (a > 0.0) & (b > 0.0)), 0.0, 1.0)
    return _log(sp.betainc(b, a, 1.0 - t), t >= 1.0)


@density("beta", "ppf", "q a b loc scale", shaped(probability, 2.5, 1.5))
def beta_ppf(q, a, b, loc=0.0, scale=1.0):
    return loc + proper(scale, (a > 0.0) & (b > 0.0)) * (sp.betaincinv(a, b, q))


@density("beta", "isf", "q a b loc scale", shaped(probability, 2.5, 1.5))
def beta_isf(q, a, b, loc=0.0, scale=1.0):
    return loc + proper(scale, (a > 0.0) & (b > 0.0)) * (1.0 - sp.betaincinv(b, a, q))


@density("uniform", "sf", "x loc scale", shaped(probability))
def uniform_sf(x, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale), 0.0, 1.0)
    return 1.0 - t


@density("uniform", "logcdf", "x loc scale", shaped(probability))
def uniform_logcdf(x, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale), 0.0, 1.0)
    return _log(t, t <= 0.0)


@density("uniform", "logsf", "x loc scale", shaped(probability))
def uniform_logsf(x, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale), 0.0, 1.0)
    return _log(1.0 - t, t >= 1.0)


@density("uniform", "ppf", "q loc scale", located(probability))
def uniform_ppf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (unit(q))


@density("uniform", "isf", "q loc scale", located(probability))
def uniform_isf(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * (1.0 - unit(q))
