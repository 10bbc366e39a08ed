"""`vm.det` against exact arithmetic, and derivatives of determinants of two and three rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import adc
from adc.runtime import vectormath as vm

R = np.random.default_rng(7)


def exact(a):
    """The determinant by rationals."""
    f = [[Fraction(float(x)) for x in row] for row in a]
    if len(f) == 2:
        return f[0][0] * f[1][1] - f[0][1] * f[1][0]
    return sum(
        f[0][k] * (f[1][(k + 1) % 3] * f[2][(k + 2) % 3] - f[1][(k + 2) % 3] * f[2][(k + 1) % 3])
        for k in range(3)
    )


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("apart", [1.0, 1e-6, 1e-12])
def test_determinants_are_as_good_as_their_matrix(rows, apart):
    for _ in range(50):
        a = R.normal(size=(rows, rows))
        a[-1] = a[0] * R.normal() + apart * a[-1]  # nearly singular
        found = vm.det(*map(float, a.ravel()))
        # Of two rows the products alone are rounded; of three, the elements of the first are, by three units.
        changed = 0.0 if rows == 2 else sum(abs(a[0, k] * np.linalg.det(_without(a, k))) for k in range(3))
        error = abs(float(Fraction(found) - exact(a)))
        assert error <= 4 * np.finfo(float).eps * max(abs(found), changed) + 1e-300


def _without(a, k):
    return np.delete(a[1:], k, axis=1)


def test_products_that_overflow_are_infinite_as_in_numpy():
    assert vm.det(1e200, 1.0, 1.0, 1e200) == np.inf
    assert vm.det(1.0, 1e200, 1e200, 1.0) == -np.inf
    assert np.isnan(vm.det(np.nan, 1.0, 1.0, 1.0))


def volumes(a):
    return np.sum(np.linalg.det(a) ** 2)


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_stacks_have_the_tape_s_gradients(rows, dtype):
    a = R.normal(size=(20, rows, rows)).astype(dtype)
    value, found = adc.value_and_grad(volumes, mode="compiled")(a)
    expected, taped = adc.value_and_grad(volumes, mode="tape")(a)
    tolerance = 1e-11 if dtype is np.float64 else 2e-4
    assert value == pytest.approx(expected, rel=tolerance)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, taped, rtol=tolerance, atol=tolerance * np.abs(taped).max())


@pytest.mark.parametrize("rows", [2, 3])
def test_singular_matrices_have_their_cofactors_in_compiled_code(rows):
    a = R.integers(-3, 4, size=(30, rows, rows)).astype(float)
    a[::3, -1] = 2 * a[::3, 0]
    a[1] = 0.0
    g = adc.grad(lambda a: np.sum(np.linalg.det(a)), mode="compiled")
    j = np.einsum("nij,njk->nik", a, np.swapaxes(g(a), 1, 2))
    np.testing.assert_allclose(j, np.linalg.det(a)[:, None, None] * np.eye(rows), atol=1e-12)


def test_loops_over_stacks_call_nothing():
    text = adc.source(adc.grad(volumes), R.normal(size=(20, 2, 2)), stage="optimized")
    assert "vm.det(" in text
    assert "inv" not in text
