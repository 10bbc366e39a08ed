"""Rules of scipy.special, and of NumPy's and `math`'s functions whose derivatives are special."""

import math

import numpy as np
from scipy import special as sp

from adc.rules import bessel as bessel
from adc.rules import bessel_derivatives as bessel_derivatives
from adc.rules import bessel_integrals as bessel_integrals
from adc.rules import bessel_orders as bessel_orders
from adc.rules import carlson as carlson
from adc.rules import distribution_functions as distribution_functions
from adc.rules import elliptic as elliptic
from adc.rules import harmonics as harmonics
from adc.rules import incomplete as incomplete
from adc.rules import jacobi_elliptic as jacobi_elliptic
from adc.rules import kelvin as kelvin
from adc.rules import kolmogorov as kolmogorov
from adc.rules import logistic as logistic
from adc.rules import orthogonal as orthogonal
from adc.rules import transcendental as transcendental
from adc.rules import zeta as zeta
from adc.rules.registry import composite, constant, elementwise
from adc.rules.sampler import call
from adc.runtime import scipy_special as scipy_special  # compiled code calls SciPy's kernels

TWO_OVER_ROOT_PI = 2.0 / math.sqrt(math.pi)
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


# --- gamma and relatives ------------------------------------------------------------------------------------


@elementwise(sp.gamma, math.gamma, name="special.gamma", domain="positive", cost=20)
def gamma(z, x):
    return z * sp.digamma(x)


@elementwise(sp.gammaln, math.lgamma, name="special.gammaln", domain="positive", cost=20)
def gammaln(z, x):
    return sp.digamma(x)


@elementwise(sp.loggamma, name="special.loggamma", wrt="z", domain="positive", cost=20)
def loggamma(result, z):
    return sp.digamma(z)


@elementwise(
    sp.rgamma,
    name="special.rgamma",
    wrt="z",
    cost=20,
    examples=lambda r: [0.7, r.positive(2, 3), np.array([-2.0, -0.5, 0.0, 3.0, -7.3])],
)
def rgamma(result, z):
    # Where gamma has poles the reciprocal is sin(pi z) gamma(1 - z) / pi.
    below = np.real(z) < 0.5
    w = np.where(below, 1.0 - z, 1.0)
    reflected = sp.gamma(w) * (np.cos(math.pi * z) - np.sin(math.pi * z) * sp.digamma(w) / math.pi)
    return np.where(below, reflected, -result * sp.digamma(np.where(below, 1.0, z)))


@elementwise(
    sp.digamma,
    name="special.digamma",
    wrt="z",
    cost=20,
    examples=lambda r: [
        0.7,
        r.positive(3),
        r.positive(2, 3),
        0.7 + 0.3j,
        r.normal(3) + 1j * r.positive(3),
        np.array([-2.0 - 0.3j, 0.3, -3.4, 20.0 - 7.0j]),
    ],
)
def digamma(result, z):
    return zeta.trigamma(z) if np.iscomplexobj(z) else sp.polygamma(1, z)


@elementwise(
    sp.polygamma,
    name="special.polygamma",
    wrt="x",
    cost=40,
    extra={"float64_only": True},
    examples=lambda r: [
        (1, 1.3),
        (1, r.positive(3)),
        (2, r.positive(2, 3)),
        (np.array([1, 2, 3]), r.positive(3)),
    ],
)
def polygamma(z, n, x):
    return sp.polygamma(n + 1, x)


@composite(
    sp.multigammaln,
    wrt="a",
    examples=lambda r: [(3.5, 2), (3.0 + r.positive(3), 3)],
    extra={"doubles": True},
)
def multigammaln(a, d):
    total = 0.25 * d * (d - 1) * math.log(math.pi)
    for k in range(d):
        total = total + sp.gammaln(a - 0.5 * k)
    return total


@elementwise(sp.beta, name="special.beta", domain="positive", cost=40)
def beta(z, a, b):
    common = sp.digamma(a + b)
    return z * (sp.digamma(a) - common), z * (sp.digamma(b) - common)


@elementwise(sp.betaln, name="special.betaln", domain="positive", cost=40)
def betaln(z, a, b):
    common = sp.digamma(a + b)
    return sp.digamma(a) - common, sp.digamma(b) - common


@elementwise(
    sp.binom,
    name="special.binom",
    cost=40,
    wrt="x y",
    examples=lambda r: [
        (5.3, 2.2),
        (4.0 + r.positive(3), r.positive(3)),
        (7.5, r.positive(2, 3)),
        (np.array([5.3, 5.0, 2.5]), np.array([-5.0, 7.0, 4.2])),
    ],
)
def binom(z, x, y):
    # Gamma functions in the denominator have poles at whole numbers below 1, where z is 0 and its slope is not:
    # there 1 / gamma(r + 1) is -gamma(-r) sin(pi r) / pi.
    rest = x - y
    low, far = (y < -0.5) & (rest > -0.5), (rest < -0.5) & (y > -0.5)
    r = np.where(low, y, np.where(far, rest, -1.5))
    turned = np.sin(math.pi * r) / math.pi * sp.digamma(-r) - np.cos(math.pi * r)
    turned = turned * sp.beta(np.where(low | far, x, 1.0) + 1.0, -r)
    by_y = np.where(low, turned, -z * sp.digamma(np.where(low, 0.0, y) + 1.0))
    by_rest = np.where(far, turned, -z * sp.digamma(np.where(far, 0.0, rest) + 1.0))
    return z * sp.digamma(x + 1.0) + by_rest, by_y - by_rest


@elementwise(sp.poch, name="special.poch", domain="positive", cost=40, wrt="z m")
def poch(result, z, m):
    shifted = sp.digamma(z + m)
    return result * (shifted - sp.digamma(z)), result * shifted


# --- error functions and normal distribution ----------------------------------------------------------------


@elementwise(sp.erf, name="special.erf")
def erf(z, x):
    return TWO_OVER_ROOT_PI * np.exp(-x * x)


@elementwise(sp.erfc, name="special.erfc")
def erfc(z, x):
    return -TWO_OVER_ROOT_PI * np.exp(-x * x)


def _far_erfcx(x):
    """The slope of erfcx far above 0, where 2 x erfcx(x) - 2 / sqrt(pi) cancels."""
    half = 0.5 / (x * x)
    return -TWO_OVER_ROOT_PI * half * (1.0 - half * (3.0 - half * (15.0 - half * 105.0)))


@elementwise(sp.erfcx, name="special.erfcx")
def erfcx(z, x):
    if np.iscomplexobj(x):
        return 2.0 * x * z - TWO_OVER_ROOT_PI
    far = x > 100.0
    near = 2.0 * np.where(far, 0.0, x) * z - TWO_OVER_ROOT_PI
    return np.where(far, _far_erfcx(np.where(far, x, 100.0)), near)


@elementwise(sp.erfi, name="special.erfi", domain="unit", wrt="z")
def erfi(result, z):
    return TWO_OVER_ROOT_PI * np.exp(z * z)


def _far_dawsn(x):
    """The slope of dawsn far from 0, where 1 - 2 x dawsn(x) cancels."""
    half = 0.5 / (x * x)
    return -half * (1.0 + half * (3.0 + half * (15.0 + half * 105.0)))


@elementwise(sp.dawsn, name="special.dawsn")
def dawsn(z, x):
    if np.iscomplexobj(x):
        return 1.0 - 2.0 * x * z
    far = np.abs(x) > 100.0
    return np.where(far, _far_dawsn(np.where(far, x, 100.0)), 1.0 - 2.0 * np.where(far, 0.0, x) * z)


@elementwise(sp.erfinv, name="special.erfinv", wrt="y", domain="unit", singular=True)
def erfinv(z, y):
    return np.exp(z * z) / TWO_OVER_ROOT_PI


@elementwise(sp.erfcinv, name="special.erfcinv", wrt="y", domain=(0.2, 1.8), singular=True)
def erfcinv(z, y):
    return -np.exp(z * z) / TWO_OVER_ROOT_PI


@elementwise(sp.ndtr, name="special.ndtr")
def ndtr(z, x):
    return np.exp(-0.5 * x * x) / ROOT_TWO_PI


@elementwise(sp.log_ndtr, name="special.log_ndtr")
def log_ndtr(z, x):
    # Far below zero x * x / 2 and the logarithm are large, and their difference is not.
    below = math.sqrt(2.0 / math.pi) / sp.erfcx(-np.minimum(x, 0.0) * math.sqrt(0.5))
    above = np.exp(-0.5 * np.maximum(x, 0.0) ** 2 - np.where(x < 0.0, 0.0, z)) / ROOT_TWO_PI
    return np.where(x < 0.0, below, above)


@elementwise(sp.ndtri, name="special.ndtri", wrt="y", domain=(0.1, 0.9), singular=True)
def ndtri(z, y):
    return ROOT_TWO_PI * np.exp(0.5 * z * z)


if hasattr(sp, "ndtri_exp"):

    @elementwise(sp.ndtri_exp, name="special.ndtri_exp", wrt="y", domain=(-3.0, -0.3), singular=True)
    def ndtri_exp(z, y):
        return ROOT_TWO_PI * np.exp(0.5 * z * z + y)


# Up to SciPy 1.16 a choice with repetition is 0 where there are fewer to choose from than are taken.
FEW_ARE_ZERO = bool(sp.comb(0.5, 0.5, repetition=True) == 0.0)


@composite(
    sp.comb,
    name="special.comb",
    spelling="scipy.special.comb",
    wrt="N k",
    examples=lambda r: [
        (5, 2),
        (5.3, 2.2),
        call(5, 2, exact=True),
        call(5.5, 2.2, repetition=True),
        call(0.5, 0.8, repetition=True),
        (1.5, 2.0),
    ],
    notes="exact=True is of integers",
)
def comb(N, k, exact=False, repetition=False):
    n = N + k - 1 if repetition else N
    if exact:
        return math.comb(n, k)
    n, k = np.array(n), np.array(k)  # a number of Python's has the dtype of an array
    if repetition and not FEW_ARE_ZERO:
        return np.where((k == 0) & (N >= 0), 1.0, sp.binom(n, k))
    return np.where((k <= n) & (n >= 0) & (k >= 0), sp.binom(n, k), 0.0)


@composite(
    sp.perm,
    name="special.perm",
    spelling="scipy.special.perm",
    wrt="N k",
    examples=lambda r: [(5, 2), (5.3, 2.2), call(5, 2, exact=True), (1.5, 2.0)],
    notes="exact=True is of integers",
)
def perm(N, k, exact=False):
    if exact:
        return math.perm(N, k)
    N, k = np.array(N), np.array(k)
    return np.where((k <= N) & (N >= 0) & (k >= 0), sp.poch(N - k + 1, k), 0.0)


@composite(
    sp.factorial,
    name="special.factorial",
    spelling="scipy.special.factorial",
    wrt="n",
    examples=lambda r: [5, 3.7, r.positive(3), call(5, exact=True), -0.5],
    extra={"doubles": True},
    notes="exact=True is of integers",
)
def factorial(n, exact=False):
    if exact:
        return math.factorial(n)
    return np.where(n < 0, 0.0, sp.gamma(n + 1))


def _given(sample):
    return lambda r: [sample]


for function, parameters, sample in (
    (sp.factorial2, "n, exact=False", (5,)),
    (sp.bernoulli, "n", (5,)),
    (sp.euler, "n", (5,)),
):
    constant(
        function,
        parameters=parameters,
        name=f"special.{function.__name__}",
        notes="of integers",
        spelling=f"scipy.special.{function.__name__}",
        examples=_given(sample),
    )
constant(
    sp.gammasgn, parameters="x", name="special.gammasgn", elementwise=True, examples=lambda r: [r.normal(3)]
)
constant(sp.round, parameters="x", name="special.round", elementwise=True, examples=lambda r: [r.normal(3)])
