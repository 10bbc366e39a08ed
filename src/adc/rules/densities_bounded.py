"""Distributions on the positive half-line and on an interval."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density, located, positive, probability, shaped, standard
from adc.rules.sampler import call

# --- distributions on the positive half-line ----------------------------------------------------------------


def _inside(t, log_density):
    """-inf below the support."""
    return np.where(t < 0.0, -np.inf, log_density)


def _kept(t):
    """The variable, replaced by 1 below the support."""
    return np.where(t < 0.0, 1.0, t)


@density("gamma", "logpdf", "x a loc scale", shaped(positive, 2.5))
def gamma_logpdf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    y = _kept(t)
    return _inside(t, sp.xlogy(a - 1.0, y) - y - sp.gammaln(a) - np.log(scale))


@density("gamma", "pdf", "x a loc scale", shaped(positive, 2.5))
def gamma_pdf(x, a, loc=0.0, scale=1.0):
    return np.exp(gamma_logpdf(x, a, loc, scale))


@density("gamma", "cdf", "x a loc scale", shaped(positive, 2.5))
def gamma_cdf(x, a, loc=0.0, scale=1.0):
    return sp.gammainc(a, np.maximum(standard(x, loc, scale, a > 0.0), 0.0))


@density("chi2", "logpdf", "x df loc scale", shaped(positive, 3.5))
def chi2_logpdf(x, df, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, df > 0.0)
    y = _kept(t)
    return _inside(
        t,
        sp.xlogy(0.5 * df - 1.0, y)
        - 0.5 * y
        - sp.gammaln(0.5 * df)
        - 0.5 * df * math.log(2.0)
        - np.log(scale),
    )


@density("chi2", "pdf", "x df loc scale", shaped(positive, 3.5))
def chi2_pdf(x, df, loc=0.0, scale=1.0):
    return np.exp(chi2_logpdf(x, df, loc, scale))


@density("chi2", "cdf", "x df loc scale", shaped(positive, 3.5))
def chi2_cdf(x, df, loc=0.0, scale=1.0):
    return sp.gammainc(0.5 * df, 0.5 * np.maximum(standard(x, loc, scale, df > 0.0), 0.0))


@density("expon", "logpdf", "x loc scale", located(positive))
def expon_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return _inside(t, -t - np.log(scale))


@density("expon", "pdf", "x loc scale", located(positive))
def expon_pdf(x, loc=0.0, scale=1.0):
    return np.exp(expon_logpdf(x, loc, scale))


@density("expon", "cdf", "x loc scale", located(positive))
def expon_cdf(x, loc=0.0, scale=1.0):
    return -np.expm1(-np.maximum(standard(x, loc, scale), 0.0))


@density("lognorm", "logpdf", "x s loc scale", shaped(positive, 0.7))
def lognorm_logpdf(x, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, s > 0.0)
    outside = t <= 0.0
    log_t = np.log(np.where(outside, 1.0, t))
    return np.where(
        outside, -np.inf, -0.5 * (log_t / s) ** 2 - log_t - np.log(s) - 0.5 * LOG_TWO_PI - np.log(scale)
    )


@density("lognorm", "pdf", "x s loc scale", shaped(positive, 0.7))
def lognorm_pdf(x, s, loc=0.0, scale=1.0):
    return np.exp(lognorm_logpdf(x, s, loc, scale))


@density("lognorm", "cdf", "x s loc scale", shaped(positive, 0.7))
def lognorm_cdf(x, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, s > 0.0)
    outside = t <= 0.0
    return np.where(outside, 0.0, sp.ndtr(np.log(np.where(outside, 1.0, t)) / s))


# --- distributions on an interval ---------------------------------------------------------------------------


@density(
    "beta",
    "logpdf",
    "x a b loc scale",
    lambda r: [
        (probability(r, 3), 2.5, 1.5),
        call(probability(r, 2, 3), 2.5, 1.5, loc=0.05, scale=1.3),
        (1.2, 2.0, 3.0),
    ],
)
def beta_logpdf(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (b > 0.0))
    outside = (t < 0.0) | (t > 1.0)
    y = np.where(outside, 0.5, t)
    return np.where(
        outside, -np.inf, sp.xlogy(a - 1.0, y) + sp.xlog1py(b - 1.0, -y) - sp.betaln(a, b) - np.log(scale)
    )


@density("beta", "pdf", "x a b loc scale", shaped(probability, 2.5, 1.5))
def beta_pdf(x, a, b, loc=0.0, scale=1.0):
    return np.exp(beta_logpdf(x, a, b, loc, scale))


@density("beta", "cdf", "x a b loc scale", shaped(probability, 2.5, 1.5))
def beta_cdf(x, a, b, loc=0.0, scale=1.0):
    return sp.betainc(a, b, np.clip(standard(x, loc, scale, (a > 0.0) & (b > 0.0)), 0.0, 1.0))


@density(
    "uniform",
    "logpdf",
    "x loc scale",
    lambda r: [probability(r, 3), (probability(r, 2, 3), -0.2, 1.3), (1.5,)],
)
def uniform_logpdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.where((t < 0.0) | (t > 1.0), -np.inf, 0.0 * t - np.log(scale))


@density(
    "uniform", "pdf", "x loc scale", lambda r: [probability(r, 3), (probability(r, 2, 3), -0.2, 1.3), (1.5,)]
)
def uniform_pdf(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    return np.where((t < 0.0) | (t > 1.0), 0.0, 0.0 * t + 1.0 / scale)


@density(
    "uniform", "cdf", "x loc scale", lambda r: [probability(r, 3), (probability(r, 2, 3), -0.2, 1.3), (1.5,)]
)
def uniform_cdf(x, loc=0.0, scale=1.0):
    return np.clip(standard(x, loc, scale), 0.0, 1.0)
