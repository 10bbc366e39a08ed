"""Rules of the Kelvin functions, which solve y'' + y' / x = i y: ber + i bei, ker + i kei, and their derivatives."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.registry import elementwise

# The coefficients of ber'(x) / (x / 2)**2 / x and of bei'(x) / x, from the power series of ber and bei.
OF_BERP = tuple((-1) ** k * k / math.factorial(2 * k) ** 2 for k in range(1, 6))
OF_BEIP = tuple((-1) ** k * (k + 0.5) / math.factorial(2 * k + 1) ** 2 for k in range(5))


def _over(z, x, series):
    """The quotient of z and x; near 0 the sum of `series` in powers of (x / 2)**4, which has the derivatives there."""
    near = np.abs(x) < 1.0
    t = (0.5 * x) ** 4
    total = 0.0
    for coefficient in series[::-1]:
        total = total * t + coefficient
    return np.where(near, total, z / np.where(near, 1.0, x))


@elementwise(sp.ber, name="special.ber", cost=40)
def ber(z, x):
    return sp.berp(x)


@elementwise(sp.bei, name="special.bei", cost=40)
def bei(z, x):
    return sp.beip(x)


@elementwise(sp.berp, name="special.berp", domain="real", cost=40)
def berp(z, x):
    near = np.abs(x) < 1.0
    square = np.where(near, 0.25 * x * x, 1.0)
    return -sp.bei(x) - square * _over(z, x, OF_BERP)


@elementwise(sp.beip, name="special.beip", domain="real", cost=40)
def beip(z, x):
    return sp.ber(x) - _over(z, x, OF_BEIP)


@elementwise(sp.ker, name="special.ker", domain="positive", cost=40)
def ker(z, x):
    return sp.kerp(x)


@elementwise(sp.kei, name="special.kei", domain="positive", cost=40)
def kei(z, x):
    return sp.keip(x)


@elementwise(sp.kerp, name="special.kerp", domain="positive", cost=40)
def kerp(z, x):
    return -sp.kei(x) - z / x


@elementwise(sp.keip, name="special.keip", domain="positive", cost=40)
def keip(z, x):
    return sp.ker(x) - z / x
