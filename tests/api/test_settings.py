"""Texts and truth values in a container that is differentiated belong to its structure, and stand in the gradient."""

import enum
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import adc

MODES = ("compiled", "python", "tape")
X = np.array([0.3, 0.4])


class Kind(enum.Enum):
    PLAIN = 1
    TWICE = 2


@dataclass
class Layer:
    weight: np.ndarray = field(default_factory=lambda: np.array([1.0, 2.0]))
    name: str = "tanh"
    biased: bool = True
    bias: float = 0.5
    kind: Kind = Kind.PLAIN
    parent: Any = None


def loss(layer, x):
    h = layer.weight * x
    h = np.tanh(h) if layer.name == "tanh" else h * h
    if layer.biased:
        h = h + layer.bias
    return np.sum(h) * (2.0 if layer.kind is Kind.TWICE else 1.0)


LAYERS = [Layer(), Layer(name="square", biased=False), Layer(kind=Kind.TWICE)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layer", LAYERS, ids=["plain", "square", "twice"])
def test_gradient(layer, mode):
    gradient = adc.grad(loss, mode=mode)(layer, X)
    for name in ("name", "biased", "kind", "parent"):
        assert getattr(gradient, name) is getattr(layer, name)
    inner = layer.weight * X
    slope = 1.0 - np.tanh(inner) ** 2 if layer.name == "tanh" else 2.0 * inner
    times = 2.0 if layer.kind is Kind.TWICE else 1.0
    np.testing.assert_allclose(gradient.weight, times * slope * X)
    np.testing.assert_allclose(gradient.bias, 2.0 * times * layer.biased)


@pytest.mark.parametrize("mode", MODES)
def test_dicts_and_tuples(mode):
    def total(p):
        return np.sum(p["w"] ** 2) * (2.0 if p["double"] else 1.0) + len(p["layers"][1]) * p["layers"][0]

    gradient = adc.grad(total, mode=mode)({"w": X, "double": True, "layers": (1.5, "relu")})
    assert gradient["double"] is True and gradient["layers"] == (4.0, "relu")
    np.testing.assert_allclose(gradient["w"], 4.0 * X)


@pytest.mark.parametrize("mode", MODES)
def test_directions(mode):
    layer, direction = LAYERS[0], Layer(np.array([1.0, 0.0]), bias=1.0)
    gradient = adc.grad(loss, mode=mode)(layer, X)
    wanted = gradient.weight[0] + gradient.bias
    np.testing.assert_allclose(adc.jvp(loss, (layer, X), (direction, 0.0 * X), mode=mode)[1], wanted)
    np.testing.assert_allclose(adc.linearize(loss, layer, X, mode=mode)[1](direction, 0.0 * X), wanted)
    pulled = adc.vjp(loss, layer, X, mode=mode)[1](1.0)[0]
    np.testing.assert_allclose(pulled.weight, gradient.weight)
    product = adc.hvp(loss, (layer, X), (direction, 0.0 * X), mode=mode)[0]
    hessian = adc.hessian(loss, mode=mode)(layer, X)
    assert (product.name, product.biased, hessian.name, hessian.weight.kind) == (
        "tanh",
        True,
        "tanh",
        Kind.PLAIN,
    )
    np.testing.assert_allclose(product.weight, hessian.weight.weight[:, 0], atol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient_of_a_gradient(mode):
    def moved(layer, x):
        inner = adc.grad(loss)(layer, x)
        return np.sum(inner.weight**2) + (1.0 if inner.biased else x[0])

    def wanted(w):
        return np.sum(((1.0 - np.tanh(w * X) ** 2) * X) ** 2)

    found = adc.grad(moved, mode=mode)(LAYERS[0], X)
    np.testing.assert_allclose(found.weight, adc.grad(wanted)(LAYERS[0].weight))


@pytest.mark.parametrize("mode", MODES)
def test_a_long_list_of_records(mode):
    bodies = [{"m": 0.5 * k, "name": "odd" if k % 2 else "even"} for k in range(10)]

    def weight(bodies):
        return sum(b["m"] ** 2 for b in bodies if b["name"] == "odd")

    found = adc.grad(weight, mode=mode)(bodies)
    assert [b["name"] for b in found] == [b["name"] for b in bodies]
    assert [float(b["m"]) for b in found] == [k * 1.0 if k % 2 else 0.0 for k in range(10)]


def test_differences_agree():
    adc.check_grads(loss, (LAYERS[2], X))
    adc.grad(loss, check="first")(LAYERS[2], X)


@pytest.mark.parametrize("mode", MODES)
def test_another_text_in_the_direction_is_an_error(mode):
    with pytest.raises(adc.ArgumentError, match="structure"):
        adc.jvp(loss, (LAYERS[0], X), (Layer(name="square"), X), mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("value", [True, "tanh", {"biased": True}])
def test_nothing_to_differentiate(value, mode):
    with pytest.raises(adc.ArgumentError, match="a gradient is wanted with respect to"):
        adc.grad(lambda p: 1.0, mode=mode)(value)
