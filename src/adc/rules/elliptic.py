"""Rules of elliptic integrals and of the arithmetic-geometric mean.

Near m = 0 the quotients of the textbooks cancel, and power series take their place.
"""

import math

import numpy as np
from scipy import special as sp

from adc.rules.registry import elementwise


def _series(m, *numerators):
    """A power series that begins with eight terms of these numerators over 65536, times pi."""
    total = 0.0
    for numerator in numerators[::-1]:
        total = total * m + numerator * (math.pi / 65536.0)
    return total


def ellipk_slope(z, m):
    """dK/dm: the quotient cancels near 0, where five terms of the series are exact to rounding."""
    near = np.abs(m) < 1e-3
    away = np.where(near, 0.5, m)
    quotient = (sp.ellipe(away) / (1.0 - away) - np.where(near, 0.0, z)) / (2.0 * away)
    return np.where(near, _by_m(m), quotient)


def _by_m(m):
    """dK/dm near 0."""
    return _series(m, 8192.0, 9216.0, 9600.0, 9800.0, 9922.5)


@elementwise(
    sp.ellipk,
    name="special.ellipk",
    cost=40,
    singular=True,
    examples=lambda r: [0.4, r.positive(3) * 0.3, np.array([0.0, 1e-9, 5e-4, -1e-6])],
)
def ellipk(z, m):
    return ellipk_slope(z, m)


@elementwise(
    sp.ellipkm1,
    name="special.ellipkm1",
    wrt="p",
    cost=40,
    singular=True,
    examples=lambda r: [0.4, r.positive(3) * 0.3, np.array([1.0, 1.0 - 1e-9, 0.9995, 0.02, 1.3])],
)
def ellipkm1(z, p):
    m = 1.0 - p
    near = np.abs(m) < 1e-3
    away = np.where(near, 0.5, p)
    quotient = (sp.ellipe(1.0 - away) / away - np.where(near, 0.0, z)) / (2.0 * (1.0 - away))
    return -np.where(near, _by_m(m), quotient)


@elementwise(
    sp.ellipe,
    name="special.ellipe",
    cost=40,
    examples=lambda r: [0.4, r.positive(3) * 0.3, np.array([0.0, 1e-9, 5e-4, -1e-6])],
)
def ellipe(z, m):
    near = np.abs(m) < 1e-3
    away = np.where(near, 0.5, m)
    quotient = (np.where(near, 0.0, z) - sp.ellipk(away)) / (2.0 * away)
    return np.where(near, _series(m, -8192.0, -3072.0, -1920.0, -1400.0, -1102.5), quotient)


@elementwise(
    sp.agm,
    name="special.agm",
    cost=60,
    singular=True,
    examples=lambda r: [
        (0.7, 1.3),
        (r.positive(3), r.positive(3)),
        (-1.2, -0.4),
        (np.array([1.5, 1.0]), 1.0),
    ],
)
def agm(z, a, b):
    # Gauss: pi (a + b) / (4 K(k**2)).
    k = (a - b) / (a + b)
    m = k * k
    whole = sp.ellipk(m)
    turn = z * ellipk_slope(whole, m) / whole * 4.0 * k / ((a + b) * (a + b))
    return z / (a + b) - turn * b, z / (a + b) + turn * a


def _near_circle(phi, m):
    """(F - E) / m near m = 0: the integral of sin(t)**2 / sqrt(1 - m sin(t)**2) from 0 to phi, by powers of m."""
    sine, cosine = np.sin(phi), np.cos(phi)
    total, factor, power, integral = 0.0 * phi, 1.0, sine, phi
    for k in range(1, 7):
        integral = ((2 * k - 1) * integral - power * cosine) / (2 * k)  # of sin(t)**(2 k)
        total = total + factor * integral
        factor = factor * m * (2 * k - 1) / (2 * k)
        power = power * sine * sine
    return total


def _incomplete(r):
    near = np.array([0.0, 1e-9, -5e-4, 1e-12])
    return [
        (0.7, 0.4),
        (r.uniform(-1.4, 1.4, 3), r.uniform(-0.9, 0.9, 3)),
        (np.array([0.3, 1.0, -2.0, 4.0]), near),
    ]


@elementwise(
    sp.ellipkinc, name="special.ellipkinc", wrt="phi m", examples=_incomplete, cost=40, singular=True
)
def ellipkinc(z, phi, m):
    sine, cosine = np.sin(phi), np.cos(phi)
    delta = np.sqrt(1.0 - m * sine * sine)
    near = np.abs(m) < 1e-3
    away = np.where(near, 0.5, m)
    apart = (np.where(near, 0.0, z) - sp.ellipeinc(phi, away)) / away
    rest = z - np.where(near, _near_circle(phi, m), apart) - sine * cosine / delta
    return 1.0 / delta, rest / (2.0 * (1.0 - m))


@elementwise(sp.ellipeinc, name="special.ellipeinc", wrt="phi m", examples=_incomplete, cost=40)
def ellipeinc(z, phi, m):
    sine = np.sin(phi)
    near = np.abs(m) < 1e-3
    away = np.where(near, 0.5, m)
    apart = (sp.ellipkinc(phi, away) - np.where(near, 0.0, z)) / away
    return np.sqrt(1.0 - m * sine * sine), -0.5 * np.where(near, _near_circle(phi, m), apart)
