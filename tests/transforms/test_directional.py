"""`jvp`, `hvp`, `vhp`, `gauss_newton_vp` and `linearize`: values, containers, texts and what they refuse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import adc
from adc.api.how import how

MODES = ["compiled", "python", "tape"]
X = np.array([0.3, 0.5, -0.7])
V = np.array([1.0, -2.0, 0.5])


def residuals(x):
    return {"a": np.sin(x) * x[0], "b": np.sum(x * x)}


def energy(x):
    total = 0.0
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] * np.exp(x[i])
        if y[i] > 0.4:
            total += y[i] ** 2
        else:
            total -= x[i] * y[i]
    return total


def slope(function, step=1e-5):
    return (function(X + step * V) - function(X - step * V)) / (2 * step)


@pytest.mark.parametrize("mode", MODES)
def test_jvp_of_containers(mode):
    value, dot = adc.jvp(residuals, (X,), (V,), mode=mode)
    np.testing.assert_allclose(value["a"], residuals(X)["a"])
    np.testing.assert_allclose(dot["a"], slope(lambda x: residuals(x)["a"]), rtol=1e-8)
    np.testing.assert_allclose(dot["b"], 2 * X @ V)


@pytest.mark.parametrize("mode", MODES)
def test_jvp_of_loops_writes_and_branches(mode):
    value, dot = adc.jvp(energy, (X,), (V,), mode=mode)
    np.testing.assert_allclose(value, energy(X))
    np.testing.assert_allclose(dot, slope(energy), rtol=1e-8)


@pytest.mark.parametrize("mode", MODES)
def test_jvp_with_aux_and_several_arguments(mode):
    def f(p, scale):
        return p["w"] * scale, p["w"][0]

    value, dot, aux = adc.jvp(f, ({"w": X}, 2), ({"w": V}, 1.0), has_aux=True, mode=mode)
    np.testing.assert_allclose(value, 2 * X)
    np.testing.assert_allclose(dot, 2 * V + X)
    assert aux == X[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("product", [adc.hvp, adc.vhp])
def test_products_with_the_hessian(product, mode):
    expected = slope(adc.grad(energy, mode="python"))
    np.testing.assert_allclose(product(energy, X, V, mode=mode), expected, rtol=1e-7)
    found = product(lambda x, a: a * energy(x), (X, 2.0), (V, 0.0), mode=mode)
    assert isinstance(found, tuple)
    np.testing.assert_allclose(found[0], 2 * expected, rtol=1e-7)
    np.testing.assert_allclose(found[1], adc.grad(energy)(X) @ V, rtol=1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_gauss_newton(mode):
    def f(x):
        return np.sin(x) * x[0]

    jacobian = np.diag(np.cos(X) * X[0])
    jacobian[:, 0] += np.sin(X)
    np.testing.assert_allclose(adc.gauss_newton_vp(f, X, V, mode=mode), jacobian.T @ jacobian @ V)


@pytest.mark.parametrize("mode", MODES)
def test_linearize(mode):
    calls = []

    def f(x, a):
        calls.append(1)
        return np.sin(x) * a

    def traced(x, a):
        return np.sin(x) * a

    value, push = adc.linearize(traced, X, 2.0, mode=mode)
    np.testing.assert_allclose(value, f(X, 2.0))
    for v in (V, 2 * V):
        np.testing.assert_allclose(push(v, 0.0), 2 * np.cos(X) * v)
    np.testing.assert_allclose(push(0 * V, 1.0), np.sin(X))


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_pullback_runs_the_reverse_sweep_alone(mode):
    from adc.api.phases import phased
    from adc.api.pullback import Pulled

    def f(x):
        return np.exp(np.sin(x))

    value, pull = adc.vjp(f, X, mode=mode)
    np.testing.assert_allclose(pull(V)[0], value * np.cos(X) * V)
    np.testing.assert_allclose(pull(2 * V)[0], 2 * value * np.cos(X) * V)
    _, _, run = phased(Pulled, f, (0,), False, how(mode))[0](X)
    code = [line for line in run.text("adjoint").splitlines() if not line.strip().startswith("#")]
    assert "np.exp" not in "\n".join(code)


def test_caller_keeps_its_arrays():
    def f(x):
        x[0] = x[1] * 2.0
        return np.sum(x * x)

    x, v = X.copy(), V.copy()
    for mode in MODES:
        adc.jvp(f, (x,), (v,), mode=mode)
        adc.hvp(f, x, v, mode=mode)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(v, V)


def test_text_of_a_push():
    from adc.api.jvp import Jvp

    def scaled(x, a):
        y = x * x
        return np.sum(y) * a

    text = Jvp(scaled, 2, False, how("python")).source(X, 2.0, V, 1.0)
    lines = [line.strip() for line in text.splitlines()]
    assert "def scaled_jvp(x, a, x_dot, a_dot):" in lines
    assert "y_dot = 2.0 * x * x_dot" in lines
    assert any(line.startswith("# test_directional.py:") and line.endswith("y = x * x") for line in lines)


@dataclass
class Point:
    x: float
    y: float


@pytest.mark.parametrize("mode", MODES)
def test_dataclasses_in_and_out(mode):
    def f(p):
        return Point(p.x * p.y, p.x + p.y)

    value, dot = adc.jvp(f, (Point(2.0, 3.0),), (Point(1.0, 0.0),), mode=mode)
    assert (value.x, value.y, dot.x, dot.y) == (6.0, 5.0, 3.0, 1.0)


def test_refusals():
    with pytest.raises(adc.ArgumentError, match="structure"):
        adc.jvp(residuals, (X,), ((V, V),))
    with pytest.raises(adc.ArgumentError, match="tuple of arguments"):
        adc.jvp(residuals, X, V)
    with pytest.raises(adc.ArgumentError, match=r"no neighbourhood|dtype"):
        adc.jvp(residuals, (np.arange(3),), (V,))
    with pytest.raises(adc.ShapeError, match=r"shape \(2,\), its primal \(3,\)"):
        adc.jvp(residuals, (X,), (V[:2],))
    with pytest.raises(adc.DerivativeError, match="one real number"):
        adc.hvp(residuals, X, V, mode="python")


@pytest.mark.parametrize("mode", MODES)
def test_zero_tangents_push_zero_where_a_partial_is_infinite(mode):
    if mode == "tape":
        pytest.skip("the tape pushes by two pulls, whose masks lie elsewhere")
    x = np.array([0.0, 4.0])
    assert adc.jvp(lambda x: np.sum(np.sqrt(x)), (x,), (np.array([0.0, 1.0]),), mode=mode)[1] == 0.25


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_float32_stays_float32(mode):
    x, v = X.astype(np.float32), V.astype(np.float32)
    value, dot = adc.jvp(lambda x: np.sin(x) * 2.0, (x,), (v,), mode=mode)
    assert value.dtype == dot.dtype == np.float32
    assert adc.hvp(lambda x: np.sum(x**3), x, v, mode=mode).dtype == np.float32


class Ball:
    def __init__(self, height, speed):
        self.height, self.speed = height, speed


def bounces(heights, restitution):
    balls = [Ball(h, 0.0) for h in heights]
    for _ in range(8):
        for ball in balls:
            ball.speed = ball.speed - 0.981
            ball.height = ball.height + 0.1 * ball.speed
            if ball.height < 0.2 and ball.speed < 0.0:
                ball.speed = -restitution * ball.speed
                ball.height = 0.4 - ball.height * np.cos(ball.height)
        for i in range(len(balls)):
            for j in range(i):
                apart = balls[i].height - balls[j].height
                pull = 0.01 * apart / (0.1 + apart * apart)
                balls[i].speed = balls[i].speed - pull
                balls[j].speed = balls[j].speed + pull
    return sum(ball.speed**2 * ball.height for ball in balls)


def test_what_has_a_gradient_for_its_sizes_has_a_product_with_the_hessian():
    """Its statements are as many as code for some sizes may have, without those of its derivatives."""
    x = np.array([0.5, 0.9, 1.3, 0.7, 1.1])
    d = np.array([1.0, -2.0, 0.5, 0.3, -0.4])
    slope = adc.grad(bounces, mode="python")
    differences = (slope(x + 1e-6 * d, 0.8) - slope(x - 1e-6 * d, 0.8)) / 2e-6
    product = adc.hvp(bounces, (x, 0.8), (d, 0.0), mode="python")[0]
    assert np.allclose(product, differences, rtol=1e-6)
