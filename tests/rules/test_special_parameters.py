"""Derivatives of special functions with respect to their parameters, against many digits."""

import numpy as np
import pytest
from scipy import special as sp
from scipy import stats

import adc
from adc import tape

mpmath = pytest.importorskip("mpmath")
DIGITS = 40
STEP = mpmath.mpf(10) ** -14


def slope(function, at):
    with mpmath.workdps(DIGITS):
        return float((function(at * (1 + STEP)) - function(at * (1 - STEP))) / (2 * at * STEP))


def exact_gamma(a, x):
    return slope(lambda p: mpmath.gammainc(p, 0, x, regularized=True), mpmath.mpf(a))


def exact_beta(a, b, x):
    x = mpmath.mpf(x)
    by_a = slope(lambda p: mpmath.betainc(p, b, 0, x, regularized=True), mpmath.mpf(a))
    by_b = slope(lambda q: mpmath.betainc(a, q, 0, x, regularized=True), mpmath.mpf(b))
    return by_a, by_b


GAMMA = [
    (0.003, 0.001),
    (0.01, 2.0),
    (0.7, 0.1),
    (1.9, 1.8),
    (2.0, 30.0),
    (5.0, 4.9),
    (40.0, 60.0),
    (900.0, 880.0),
]
BETA = [
    (0.02, 0.3, 0.001),
    (0.02, 0.3, 0.9),
    (0.7, 0.01, 0.9999),
    (1.5, 1.5, 0.5),
    (3.0, 0.2, 0.7),
    (2.0, 90.0, 0.02),
    (60.0, 50.0, 0.6),
    (4000.0, 5.0, 0.999),
]


@pytest.mark.parametrize(("a", "x"), GAMMA)
def test_gamma(a, x):
    (bar,) = tape.autograd.grad(sp.gammainc(leaf := tape.tensor(a, requires_grad=True), x), leaf)
    np.testing.assert_allclose(bar.item(), exact_gamma(a, x), rtol=1e-10)


@pytest.mark.parametrize(("a", "b", "x"), BETA)
def test_beta(a, b, x):
    leaves = [tape.tensor(p, requires_grad=True) for p in (a, b)]
    bars = tape.autograd.grad(sp.betainc(*leaves, x), leaves)
    np.testing.assert_allclose([bar.item() for bar in bars], exact_beta(a, b, x), rtol=2e-10)


def test_student():
    def exact(df, t):  # for t < 0
        return slope(
            lambda n: mpmath.betainc(n / 2, mpmath.mpf(1) / 2, 0, n / (n + t * t), regularized=True) / 2,
            mpmath.mpf(df),
        )

    for df, t in [(1.0, -0.001), (3.5, -1.2), (30.0, -4.0), (200.0, -0.5)]:
        for side in (1.0, -1.0):
            bar = adc.grad(sp.stdtr, mode="tape")(df, side * t)
            np.testing.assert_allclose(bar, side * exact(df, t), rtol=1e-8)


@pytest.mark.parametrize(("v", "x"), [(0.5, 1e-4), (1.5, 0.3), (2.5, 40.0), (-1.2, 2.0), (30.0, 5.0)])
def test_order_of_a_bessel_function(v, x):
    wanted = slope(lambda order: mpmath.besselk(order, x), mpmath.mpf(v))
    np.testing.assert_allclose(adc.grad(sp.kv, mode="tape")(v, x), wanted, rtol=1e-10)
    np.testing.assert_allclose(adc.grad(sp.kve, mode="tape")(v, x), wanted * np.exp(x), rtol=1e-10)


def test_ends_of_the_range_have_no_slope():
    slopes = adc.grad(lambda a, x: np.sum(sp.gammainc(a, x)), mode="python")
    np.testing.assert_array_equal(slopes(np.full(2, 1.5), np.array([0.0, np.inf])), 0.0)
    slopes = adc.grad(lambda a, x: np.sum(sp.betainc(a, 2.0, x)), mode="python")
    np.testing.assert_array_equal(slopes(np.full(2, 1.5), np.array([0.0, 1.0])), 0.0)


@pytest.mark.parametrize(("a", "x"), GAMMA[:6])
def test_second_derivative_of_gamma(a, x):
    bars = adc.grad(adc.grad(sp.gammainc, mode="tape"), mode="tape")(a, x)
    with mpmath.workdps(DIGITS):
        h = mpmath.mpf(a) * mpmath.mpf(10) ** -10
        values = [mpmath.gammainc(p, 0, x, regularized=True) for p in (a + h, mpmath.mpf(a), a - h)]
        wanted = float((values[0] - 2 * values[1] + values[2]) / h**2)
    np.testing.assert_allclose(bars, wanted, rtol=1e-9)


def test_second_derivative_at_the_centre():
    """That of the density with respect to the degrees of freedom."""
    by_df = adc.grad(lambda df, t: stats.t.pdf(t, df), mode="python")
    mixed = adc.grad(adc.grad(sp.stdtr, mode="python"), 1, mode="python")
    for t in (0.0, 1e-8, -0.3):
        np.testing.assert_allclose(mixed(3.5, t), by_df(3.5, t), rtol=1e-8)


def test_second_derivatives():
    def loss(p):
        return np.sum(stats.gamma.cdf(np.array([0.4, 3.0]), p[0], scale=p[1])) + stats.beta.sf(
            0.3, p[0], p[1]
        )

    p, h = np.array([2.3, 1.1]), 1e-5
    gradient = adc.grad(loss, mode="python")
    rows = [(gradient(p + h * e) - gradient(p - h * e)) / (2.0 * h) for e in np.eye(2)]
    np.testing.assert_allclose(adc.hessian(loss, mode="python")(p), rows, rtol=1e-6)


def test_riemanns_zeta_function_is_compiled():
    def zetas(x):
        return np.sum(sp.zeta(x) * np.arange(1.0, 6.0))

    x = np.array([2.5, 0.5, 1.2, 30.0, 0.0])
    value, slopes = adc.value_and_grad(zetas, mode="compiled")(x)
    assert value == pytest.approx(zetas(x), rel=1e-13)
    exact = [float(mpmath.zeta(at, derivative=1)) * (k + 1) for k, at in enumerate(x)]
    assert slopes == pytest.approx(exact, rel=1e-10)
    left = np.array([-0.3, -2.0, -3.0, -7.5, -1.0])
    assert adc.vjp(zetas, left, mode="compiled")[0] == pytest.approx(zetas(left), rel=1e-12)


@pytest.mark.parametrize("x", [-30.5, -5.2, -4.0, -1.0, -0.3, 0.5])
def test_zeta_below_one(x):
    with mpmath.workdps(DIGITS):
        wanted = float(mpmath.zeta(x, derivative=1))
    for function in (lambda x: sp.zeta(x), lambda x: sp.zetac(x)):
        for mode in ("python", "tape"):
            np.testing.assert_allclose(adc.grad(function, mode=mode)(x), wanted, rtol=1e-10)
    with mpmath.workdps(DIGITS):
        bend = float(mpmath.diff(mpmath.zeta, x, 2))
    np.testing.assert_allclose(adc.hessian(lambda x: sp.zeta(x), mode="tape")(x), bend, rtol=1e-8)


@pytest.mark.parametrize("x, y", [(5.3, -5.0), (5.3, -4.9), (5.0, 7.0), (2.5, 4.2), (0.3, 4.3), (-0.4, -2.0)])
def test_binomials_beyond_their_triangle(x, y):
    at = np.array([x, y])
    with mpmath.workdps(DIGITS):
        binomial = [mpmath.diff(mpmath.binomial, (x, y), order) for order in ((1, 0), (0, 1))]
        bends = [[mpmath.diff(mpmath.binomial, (x, y), (2 - j - k, j + k)) for j in (0, 1)] for k in (0, 1)]
    for mode in ("python", "tape"):
        slope = adc.grad(lambda z: sp.binom(z[0], z[1]), mode=mode)(at)
        np.testing.assert_allclose(slope, np.array(binomial, float), rtol=1e-9, atol=1e-12)
        hessian = adc.hessian(lambda z: sp.binom(z[0], z[1]), mode=mode)(at)
        np.testing.assert_allclose(hessian, np.array(bends, float), rtol=1e-8, atol=1e-10)


def test_a_profile_without_width():
    def exact(x, sigma, gamma):
        return mpmath.quad(
            lambda t: mpmath.npdf(t) * gamma / mpmath.pi / ((x - sigma * t) ** 2 + gamma**2), [-12, 0, 12]
        )

    at = np.array([0.7, 0.0, 1.2])
    with mpmath.workdps(20):
        wanted = [float(mpmath.diff(exact, tuple(at), order)) for order in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        bend = float(mpmath.diff(exact, tuple(at), (0, 2, 0)))
    for mode in ("python", "tape"):
        slope = adc.grad(lambda z: sp.voigt_profile(z[0], z[1], z[2]), mode=mode)(at)
        np.testing.assert_allclose(slope, wanted, rtol=1e-8, atol=1e-9)
        hessian = adc.hessian(lambda z: sp.voigt_profile(z[0], z[1], z[2]), mode=mode)(at)
        np.testing.assert_allclose(hessian[1, 1], bend, rtol=1e-5)
