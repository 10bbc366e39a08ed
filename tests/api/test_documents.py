"""The examples that explain PyTorch's autograd, as plain functions through the transforms, value for value.

The same through Tensors: tests/tape/test_documents.py.
"""

import numpy as np
import pytest

import adc

MODES = pytest.mark.parametrize("mode", ["python", "tape"])
M = np.array([[1.0, 2.0], [3.0, 4.0]])


def cubes(t):
    return np.sum(t**3)


def product(x, y):
    return x * y


def rows(x):
    return x @ M


def doubled(x):
    y = x * 2
    while np.linalg.norm(y) < 1000:
        y = y * 2
    return y


def squares_by_sum(x):
    return x**2 * np.sum(x)


def correlation_loss(z1, z2):
    n1 = (z1 - z1.mean(0)) / z1.std(0, ddof=1)
    n2 = (z2 - z2.mean(0)) / z2.std(0, ddof=1)
    c = n1.T @ n2 / z1.shape[0]
    return np.sum((np.diagonal(c) - 1) ** 2) + 0.1 * np.sum(c**2)


@MODES
def test_sum_of_cubes(mode):
    assert adc.grad(cubes, mode=mode)(np.arange(5.0)).tolist() == [0, 3, 12, 27, 48]


@MODES
def test_product_and_its_adjoints(mode):
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    value, pull = adc.vjp(product, x, y, mode=mode)
    assert value.tolist() == [4, 10, 18]
    x_bar, y_bar = pull(np.ones(3))
    assert x_bar.tolist() == [4, 5, 6] and y_bar.tolist() == [1, 2, 3]


@MODES
def test_rows_of_a_matrix_one_by_one(mode):
    pull = adc.vjp(rows, np.array([[2.0, 1.0]]), mode=mode)[1]
    for bar, expected in (([[1, 0]], [[1, 3]]), ([[0, 1]], [[2, 4]]), ([[1, 1]], [[3, 7]])):
        (x_bar,) = pull(np.array(bar, float))
        assert x_bar.tolist() == expected


@MODES
def test_doubling_until_the_norm_is_large(mode):
    value, pull = adc.vjp(doubled, np.array([0.5, -1.0, 1.5]), mode=mode)
    assert value.tolist() == [512, -1024, 1536]
    np.testing.assert_array_equal(pull(np.array([0.1, 1.0, 0.0001]))[0], 1024 * np.array([0.1, 1.0, 0.0001]))


@MODES
def test_sine_of_a_hundred_points(mode):
    x = np.linspace(0, 2 * np.pi, 100)
    np.testing.assert_allclose(adc.vjp(np.sin, x, mode=mode)[1](np.ones(100))[0], np.cos(x), rtol=1e-12)


@MODES
def test_dot_products(mode):
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    assert adc.grad(lambda x, y: np.dot(x, y), mode=mode)(x, y).tolist() == [4, 5, 6]
    assert adc.grad(lambda x: np.dot(x, x), mode=mode)(x).tolist() == [2, 4, 6]


@MODES
def test_full_jacobian(mode):
    x = np.array([1.0, 2.0, 3.0])
    expected = np.diag(2 * x * x.sum()) + x[:, None] ** 2
    np.testing.assert_allclose(adc.jacrev(squares_by_sum, mode=mode)(x), expected, rtol=1e-12)
    pull = adc.vjp(squares_by_sum, x, mode=mode)[1]
    np.testing.assert_allclose([pull(row)[0] for row in np.eye(3)], expected, rtol=1e-12)


@MODES
def test_correlation_loss(mode):
    generator = np.random.default_rng(0)
    a, b = generator.normal(size=(8, 3)), generator.normal(size=(8, 3))
    gradient = adc.grad(correlation_loss, mode=mode)(a, b)
    z1, z2 = adc.tensor(a, requires_grad=True), adc.tensor(b)
    n1, n2 = ((z - z.mean(0)) / z.std(0) for z in (z1, z2))  # of Tensors std divides by n - 1
    c = n1.T @ n2 / 8
    (((c.diagonal() - 1) ** 2).sum() + 0.1 * (c**2).sum()).backward()
    np.testing.assert_allclose(gradient, z1.grad.numpy(), rtol=1e-10)
