"""Rules of the elementary functions, for NumPy's ufuncs and the `math` functions that mean the same."""

import math

import numpy as np

from adc.rules.registry import elementwise


def same(name):
    """The function of `math` with this name as an alias, in the versions of Python that have it."""
    return (getattr(math, name),) if hasattr(math, name) else ()


@elementwise(np.exp, math.exp)
def exp(z, x):
    return z


@elementwise(np.exp2, *same("exp2"), spelling="np.exp2")
def exp2(z, x):
    return z * math.log(2.0)


@elementwise(np.expm1, math.expm1)
def expm1(z, x):
    return np.exp(x)  # not z + 1, which cancels where z is close to -1


@elementwise(np.log, domain="positive", singular=True)
def log(z, x):
    return 1.0 / x


@elementwise(np.log2, math.log2, domain="positive", singular=True)
def log2(z, x):
    return 1.0 / (x * math.log(2.0))


@elementwise(np.log10, math.log10, domain="positive", singular=True)
def log10(z, x):
    return 1.0 / (x * math.log(10.0))


@elementwise(np.log1p, math.log1p, domain="positive", singular=True)
def log1p(z, x):
    return 1.0 / (1.0 + x)


@elementwise(np.sqrt, math.sqrt, domain="positive", singular=True, cost=2)
def sqrt(z, x):
    return 0.5 / z


def root(x):
    """The square root, with derivative 0 at 0: of a sum of squares, all of which are 0 there."""
    return np.where(x == 0.0, 0.0, np.sqrt(np.where(x == 0.0, 1.0, x)))


@elementwise(
    root,
    name="root",
    spelling="np.sqrt",
    cost=2,
    examples=lambda r: [(r.positive(3),), (4.0,)],
)
def of_root(z, x):
    return 0.5 / np.where(z == 0.0, np.inf, z)


@elementwise(np.cbrt, *same("cbrt"), domain="nonzero", singular=True)
def cbrt(z, x):
    return 1.0 / (3.0 * z * z)


@elementwise(np.square, cost=1)
def square(z, x):
    return 2.0 * x


@elementwise(np.reciprocal, domain="nonzero", singular=True, cost=2)
def reciprocal(z, x):
    return -z * z


@elementwise(np.sin, math.sin)
def sin(z, x):
    return np.cos(x)


@elementwise(np.cos, math.cos)
def cos(z, x):
    return -np.sin(x)


@elementwise(np.tan, math.tan)
def tan(z, x):
    return 1.0 + z * z


@elementwise(np.arcsin, math.asin, domain="unit", singular=True)
def arcsin(z, x):
    return 1.0 / np.sqrt(1.0 - x * x)


@elementwise(np.arccos, math.acos, domain="unit", singular=True)
def arccos(z, x):
    return -1.0 / np.sqrt(1.0 - x * x)


@elementwise(np.arctan, math.atan)
def arctan(z, x):
    return 1.0 / (1.0 + x * x)


@elementwise(np.arctan2, math.atan2, domain="nonzero", singular=True)
def arctan2(z, x1, x2):
    r2 = 1.0 * x1 * x1 + 1.0 * x2 * x2  # integers would wrap
    return x2 / r2, -(x1 / r2)


@elementwise(np.sinh, math.sinh)
def sinh(z, x):
    return np.cosh(x)


@elementwise(np.cosh, math.cosh)
def cosh(z, x):
    return np.sinh(x)


@elementwise(np.tanh, math.tanh)
def tanh(z, x):
    return 1.0 - z * z


@elementwise(np.arcsinh, math.asinh)
def arcsinh(z, x):
    if np.iscomplexobj(x):
        return 1.0 / np.sqrt(1.0 + x * x)
    return 1.0 / np.hypot(1.0, x)  # x * x overflows long before x does


@elementwise(np.arccosh, math.acosh, domain=(1.2, 3.0), singular=True)
def arccosh(z, x):
    # The product may overflow, and its root has another branch where x is complex.
    return 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0))


@elementwise(np.arctanh, math.atanh, domain="unit", singular=True)
def arctanh(z, x):
    return 1.0 / (1.0 - x * x)


@elementwise(np.hypot, domain="nonzero", notes="0 at the origin")
def hypot(z, x1, x2):
    length = np.where(z == 0.0, 1.0, z)
    return x1 / length, x2 / length


@elementwise(np.logaddexp, notes="0 where both operands are -inf")
def logaddexp(z, x1, x2):
    # Not exp(x1 - z), which is as wrong as z is rounded.
    nothing = (x1 == -np.inf) & (x2 == -np.inf)
    apart = np.where(nothing, 0.0, x1 - x2)
    ratio = np.exp(np.where(apart > 0.0, -apart, apart))  # not -abs, whose derivative at 0 is 0
    larger = np.where(nothing, 0.0, 1.0 / (1.0 + ratio))
    smaller = ratio * larger
    return np.where(apart > 0.0, larger, smaller), np.where(apart > 0.0, smaller, larger)


@elementwise(np.logaddexp2, notes="0 where both operands are -inf")
def logaddexp2(z, x1, x2):
    nothing = (x1 == -np.inf) & (x2 == -np.inf)
    apart = np.where(nothing, 0.0, x1 - x2)
    ratio = np.exp2(np.where(apart > 0.0, -apart, apart))
    larger = np.where(nothing, 0.0, 1.0 / (1.0 + ratio))
    smaller = ratio * larger
    return np.where(apart > 0.0, larger, smaller), np.where(apart > 0.0, smaller, larger)


@elementwise(np.deg2rad, np.radians, math.radians, cost=1)
def deg2rad(z, x):
    return math.pi / 180.0


@elementwise(np.rad2deg, np.degrees, math.degrees, cost=1)
def rad2deg(z, x):
    return 180.0 / math.pi


@elementwise(
    np.sinc,
    notes="0 at 0; a Taylor polynomial near 0 keeps higher orders exact there",
    examples=lambda r: [0.0, 0.7, r.normal(3), r.nonzero(2, 3), np.array([0.0, 0.01, 0.05, -0.02])],
)
def sinc(z, x):
    # (cos(t) - sin(t) / t) / x cancels near zero: five terms of its series are exact to rounding for |t| <
    # 0.2.
    t = math.pi * x
    near = np.abs(t) < 0.2
    s = t * t
    series = -math.pi * t / 3.0 * (1.0 - s / 10.0 * (1.0 - s / 28.0 * (1.0 - s / 54.0 * (1.0 - s / 88.0))))
    away = np.where(near, 1.0, x)
    return np.where(near, series, (np.cos(math.pi * away) - z) / away)
