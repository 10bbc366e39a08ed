"""A matrix factored once gives what NumPy's systems, inverses and determinants give, by loops and by LAPACK."""

import numba
import numpy as np
import pytest

from adc import runtime as rt

SIZES = [0, 1, 3, 8, 9, 40]
DTYPES = [np.float64, np.float32, np.complex128, np.complex64]


def some(n, dtype, seed=0):
    r = np.random.default_rng(seed)
    a = r.normal(size=(n, n)) + (1j * r.normal(size=(n, n)) if np.dtype(dtype).kind == "c" else 0.0)
    return (a / max(n, 1) + np.eye(n)[::-1]).astype(dtype)  # the diagonal is small: rows are swapped


def close(got, wanted):
    single = np.asarray(wanted).dtype in (np.float32, np.complex64)
    assert np.asarray(got).dtype == np.asarray(wanted).dtype
    np.testing.assert_allclose(got, wanted, rtol=1e-3 if single else 1e-10, atol=1e-4 if single else 1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_systems(n, dtype):
    a, b = some(n, dtype), some(n, dtype, 1)
    factors = rt.lu(a)
    for right in (np.ones(n, dtype), b, b[:, :1].copy(), b[:, :0].copy()):
        close(rt.lu_solve(*factors, right), np.linalg.solve(a, right))
        close(rt.lu_solve_transposed(*factors, right), np.linalg.solve(a.T, right))
        close(rt.solve(a, right), np.linalg.solve(a, right))


@numba.njit(error_model="numpy")
def determinants(a):
    """As arrays, which keep their dtypes on the way out of compiled code."""
    factors, pivots = rt.lu(a)
    sign, logarithm = rt.lu_slogdet(factors, pivots)
    return np.array(rt.lu_det(factors, pivots)), np.array(sign), np.array(logarithm)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_inverses_and_determinants(n, dtype):
    a = some(n, dtype)
    factors = rt.lu(a)
    close(rt.lu_inv(*factors), np.linalg.inv(a))
    close(rt.lu_inv_transposed(*factors), np.linalg.inv(a).T)
    close(determinants(a)[0], np.array(np.linalg.det(a)))
    for got, wanted in zip(determinants(a)[1:], np.linalg.slogdet(a), strict=True):
        close(got, np.array(wanted))


def test_matrices_in_any_order():
    a = some(24, np.float64)
    for matrix in (a.T, a[::2, ::2], a[::-1, 12:][:12]):
        b = a[: len(matrix), 3:5]
        close(rt.solve(matrix, b), np.linalg.solve(matrix, b))
        close(rt.inv(matrix), np.linalg.inv(matrix))
    kept = np.empty((24, 24, 2))  # factors whose elements lie apart
    kept[..., 1], pivots = rt.lu(a)
    close(rt.lu_solve(kept[..., 1], pivots, a[:, 3]), np.linalg.solve(a, a[:, 3]))
    close(rt.lu_inv(kept[..., 1], pivots), np.linalg.inv(a))


@pytest.mark.parametrize("n", [2, 20])
def test_singular_matrices(n):
    a = np.ones((n, n))
    assert rt.slogdet(a) == (0.0, -np.inf)
    assert rt.det(a) == 0.0
    factors = rt.lu(a)
    for call in (
        lambda: rt.inv(a),
        lambda: rt.solve(a, a),
        lambda: rt.lu_solve_transposed(*factors, a),
    ):
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            call()


def test_not_square():
    a = np.ones((20, 3))
    rt.lu(a)
    for call in (lambda: rt.inv(a), lambda: rt.det(a), lambda: rt.slogdet(a), lambda: rt.solve(a, a)):
        with pytest.raises(np.linalg.LinAlgError, match="square"):
            call()


@pytest.mark.parametrize("n", [2, 20])
def test_what_is_not_a_number_passes(n):
    a = np.full((n, n), np.nan)
    assert np.isnan(rt.solve(a, np.ones(n))).all()
    assert np.isnan(rt.inv(a)).all()
    assert np.isnan(rt.det(a))
