"""Unit directions meet matrices as rows and columns: the same Jacobians, without products with zeros."""

from __future__ import annotations

import numpy as np
import pytest

import adc

W = np.random.default_rng(0).normal(size=(4, 3))
X = np.array([0.3, -0.4, 0.5])


def layer(x, w):
    return np.tanh(w @ x)


def two_layers(x, w):
    return np.exp(-(np.tanh(x) * 2.0 @ w.T)) @ w


def written(x, w):
    y = w @ x
    y[1:] *= 2.0
    z = x * 3.0
    z[0] = x[1] ** 2
    return np.concatenate((y, w @ z))


def branch(x, w):
    return w @ x if np.sum(x) > 0.0 else x @ w.T * 2.0


def differences(f, x):
    step = 1e-6
    return np.stack([(f(x + step * e, W) - f(x - step * e, W)) / (2 * step) for e in np.eye(x.size)], -1)


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize("f", [layer, two_layers, written, branch])
def test_jacobians(f, mode):
    for transform in (adc.jacfwd, adc.jacrev):
        np.testing.assert_allclose(transform(f, mode=mode)(X, W), differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_hessian(mode):
    h = adc.hessian(lambda x, w: np.sum(np.log1p(np.exp(w @ x))), mode=mode)(X, W)
    s = 1.0 / (1.0 + np.exp(-W @ X))
    np.testing.assert_allclose(h, W.T * (s * (1.0 - s)) @ W)


def test_text_has_a_column():
    text = adc.jacfwd(layer, mode="python").source(X, W)
    assert "w[:, direction]" in text and text.count("= np.tanh(w @ x)\n") == 1
