"""Loops over rows and columns as statements on whole arrays; `tests/corpus/whole_arrays.py` has the gradients."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.corpus import whole_arrays

import adc

R = np.random.default_rng(3)

LOOPS = {  # how many loops are left in the primal
    "layer_row_by_row": 0,
    "layer_column_by_column": 0,
    "quadratic_forms": 0,
    "columns_to_mean_zero": 0,
    "weighted_columns": 0,
    "lower_part_of_a_product": 1,
    "triangle_times_matrix": 1,
    "symmetric_times_matrix": 1,
    "vectors_of_a_grid": 0,
    "orthogonal_columns": 1,
    "backwards_and_from_the_second": 0,
    "each_column_needs_the_one_before": 1,
    "each_column_reads_the_next": 1,
    "one_row_is_written_by_all": 1,
    "rows_and_columns_of_one_array": 1,
    "two_layers_of_columns": 0,
    "with_a_view_of_each_row": 0,
    "functional_sum_of_vectors": 0,
    "the_row_before_the_first_is_the_last": 0,
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_are_left(name):
    function = getattr(whole_arrays, name)
    args = whole_arrays.program.__globals__["PROGRAMS"][f"whole_arrays.{name}"].arguments()
    text = str(adc.source(adc.grad(function, tuple(range(len(args)))), *args, stage="dead-whole"))
    assert len(re.findall(r"^ *for ", text, re.MULTILINE)) == LOOPS[name], text


def rows(x, w):
    y = np.zeros((x.shape[0], w.shape[0]))
    for i in range(x.shape[0]):
        y[i] = w @ x[i]
    return np.sum(y**2)


def test_a_row_by_vector_stays_a_loop():
    """One pass over x, forward and back, is as fast as BLAS, which has no vector twice."""

    def squared_errors(w, x, y):
        loss = 0.0
        for i in range(x.shape[0]):
            r = w @ x[i] - y[i]
            loss += r * r
        return loss

    args = R.normal(size=3), R.normal(size=(5, 3)), R.normal(size=5)
    assert "for i in range" in adc.source(adc.grad(squared_errors), *args)


def test_short_known_products_stay_loops():
    def turned(x):
        w = np.array([[1.0, 2.0], [0.5, -1.0]])
        y = np.zeros((x.shape[0], 2))
        for i in range(x.shape[0]):
            a, b = x[i]
            y[i] = w @ x[i] + a * b
        return np.sum(y**2)

    assert "for i in range" in str(adc.source(adc.grad(turned), np.ones((5, 2)), stage="dead-whole"))


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_shapes_are_checked(mode):
    with pytest.raises(ValueError, match=r"mismatch in its core dimension"):
        adc.grad(rows, (0, 1), mode=mode)(np.ones((4, 3)), np.ones((2, 5)))


@pytest.mark.parametrize("mode", ["compiled", "python"])
def test_positions_are_checked(mode):
    def further_than_the_end(x, w, n):
        total = 0.0
        for i in range(n):
            total += np.sum(w @ x[i])
        return total

    x, w = R.normal(size=(4, 3)), R.normal(size=(3, 3))
    gradient = adc.grad(further_than_the_end, (0, 1), mode=mode)
    np.testing.assert_allclose(gradient(x, w, 2)[0][2:], 0.0)
    np.testing.assert_allclose(gradient(x, w, -3)[1], 0.0)
    with pytest.raises(IndexError, match="out of bounds"):
        gradient(x, w, 5)


def test_an_assertion_of_the_users_holds_for_each_trip():
    def asserting(x, w):
        total = 0.0
        for i in range(x.shape[0]):
            assert w[0, 0] > 0.0, "w must be positive"
            total += np.sum(w @ x[i])
        return total

    gradient = adc.grad(asserting)
    with pytest.raises(AssertionError, match="w must be positive"):
        gradient(np.ones((2, 3)), -np.ones((3, 3)))
    assert gradient(np.ones((0, 3)), -np.ones((3, 3))).shape == (0, 3)


def test_memory_that_is_written_over_is_not_kept():
    """Of `c[i, :i] += ...` in a loop nothing is kept: what the sweep reads of c is restored as a whole before."""

    def scaled_then_added(c, a):
        c = c.copy()
        c *= np.sum(a)
        for i in range(a.shape[0]):
            c[i, :i] += a[i, :i]
        return np.sum(c**2)

    text = adc.source(adc.grad(scaled_then_added, (0, 1)), np.ones((4, 4)), np.ones((4, 4)))
    assert "kept" not in text
    args = R.normal(size=(4, 4)), R.normal(size=(4, 4))
    for found, wanted in zip(
        adc.grad(scaled_then_added, (0, 1))(*args),
        adc.grad(scaled_then_added, (0, 1), mode="tape")(*args),
        strict=True,
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_stack_by_one_matrix_is_one_product():
    def stack(x, w):
        return np.sum((x @ w) ** 2)

    text = adc.source(adc.grad(stack, (0, 1)), np.ones((2, 3, 1, 4)), np.ones((4, 5)), stage="optimized")
    assert text.count("rt.dot") == 3


def test_what_is_added_to_a_part_is_added_where_it_is_made():
    def diffused(u, c, steps):
        u = u.copy()
        for _ in range(steps):
            new = u.copy()
            for i in range(1, u.shape[0] - 1):
                for j in range(1, u.shape[1] - 1):
                    new[i, j] = u[i, j] + c[i, j] * (u[i + 1, j] + u[i - 1, j] - 2.0 * u[i, j])
            u = new
        return np.sum(u * u)

    u, c = R.normal(size=(6, 7)), R.uniform(size=(8, 7))  # more rows of coefficients than are read
    gradient = adc.value_and_grad(diffused, argnums=(0, 1), mode="compiled")
    value, (u_bar, c_bar) = gradient(u, c, 3)
    assert "c_part_bar = rt.empty" not in gradient.source(u, c, 3, stage="optimized")
    wanted = adc.grad(diffused, argnums=(0, 1), mode="tape")(u, c, 3)
    np.testing.assert_allclose(value, diffused(u, c, 3))
    np.testing.assert_allclose(u_bar, wanted[0], atol=1e-13)
    np.testing.assert_allclose(c_bar, wanted[1], atol=1e-13)
