"""Products of a few numbers in a loop are written out, whatever the kind of operand; of others they stay calls."""

from __future__ import annotations

import numpy as np
import pytest

import adc

R = np.random.default_rng(21)


def turned(angles, points):
    total = 0.0
    for k in range(angles.shape[0]):
        c, s = np.cos(angles[k]), np.sin(angles[k])
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        p = turn @ turn.T @ turn @ points[k]
        total += p @ points[k - 1] + np.dot(points[k] @ turn, p)
    return total


def pieces_of_matrices(a, points):
    total = 0.0
    for k in range(points.shape[0]):
        m = np.array([[1.0, a[k]], [a[k], 2.0]])
        block = a[k : k + 2] @ m[::-1].T
        m[0, 1] = points[k] @ points[0, ::-1]
        total += block @ m @ block[::-1] + (m @ m)[1, 0]
    return total


def ways_back(x, target):
    for _ in range(40):
        d = x - target
        if d @ d < 1e-3:
            break
        x = x - 0.1 * np.array([[1.0, 0.2], [0.0, 1.5]]) @ d
    return x @ x


def kinds_that_differ(x, y):
    total = 0.0
    for k in range(x.shape[0]):
        v = np.array([x[k], y[k], 1.0])
        total += (np.array([k, 0, 1]) @ v) * (np.array([1, 2, 3]) @ v)
        z = np.array([np.exp(1j * x[k]), 0.5])
        u = np.array([[z[0], 0.5], [0.25j, np.conj(z[0])]]) @ z
        total += np.abs((u @ u.conj()) + v[:2] @ u)
    return total


CASES = [
    (turned, (R.normal(size=6), R.normal(size=(20, 3)))),
    (pieces_of_matrices, (R.normal(size=22), R.normal(size=(20, 2)))),
    (kinds_that_differ, (R.normal(size=5), R.normal(size=5))),
    (ways_back, (np.array([1.0, -2.0]), np.array([0.3, 0.4]))),
]


@pytest.mark.parametrize("mode", ["compiled", "python"])
@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_gradients(function, arguments, mode):
    value, gradients = adc.value_and_grad(function, (0, 1), mode=mode)(*arguments)
    expected, wanted = adc.value_and_grad(function, (0, 1), mode="tape")(*arguments)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    for found, right in zip(gradients, wanted, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-10, atol=1e-12)


def test_products_with_lengths_of_a_point_are_no_calls():
    text = adc.source(adc.value_and_grad(turned, (0, 1)), *CASES[0][1], stage="optimized")
    assert "rt.dot" not in text


def test_products_of_other_lengths_stay_calls():
    def function(a, x):
        for _ in range(3):
            x = a @ x
        return x @ x

    text = adc.source(adc.value_and_grad(function), np.eye(5), np.ones(5), stage="optimized")
    assert "rt.dot_into(a, x" in text


def product_of_three(a, b):
    s = a @ b @ np.swapaxes(a, -1, -2)
    return np.sum(np.trace(s, axis1=-2, axis2=-1) ** 2)


def squares(a, b):
    return np.sum((a @ b) ** 2)


STACKS = [
    (product_of_three, (20, 3, 3), (20, 3, 3)),
    (product_of_three, (20, 2, 4), (4, 4)),
    (squares, (4, 3), (20, 3, 2)),
    (squares, (20, 3, 3), (1, 3, 3)),
    (squares, (20, 1, 3, 3), (7, 3, 3)),
    (squares, (6, 5, 2, 4), (5, 4, 3)),
    (squares, (20, 3, 3), (3,)),
    (squares, (3,), (20, 3, 3)),
]


@pytest.mark.parametrize(("function", "one", "other"), STACKS)
def test_stacks_of_small_matrices_are_multiplied_in_one_loop(function, one, other):
    r = np.random.default_rng(3)
    a, b = r.normal(size=one), r.normal(size=other)
    value, bars = adc.value_and_grad(function, argnums=(0, 1), mode="compiled")(a, b)
    assert value == pytest.approx(function(a, b), rel=1e-12)
    for bar, wanted in zip(bars, adc.grad(function, argnums=(0, 1), mode="tape")(a, b), strict=True):
        np.testing.assert_allclose(bar, wanted, rtol=1e-10, atol=1e-11)


def test_a_product_of_stacks_joins_the_loops_around_it():
    a = np.ones((20, 3, 3))
    text = adc.source(adc.grad(product_of_three), a, a, stage="optimized")
    assert "rt.dot" not in text


def logistic(b, x, y):
    p = 1.0 / (1.0 + np.exp(-(x @ b)))
    return -np.sum(y * np.log(p) + (1.0 - y) * np.log(1.0 - p))


def second_moments(x, w):
    return np.sum((x.T @ (x * w[:, None])) ** 2) + np.sum(w @ x)


POINTS = [
    (logistic, (R.normal(size=3), R.normal(size=(30, 3)), R.uniform(size=30))),
    (second_moments, (R.normal(size=(25, 3)), R.uniform(size=25))),
    (second_moments, (R.normal(size=(25, 4)), R.uniform(size=25))),  # 16 sums are too many
]


@pytest.mark.parametrize(("function", "arguments"), POINTS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_many_points_are_added_up_in_few_products(function, arguments, dtype):
    arguments = tuple(a.astype(dtype) for a in arguments)
    near = {"float64": 1e-12, "float32": 2e-5}[dtype]
    for order in "CF":
        given = tuple(np.asarray(a, order=order) for a in arguments)
        value, found = adc.value_and_grad(function, (0, 1), mode="compiled")(*given)
        assert value == pytest.approx(function(*given), rel=near)
        for bar, wanted in zip(found, adc.grad(function, (0, 1), mode="tape")(*arguments), strict=True):
            assert bar.dtype == dtype
            np.testing.assert_allclose(bar, wanted, rtol=10 * near, atol=10 * near * np.abs(wanted).max())


def test_the_loop_that_makes_the_weights_of_points_adds_them_up():
    text = adc.source(adc.grad(logistic), *POINTS[0][1], stage="optimized")
    assert "rt.dot" not in text and text.count("for i in range(n)") == 1
    assert "rt.dot" in adc.source(adc.grad(second_moments), *POINTS[2][1], stage="optimized")
