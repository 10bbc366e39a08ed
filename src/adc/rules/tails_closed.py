"""Tails and quantiles of distributions whose distribution function is elementary, or that of another one."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import density, positive, power, probability, proper, real, shaped, standard
from adc.rules.tails_named import quantiles, rest, tails


def _inside(r, *shape):
    return r.uniform(0.15, 0.85, *shape)


# --- of a power -----------------------------------------------------------------------------------------------


@tails("weibull_max", "x c loc scale", shaped(lambda r, *shape: -positive(r, *shape), 1.7))
def weibull_max(x, c, loc=0.0, scale=1.0):
    below = -power(np.maximum(-standard(x, loc, scale, c > 0.0), 0.0), c)
    return below, rest(below)


@quantiles("weibull_max", "q c loc scale", 1.7)
def weibull_max_quantile(q, c, loc=0.0, scale=1.0):
    return loc - proper(scale, c > 0.0) * (-q[0]) ** (1.0 / c)


@tails("invweibull", "x c loc scale", shaped(positive, 1.7))
def invweibull(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    below = np.where(t <= 0.0, -np.inf, -1.0 / power(np.where(t <= 0.0, 1.0, t), c))
    return below, rest(below)


@quantiles("invweibull", "q c loc scale", 1.7)
def invweibull_quantile(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, c > 0.0) * np.abs(q[0]) ** (-1.0 / c)  # not -0.0


@tails("burr12", "x c d loc scale", shaped(positive, 1.7, 1.3))
def burr12(x, c, d, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (c > 0.0) & (d > 0.0))
    above = -d * np.log1p(power(np.maximum(t, 0.0), c))
    return rest(above), above


@quantiles("burr12", "q c d loc scale", 1.7, 1.3)
def burr12_quantile(q, c, d, loc=0.0, scale=1.0):
    return loc + proper(scale, (c > 0.0) & (d > 0.0)) * np.expm1(-q[1] / d) ** (1.0 / c)


@tails("burr", "x c d loc scale", shaped(positive, 1.7, 1.3))
def burr(x, c, d, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (c > 0.0) & (d > 0.0))
    below = np.where(t <= 0.0, -np.inf, -d * np.log1p(1.0 / power(np.where(t <= 0.0, 1.0, t), c)))
    return below, rest(below)


@quantiles("burr", "q c d loc scale", 1.7, 1.3)
def burr_quantile(q, c, d, loc=0.0, scale=1.0):
    return loc + proper(scale, (c > 0.0) & (d > 0.0)) * np.expm1(np.abs(q[0]) / d) ** (
        -1.0 / c
    )  # not of -0.0


@tails("exponweib", "x a c loc scale", shaped(positive, 1.4, 1.7))
def exponweib(x, a, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (c > 0.0))
    below = a * rest(-power(np.maximum(t, 0.0), c))
    return below, rest(below)


@quantiles("exponweib", "q a c loc scale", 1.4, 1.7)
def exponweib_quantile(q, a, c, loc=0.0, scale=1.0):
    return loc + proper(scale, (a > 0.0) & (c > 0.0)) * (-rest(q[0] / a)) ** (1.0 / c)


# --- of a logarithm or an exponential -------------------------------------------------------------------------


@tails("genlogistic", "x c loc scale", shaped(real, 1.7))
def genlogistic(x, c, loc=0.0, scale=1.0):
    below = c * sp.log_expit(standard(x, loc, scale, c > 0.0))
    return below, rest(below)


@quantiles("genlogistic", "q c loc scale", 1.7)
def genlogistic_quantile(q, c, loc=0.0, scale=1.0):
    return loc - proper(scale, c > 0.0) * np.log(np.expm1(-q[0] / c))


@tails("halflogistic", "x loc scale", shaped(positive))
def halflogistic(x, loc=0.0, scale=1.0):
    above = math.log(2.0) + sp.log_expit(-np.maximum(standard(x, loc, scale), 0.0))
    return rest(above), above


@quantiles("halflogistic", "q loc scale")
def halflogistic_quantile(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * 2.0 * np.arctanh(np.exp(q[0]))


@tails("loguniform", "x a b loc scale", shaped(_inside, 0.05, 2.5))
def loguniform(x, a, b, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale, (a > 0.0) & (b > a)), a, b)
    whole = np.log(b / a)
    return np.log(np.log(t / a) / whole), np.log(np.log(b / t) / whole)


@quantiles("loguniform", "q a b loc scale", 0.05, 2.5)
def loguniform_quantile(q, a, b, loc=0.0, scale=1.0):
    return loc + proper(scale, (a > 0.0) & (b > a)) * a * (b / a) ** np.exp(q[0])


@tails("truncexpon", "x b loc scale", shaped(_inside, 2.5))
def truncexpon(x, b, loc=0.0, scale=1.0):
    t = np.clip(standard(x, loc, scale, b > 0.0), 0.0, b)
    whole = np.expm1(-b)
    return np.log(np.expm1(-t) / whole), np.log((np.exp(-b) - np.exp(-t)) / whole)


@quantiles("truncexpon", "q b loc scale", 2.5)
def truncexpon_quantile(q, b, loc=0.0, scale=1.0):
    return loc - proper(scale, b > 0.0) * np.log1p(np.exp(q[0]) * np.expm1(-b))


@tails("laplace_asymmetric", "x kappa loc scale", shaped(real, 1.4))
def laplace_asymmetric(x, kappa, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, kappa > 0.0)
    right = t >= 0.0
    both = kappa + 1.0 / kappa
    small = np.where(right, -t * kappa - np.log(both * kappa), t / kappa + np.log(kappa / both))
    large = rest(small)
    return np.where(right, large, small), np.where(right, small, large)


# --- of the normal distribution -------------------------------------------------------------------------------


@tails("levy", "x loc scale", shaped(positive))
def levy(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    outside = t <= 0.0
    root = np.sqrt(0.5 / np.where(outside, 1.0, t))
    return np.where(outside, -np.inf, np.log(sp.erfc(root))), np.where(outside, 0.0, np.log(sp.erf(root)))


@tails("gibrat", "x loc scale", shaped(positive))
def gibrat(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    outside = t <= 0.0
    depth = np.log(np.where(outside, 1.0, t))
    return np.where(outside, -np.inf, sp.log_ndtr(depth)), np.where(outside, 0.0, sp.log_ndtr(-depth))


@tails("johnsonsb", "x a b loc scale", shaped(_inside, 0.3, 1.5))
def johnsonsb(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (b > 0.0) & (a == a))
    outside = (t <= 0.0) | (t >= 1.0)
    apart = a + b * sp.logit(np.where(outside, 0.5, t))
    below = np.where(outside, np.where(t <= 0.0, -np.inf, 0.0), sp.log_ndtr(apart))
    return below, np.where(outside, np.where(t <= 0.0, 0.0, -np.inf), sp.log_ndtr(-apart))


@quantiles("johnsonsb", "q a b loc scale", 0.3, 1.5)
def johnsonsb_quantile(q, a, b, loc=0.0, scale=1.0):
    return loc + proper(scale, (b > 0.0) & (a == a)) * sp.expit((sp.ndtri_exp(q[0]) - a) / b)


@density("foldnorm", "cdf", "x c loc scale", shaped(positive, 0.7))
def foldnorm_cdf(x, c, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, c >= 0.0), 0.0)
    return sp.ndtr(t - c) - sp.ndtr(-t - c)


@density("foldnorm", "sf", "x c loc scale", shaped(positive, 0.7))
def foldnorm_sf(x, c, loc=0.0, scale=1.0):
    t = np.maximum(standard(x, loc, scale, c >= 0.0), 0.0)
    return sp.ndtr(c - t) + sp.ndtr(-t - c)


# --- counts ---------------------------------------------------------------------------------------------------


def _geom_examples(r):
    return [(2, 0.3), (np.array([1, 3, 4]), probability(r, 3)), (0, 0.4)]


def _log_above(k, p, loc):
    """The logarithm of the probability of more than k trials."""
    share = np.where((p > 0.0) & (p <= 1.0), p, np.nan)
    return sp.xlog1py(np.maximum(np.floor(k - loc), 0.0), -share)


@density("geom", "cdf", "p", _geom_examples)
def geom_cdf(k, p, loc=0):
    return -np.expm1(_log_above(k, p, loc))


@density("geom", "sf", "p", _geom_examples)
def geom_sf(k, p, loc=0):
    return np.exp(_log_above(k, p, loc))


@density("geom", "logsf", "p", _geom_examples)
def geom_logsf(k, p, loc=0):
    return _log_above(k, p, loc)
