"""Random numbers that a function draws, with transforms around it and within it: the numbers that NumPy gives."""

import numpy as np
import pytest

import adc

MODES = ("python", "tape")


def simulated(x):
    rng = np.random.default_rng(1)
    total = 0.0
    for _ in range(20):
        z, u = rng.normal(size=3), rng.random()
        total = total + np.sum(np.sin(x * z)) * u
    return total * x + np.exp(x * rng.normal(size=2)).sum()


def with_one_unread(x):
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(), rng.normal(), rng.normal()
    return a + b * x + c * x**3


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [simulated, with_one_unread])
def test_higher_derivatives_see_the_same_numbers(function, mode):
    h = 1e-5
    slope = (function(0.5 + h) - function(0.5 - h)) / (2 * h)
    gradient = adc.grad(function, mode=mode)
    curvature = (gradient(0.5 + h) - gradient(0.5 - h)) / (2 * h)
    np.testing.assert_allclose(gradient(0.5), slope, rtol=1e-7)
    np.testing.assert_allclose(adc.jvp(function, (0.5,), (1.0,), mode=mode)[1], slope, rtol=1e-7)
    for second in (adc.hvp(function, 0.5, 1.0, mode=mode), adc.hessian(function, mode=mode)(0.5)):
        np.testing.assert_allclose(second, curvature, rtol=1e-6)


def with_a_gradient_inside(w):
    def loss(v):
        inner = np.random.default_rng(2)
        return np.sum((v * inner.normal(size=2)) ** 2) + inner.random() * v[0]

    return np.sum(adc.grad(loss)(w) * np.random.default_rng(3).normal(size=2))


def drawn_by_the_caller(w):
    rng = np.random.default_rng(2)
    first = rng.normal()
    return np.sum(adc.grad(lambda v: np.sum((v * rng.normal(size=2)) ** 2))(w)) * first


def computed_again(w):
    @adc.checkpoint
    def layer(v):
        rng = np.random.default_rng(2)
        return np.tanh(v * rng.normal(size=2)) * rng.random()

    return np.sum(layer(layer(w)))


def in_each_of_a_batch(w):
    def one(v):
        return v * np.random.default_rng(2).normal()

    return np.sum(adc.vmap(one)(w) ** 2)


@pytest.mark.filterwarnings("ignore::adc.FallbackWarning")  # the primal calls transforms, too
@pytest.mark.parametrize(
    "function", [with_a_gradient_inside, drawn_by_the_caller, computed_again, in_each_of_a_batch]
)
def test_transforms_inside_see_the_same_numbers_or_are_refused(function):
    w = np.array([0.3, 0.7])
    wanted = [
        (function(w + step) - function(w - step)) / 2e-6
        for step in (np.array([1e-6, 0.0]), np.array([0.0, 1e-6]))
    ]
    np.testing.assert_allclose(adc.grad(function, mode="tape")(w), wanted, rtol=1e-6)
    try:
        found = adc.grad(function, mode="python")(w)
    except adc.UnsupportedError as error:
        assert "random numbers" in str(error)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
