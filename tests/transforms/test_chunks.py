"""Directions that meet a matrix are multiplied with it many at a time: the same Jacobians for any chunk."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(0)
A, B = R.normal(size=(7, 5)), R.normal(size=(6, 7))
X = R.normal(size=5) * 0.5


def network(x, a, b):
    return np.tanh(b @ np.sin(a @ x)) * 2.0


def rows_first(x, a, b):
    return (np.exp(x @ a.T * 0.1) @ b.T) ** 2


def loss(x, a, b):
    z = np.tanh(a @ x)
    return np.sum(np.log1p(np.exp(b @ z))) + np.sum(z * z) * np.sum(x)


def looped(x, a, b):
    y = np.tanh(a @ x)
    for k in range(3):
        y = np.sin(y) * (k + 1.0)
    z = b @ y
    z[0] = z[1] * x[0]
    return z


def differences(f, x):
    step = 1e-6
    return np.stack(
        [(f(x + step * e, A, B) - f(x - step * e, A, B)) / (2 * step) for e in np.eye(x.size)], -1
    )


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize("f", [network, rows_first, looped])
def test_jacobians(f, mode):
    for transform in (adc.jacfwd, adc.jacrev):
        for chunk in (None, 1, 2) if mode == "python" else (3,):
            found = transform(f, chunk_size=chunk, mode=mode)(X, A, B)
            np.testing.assert_allclose(found, differences(f, X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("mode", "chunk"), [("compiled", None), ("python", None), ("python", 2), ("python", 1)]
)
def test_hessian(mode, chunk):
    found = adc.hessian(loss, chunk_size=chunk, mode=mode)(X, A, B)
    gradient = adc.grad(loss, mode="python")
    np.testing.assert_allclose(found, differences(gradient, X), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found, found.T, atol=1e-12)


def test_more_directions_than_a_chunk():
    n = 70
    a, x = R.normal(size=(n, n)) / n, R.normal(size=n)
    h = adc.hessian(lambda x, a: np.sum(np.tanh(a @ x)), mode="python")(x, a)
    t = np.tanh(a @ x)
    np.testing.assert_allclose(h, a.T * (-2.0 * t * (1.0 - t * t)) @ a, atol=1e-12)
    assert adc.jacrev(lambda x, a: a @ np.sin(a @ x), mode="python")(np.zeros(0), np.zeros((0, 0))).shape == (
        0,
        0,
    )


def test_text_has_a_product_of_matrices():
    text = adc.hessian(loss, mode="python").source(X, A, B)
    assert "for start in range(0, n, 32):" in text and text.count("] @ ") == 3


def test_wrong_chunk():
    with pytest.raises(adc.ArgumentError, match="chunk_size=0 is not a positive integer"):
        adc.jacfwd(network, chunk_size=0)
