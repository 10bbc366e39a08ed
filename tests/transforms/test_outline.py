"""Loops over many arrays become functions of their own; those that compute the same are one function."""

from __future__ import annotations

import ast

import numpy as np
import pytest
from scipy import stats

import adc


def step(x, a, b, c, d):
    for _ in range(2):
        x = np.tanh(x * a + b) * c - d * x
    return x


def several_steps(x, a, b, c, d):
    x = step(x, a, b, c, d)
    x = step(x, b, a, c, d)
    return np.sum(step(x, c, b, a, d) ** 2)


def test_equal_loops_are_compiled_once():
    r = np.random.default_rng(0)
    arguments = [r.normal(size=7) for _ in range(5)]
    gradient = adc.grad(several_steps, (0, 1, 2, 3, 4), mode="compiled")
    text = adc.source(gradient, *arguments, stage="optimized")
    kernels = text.split("@rt.kernel")[1:]
    calls = sum(text.count(f"{kernel.split('(')[0].split()[-1]}(") - 1 for kernel in kernels)
    assert 0 < len(kernels) < calls
    for found, wanted in zip(
        gradient(*arguments), adc.grad(several_steps, (0, 1, 2, 3, 4), mode="tape")(*arguments), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


def upwind(u, steps):
    """A row that hands values on when it goes backwards, in a loop of many."""
    u = u.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] - 0.2 * u[1:-1] * (u[1:-1] - u[:-2])
    return np.sum(u * u)


def hidden(scores, first, steps):
    """Rows of three arrays in two loops, in a loop over time."""
    total = first
    for _ in range(steps):
        paths = scores + total[:, None]
        total = np.log(np.sum(np.exp(paths - np.max(paths)), axis=0)) + np.max(paths)
    return np.sum(total)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [(upwind, (np.linspace(1.0, 2.0, 9), 4)), (hidden, (np.eye(4) + 0.1, np.arange(4.0), 3))],
)
def test_rows_in_loops_are_kernels_of_fewer_arrays(function, arguments):
    gradient = adc.grad(function, mode="compiled")
    assert "@rt.kernel" in adc.source(gradient, *arguments, stage="optimized")
    np.testing.assert_allclose(gradient(*arguments), adc.grad(function, mode="tape")(*arguments), rtol=1e-10)


def triangular(lower, x, order):
    """A short loop inside two others, of arrays enough to be a kernel; the data say which row, and each is checked."""
    total = 0.0
    for n in range(x.shape[0]):
        for i in range(x.shape[1]):
            k = order[i]
            row = x[n, k]
            for j in range(i):
                row += lower[k, j] * x[n, j]
            total += row * row
    return total


def test_a_short_loop_deep_inside_is_taken_in_by_its_caller():
    r = np.random.default_rng(0)
    arguments = r.normal(size=(5, 5)), r.normal(size=(3, 5)), r.permutation(5)
    gradient = adc.grad(triangular, (0, 1), mode="compiled")
    assert "@rt.inner_kernel" in adc.source(gradient, *arguments, stage="optimized")
    assert "@rt.kernel" not in adc.source(gradient, *arguments, stage="optimized")
    for found, wanted in zip(
        gradient(*arguments), adc.grad(triangular, (0, 1), mode="tape")(*arguments), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


def scaled(x):
    range = x.max() - x.min()
    parts = [v * range for v in x]
    return parts[0] * parts[1] + range


def test_a_loop_of_its_own_does_not_call_its_number_range():
    x = np.array([0.7, -0.4, 1.3])
    compiled, python = (adc.grad(scaled, mode=m)(x) for m in ("compiled", "python"))
    np.testing.assert_allclose(compiled, python)
    assert "x, range_" in adc.source(adc.grad(scaled), x, stage="optimized")


def shares(x, p):
    return stats.t.cdf(x, p[0], p[1], p[2])


def test_a_call_of_many_operands_holds_no_choice():
    """CPython hands more than thirty operands over as a list, which Numba reads only without a branch among them."""
    x, p = np.array([0.3, 0.7]), (3.1, 0.2, 1.3)
    text = adc.source(adc.jvp, shares, (x, p), (x, p), stage="optimized")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and len(node.args) > 30]
    assert calls
    assert not any(isinstance(node, ast.IfExp | ast.BoolOp) for call in calls for node in ast.walk(call))


def smeared(d, w):
    """Rows of ten in a loop of many: LLVM makes no check in front of each, and would go number by number."""
    return np.sum(np.exp(-((d[:, None] - np.linspace(0.0, 5.0, 10)) ** 2)) @ w)


def test_short_rows_in_a_long_loop_are_a_kernel():
    arguments = np.linspace(0.0, 4.0, 30), np.ones((10, 6))
    gradient = adc.grad(smeared, (0, 1), mode="compiled")
    text = adc.source(gradient, *arguments, stage="optimized")
    kernels = text.split("def smeared_grad(")[0]
    assert "for j in range(10)" in kernels and "vm.exp" in kernels
    for found, wanted in zip(
        gradient(*arguments), adc.grad(smeared, (0, 1), mode="tape")(*arguments), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)


def rows_of_a_sparse_matrix(begin, columns, values, x):
    total = 0.0
    for i in range(begin.size - 1):
        y = 0.0
        for k in range(begin[i], begin[i + 1]):
            y += values[k] * x[columns[k]]
        total += np.sin(y)
    return total


def slices_of_a_sparse_matrix(begin, columns, values, x):
    y = np.empty(begin.size - 1)
    for i in range(begin.size - 1):
        y[i] = values[begin[i] : begin[i + 1]] @ x[columns[begin[i] : begin[i + 1]]]
    return np.sum(np.sin(y))


@pytest.mark.parametrize("function", [rows_of_a_sparse_matrix, slices_of_a_sparse_matrix])
def test_rows_that_end_where_data_say_are_taken_in_by_their_caller(function):
    r = np.random.default_rng(0)
    arguments = np.array([0, 2, 2, 5]), np.array([1, 3, 0, 2, 3]), r.normal(size=5), r.normal(size=4)
    gradient = adc.grad(function, (2, 3), mode="compiled")
    assert "@rt.inner_kernel" in adc.source(gradient, *arguments, stage="optimized")
    for found, wanted in zip(
        gradient(*arguments), adc.grad(function, (2, 3), mode="tape")(*arguments), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-10)


def transported(u, rate, steps):
    """Two rows of one array: each is added to beside what is read of it."""
    u = u.copy()
    flux = np.zeros(u.shape)
    for _ in range(steps):
        for i in range(1, u.shape[1]):
            flux[0, i] = u[0, i - 1] * u[1, i]
            flux[1, i] = np.sqrt(u[0, i] + u[1, i - 1])
        for i in range(1, u.shape[1] - 1):
            u[0, i] -= rate * (flux[0, i + 1] - flux[0, i])
            u[1, i] -= rate * (flux[1, i + 1] - flux[1, i])
    return np.sum(u * u)


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_rows_that_are_added_to_beside_what_is_read_are_arguments_of_their_own(n):
    arguments = np.random.default_rng(0).random((2, n)) + 0.5, 0.1, 3
    gradient = adc.grad(transported, (0, 1), mode="compiled")
    if n > 1:
        text = adc.source(gradient, *arguments, stage="optimized")
        assert "u_bar[1], u_bar[0]" in text
        assert "u_bar_0[j] = u_bar_ahead + " in text
    for found, wanted in zip(
        gradient(*arguments), adc.grad(transported, (0, 1), mode="tape")(*arguments), strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-13)


def written_without_neighbours(u, steps):
    """Rows that LLVM tells apart by itself: naming them would be a call for each step."""
    u = u.copy()
    for _ in range(steps):
        for i in range(u.shape[1]):
            s, t = u[0, i], u[1, i]
            u[0, i] = s - 0.1 * s * t
            u[1, i] = t + 0.1 * s * t
    return np.sum(u * u)


def test_rows_that_llvm_tells_apart_stay_rows():
    text = adc.source(adc.grad(written_without_neighbours), np.ones((2, 30)), 3, stage="optimized")
    assert "u_bar_0" not in text
