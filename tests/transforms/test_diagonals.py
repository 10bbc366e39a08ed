"""Matrices of which only the diagonal is used, or is not zero, are not multiplied as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from tests.interpreted import interpreted

import adc

R = np.random.default_rng(5)


def definite(n):
    a = R.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def log_det(s):
    return np.sum(np.log(np.diag(np.linalg.cholesky(s))))


def weighted_log_det(s):
    factor = np.linalg.cholesky(s + np.eye(s.shape[0]))
    d = np.diag(factor)
    return np.sum(np.log(d)) + d[0] * d[-1]


def log_dets_in_a_loop(s):
    total = 0.0
    for k in range(3):
        total += np.sum(np.log(np.diag(np.linalg.cholesky(s + k * np.eye(s.shape[0]))))) ** 2
    return total


def factor_used_twice(s):
    factor = np.linalg.cholesky(s)
    return np.sum(np.log(np.diag(factor))) + np.sum(factor**2)


def diagonal_of_a_product(s):
    return np.sum(np.diag(s @ s.T) ** 2) + np.trace(s @ s)


CASES = [log_det, weighted_log_det, log_dets_in_a_loop, factor_used_twice, diagonal_of_a_product]


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("function", CASES)
def test_gradient(function, n):
    s = definite(n)
    wanted = adc.value_and_grad(function, mode="tape")(s)
    with interpreted():
        found = adc.value_and_grad(function, mode="compiled")(s)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
    v, h = R.normal(size=(n, n)), 1e-6
    v = v + v.T
    slope = (function(s + h * v) - function(s - h * v)) / (2 * h)
    assert np.sum(found[1] * v) == pytest.approx(slope, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("function", [log_det, weighted_log_det, log_dets_in_a_loop])
def test_the_adjoint_of_a_diagonal_is_no_matrix(function):
    text = str(adc.source(adc.grad(function), definite(4)))
    assert " @ " not in text, text


def test_an_adjoint_with_other_elements_is_multiplied():
    assert " @ " in str(adc.source(adc.grad(factor_used_twice), definite(4)))


def test_the_users_own_diagonals_are_multiplied_as_matrices():
    def scaled(a, w):
        return np.sum(a @ np.diag(w))

    a, w = np.array([[1.0, np.inf], [2.0, 3.0]]), np.array([2.0, 0.5])
    with np.errstate(invalid="ignore"), interpreted():
        value, _ = adc.value_and_grad(scaled, mode="compiled")(a, w)
    assert np.isnan(value)  # as in NumPy: the infinity meets a zero


def test_the_identity_is_worked_out_where_it_is_read():
    def ridge(a, w):
        n = a.shape[0]
        k = np.exp(-a * a) + w * np.eye(n)
        return np.sum(np.sin(k))

    text = str(adc.source(adc.grad(ridge, argnums=(0, 1)), R.normal(size=(5, 5)), 0.3, stage="optimized"))
    assert "eye" not in text
    assert "1.0 if j == i else 0.0" in text
