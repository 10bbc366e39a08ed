"""Rules of the Bessel functions, of their scaled forms, and of Airy and Struve functions, in the argument.

The order has no derivative in closed form; bessel_orders has that of kv. Source: Abramowitz & Stegun, chapters 9, 10.
"""

import math

import numpy as np
from scipy import special as sp

from adc.rules.registry import composite, elementwise, lowered, pull, push
from adc.rules.sampler import call
from adc.rules.shapes import shape_of
from adc.rules.special_refusals import refuses


def orders(r):
    """An order and positive arguments."""
    return [(1, 1.3), (2, r.positive(3)), (0.5, r.positive(2, 3)), (np.array([0.0, 1.0, 2.5]), r.positive(3))]


@elementwise(sp.j0, name="special.j0", cost=20)
def j0(z, x):
    return -sp.j1(x)


@elementwise(sp.j1, name="special.j1", cost=20)
def j1(z, x):
    return 0.5 * (sp.j0(x) - sp.jv(2, x))


@elementwise(sp.y0, name="special.y0", domain="positive", cost=20)
def y0(z, x):
    return -sp.y1(x)


@elementwise(sp.y1, name="special.y1", domain="positive", cost=20)
def y1(z, x):
    return 0.5 * (sp.y0(x) - sp.yv(2, x))


@elementwise(sp.i0, name="special.i0", cost=20)
def i0(z, x):
    return sp.i1(x)


@elementwise(
    np.i0,
    cost=20,
    extra={"float64_only": True, "ranks": ()},  # Numba has no function of that name
    notes="needs SciPy",
)
def numpy_i0(z, x):
    return sp.i1(x)


@lowered(np.i0)
def numpy_i0_by_scipy(x):
    return sp.i0(x)


@elementwise(sp.i1, name="special.i1", cost=20)
def i1(z, x):
    return 0.5 * (sp.i0(x) + sp.iv(2, x))


def _scaling(x, z):
    """What exp(-abs(x)) adds to the slope of what it scales, at 0 that to the right: densities are made of such."""
    return np.where(x < 0.0, z, -z)


@elementwise(sp.i0e, name="special.i0e", domain="nonzero", cost=20, notes="-1 at 0, the slope to the right")
def i0e(z, x):
    return sp.i1e(x) + _scaling(x, z)


@elementwise(sp.i1e, name="special.i1e", domain="nonzero", cost=20)
def i1e(z, x):
    # i0e - z / x, without the quotient where derivatives of it cancel: close to zero.
    near = np.abs(x) < 1.0
    first = 0.5 * (sp.i0e(x) + sp.ive(2, np.where(near, x, 0.0)))
    return np.where(near, first, sp.i0e(x) - z / np.where(near, 1.0, x)) + _scaling(x, z)


@elementwise(sp.k0, name="special.k0", domain="positive", cost=20)
def k0(z, x):
    return -sp.k1(x)


@elementwise(sp.k1, name="special.k1", domain="positive", cost=20)
def k1(z, x):
    return -0.5 * (sp.k0(x) + sp.kv(2, x))


@elementwise(sp.k0e, name="special.k0e", domain="positive", cost=20)
def k0e(z, x):
    return z - sp.k1e(x)


@elementwise(sp.k1e, name="special.k1e", domain="positive", cost=20)
def k1e(z, x):
    return z - sp.k0e(x) - z / x


@elementwise(
    sp.jv,
    *(() if sp.jn is sp.jv else (sp.jn,)),
    name="special.jv",
    wrt="x",
    cost=40,
    extra=refuses("v"),
    examples=orders,
)
def jv(z, v, x):
    return 0.5 * (sp.jv(v - 1.0, x) - sp.jv(v + 1.0, x))


@elementwise(sp.yv, name="special.yv", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def yv(z, v, x):
    return 0.5 * (sp.yv(v - 1.0, x) - sp.yv(v + 1.0, x))


@elementwise(sp.yn, name="special.yn", wrt="x", cost=40, examples=lambda r: [(1, 1.3), (2, r.positive(3))])
def yn(z, n, x):
    n = np.trunc(n)  # as SciPy reads an order
    return 0.5 * (sp.yv(n - 1.0, x) - sp.yv(n + 1.0, x))


@elementwise(sp.iv, name="special.iv", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def iv(z, v, x):
    return 0.5 * (sp.iv(v - 1.0, x) + sp.iv(v + 1.0, x))


@elementwise(sp.kn, name="special.kn", wrt="x", cost=40, examples=lambda r: [(1, 1.3), (2, r.positive(3))])
def kn(z, n, x):
    n = np.trunc(n)
    return -0.5 * (sp.kv(n - 1.0, x) + sp.kv(n + 1.0, x))


_SCALED = {**refuses("v"), "real_only": True}  # by the real or imaginary part alone


@elementwise(sp.ive, name="special.ive", wrt="x", cost=40, extra=_SCALED, examples=orders)
def ive(z, v, x):
    return 0.5 * (sp.ive(v - 1.0, x) + sp.ive(v + 1.0, x)) + _scaling(x, z)


@elementwise(sp.jve, name="special.jve", wrt="x", cost=40, extra=_SCALED, examples=orders)
def jve(z, v, x):
    return 0.5 * (sp.jve(v - 1.0, x) - sp.jve(v + 1.0, x))


@elementwise(sp.yve, name="special.yve", wrt="x", cost=40, extra=_SCALED, examples=orders)
def yve(z, v, x):
    return 0.5 * (sp.yve(v - 1.0, x) - sp.yve(v + 1.0, x))


@elementwise(sp.hankel1, name="special.hankel1", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def hankel1(z, v, x):
    return 0.5 * (sp.hankel1(v - 1.0, x) - sp.hankel1(v + 1.0, x))


@elementwise(sp.hankel2, name="special.hankel2", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def hankel2(z, v, x):
    return 0.5 * (sp.hankel2(v - 1.0, x) - sp.hankel2(v + 1.0, x))


def _first_of_struve(v, x):
    """What the recurrences of Struve have beside their neighbours: half the first term of the series over x."""
    return (0.5 * x) ** v / (2.0 * math.sqrt(math.pi) * sp.gamma(v + 1.5))


@elementwise(sp.struve, name="special.struve", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def struve(z, v, x):
    near = np.abs(x) < 1.0  # where one recurrence divides by zero; far out the other one cancels
    close, far = np.where(near, x, 1.0), np.where(near, 1.0, x)
    inner = 0.5 * (sp.struve(v - 1.0, close) - sp.struve(v + 1.0, close)) + _first_of_struve(v, close)
    return np.where(near, inner, sp.struve(v - 1.0, far) - v / far * z)


@elementwise(sp.modstruve, name="special.modstruve", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def modstruve(z, v, x):
    return 0.5 * (sp.modstruve(v - 1.0, x) + sp.modstruve(v + 1.0, x)) + _first_of_struve(v, x)


@pull(
    sp.airy,
    wrt="z",
    shape=lambda z: (shape_of(z),) * 4,
    name="special.airy",
    cost=60,
    examples=lambda r: [0.7, r.normal(3)],
)
def airy_pull(result_bar, result, z):
    ai_bar, aip_bar, bi_bar, bip_bar = result_bar
    ai, aip, bi, bip = result
    return ai_bar * aip + aip_bar * z * ai + bi_bar * bip + bip_bar * z * bi


@push(sp.airy)
def airy_push(result, z, *, z_dot):
    ai, aip, bi, bip = result
    return aip * z_dot, z * ai * z_dot, bip * z_dot, z * bi * z_dot


@pull(
    sp.airye,
    wrt="z",
    shape=lambda z: (shape_of(z),) * 4,
    name="special.airye",
    cost=60,
    examples=lambda r: [0.7, r.positive(3)],
    extra={"real_only": True},
    notes="of real arguments; below 0 the first two are NaN",
)
def airye_pull(result_bar, result, z):
    ai_bar, aip_bar, bi_bar, bip_bar = result_bar
    ai, aip, bi, bip = result
    root = np.sqrt(np.maximum(z, 0.0))  # of the scale exp(2/3 z ** 1.5), and its reciprocal for bi
    from_ai = ai_bar * (aip + root * ai) + aip_bar * (z * ai + root * aip)
    return from_ai + bi_bar * (bip - root * bi) + bip_bar * (z * bi - root * bip)


@push(sp.airye)
def airye_push(result, z, *, z_dot):
    ai, aip, bi, bip = result
    root = np.sqrt(np.maximum(z, 0.0))
    return (
        (aip + root * ai) * z_dot,
        (z * ai + root * aip) * z_dot,
        (bip - root * bi) * z_dot,
        (z * bi - root * bip) * z_dot,
    )


# --- spherical Bessel functions -----------------------------------------------------------------------------


def _spherical(r):
    return [
        (1, 1.3),
        (2, r.positive(3)),
        (0, r.positive(2, 3)),
        (2.5, r.positive(3)),
        (2, r.positive(3), True),
        call(np.array([0, 1, 3]), r.positive(3), derivative=True),
        (2, r.positive(3) + 0.3j),
    ]


def _on_both_sides(r):
    return [*_spherical(r), (2, -r.positive(3)), (3, -1.3), (2, -r.positive(3), True)]


def _at_origin(r):
    return [
        *_on_both_sides(r),
        (np.array([0, 1, 2, 3]), 0.0),
        (np.array([0, 1, 2, 3]), 0.0, True),
        (np.array([[0], [3]]), np.array([-0.4, 0.3, 0.6])),
    ]


def _mirrored(n, z):
    """The sign that a function of the parity of its order has on the left of 0."""
    return 1.0 if np.iscomplexobj(z) else np.where(z < 0.0, (-1.0) ** n, 1.0)


def _about_origin(n, z, sign, by_bessel):
    """Near 0 the power series, in half the square of z with a sign: roots of z have no derivative there."""
    near = np.where(np.abs(z) < 0.5, z, 0.0)
    t = 0.5 * sign * near * near
    series = 1.0
    for k in range(7, 0, -1):
        series = 1.0 + t / (k * (2 * n + 2 * k + 1)) * series
    first = math.sqrt(math.pi) * (0.5 * near) ** n / (2.0 * sp.gamma(n + 1.5))
    return np.where(np.abs(z) < 0.5, first * series, by_bessel)


def _derived(n, below, above):
    """The derivative by z, from the functions of the orders beside n: nothing is divided by z."""
    return (n * below + (n + 1.0) * above) / (2.0 * n + 1.0)


def _below(n):
    return np.maximum(n - 1.0, 0.0)


def _away(z):
    return np.where(np.abs(z) < 0.5, 1.0, z if np.iscomplexobj(z) else np.abs(z))


def _root(z):
    """The factor by which a spherical function is one of an order between integers; both have the same cut."""
    return np.sqrt(0.5 * np.pi) / np.sqrt(z)


def _finite(z):
    """Infinity on the real line is where the Bessel functions give NaN, or meet the reciprocal of infinity."""
    return z if np.iscomplexobj(z) else np.where(np.isinf(z), 1.0, z)


def _beyond(z, there, value):
    return value if np.iscomplexobj(z) else np.where(np.isinf(z), there, value)


def _jn(n, z):
    away = _finite(_away(z))
    by_bessel = _mirrored(n, z) * _root(away) * sp.jv(n + 0.5, away)
    return _about_origin(n, z, -1.0, _beyond(z, 0.0, by_bessel))


def _yn(n, z):
    away = _finite(z if np.iscomplexobj(z) else np.abs(z))
    return _beyond(z, 0.0, _mirrored(n + 1, z) * _root(away) * sp.yv(n + 0.5, away))


def _in(n, z):
    away = _away(z)
    by_bessel = _mirrored(n, z) * _root(away) * sp.iv(n + 0.5, away)
    return _about_origin(n, z, 1.0, _beyond(z, _mirrored(n, z) * np.inf, by_bessel))


def _kn(n, z):
    return _root(z) * sp.kv(n + 0.5, z)


@composite(
    sp.spherical_jn,
    name="special.spherical_jn",
    wrt="z",
    examples=_at_origin,
    extra={"float64_only": True, "order": "A"},
)
def spherical_jn(n, z, derivative=False):
    n = np.trunc(n)  # SciPy makes integers of orders
    return _derived(n, _jn(_below(n), z), -_jn(n + 1.0, z)) if derivative else _jn(n, z)


@composite(
    sp.spherical_yn,
    name="special.spherical_yn",
    wrt="z",
    examples=_on_both_sides,
    extra={"float64_only": True},
)
def spherical_yn(n, z, derivative=False):
    n = np.trunc(n)
    return _derived(n, _yn(_below(n), z), -_yn(n + 1.0, z)) if derivative else _yn(n, z)


@composite(
    sp.spherical_in,
    name="special.spherical_in",
    wrt="z",
    examples=_at_origin,
    extra={"float64_only": True, "order": "A"},
)
def spherical_in(n, z, derivative=False):
    n = np.trunc(n)
    return _derived(n, _in(_below(n), z), _in(n + 1.0, z)) if derivative else _in(n, z)


@composite(
    sp.spherical_kn,
    name="special.spherical_kn",
    wrt="z",
    examples=_spherical,
    notes="positive arguments",
    extra={"float64_only": True},
)
def spherical_kn(n, z, derivative=False):
    n = np.trunc(n)
    return _derived(n, -_kn(_below(n), z), -_kn(n + 1.0, z)) if derivative else _kn(n, z)


@elementwise(sp.hankel1e, name="special.hankel1e", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def hankel1e(z, v, x):
    return 0.5 * np.exp(-1j * x) * (sp.hankel1(v - 1.0, x) - sp.hankel1(v + 1.0, x)) - 1j * z


@elementwise(sp.hankel2e, name="special.hankel2e", wrt="x", cost=40, extra=refuses("v"), examples=orders)
def hankel2e(z, v, x):
    return 0.5 * np.exp(1j * x) * (sp.hankel2(v - 1.0, x) - sp.hankel2(v + 1.0, x)) + 1j * z


@composite(
    np.kaiser,
    wrt="beta",
    examples=lambda r: [(5, 1.5), (4, 0.7)],
    extra={"float64_only": True},
    notes="needs SciPy",
)
def kaiser(M, beta):
    middle = 0.5 * (M - 1)
    ratio = (np.arange(M) - middle) / middle
    return sp.i0(beta * np.sqrt(1.0 - ratio * ratio)) / sp.i0(beta)
