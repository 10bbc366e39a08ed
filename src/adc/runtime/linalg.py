"""Factorizations and triangular systems for generated code, compiled once and kept on disk.

Numba compiles LAPACK's callers anew in every function that calls them, for a second or more each. Systems whose matrix
is a Cholesky factor are solved by substitution in blocks, where matrix products do nearly all of the work.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import register_jitable

from adc.runtime.apart import apart
from adc.runtime.lapack import UPPER, routine
from adc.runtime.products import dot
from adc.runtime.rooms import zeros_of
from adc.runtime.rows import as_matrix

__all__ = ["cholesky", "eigh", "pinv", "qr", "solve_lower", "solve_transposed", "svd", "thin_svd"]

BLOCK = 48  # rows solved by plain substitution before a matrix product takes over

_potrf = routine("potrf")


@apart(cache=True, error_model="numpy")
def cholesky(a: Any) -> Any:
    """`np.linalg.cholesky` of one matrix: the lower factor. Raises LinAlgError."""
    n = a.shape[0]
    if a.shape[1] != n:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    factor, info = zeros_of(a.shape, a.dtype), zeros_of(1, np.int32)
    for i in range(n):
        for j in range(i + 1):
            factor[i, j] = a[i, j]
    if n > 0:
        # LAPACK counts by columns: what it takes for the upper triangle is the lower one.
        _potrf((UPPER, np.int32(n), factor, np.int32(n), info))
    if info[0] != 0:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return factor


@apart(cache=True, error_model="numpy")
def eigh(a: Any) -> Any:
    """`np.linalg.eigh` of one matrix: eigenvalues (n,) ascending, eigenvectors (n, n)."""
    return np.linalg.eigh(a)


@apart(cache=True, error_model="numpy")
def pinv(a: Any) -> Any:
    """`np.linalg.pinv` of one matrix, with NumPy's opinion of which singular values are zero."""
    return np.linalg.pinv(a)


@apart(cache=True, error_model="numpy")
def qr(a: Any) -> Any:
    """`np.linalg.qr` of one matrix, in reduced form."""
    return np.linalg.qr(a)


@apart(cache=True, error_model="numpy")
def svd(a: Any) -> Any:
    """`np.linalg.svd` of one matrix: all of its vectors."""
    return np.linalg.svd(a)


@apart(cache=True, error_model="numpy")
def thin_svd(a: Any) -> Any:
    """`np.linalg.svd` of one matrix with as many vectors on either side as it has singular values."""
    return np.linalg.svd(a, False)


@register_jitable(error_model="numpy")
def _subtract(x: Any, top: Any, rows: Any) -> None:
    """Of a slice Numba would compile what it says where the shapes differ, for two seconds."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            x[top + i, j] -= rows[i, j]


# Apart, and compiled for systems of more than one block alone.


@apart(returns=lambda *_: types.none, cache=True, error_model="numpy")
def _less_what_is_above(a: Any, x: Any, top: Any, end: Any) -> None:
    _subtract(x, top, dot(a[top:end, :top].copy(), x[:top]))


@apart(returns=lambda *_: types.none, cache=True, error_model="numpy")
def _less_what_is_below(a: Any, x: Any, top: Any, end: Any) -> None:
    _subtract(x, top, dot(a[end:, top:end].copy().T, x[end:]))


@apart(cache=True, error_model="numpy")
def solve_lower(a: Any, b: Any) -> Any:
    """X with a @ x = b. a: lower triangular, shape (n, n), float; b: shape (n,) or (n, m), of the same dtype.

    What stands above the diagonal of `a` is not read. A zero on the diagonal gives infinities, as a division does.

    >>> solve_lower(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))
    array([1., 2.])
    """
    x = as_matrix(b)
    n, width = x.shape
    for top in range(0, n, BLOCK):
        end = min(top + BLOCK, n)
        if top > 0:
            _less_what_is_above(a, x, top, end)
        for i in range(top, end):
            for k in range(top, i):
                factor = a[i, k]
                for j in range(width):
                    x[i, j] -= factor * x[k, j]
            pivot = a[i, i]
            for j in range(width):
                x[i, j] /= pivot
    return x.reshape(b.shape)


@apart(cache=True, error_model="numpy")
def solve_transposed(a: Any, b: Any) -> Any:
    """X with a.T @ x = b. a: lower triangular, shape (n, n), float; b: shape (n,) or (n, m), of the same dtype.

    >>> solve_transposed(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([4.0, 8.0]))
    array([1., 2.])
    """
    x = as_matrix(b)
    n, width = x.shape
    for k in range((n - 1) // BLOCK, -1, -1):
        top, end = k * BLOCK, min(k * BLOCK + BLOCK, n)
        if end < n:
            _less_what_is_below(a, x, top, end)
        for i in range(end - 1, top - 1, -1):
            for k_2 in range(i + 1, end):
                factor = a[k_2, i]
                for j in range(width):
                    x[i, j] -= factor * x[k_2, j]
            pivot = a[i, i]
            for j in range(width):
                x[i, j] /= pivot
    return x.reshape(b.shape)
