"""In loops that vectorise, functions of scipy.special are those of the vector maths; elsewhere SciPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import adc

pytestmark = pytest.mark.machine_code  # what is asked is what LLVM leaves as it is

X = np.random.default_rng(8).uniform(0.05, 0.95, 40)
Y = X[::-1] ** 2


def bessel(x, y):
    return np.sum(special.i0(20.0 * x) * special.i1(-y) + special.i0e(x) * special.i1e(30.0 * y))


def orders(x, y):
    return np.sum(special.iv(1, x) * special.iv(2, 15.0 * y) + special.ive(0, x) * special.ive(2, -y))


def polygammas(x, y):
    return np.sum(special.psi(5.0 * x) + special.polygamma(1, y) * special.polygamma(0, x))


def quantiles(x, y):
    return np.sum(special.ndtri(x) * special.erfinv(2.0 * y - 1.0))


def divergences(x, y):
    return np.sum(special.rel_entr(x, y) + special.kl_div(y, x) ** 2)


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (bessel, "i0 i1 i2 i0e i1e"),
        (orders, "i1 i2 i0e i2e"),
        (polygammas, "digamma trigamma"),
        (quantiles, "ndtri erfinv"),
        (divergences, "rel_entr kl_div"),
    ],
)
def test_gradient(function, names):
    value, bars = adc.value_and_grad(function, argnums=(0, 1), mode="compiled")(X, Y)
    assert value == pytest.approx(function(X, Y), rel=1e-12)
    for bar, other in zip(bars, adc.grad(function, argnums=(0, 1), mode="tape")(X, Y), strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-11)
    text = adc.source(adc.value_and_grad(function, argnums=(0, 1)), X, Y, stage="optimized")
    assert all(f"vm.{name}(" in text for name in names.split())


def test_the_slope_of_digamma_below_zero():
    def f(x):
        return np.sum(special.psi(x))

    x = np.array([-0.5, -1.3, 0.3, -20.75])
    np.testing.assert_allclose(adc.grad(f, mode="compiled")(x), special.polygamma(1, x), rtol=1e-12)
    assert adc.grad(f, mode="compiled")(np.array([-2.0]))[0] == np.inf


def test_the_slope_of_digamma_in_the_plane():
    def f(z):
        return special.psi(z)

    # By recurrence from points on the right, where no other formula is needed.
    z = np.array([-3.3 + 0.4j, 0.2 - 5.0j, 0.5 + 300.0j, -4.0 + 120.0j, 7.0 + 0.0j])
    slope = adc.jacobian(f, mode="tape", holomorphic=True)
    found, far = np.diagonal(slope(z)), np.diagonal(slope(z + 40.0))
    terms = (z[:, None] + np.arange(40)) ** -2.0
    np.testing.assert_allclose(found, far + np.sum(terms, axis=1), rtol=1e-13)
    assert found[-1].real == pytest.approx(special.polygamma(1, 7.0), rel=1e-14)


def test_probabilities_near_0_and_1_are_those_of_scipy():
    def f(p):
        return np.sum(special.ndtri(p))

    p = np.array([1e-300, 1e-9, 0.3, 1.0 - 1e-12])
    assert adc.value_and_grad(f, mode="compiled")(p)[0] == pytest.approx(f(p), rel=1e-14)


def test_higher_slopes_of_digamma_on_both_sides_of_zero():
    def f(x):
        return np.sum(special.polygamma(2, x) * special.polygamma(3, x))

    x = np.array([-3.7, -0.5, 0.02, 0.3, 2.5, 40.0])
    value, bar = adc.value_and_grad(f, mode="compiled")(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(bar, adc.grad(f, mode="tape")(x), rtol=1e-12)


def test_zeta_where_it_is_not():
    def f(x, q):
        return special.zeta(x, q)

    for x, q in ((0.5, 2.0), (1.0, 2.0), (2.5, -0.5), (2.0, -0.5), (3.0, -2.0), (2.5, 0.0)):
        value, _ = adc.value_and_grad(f, argnums=1, mode="compiled")(x, q)
        np.testing.assert_allclose(value, f(x, q), rtol=1e-12, err_msg=f"zeta({x}, {q})")
