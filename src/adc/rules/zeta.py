"""Rules of Riemann's and Hurwitz's zeta function, in both arguments, and the derivative of digamma in the plane."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.registry import elementwise

TERMS = 12  # that are added up, before the rest is a series
# Bernoulli numbers over factorials, B_2k / (2k)!.
RATIOS = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
)


def _slope(x, q):
    """The derivative of zeta(x, q) with respect to x, for x >= 0, by Euler-Maclaurin summation."""
    total = 0.0
    for n in range(TERMS):
        total = total - np.log(q + n) * (q + n) ** -x
    w = q + TERMS
    depth = np.log(w)
    power = w**-x
    total = total - power * w * (depth + 1.0 / (x - 1.0)) / (x - 1.0) - 0.5 * depth * power
    # The k-th term of the rest: x (x + 1) ... (x + 2k) w**(-x - 2k - 1), and what the product is derived by.
    factor, slope = x, 1.0
    for k, ratio in enumerate(RATIOS):
        if k > 0:
            two = (x + 2 * k - 1.0) * (x + 2 * k)
            factor, slope = factor * two, slope * two + factor * (2.0 * x + 4 * k - 1.0)
        total = total + ratio * (slope - depth * factor) * power * w ** (-1.0 - 2 * k)
    return total


def _reflected_slope(x):
    """The derivative of zeta(x) below -1: of its reflection, 2 (2 pi)**-m gamma(m) sin(pi x / 2) zeta(m)."""
    m = np.where(x < -1.0, 1.0 - x, 2.0)
    value, sine, cosine = sp.zeta(m), np.sin(0.5 * math.pi * x), np.cos(0.5 * math.pi * x)
    by_m = sine * (_slope(m, 1.0) + (sp.digamma(m) - math.log(2.0 * math.pi)) * value)
    return 2.0 * (2.0 * math.pi) ** -m * sp.gamma(m) * (0.5 * math.pi * cosine * value - by_m)


@elementwise(
    sp.zeta,
    name="special.zeta",
    cost=60,
    notes="with respect to x for q > 0",
    examples=lambda r: [
        (2.5, 1.3),
        r.positive(3) + 1.5,
        (3.5, r.positive(3)),
        (r.positive(3) + 2.0, r.positive(3)),
        (np.array([1.05, 2.0, 30.0]), np.array([0.2, 1.0, 80.0])),
    ],
)
def zeta(z, x, q=1.0):
    known = (x >= -1.0) & (q > 0.0)
    slope = _slope(np.where(known, x, 2.0), np.where(known, q, 1.0))
    beyond = np.where(q == 1.0, _reflected_slope(x), math.nan)  # SciPy has no other q there
    return np.where(known, slope, beyond), -x * sp.zeta(x + 1.0, q)


@elementwise(
    sp.zetac,
    name="special.zetac",
    cost=60,
    examples=lambda r: [2.5, r.positive(3) + 1.5, np.array([-5.2, 0.4, 1.05, 30.0])],
)
def zetac(z, x):
    return np.where(x < -1.0, _reflected_slope(x), _slope(np.where(x < -1.0, 2.0, x), np.ones_like(x)))


def _right_trigamma(z):
    """The derivative of digamma where the real part is at least 0.5: terms one by one, then Stirling's series."""
    total = 0.0
    for n in range(TERMS):
        total = total + 1.0 / ((z + n) * (z + n))
    w = z + TERMS
    inverse = 1.0 / w
    square = inverse * inverse
    rest = 0.0
    for k in range(len(RATIOS) - 1, -1, -1):
        rest = (rest + RATIOS[k] * math.factorial(2 * k + 2)) * square
    return total + inverse * (1.0 + rest) + 0.5 * square


def trigamma(z):
    """The derivative of digamma, of complex numbers, which SciPy does not have."""
    left = np.real(z) < 0.5
    right = _right_trigamma(np.where(left, 1.0 - z, z))
    # On the left by reflection; far from the real axis the sine would overflow, and its part is 0.
    near = left & (np.abs(np.imag(z)) < 100.0)
    sine = np.sin(math.pi * np.where(near, z, 0.5))
    return np.where(left, np.where(near, (math.pi / sine) ** 2, 0.0) - right, right)
