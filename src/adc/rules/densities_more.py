"""Densities of less common distributions: each is one formula of its logarithm, as densities_named has them."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.densities import LOG_TWO_PI, located, positive, proper, real, shaped, standard
from adc.rules.densities_named import _inside, _named

LOG_TWO = math.log(2.0)
LOG_PI = math.log(math.pi)


def _where(inside, t, formula):
    """The formula of a point, and -inf where the point is outside; t there is replaced by 0.5 beforehand."""
    return np.where(inside | (t != t), formula, -np.inf)


def _kept(inside, t):
    return np.where(inside | (t != t), t, 0.5)


def _normal(t):
    return -0.5 * t * t - 0.5 * LOG_TWO_PI


def _nearly_normal(t, skew):
    """Pearson's third density to the second order in its skewness."""
    y = np.where(np.abs(t) < np.inf, t, 0.0)
    s = y * y
    return _normal(t) + skew * (y * (s - 3.0) / 6.0 + skew * (s * (2.0 - s) / 16.0 - 1.0 / 48.0))


# --- real ---------------------------------------------------------------------------------------------------


@_named("skewcauchy", "x a loc scale", shaped(real, 0.3))
def skewcauchy(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, np.abs(a) < 1.0)
    side = np.where(t >= 0.0, 1.0 + a, 1.0 - a)  # of NaN a NaN follows from t
    return -LOG_PI - np.log1p((t / side) ** 2) - np.log(scale)


@_named("loggamma", "x c loc scale", shaped(real, 1.5))
def loggamma(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    return c * t - np.exp(t) - sp.gammaln(c) - np.log(scale)


@_named("genlogistic", "x c loc scale", shaped(real, 1.5))
def genlogistic(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    away = np.where(t < 0.0, -t, t)  # not abs(t), whose derivative at 0 is 0
    falling = np.where(t < 0.0, c, 1.0) * away  # one power of exp(-away) is taken out of the last factor
    return np.log(c) - falling - (c + 1.0) * np.log1p(np.exp(-away)) - np.log(scale)


@_named("laplace_asymmetric", "x kappa loc scale", shaped(real, 1.5))
def laplace_asymmetric(x, kappa, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, kappa > 0.0)
    return t * np.where(t >= 0.0, -kappa, 1.0 / kappa) - np.log(kappa + 1.0 / kappa) - np.log(scale)


@_named("powernorm", "x c loc scale", shaped(real, 1.5))
def powernorm(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    inside = np.abs(t) < np.inf
    y = _kept(inside, t)
    return _where(inside, t, np.log(c) + _normal(y) + (c - 1.0) * sp.log_ndtr(-y) - np.log(scale))


@_named("norminvgauss", "x a b loc scale", shaped(real, 1.5, 0.4))
def norminvgauss(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (np.abs(b) < a))
    inside = np.abs(t) < np.inf
    y = _kept(inside, t)
    root = np.hypot(1.0, y)
    bessel = np.log(sp.k1e(a * root)) - a * root
    ends = np.log(a) - LOG_PI + np.sqrt(a * a - b * b) + b * y - np.log(root) - np.log(scale)
    return _where(inside, t, ends + bessel)


@_named("dweibull", "x c loc scale", shaped(real, 1.5))
def dweibull(x, c, loc=0.0, scale=1.0):
    t = np.abs(standard(x, loc, scale, c > 0.0))
    return np.log(0.5 * c) + sp.xlogy(c - 1.0, t) - t**c - np.log(scale)


@_named("dgamma", "x a loc scale", shaped(real, 1.5))
def dgamma(x, a, loc=0.0, scale=1.0):
    t = np.abs(standard(x, loc, scale, a > 0.0))
    return sp.xlogy(a - 1.0, t) - t - LOG_TWO - sp.gammaln(a) - np.log(scale)


@_named("pearson3", "x skew loc scale", shaped(lambda r, *shape: 0.3 * r.normal(*shape), 0.7))
def pearson3(x, skew, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, skew == skew)
    # Below this bound SciPy has the normal distribution, whose derivative by the skewness would be 0.
    straight = np.abs(skew) < 0.000016
    beta = 2.0 / np.where(straight, 1.0, skew)
    shape = beta * beta
    moved = beta * (t + beta)
    inside = (moved > 0.0) & (moved < np.inf)
    y = _kept(inside, moved)
    skewed = np.log(np.abs(beta)) - sp.gammaln(shape) + (shape - 1.0) * np.log(y) - y
    near = _nearly_normal(t, np.where(straight, skew, 0.0))
    return np.where(straight, near, _where(inside, moved, skewed)) - np.log(scale)


# --- above zero ---------------------------------------------------------------------------------------------


@_named("levy", "x loc scale", located(positive))
def levy(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = t > 0.0
    y = _kept(inside, t)
    return _where(inside, t, -0.5 * LOG_TWO_PI - 1.5 * np.log(y) - 0.5 / y - np.log(scale))


@_named("wald", "x loc scale", located(positive))
def wald(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = t > 0.0
    y = _kept(inside, t)
    return _where(
        inside, t, -0.5 * LOG_TWO_PI - 1.5 * np.log(y) - 0.5 * (y - 1.0) * (1.0 - 1.0 / y) - np.log(scale)
    )


@_named("alpha", "x a loc scale", shaped(positive, 1.5))
def alpha(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    inside = t > 0.0
    y = _kept(inside, t)
    return _where(inside, t, -2.0 * np.log(y) + _normal(a - 1.0 / y) - sp.log_ndtr(a) - np.log(scale))


@_named("gibrat", "x loc scale", located(positive))
def gibrat(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = t > 0.0
    depth = np.log(_kept(inside, t))
    return _where(inside, t, _normal(depth) - depth - np.log(scale))


@_named("fatiguelife", "x c loc scale", shaped(positive, 1.5))
def fatiguelife(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    inside = (t > 0.0) & (t < np.inf)
    y = _kept(inside, t)
    spread = np.log1p(y) - (y - 1.0) ** 2 / (2.0 * y * c * c)
    return _where(inside, t, spread - np.log(2.0 * c) - 0.5 * (LOG_TWO_PI + 3.0 * np.log(y)) - np.log(scale))


@_named("powerlognorm", "x c s loc scale", shaped(positive, 1.5, 0.7))
def powerlognorm(x, c, s, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (c > 0.0) & (s > 0.0))
    inside = (t > 0.0) & (t < np.inf)
    depth = np.log(_kept(inside, t))
    tail = _normal(depth / s) + (c - 1.0) * sp.log_ndtr(-depth / s)
    return _where(inside, t, np.log(c) - depth - np.log(s) + tail - np.log(scale))


@_named("exponweib", "x a c loc scale", shaped(positive, 1.5, 1.2))
def exponweib(x, a, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (a > 0.0) & (c > 0.0))
    inside = t >= 0.0
    y = _kept(inside, t)
    raised = y**c
    below = sp.xlogy(a - 1.0, -np.expm1(-raised))
    return _where(inside, t, np.log(a) + np.log(c) + below - raised + sp.xlogy(c - 1.0, y) - np.log(scale))


@_named("exponpow", "x b loc scale", shaped(positive, 1.5))
def exponpow(x, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, b > 0.0)
    inside = t >= 0.0
    y = _kept(inside, t)
    raised = y**b
    return _where(inside, t, 1.0 + np.log(b) + sp.xlogy(b - 1.0, y) + raised - np.exp(raised) - np.log(scale))


@_named("foldnorm", "x c loc scale", shaped(positive, 0.7))
def foldnorm(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c >= 0.0)
    inside = (t >= 0.0) & (t < np.inf)
    y = _kept(inside, t)
    folded = np.log1p(np.exp(-2.0 * c * y)) - 0.5 * (y - c) ** 2 - 0.5 * LOG_TWO_PI
    return _where(inside, t, folded - np.log(scale))


@_named("foldcauchy", "x c loc scale", shaped(positive, 0.7))
def foldcauchy(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c >= 0.0)
    inside = t >= 0.0
    y = _kept(inside, t)
    folded = np.log(1.0 / (1.0 + (y - c) ** 2) + 1.0 / (1.0 + (y + c) ** 2))
    return _where(inside, t, folded - LOG_PI - np.log(scale))


@_named("halfgennorm", "x beta loc scale", shaped(positive, 1.5))
def halfgennorm(x, beta, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, beta > 0.0)
    inside = t >= 0.0
    y = _kept(inside, t)
    return _where(
        inside, t, np.log(beta) - sp.gammaln(1.0 / beta) - y**beta - np.log(proper(scale, beta > 0.0))
    )


@_named("invweibull", "x c loc scale", shaped(positive, 1.5))
def invweibull(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    inside = t > 0.0
    y = _kept(inside, t)
    return _where(inside, t, np.log(c) - (c + 1.0) * np.log(y) - y**-c - np.log(scale))


@_named("burr", "x c d loc scale", shaped(positive, 1.5, 2.0))
def burr(x, c, d, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (c > 0.0) & (d > 0.0))
    inside = (t >= 0.0) & (t < np.inf)
    y = _kept(inside, t)
    falling = sp.xlogy(c * d - 1.0, y) - (d + 1.0) * np.log1p(y**c)
    return _where(inside, t, np.log(c) + np.log(d) + falling - np.log(scale))


@_named("erlang", "x a loc scale", shaped(positive, 2))
def erlang(x, a, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, a > 0.0)
    inside = t >= 0.0
    y = _kept(inside, t)
    return _where(inside, t, sp.xlogy(a - 1.0, y) - y - sp.gammaln(a) - np.log(scale))


# --- of a bounded variable, and below zero ------------------------------------------------------------------


@_named("weibull_max", "x c loc scale", shaped(lambda r, *shape: -positive(r, *shape), 1.5))
def weibull_max(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    inside = t <= 0.0
    y = _kept(inside, -t)
    return _where(inside, t, np.log(c) + sp.xlogy(c - 1.0, y) - y**c - np.log(scale))


@_named("arcsine", "x loc scale", located(_inside))
def arcsine(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = (t >= 0.0) & (t <= 1.0)
    y = _kept(inside, t)
    return _where(inside, t, -LOG_PI - 0.5 * np.log(y * (1.0 - y)) - np.log(scale))


@_named("semicircular", "x loc scale", located(_inside))
def semicircular(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = np.abs(t) <= 1.0
    y = _kept(inside, t)
    return _where(inside, t, LOG_TWO - LOG_PI + 0.5 * np.log1p(-y * y) - np.log(scale))


@_named("anglit", "x loc scale", located(lambda r, *shape: 0.5 * _inside(r, *shape)))
def anglit(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = np.abs(t) <= math.pi / 4.0
    return _where(inside, t, np.log(np.cos(2.0 * _kept(inside, t))) - np.log(scale))


@_named("cosine", "x loc scale", located(real))
def cosine(x, loc=0.0, scale=1.0):
    t = standard(x, loc, scale)
    inside = np.abs(t) <= math.pi
    return _where(inside, t, np.log1p(np.cos(_kept(inside, t))) - LOG_TWO_PI - np.log(scale))


@_named("bradford", "x c loc scale", shaped(_inside, 1.5))
def bradford(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    inside = (t >= 0.0) & (t <= 1.0)
    y = _kept(inside, t)
    return _where(inside, t, np.log(c) - np.log1p(c * y) - np.log(np.log1p(c)) - np.log(scale))


@_named("truncexpon", "x b loc scale", shaped(_inside, 1.5))
def truncexpon(x, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, b > 0.0)
    inside = (t >= 0.0) & (t <= b)
    return _where(inside, t, -_kept(inside, t) - np.log(-np.expm1(-b)) - np.log(scale))


@_named("johnsonsb", "x a b loc scale", shaped(_inside, 0.3, 1.5))
def johnsonsb(x, a, b, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, (b > 0.0) & (a == a))
    inside = (t > 0.0) & (t < 1.0)
    y = _kept(inside, t)
    return _where(inside, t, np.log(b) - np.log(y * (1.0 - y)) + _normal(a + b * sp.logit(y)) - np.log(scale))


@_named("rdist", "x c loc scale", shaped(_inside, 2.5))
def rdist(x, c, loc=0.0, scale=1.0):
    t = standard(x, loc, scale, c > 0.0)
    inside = np.abs(t) <= 1.0
    y = _kept(inside, t)
    arch = sp.xlogy(0.5 * c - 1.0, 0.25 * (1.0 - y) * (1.0 + y))
    return _where(inside, t, arch - LOG_TWO - sp.betaln(0.5 * c, 0.5 * c) - np.log(scale))
