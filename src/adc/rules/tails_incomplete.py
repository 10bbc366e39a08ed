"""Tails and quantiles of distributions that are made of the incomplete gamma and beta functions, and of the normal."""

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, density, positive, probability, proper, real, shaped, standard
from adc.rules.tails_named import quantiles, tails


def _of_gamma(a, y, outside):
    """The logarithms of the two tails where the variable is `y`, of a gamma distribution, and below its support."""
    y = np.where(outside, 1.0, y)
    below, above = np.log(sp.gammainc(a, y)), np.log(sp.gammaincc(a, y))
    return np.where(outside, -np.inf, below), np.where(outside, 0.0, above)


def _gamma_quantile(a, q):
    """The quantile of the gamma distribution for the logarithms of two tails: by the smaller one."""
    left = q[0] < q[1]
    below = sp.gammaincinv(a, np.where(left, np.exp(q[0]), 0.5))
    return np.where(left, below, sp.gammainccinv(a, np.where(left, 0.5, np.exp(q[1]))))


# --- of the gamma distribution --------------------------------------------------------------------------------


@tails("erlang", "x loc scale", shaped(positive, 2.0))
def erlang(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    return _of_gamma(a, t, t <= 0.0)


@quantiles("erlang", "q loc scale", 2.0)
def erlang_quantile(q, a, loc=0.0, scale=1.0):
    return loc + proper(scale, a > 0.0) * _gamma_quantile(a, q)


@tails("chi", "x df loc scale", shaped(positive, 2.5))
def chi(x, df, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, df > 0.0)
    return _of_gamma(0.5 * df, 0.5 * t * t, t <= 0.0)


@quantiles("chi", "q df loc scale", 2.5)
def chi_quantile(q, df, loc=0.0, scale=1.0):
    return loc + proper(scale, df > 0.0) * np.sqrt(2.0 * _gamma_quantile(0.5 * df, q))


@quantiles("maxwell", "q loc scale")
def maxwell_quantile(q, loc=0.0, scale=1.0):
    return loc + proper(scale) * np.sqrt(2.0 * _gamma_quantile(1.5, q))


@tails("nakagami", "x nu loc scale", shaped(positive, 1.7))
def nakagami(x, nu, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, nu > 0.0)
    return _of_gamma(nu, nu * t * t, t <= 0.0)


@quantiles("nakagami", "q nu loc scale", 1.7)
def nakagami_quantile(q, nu, loc=0.0, scale=1.0):
    return loc + proper(scale, nu > 0.0) * np.sqrt(_gamma_quantile(nu, q) / nu)


def _either(c, pair):
    """A pair of tails, exchanged where the variable falls as the other rises."""
    below, above = pair
    return np.where(c > 0.0, below, above), np.where(c > 0.0, above, below)


@tails("gengamma", "x a c loc scale", shaped(positive, 2.5, 1.3))
def gengamma(x, a, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (c != 0.0))
    outside = t <= 0.0
    y = np.where(outside, 1.0, t) ** np.where(c != 0.0, c, np.nan)  # NaN to the power of 0 is 1
    below, above = _either(c, (np.log(sp.gammainc(a, y)), np.log(sp.gammaincc(a, y))))
    return np.where(outside, -np.inf, below), np.where(outside, 0.0, above)


@quantiles("gengamma", "q a c loc scale", 2.5, 1.3)
def gengamma_quantile(q, a, c, loc=0.0, scale=1.0):
    return loc + proper(scale, (a > 0.0) & (c != 0.0)) * _gamma_quantile(a, _either(c, q)) ** (1.0 / c)


@tails("loggamma", "x c loc scale", shaped(real, 1.7))
def loggamma(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    return _of_gamma(c, np.exp(t), t < -np.inf)


@quantiles("loggamma", "q c loc scale", 1.7)
def loggamma_quantile(q, c, loc=0.0, scale=1.0):
    return loc + proper(scale, c > 0.0) * np.log(_gamma_quantile(c, q))


@tails("gennorm", "x beta loc scale", shaped(real, 1.7))
def gennorm(x, beta, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, beta > 0.0)
    beta = np.where(beta > 0.0, beta, np.nan)  # NaN to the power of 0 is 1
    centre = t == 0.0
    side = np.where(centre, 1.0, np.abs(t))
    density = 0.5 * beta / sp.gamma(1.0 / beta)  # at the centre, where the power has no slope of its own
    near = 0.5 - np.where(centre, t, 0.0) * density
    tail = np.where(centre, near, 0.5 * sp.gammaincc(1.0 / beta, side**beta))
    small, large = np.log(tail), np.log1p(-tail)
    return np.where(t < 0.0, small, large), np.where(t < 0.0, large, small)


def _nearly_normal_tails(t, skew):
    """Those of Pearson's third distribution to the second order in its skewness, by Edgeworth's series."""
    y = np.where(np.abs(t) < np.inf, t, 0.0)
    s = y * y
    moved = skew * ((s - 1.0) / 6.0 + skew * y * ((s - 3.0) / 16.0 + (s * (s - 10.0) + 15.0) / 72.0))
    below, above = sp.log_ndtr(t), sp.log_ndtr(-t)
    density = -0.5 * s - 0.5 * LOG_TWO_PI
    less, more = moved * np.exp(density - below), moved * np.exp(density - above)
    return below - less - 0.5 * less * less, above + more - 0.5 * more * more


@tails("pearson3", "x skew loc scale", shaped(lambda r, *shape: 0.3 * r.normal(*shape), 0.7))
def pearson3(x, skew, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, skew == skew)
    straight = np.abs(skew) < 0.000016  # as in the density
    beta = 2.0 / np.where(straight, 1.0, skew)
    moved = beta * (t + beta)
    below, above = _either(beta, _of_gamma(beta * beta, moved, moved <= 0.0))
    near = _nearly_normal_tails(t, np.where(straight, skew, 0.0))
    return np.where(straight, near[0], below), np.where(straight, near[1], above)


@quantiles("pearson3", "q skew loc scale", 0.7)
def pearson3_quantile(q, skew, loc=0.0, scale=1.0):
    straight = np.abs(skew) < 0.000016
    beta = 2.0 / np.where(straight, 1.0, skew)
    skewed = _gamma_quantile(beta * beta, _either(beta, q)) / beta - beta
    z, little = sp.ndtri_exp(q[0]), np.where(straight, skew, 0.0)
    y = np.where(np.abs(z) < np.inf, z, 0.0)  # by Cornish and Fisher's series
    s = y * y
    near = z + little * ((s - 1.0) / 6.0 + little * y * ((s - 3.0) / 16.0 - (2.0 * s - 5.0) / 36.0))
    # SciPy takes the line for its support, also where the density ends at one side.
    return loc + proper(scale, skew == skew) * np.where(straight | (np.abs(z) == np.inf), near, skewed)


@density("invgamma", "logcdf", "x a loc scale", shaped(positive, 2.5))
def invgamma_logcdf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    outside = t <= 0.0
    return np.where(outside, -np.inf, np.log(sp.gammaincc(a, 1.0 / np.where(outside, 1.0, t))))


@density("invgamma", "logsf", "x a loc scale", shaped(positive, 2.5))
def invgamma_logsf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    outside = t <= 0.0
    return np.where(outside, 0.0, np.log(sp.gammainc(a, 1.0 / np.where(outside, 1.0, t))))


@density("invgamma", "isf", "q a loc scale", shaped(probability, 2.5))
def invgamma_isf(q, a, loc=0.0, scale=1.0):
    return loc + proper(scale, a > 0.0) / sp.gammaincinv(a, q)


# --- of the beta distribution ---------------------------------------------------------------------------------


@tails("betaprime", "x a b loc scale", shaped(positive, 2.5, 1.5))
def betaprime(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (b > 0.0))
    outside = t <= 0.0
    y = np.where(outside, 1.0, t)
    below, above = np.log(sp.betainc(a, b, y / (1.0 + y))), np.log(sp.betainc(b, a, 1.0 / (1.0 + y)))
    return np.where(outside, -np.inf, below), np.where(outside, 0.0, above)


def _beta_odds(a, b, q):
    """The quantile of the beta distribution over its distance from 1, by the smaller of two tails."""
    left = q[0] < q[1]
    share = sp.betaincinv(a, b, np.where(left, np.exp(q[0]), 0.5))
    rest = sp.betaincinv(b, a, np.where(left, 0.5, np.exp(q[1])))
    return np.where(left, share / (1.0 - share), (1.0 - rest) / rest)


@quantiles("betaprime", "q a b loc scale", 2.5, 1.5)
def betaprime_quantile(q, a, b, loc=0.0, scale=1.0):
    return loc + proper(scale, (a > 0.0) & (b > 0.0)) * _beta_odds(a, b, q)


@quantiles("f", "q dfn dfd loc scale", 3.5, 5.0)
def f_quantile(q, dfn, dfd, loc=0.0, scale=1.0):
    return loc + proper(scale, (dfn > 0.0) & (dfd > 0.0)) * dfd / dfn * _beta_odds(0.5 * dfn, 0.5 * dfd, q)


def _nbinom_examples(r):
    return [(2, 3.5, 0.3), (np.array([0, 3, 4]), 2.5, probability(r, 3)), (-1, 2.5, 0.4)]


def _nbinom(k, n, p, loc):
    """The tail below: betainc(n, k + 1, p)."""
    count = np.floor(k - loc)
    sound = (n > 0.0) & (p > 0.0) & (p <= 1.0)
    return count < 0.0, np.maximum(count, 0.0) + 1.0, np.where(sound, n, np.nan), np.where(sound, p, np.nan)


@density("nbinom", "cdf", "n p", _nbinom_examples)
def nbinom_cdf(k, n, p, loc=0):
    none, more, trials, share = _nbinom(k, n, p, loc)
    return np.where(none, 0.0 * trials * share, sp.betainc(trials, more, share))


@density("nbinom", "sf", "n p", _nbinom_examples)
def nbinom_sf(k, n, p, loc=0):
    none, more, trials, share = _nbinom(k, n, p, loc)
    return np.where(none, 1.0 + 0.0 * trials * share, sp.betainc(more, trials, 1.0 - share))


# --- of the normal distribution -------------------------------------------------------------------------------


@tails("exponnorm", "x K loc scale", shaped(real, 1.5))
def exponnorm(x, K, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, K > 0.0)
    rate = 1.0 / K
    late = sp.log_ndtr(t - rate) + rate * (0.5 * rate - t)
    lower, upper = sp.log_ndtr(t), sp.log_ndtr(-t)
    return lower + np.log1p(-np.exp(late - lower)), np.logaddexp(upper, late)


@density("skewnorm", "cdf", "x a loc scale", shaped(real, 1.5))
def skewnorm_cdf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a == a)
    return sp.ndtr(t) - 2.0 * sp.owens_t(t, a)


@density("skewnorm", "sf", "x a loc scale", shaped(real, 1.5))
def skewnorm_sf(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a == a)
    return sp.ndtr(-t) + 2.0 * sp.owens_t(t, a)
