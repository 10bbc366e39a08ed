"""Rules of the Kelvin functions, which solve y'' + y' / x = i y: ber + i bei, ker + i kei, and their derivatives."""

import numpy as np
from scipy import special as sp

from adc.rules.registry import elementwise


def _over(z, x, limit):
    """The quotient of z and x, and its limit at 0."""
    return np.where(x == 0.0, limit, z / np.where(x == 0.0, 1.0, x))


@elementwise(sp.ber, name="special.ber", cost=40)
def ber(z, x):
    return sp.berp(x)


@elementwise(sp.bei, name="special.bei", cost=40)
def bei(z, x):
    return sp.beip(x)


@elementwise(sp.berp, name="special.berp", domain="nonzero", cost=40, notes="0 at 0")
def berp(z, x):
    return -sp.bei(x) - _over(z, x, 0.0)


@elementwise(sp.beip, name="special.beip", domain="nonzero", cost=40, notes="1/2 at 0")
def beip(z, x):
    return sp.ber(x) - _over(z, x, 0.5)


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
