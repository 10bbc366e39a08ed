"""Objects of numpy.polynomial that a program makes, or finds outside."""

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Hermite, HermiteE, Laguerre, Legendre, Polynomial

import adc

OUTSIDE = Polynomial([1.0, -2.0, 3.0], domain=[0.0, 2.0])


def arithmetic(x):
    p, q = Polynomial(x), Polynomial([x[0], 1.0, x[1] * x[2]])
    product = (p * q + 2.0 * p) ** 2 - q / 3.0 + [1.0, x[0]]
    return product(0.7) + p.deriv()(x[1]) * q.integ(k=x[2])(0.3) + product.coef[1] + q.degree() + len(p)


def found_outside(x):
    area = OUTSIDE.integ(lbnd=0.5)(x[2]) - OUTSIDE.deriv(2)(x[0])
    return area + np.sum(OUTSIDE(x)) + OUTSIDE.coef @ x


def fitted(x):
    t = np.array([0.0, 0.5, 1.5, 2.0])
    p = Polynomial.fit(t, np.array([x[0], x[1], x[2], x[0] * x[1]]), 2)
    positions, values = p.linspace(5)
    return p(0.7) + p.deriv()(1.1) + values @ positions + Polynomial.fromroots(x)(0.3)


def families(x):
    made = Chebyshev(x)(0.3) + Legendre([x[0], 2.0])(x[1]) + HermiteE(x, domain=[0.0, 3.0])(0.7)
    return made + np.sum((2.0 - Laguerre(x) + Laguerre([1.0, x[1]]))(x))


def of_family(x, family):
    t = np.array([0.0, 0.5, 1.5, 2.0])
    p = family([x[0], x[1], 1.0, x[2]], domain=[0.0, 3.0])
    q = family.fit(t, np.array([x[0], x[1], x[2], 1.0]), 2, domain=[0.0, 3.0])
    calculus = p.deriv(2)(0.4) + p.integ(2, k=[x[2], 1.0], lbnd=0.5)(0.7)
    return (
        calculus
        + (p * q - q**2)(x[1])
        + p.convert(kind=Polynomial).coef[:3] @ q.convert().deriv().integ().coef
    )


def divided(x, family):
    p, q = family([x[0], x[1], 1.0, x[2]], domain=[0.0, 3.0]), family([x[1], 2.0], domain=[0.0, 3.0])
    whole, rest = divmod(p, q)
    return (p // q)(0.3) * (p % q)(0.4) + whole(x[0]) + rest(0.1) + family.basis(2)(x[1])


def nested(x):
    return Polynomial(x)(Polynomial([x[1], 2.0]))(0.3)


@pytest.mark.parametrize("mode", ("tape", "python"))
@pytest.mark.parametrize("family", (Polynomial, Chebyshev))
def test_division(family, mode):
    adc.check_grads(lambda x: divided(x, family), (np.array([0.4, 0.9, 1.7]),), order=1, mode=mode)
    adc.check_grads(nested, (np.array([0.4, 0.9, 1.7]),), order=1, mode=mode)


@pytest.mark.parametrize("family", (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre))
def test_division_and_roots_on_the_tape(family):
    def f(x):
        p = family([x[0], x[1], 1.0, x[2]], domain=[0.0, 3.0])
        return divided(x, family) + np.sum(np.abs(p.roots()) ** 2)

    x = np.array([0.4, 0.9, 1.7])
    value, gradient = adc.value_and_grad(f, mode="tape")(x)
    assert value == pytest.approx(f(x), rel=1e-10)
    moved = [f(x + h) - f(x - h) for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(gradient, np.array(moved) / 2e-6, rtol=1e-5)


@pytest.mark.parametrize("mode", ("tape", "python", "compiled"))
@pytest.mark.parametrize("f", (arithmetic, found_outside, fitted, families), ids=lambda f: f.__name__)
def test_objects(f, mode):
    x = np.array([0.4, 0.9, 1.7])
    adc.check_grads(f, (x,), order=1, mode=mode)
    value, _ = adc.value_and_grad(f, mode=mode)(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)


@pytest.mark.parametrize("family", (Polynomial, Chebyshev, Legendre, Hermite, HermiteE, Laguerre))
def test_families(family):
    x = np.array([0.4, 0.9, 1.7])
    for mode in ("tape", "compiled" if family is Chebyshev else "python"):
        value, gradient = adc.value_and_grad(lambda x: of_family(x, family), mode=mode)(x)
        assert value == pytest.approx(of_family(x, family), rel=1e-12)
        moved = [of_family(x + h, family) - of_family(x - h, family) for h in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient, np.array(moved) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("mode", ("tape", "python", "compiled"))
def test_a_change_outside_is_seen(mode):
    p = Polynomial([1.0, 2.0])
    g = adc.grad(lambda v: p(v) ** 2, mode=mode)
    assert g(1.0) == 12.0
    p.coef[1] = 3.0
    assert g(1.0) == 24.0
