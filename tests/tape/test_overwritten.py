"""A function of SciPy that may compute in the memory of its operand leaves what was kept as it is."""

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import scipy.signal

import adc

A = np.eye(3) * 2 + 0.1
X = np.array([[2.0, 0.3, 0.1], [0.2, 3.0, 0.4], [0.1, 0.2, 4.0]])


def solved(x):
    b = np.exp(x[0])  # keeps what it gives
    return np.sum(scipy.linalg.solve(A, b, overwrite_b=True) ** 2)


def solved_by_position(x):
    b = np.exp(x[0])
    return np.sum(scipy.linalg.solve(A, b, False, False, True) ** 2)


def factored(x):
    return np.sum(scipy.linalg.qr(np.exp(x * 0.1).T, overwrite_a=True, mode="r")[0] ** 4)


def transformed(x):
    return np.sum(np.abs(scipy.fft.fft(np.exp(x[0]) + 0j, overwrite_x=True)) ** 3)


def without_a_line(x):
    return np.sum(scipy.signal.detrend(np.exp(x[0] * x[1]), overwrite_data=True) ** 3)


@pytest.mark.parametrize("f", [solved, solved_by_position, factored, transformed, without_a_line])
def test_the_gradient_is_that_without_overwriting(f):
    steps = 1e-6 * np.eye(9).reshape(9, 3, 3)
    wanted = np.array([(f(X + d) - f(X - d)) / 2e-6 for d in steps]).reshape(3, 3)
    np.testing.assert_allclose(adc.grad(f, mode="tape")(X), wanted, rtol=1e-5, atol=1e-6)


def test_a_tensor_without_a_derivative_that_a_product_kept():
    def f(w):
        b = np.exp(np.arange(3.0)) * np.ones_like(w)
        y = w * b
        return np.sum(scipy.linalg.solve(A, b, overwrite_b=True)) + np.sum(y)

    wanted = np.exp(np.arange(3.0))
    np.testing.assert_allclose(adc.grad(f, mode="tape")(np.ones(3)), wanted)
