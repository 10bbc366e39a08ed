"""A derivative called on Tensors is one node, whose pull is generated code."""

from __future__ import annotations

import numpy as np
import pytest

import adc

X = np.array([0.5, 1.0, 2.0])


def f(x, s):
    total = 0.0
    for i in range(len(x)):
        total = total + np.sin(x[i]) * s * x[i]
    return total


def expected(x, s):
    """Of sum(df/dx) * df/ds: its gradients."""
    slopes = np.cos(x) * x + np.sin(x)
    value = np.sum(np.sin(x) * x)
    return s * ((-np.sin(x) * x + 2 * np.cos(x)) * value + np.sum(slopes) * slopes), np.sum(slopes) * value


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_gradient_of_tensors(mode):
    g = adc.grad(f, argnums=(0, 1), mode=mode)
    x, s = adc.tensor(X, requires_grad=True), adc.tensor(2.0, requires_grad=True)
    x_bar, s_bar = g(x, s)
    assert g.mode == mode
    assert x_bar.grad_fn.name() == "DerivativeBackward"
    assert [type(node).__name__ for node, _ in x_bar.grad_fn.next_functions] == [
        "AccumulateGrad",
        "AccumulateGrad",
    ]
    (x_bar.sum() * s_bar).backward()
    wanted = expected(X, 2.0)
    np.testing.assert_allclose(x.grad.numpy(), wanted[0])
    np.testing.assert_allclose(s.grad.numpy(), wanted[1])


def test_recorded_pull():
    g = adc.grad(lambda x: np.sum(x**4), mode="python")
    x = adc.tensor(X, requires_grad=True)
    (second,) = adc.autograd.grad(g(x).sum(), x, create_graph=True)
    (third,) = adc.autograd.grad(second.sum(), x)
    np.testing.assert_allclose(second.detach().numpy(), 12 * X**2)
    np.testing.assert_allclose(third.numpy(), 24 * X)


def test_containers_and_other_transforms():
    x = adc.tensor(X, requires_grad=True)
    found = adc.grad(lambda p: np.sum(p["a"] ** 3) * p["n"], mode="python")({"a": x, "n": 2.0})
    assert found["a"].grad_fn.name() == "DerivativeBackward"
    adc.hvp(lambda x: np.sum(x**3), x, X, mode="python").sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 6 * X)
    assert adc.jacfwd(lambda x: x * x, mode="python")(x).grad_fn.name() == "JacobianForwardBackward"
    with adc.no_grad():
        assert not adc.grad(lambda x: np.sum(x * x), mode="python")(x).requires_grad


def test_arguments_that_need_no_gradient():
    x, s = adc.tensor(X), adc.tensor(2.0, requires_grad=True)
    adc.grad(f, mode="python")(x, s).sum().backward()
    np.testing.assert_allclose(s.grad.numpy(), np.sum(np.cos(X) * X + np.sin(X)))
    assert x.grad is None


@pytest.mark.parametrize("mode", ["compiled", "python", "tape"])
def test_complex_numbers(mode):
    z = adc.tensor(np.array(1.0 + 2.0j), requires_grad=True)
    found = adc.grad(lambda z: np.real(z) ** 3 + np.imag(z) ** 2, mode=mode)(z)
    assert found.requires_grad and found.item() == 3.0 - 4.0j
    found.real.backward()
    assert z.grad.item() == 6.0
