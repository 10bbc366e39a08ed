"""Rules of Carlson's symmetric elliptic integrals.

The partials of R_F and R_C are values of R_D. Those of R_D and R_J are integrals that such values give only by
quotients which cancel where two arguments are close: the trapezoidal rule in log(t) gives them to rounding.
Source: Carlson, Numerical computation of real or complex elliptic integrals, 1995; DLMF 19.18.
"""

import numpy as np
from scipy import special as sp

from adc.rules.incomplete import spread
from adc.rules.registry import elementwise

COUNT = 281
NODES = tuple(k / (COUNT - 1) for k in range(COUNT))
# Beyond these the integrand, which falls as sqrt(t) on the left and as 1 / t**2 on the right, is less than rounding.
LEFT, RIGHT = 76.0, 20.0


def _mixed(x, y, z):
    """The integral from 0 of (t + x)**-1.5 (t + y)**-0.5 (t + z)**-1.5; infinite where x or z is 0."""
    inside = (x > 0.0) & (y >= 0.0) & (z > 0.0)
    x, y, z = np.where(inside, x, 1.0), np.where(inside, y, 1.0), np.where(inside, z, 1.0)
    # Rounded, for the points to have no derivative.
    low = np.floor(np.log(np.minimum(x, z))) - LEFT
    length = np.ceil(np.log(np.maximum(x, z))) + RIGHT - low
    t = np.exp(spread(low) + spread(length) * np.array(NODES))
    by_x, by_y, by_z = t + spread(x), t + spread(y), t + spread(z)
    integrand = t / (by_x * by_z) / (np.sqrt(by_x) * np.sqrt(by_y) * np.sqrt(by_z))
    return np.where(inside, length * np.sum(integrand, axis=-1) / (COUNT - 1), np.inf)


def _threes(r):
    return [
        (0.7, 1.3, 0.4),
        (r.positive(3), r.positive(3), r.positive(3)),
        (np.array([1.0, 0.5, 2.0]), 1.0, np.array([1.0, 1.0 + 1e-9, 30.0])),
    ]


@elementwise(
    sp.elliprd,
    name="special.elliprd",
    wrt="x y z",
    cost=400,
    singular=True,
    extra={"real_only": True},
    examples=_threes,
)
def elliprd(result, x, y, z):
    by_x, by_y = -0.75 * _mixed(x, y, z), -0.75 * _mixed(y, x, z)
    # Euler: an integral of degree -3/2.
    moved = np.where(x > 0.0, x * by_x, 0.0) + np.where(y > 0.0, y * by_y, 0.0)
    return by_x, by_y, -(1.5 * result + moved) / z


def _beside(x, y, z, p):
    """The integral from 0 of (t + x)**-1.5 (t + y)**-0.5 (t + z)**-0.5 / (t + p); infinite where x is 0."""
    inside = (x > 0.0) & (y >= 0.0) & (z >= 0.0) & (p > 0.0)
    x, y, z, p = (
        np.where(inside, x, 1.0),
        np.where(inside, y, 1.0),
        np.where(inside, z, 1.0),
        np.where(inside, p, 1.0),
    )
    low = np.floor(np.log(np.minimum(x, p))) - LEFT
    length = np.ceil(np.log(np.maximum(x, p))) + RIGHT - low
    t = np.exp(spread(low) + spread(length) * np.array(NODES))
    by_x = t + spread(x)
    roots = np.sqrt(by_x) * np.sqrt(t + spread(y)) * np.sqrt(t + spread(z))
    integrand = t / (by_x * (t + spread(p))) / roots
    return np.where(inside, length * np.sum(integrand, axis=-1) / (COUNT - 1), np.inf)


def _of_third_kind(whole, x, y, z, p):
    """The partial of R_J with respect to x. Of a principal value, p < 0, the quotient does not cancel."""
    apart = np.where(p > 0.0, -1.0, p) - x
    return np.where(p > 0.0, -0.75 * _beside(x, y, z, p), 0.5 * (whole - sp.elliprd(y, z, x)) / apart)


@elementwise(
    sp.elliprj,
    name="special.elliprj",
    wrt="x y z p",
    cost=800,
    singular=True,
    extra={"real_only": True},
    examples=lambda r: [
        (0.7, 1.3, 0.4, 0.9),
        (r.positive(3), r.positive(3), r.positive(3), r.positive(3)),
        (np.array([1.0, 0.5, 2.0]), 1.0, 0.3, np.array([1.0, 0.5 + 1e-9, 30.0])),
        (0.7, 1.3, 0.4, np.array([-0.6, -3.0])),
    ],
)
def elliprj(result, x, y, z, p):
    by_x, by_y, by_z = (
        _of_third_kind(result, x, y, z, p),
        _of_third_kind(result, y, z, x, p),
        _of_third_kind(result, z, x, y, p),
    )
    # Euler: an integral of degree -3/2.
    moved = (
        np.where(x > 0.0, x * by_x, 0.0) + np.where(y > 0.0, y * by_y, 0.0) + np.where(z > 0.0, z * by_z, 0.0)
    )
    return by_x, by_y, by_z, -(1.5 * result + moved) / p


@elementwise(
    sp.elliprf,
    name="special.elliprf",
    wrt="x y z",
    cost=100,
    singular=True,
    extra={"real_only": True},
    examples=_threes,
)
def elliprf(result, x, y, z):
    return -sp.elliprd(y, z, x) / 6.0, -sp.elliprd(z, x, y) / 6.0, -sp.elliprd(x, y, z) / 6.0


@elementwise(
    sp.elliprg,
    name="special.elliprg",
    wrt="x y z",
    cost=400,
    singular=True,
    extra={"real_only": True},
    examples=_threes,
)
def elliprg(result, x, y, z):
    # Carlson, Special Functions of Applied Mathematics, 1977: t / (t + x) is 1 - x / (t + x).
    whole = sp.elliprf(x, y, z)
    return _of_square(whole, x, y, z), _of_square(whole, y, z, x), _of_square(whole, z, x, y)


def _of_square(whole, x, y, z):
    """The partial of R_G with respect to x."""
    return 0.25 * whole - np.where(x > 0.0, x * sp.elliprd(y, z, np.where(x > 0.0, x, 1.0)), 0.0) / 12.0


@elementwise(
    sp.elliprc,
    name="special.elliprc",
    cost=60,
    singular=True,
    extra={"real_only": True},
    examples=lambda r: [
        (0.7, 1.3),
        (r.positive(3), r.positive(3)),
        (np.array([1.0, 0.5, 2.0, 0.4]), np.array([1.0, 0.5 + 1e-9, -0.7, -3.0])),
    ],
)
def elliprc(z, x, y):
    regular = y > 0.0
    w = np.where(regular, y, 1.0)
    # Of a principal value the quotient does not cancel.
    apart = (z - 1.0 / np.sqrt(x)) / (2.0 * (np.where(regular, -1.0, y) - x))
    by_x = np.where(regular, -sp.elliprd(w, w, x) / 6.0, apart)
    by_y = np.where(regular, -sp.elliprd(x, w, w) / 3.0, -(0.5 * z + x * apart) / y)
    return by_x, by_y
