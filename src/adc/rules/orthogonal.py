"""Rules of orthogonal polynomials, of associated Legendre functions and of spherical harmonics."""

import numpy as np
from scipy import special as sp

from adc.rules.registry import composite, elementwise
from adc.rules.special_refusals import refuses


def _degrees(r):
    return [
        (3, 0.4),
        (0, r.unit(3)),
        (1, r.unit(3)),
        (np.array([2, 5, 4]), r.unit(3)),
        (1.5, 0.4 * r.unit(3)),
    ]


def _degrees_between_0_and_1(r):
    """The same; of a fraction SciPy's value is infinite elsewhere."""
    return [*_degrees(r)[:-1], (1.5, 0.5 + 0.4 * r.unit(3))]


def _below(n):
    """The degree of the derivative. Not max(n - 1, 0): degrees may be fractions."""
    return np.where(n == 0, n, n - 1)


@elementwise(
    sp.eval_legendre, name="special.eval_legendre", wrt="x", cost=40, extra=refuses("n"), examples=_degrees
)
def eval_legendre(z, n, x):
    return np.where(n == 0, 0.0, 0.5 * (n + 1.0) * sp.eval_jacobi(_below(n), 1.0, 1.0, x))


@elementwise(
    sp.eval_chebyt, name="special.eval_chebyt", wrt="x", cost=40, extra=refuses("n"), examples=_degrees
)
def eval_chebyt(z, n, x):
    return np.where(n == 0, 0.0, n * sp.eval_chebyu(_below(n), x))


@elementwise(
    sp.eval_chebyu, name="special.eval_chebyu", wrt="x", cost=40, extra=refuses("n"), examples=_degrees
)
def eval_chebyu(z, n, x):
    return np.where(n == 0, 0.0, 2.0 * sp.eval_gegenbauer(_below(n), 2.0, x))


@elementwise(
    sp.eval_gegenbauer,
    name="special.eval_gegenbauer",
    wrt="x",
    cost=40,
    extra=refuses("n", "alpha"),
    examples=lambda r: [(3, 1.5, 0.4), (0, 1.5, r.unit(3)), (2, 0.5, r.unit(3))],
)
def eval_gegenbauer(z, n, alpha, x):
    return np.where(n == 0, 0.0, 2.0 * alpha * sp.eval_gegenbauer(_below(n), alpha + 1.0, x))


@elementwise(
    sp.eval_jacobi,
    name="special.eval_jacobi",
    wrt="x",
    cost=40,
    extra=refuses("n", "alpha", "beta"),
    examples=lambda r: [(3, 0.5, 1.5, 0.4), (0, 0.5, 1.5, r.unit(3)), (2, 0.5, 1.5, r.unit(3))],
)
def eval_jacobi(z, n, alpha, beta, x):
    shifted = sp.eval_jacobi(_below(n), alpha + 1.0, beta + 1.0, x)
    return np.where(n == 0, 0.0, 0.5 * (n + alpha + beta + 1.0) * shifted)


@elementwise(
    sp.eval_hermite,
    name="special.eval_hermite",
    wrt="x",
    cost=40,
    extra=refuses("n"),
    examples=lambda r: [(3, 0.4), (0, r.unit(3)), (2, r.unit(3))],
)
def eval_hermite(z, n, x):
    return np.where(n == 0, 0.0, 2.0 * n * sp.eval_hermite(_below(n), x))


@elementwise(
    sp.eval_hermitenorm,
    name="special.eval_hermitenorm",
    wrt="x",
    cost=40,
    extra=refuses("n"),
    examples=lambda r: [(3, 0.4), (0, r.unit(3)), (2, r.unit(3))],
)
def eval_hermitenorm(z, n, x):
    return np.where(n == 0, 0.0, n * sp.eval_hermitenorm(_below(n), x))


@elementwise(
    sp.eval_genlaguerre,
    name="special.eval_genlaguerre",
    wrt="x",
    cost=40,
    extra=refuses("n", "alpha"),
    examples=lambda r: [(3, 1.5, 0.4), (0, 1.5, r.unit(3)), (2, 0.5, r.unit(3))],
)
def eval_genlaguerre(z, n, alpha, x):
    return np.where(n == 0, 0.0, -sp.eval_genlaguerre(_below(n), alpha + 1.0, x))


@elementwise(
    sp.eval_laguerre, name="special.eval_laguerre", wrt="x", cost=40, extra=refuses("n"), examples=_degrees
)
def eval_laguerre(z, n, x):
    return np.where(n == 0, 0.0, -sp.eval_genlaguerre(_below(n), 1.0, x))


# By another argument ----------------------------------------------------------------------------------------


@composite(sp.eval_chebyc, name="special.eval_chebyc", wrt="x", extra=refuses("n"), examples=_degrees)
def eval_chebyc(n, x):
    return 2.0 * sp.eval_chebyt(n, 0.5 * x)


@composite(sp.eval_chebys, name="special.eval_chebys", wrt="x", extra=refuses("n"), examples=_degrees)
def eval_chebys(n, x):
    return sp.eval_chebyu(n, 0.5 * x)


@composite(
    sp.eval_sh_legendre,
    name="special.eval_sh_legendre",
    wrt="x",
    extra=refuses("n"),
    examples=_degrees_between_0_and_1,
)
def eval_sh_legendre(n, x):
    return sp.eval_legendre(n, 2.0 * x - 1.0)


@composite(
    sp.eval_sh_chebyt,
    name="special.eval_sh_chebyt",
    wrt="x",
    extra=refuses("n"),
    examples=_degrees_between_0_and_1,
)
def eval_sh_chebyt(n, x):
    return sp.eval_chebyt(n, 2.0 * x - 1.0)


@composite(
    sp.eval_sh_chebyu,
    name="special.eval_sh_chebyu",
    wrt="x",
    extra=refuses("n"),
    examples=_degrees_between_0_and_1,
)
def eval_sh_chebyu(n, x):
    return sp.eval_chebyu(n, 2.0 * x - 1.0)


# On the sphere ----------------------------------------------------------------------------------------------


@elementwise(
    sp.lpmv,
    name="special.lpmv",
    wrt="x",
    cost=60,
    extra=refuses("m", "v"),
    examples=lambda r: [(1, 2, 0.4), (0, 3, r.unit(3) * 0.9), (2, 2.5, r.unit(3) * 0.9), (0, 0, 0.3)],
)
def lpmv(z, m, v, x):
    end = x * x == 1.0
    within = np.where(end, 0.5, x)
    slope = (v * within * z - (v + m) * sp.lpmv(m, v - 1.0, within)) / (within * within - 1.0)
    # P(-x) = (-1)**(v + m) P(x), for whole v: of others x = -1 is a pole.
    sign = np.where(x > 0.0, 1.0, np.where(v == np.floor(v), 2.0 * np.remainder(v + m, 2.0) - 1.0, np.nan))
    return np.where(end, sign * _end_of_lpmv(m, v, np.where(end, np.abs(x), 1.0)), slope)


def _end_of_lpmv(m, v, x):
    """The slope of lpmv at 1, with its own slopes, by the derivatives of Legendre's function there."""
    s = x - 1.0
    first = 0.5 * v * (v + 1.0)
    second = first * (v - 1.0) * (v + 2.0) / 4.0
    third = second * (v - 2.0) * (v + 3.0) / 6.0
    fourth = third * (v - 3.0) * (v + 4.0) / 8.0
    plain = first + s * (second + 0.5 * s * third)
    of_two = -(2.0 * second + s * (2.0 * second + 4.0 * third + 3.0 * s * (third + fourth)))
    # Of m = 1 the slope is infinite, of m = 3 its own slope is; of negative m neither is known.
    steep = x * np.where((m == 1) & (first != 0.0), np.sign(first) * np.inf, 0.0)
    of_three = 3.0 * third * np.sqrt(np.where((m == 3) & (third != 0.0), (1.0 - x) * (1.0 + x), 0.0))
    more = np.where(m == 3, of_three, np.where(m == 4, 8.0 * fourth * s, np.where(m < 0, np.nan, 0.0) * x))
    return np.where(m == 0, plain, np.where(m == 1, steep, np.where(m == 2, of_two, more)))
