"""`jacfwd`, `jacrev`, `jacobian` and `hessian` agree with each other and with differences, in every mode."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import adc
from adc.api.matrix import JacobianForward

MODES = ["compiled", "python", "tape"]
JACOBIANS = [adc.jacfwd, adc.jacrev, adc.jacobian]
X = np.linspace(0.1, 0.9, 4)


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_loop(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def orbit(x):
    y = x.copy()
    for _ in range(5):
        for j in range(1, len(y)):
            y[j] += 0.1 * np.sin(y[j - 1] * x[j])
    return y


def until_small(x):
    y = x * 1.0
    while np.sum(y * y) > 0.01:
        y = y * np.cos(x) * 0.7
    return y


def columns(f, x, step=1e-6):
    return np.stack([(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(len(x))], axis=-1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("jacobian", JACOBIANS)
def test_jacobian_of_writes_in_loops(jacobian, mode):
    np.testing.assert_allclose(jacobian(orbit, mode=mode)(X), columns(orbit, X), atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("jacobian", JACOBIANS)
def test_jacobian_of_a_while_loop(jacobian, mode):
    np.testing.assert_allclose(jacobian(until_small, mode=mode)(X), columns(until_small, X), atol=1e-8)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("jacobian", JACOBIANS)
def test_shapes_are_result_then_argument(jacobian, mode):
    a = np.arange(6.0).reshape(2, 3)
    found = jacobian(lambda a: a.T @ a, mode=mode)(a)
    assert found.shape == (3, 3, 2, 3)
    eye = np.eye(3)
    wanted = np.einsum("jk,il->ijlk", eye, a.T) + np.einsum("ik,jl->ijlk", eye, a.T)
    np.testing.assert_allclose(found, wanted)
    assert jacobian(lambda s: s * 3.0, mode=mode)(2.0) == 3.0
    assert jacobian(lambda x: np.sum(x), mode=mode)(X).shape == (4,)
    assert jacobian(lambda s: s * X, mode=mode)(2.0).shape == (4,)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("jacobian", JACOBIANS)
def test_containers_of_results_hold_containers_of_arguments(jacobian, mode):
    def f(p, q):
        return {"u": p["w"] * q, "v": (np.sum(p["w"]), q)}

    found = jacobian(f, argnums=(0, 1), mode=mode)({"w": X}, 2.0)
    np.testing.assert_allclose(found["u"][0]["w"], 2 * np.eye(4))
    np.testing.assert_allclose(found["u"][1], X)
    np.testing.assert_allclose(found["v"][0][0]["w"], np.ones(4))
    assert found["v"][0][1] == 0.0
    np.testing.assert_allclose(found["v"][1][0]["w"], np.zeros(4))
    assert found["v"][1][1] == 1.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("jacobian", JACOBIANS)
def test_aux(jacobian, mode):
    found, aux = jacobian(lambda x: (x * x, {"n": x[0]}), has_aux=True, mode=mode)(X)
    np.testing.assert_allclose(found, np.diag(2 * X))
    assert aux["n"] == X[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [rosenbrock, rosenbrock_loop])
def test_hessian(function, mode):
    found = adc.hessian(function, mode=mode)(X)
    np.testing.assert_allclose(found, columns(adc.grad(rosenbrock), X), rtol=1e-6, atol=1e-4)
    np.testing.assert_allclose(found, found.T)


@pytest.mark.parametrize("mode", MODES)
def test_hessian_blocks(mode):
    def f(p, a):
        return np.sum(p["w"] ** 2) * a + np.sin(p["b"] * a)

    found = adc.hessian(f, argnums=(0, 1), mode=mode)({"w": X, "b": 0.3}, 2.0)
    np.testing.assert_allclose(found[0]["w"][0]["w"], 4 * np.eye(4))
    np.testing.assert_allclose(found[0]["w"][0]["b"], np.zeros(4))
    np.testing.assert_allclose(found[0]["w"][1], 2 * X)
    np.testing.assert_allclose(found[1][0]["w"], 2 * X)
    np.testing.assert_allclose(found[0]["b"][0]["b"], -4 * np.sin(0.6))
    np.testing.assert_allclose(found[1][1], -0.09 * np.sin(0.6))


@pytest.mark.parametrize("mode", MODES)
def test_hessian_of_arrays_and_containers(mode):
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    cubes = np.zeros((2, 2, 2))
    cubes[[0, 1], [0, 1], [0, 1]] = 6 * x
    np.testing.assert_allclose(adc.hessian(lambda x: x**3, mode=mode)(x), cubes)
    found, aux = adc.hessian(lambda x: ({"s": np.sum(x**3), "v": x**3}, x * 2), has_aux=True, mode=mode)(x)
    np.testing.assert_allclose(found["s"], np.diag(6 * x))
    np.testing.assert_allclose(found["v"], cubes)
    np.testing.assert_allclose(aux, 2 * x)
    (xx, xy), (yx, yy) = adc.hessian(lambda x, y: x * y * y, argnums=(0, 1), mode=mode)(x, y)
    np.testing.assert_allclose(xx, 0 * cubes)
    np.testing.assert_allclose(yy[1, 1, 1], 2 * x[1])
    np.testing.assert_allclose(xy, yx)
    np.testing.assert_allclose(xy[0, 0, 0], 2 * y[0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("transform", [adc.grad, adc.hessian, adc.jacrev])
def test_nothing_has_no_derivative(transform, mode):
    with pytest.raises(adc.DerivativeError, match=r"return.* None"):
        transform(lambda x: None, mode=mode)(np.ones(2))


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_hessian_at_singular_points_stays_finite_elsewhere(mode):
    found = adc.hessian(lambda x: x[0] ** 2 * x[1] ** 3, mode=mode)(np.array([0.0, 0.0]))
    np.testing.assert_allclose(found, np.zeros((2, 2)))


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_jacobians_of_jacobians(mode):
    def f(x):
        return np.stack((x[0] ** 2 * x[1], np.sin(x[1])))

    x = np.array([0.4, 0.7])
    for outer in (adc.jacfwd, adc.jacrev):
        for inner in (adc.jacfwd, adc.jacrev):
            found = outer(inner(f), mode=mode)(x)
            np.testing.assert_allclose(found[0], [[2 * x[1], 2 * x[0]], [2 * x[0], 0.0]])
            np.testing.assert_allclose(found[1], [[0.0, 0.0], [0.0, -np.sin(x[1])]])


def test_primal_is_computed_once():
    def f(x):
        return np.exp(np.sin(x)) * x[0]

    for jacobian in (adc.jacfwd, adc.jacrev):
        text = jacobian(f, mode="python").source(X)
        before, inside = text.split("for direction", 1)
        inside = "\n".join(line for line in inside.splitlines() if not line.strip().startswith("#"))
        assert "np.exp" in before and "np.exp" not in inside


def test_automatic_choice_takes_fewer_directions():
    wide = adc.jacobian(lambda x: x[:2] * x[2], mode="python")
    tall = adc.jacobian(lambda x: np.concatenate((x, x * x)), mode="python")
    wide(X), tall(X)
    assert "by reverse mode" in wide.source(X)
    assert "by forward mode" in tall.source(X)


def test_empty_arrays():
    for jacobian in (adc.jacfwd, adc.jacrev, adc.jacobian):
        assert jacobian(lambda x: x * x, mode="python")(np.zeros(0)).shape == (0, 0)
    assert adc.hessian(lambda x: np.sum(x * x), mode="compiled")(np.zeros(0)).shape == (0, 0)


class Model:
    def __init__(self, a):
        self.a = a

    @adc.jacfwd
    def apply(self, x):
        return self.a * x


def test_methods_decorators_and_pickles():
    np.testing.assert_allclose(Model(2.0).apply(X), 2 * np.eye(4))
    h = adc.hessian(rosenbrock)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(h))(X), h(X))
    assert isinstance(pickle.loads(pickle.dumps(adc.jacfwd(orbit))), JacobianForward)
    assert repr(h).startswith("<hessian of rosenbrock")


def spectrum(x):
    return {"values": np.fft.fft(x * x), "total": np.sum(x) * (1.0 + 2.0j), "real": x[0] * x}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("jacobian", JACOBIANS)
def test_jacobian_of_complex_results(jacobian, mode):
    found = jacobian(spectrum, mode=mode)(X)
    for key in found:
        wanted = columns(lambda x, key=key: spectrum(x)[key], X)
        np.testing.assert_allclose(found[key], wanted, atol=1e-8)
    assert jacobian(lambda x: x * 2.0j, mode=mode)(3.0) == 2.0j


@pytest.mark.parametrize("mode", MODES)
def test_hessian_of_complex_results(mode):
    found = adc.hessian(lambda x: np.fft.fft(x**3), mode=mode)(X)
    wanted = [np.diag(6.0 * X * row) for row in np.fft.fft(np.eye(len(X)))]
    np.testing.assert_allclose(found, wanted, atol=1e-12)
