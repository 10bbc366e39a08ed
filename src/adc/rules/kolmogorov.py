"""Rules of Kolmogorov's distribution: two series for its density, each where it needs few terms."""

import math

import numpy as np
from scipy import special as sp

from adc.rules.registry import elementwise

_SMALLEST = 0.04  # below it the density is less than any number
_BETWEEN = 0.82


def _density(y):
    near = np.where((y > _SMALLEST) & (y < _BETWEEN), y, 0.5)
    square = near * near
    below = 0.0
    for k in (1, 3, 5, 7):
        rate = k * k * math.pi**2 / 8.0
        below = below + np.exp(-rate / square) * (2.0 * rate / square - 1.0)
    below = math.sqrt(2.0 * math.pi) * below / square
    far = np.where(y < _BETWEEN, 1.0, y)
    above = 0.0
    for k, sign in ((1, 8.0), (2, -8.0), (3, 8.0), (4, -8.0), (5, 8.0), (6, -8.0)):
        above = above + sign * k * k * np.exp(-2.0 * k * k * far * far)
    return np.where(y < _BETWEEN, np.where(y > _SMALLEST, below, 0.0), far * above)


@elementwise(
    sp.kolmogorov,
    name="special.kolmogorov",
    wrt="y",
    cost=60,
    examples=lambda r: [0.9, r.uniform(0.3, 1.8, 5), np.array([0.1, 0.5, 0.7, 0.9, 4.0])],
)
def kolmogorov(z, y):
    return -_density(y)


@elementwise(
    sp.kolmogi,
    name="special.kolmogi",
    wrt="p",
    cost=100,
    singular=True,
    examples=lambda r: [0.3, r.uniform(0.05, 0.95, 4)],
)
def kolmogi(z, p):
    return -1.0 / _density(z)
