"""Zeros like an array that is there for nothing else take its lengths from elsewhere."""

from __future__ import annotations

import numpy as np

import adc

R = np.random.default_rng(0)


def cross_entropy(logits, labels):
    log_p = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def of_other_lengths(x):
    y = np.sum(x, axis=0)
    return 3.0 * y[1]


def read_besides(x):
    y = np.exp(x)
    return y[1] * y[2]


def test_an_operand_of_the_same_lengths():
    args = R.normal(size=(5, 3)), np.array([0, 2, 2, 1, 0])
    g = adc.grad(cross_entropy, mode="python")
    text = adc.source(g, *args)
    assert "log_p_bar = np.zeros_like(logits)" in text
    assert "    log_p = " not in text
    np.testing.assert_allclose(g(*args), adc.grad(cross_entropy, mode="tape")(*args))


def test_lengths_as_numbers():
    x = R.normal(size=(4, 3))
    g = adc.grad(of_other_lengths, mode="python")
    assert "zeros_like(y)" not in adc.source(g, x)
    np.testing.assert_allclose(g(x), adc.grad(of_other_lengths, mode="tape")(x))


def test_what_is_read_besides_stays():
    x = R.normal(size=4)
    g = adc.grad(read_besides, mode="python")
    assert "y_bar = np.zeros_like(y)" in adc.source(g, x)
    np.testing.assert_allclose(g(x), adc.grad(read_besides, mode="tape")(x))
