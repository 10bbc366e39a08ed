"""`holomorphic=True`: the complex derivative of functions of complex numbers, on every engine."""

import pickle

import numpy as np
import pytest

import adc

Z = np.array([1.0 + 2.0j, 0.3 - 0.5j, -1.0j])
ENGINES = pytest.mark.parametrize("mode", ["compiled", "python", "tape"])


def total(z):
    return np.sum(np.sin(z) * z**2)


def slope(z):
    return np.cos(z) * z**2 + 2.0 * np.sin(z) * z


def turned(z):
    return np.exp(z) * z[::-1]


@adc.grad(holomorphic=True)
def cube(z):
    return z**3


@ENGINES
def test_gradient(mode):
    np.testing.assert_allclose(adc.grad(total, holomorphic=True, mode=mode)(Z), slope(Z))
    value, found = adc.value_and_grad(total, holomorphic=True, mode=mode)(Z)
    np.testing.assert_allclose((value, *found), (total(Z), *slope(Z)))
    single = adc.grad(total, holomorphic=True, mode=mode)(Z.astype(np.complex64))
    assert single.dtype == np.complex64
    found, aux = adc.grad(lambda z: (total(z), 2.0), holomorphic=True, has_aux=True, mode=mode)(Z)
    np.testing.assert_allclose(found, slope(Z))
    assert aux == 2.0


@ENGINES
def test_containers_and_several_arguments(mode):
    def f(p, w):
        return total(p["z"]) * p["factor"] * w

    found, other = adc.grad(f, argnums=(0, 1), holomorphic=True, mode=mode)(
        {"z": Z, "factor": 2.0j}, 1.0 - 1.0j
    )
    np.testing.assert_allclose(found["z"], slope(Z) * 2.0j * (1.0 - 1.0j))
    np.testing.assert_allclose((found["factor"], other), (total(Z) * (1.0 - 1.0j), total(Z) * 2.0j))


@ENGINES
@pytest.mark.parametrize("jacobian", [adc.jacobian, adc.jacfwd, adc.jacrev])
def test_jacobian(jacobian, mode):
    expected = np.diag(np.exp(Z) * Z[::-1]) + np.fliplr(np.diag(np.exp(Z)))
    np.testing.assert_allclose(jacobian(turned, holomorphic=True, mode=mode)(Z), expected)


@ENGINES
def test_second_derivatives(mode):
    curve = np.diag(-np.sin(Z) * Z**2 + 4.0 * np.cos(Z) * Z + 2.0 * np.sin(Z))
    np.testing.assert_allclose(adc.hessian(total, holomorphic=True, mode=mode)(Z), curve, atol=1e-12)
    assert adc.grad(cube, holomorphic=True, mode=mode)(1.0 + 2.0j) == pytest.approx(6.0 + 12.0j)
    found = adc.grad(lambda x: np.abs(cube(x + 1.0j)) ** 2, mode=mode)(2.0)  # 9 (x^2 + 1)^2
    assert found == pytest.approx(9.0 * 2.0 * 5.0 * 4.0)


@ENGINES
def test_what_is_not_complex_is_refused(mode):
    for transform in (adc.grad, adc.jacobian, adc.hessian):
        with pytest.raises(adc.ArgumentError, match="an argument is real"):
            transform(total, holomorphic=True, mode=mode)(Z.real)
    with pytest.raises(
        adc.ResultError, match="must return one complex number, and this one returns a number"
    ):
        adc.grad(lambda z: np.sum(np.abs(z)), holomorphic=True, mode=mode)(Z)
    with pytest.raises(adc.ResultError, match="returns an array"):
        adc.grad(turned, holomorphic=True, mode=mode)(Z)
    for transform in (adc.jacobian, adc.jacfwd, adc.jacrev, adc.hessian):
        with pytest.raises(adc.ResultError, match="must return complex numbers"):
            transform(lambda z: np.sum(np.abs(z)), holomorphic=True, mode=mode)(Z)
        with pytest.raises(adc.ResultError, match="must return complex numbers"):
            transform(lambda z: (z, np.real(z)), holomorphic=True, mode=mode)(Z)


def test_on_tensors_and_in_a_file():
    z = adc.tensor(np.array(1.0 + 2.0j), requires_grad=True)
    assert cube(z).grad_fn.name() == "HolomorphicGradientBackward"
    assert pickle.loads(pickle.dumps(cube))(2.0j) == -12.0
    with pytest.raises(adc.ArgumentError, match="check= is not for holomorphic"):
        adc.grad(total, holomorphic=True, check="first")
