"""Linear systems, inverses and determinants for generated code: a matrix is factored once, P A = L U, and used often.

`lu` never raises, so that it may stand in front of what would: a singular matrix is an error where it is divided by.
Factors lie by columns, as LAPACK's do. A matrix of a few rows is factored by loops, as a call costs more than they do.
Each of the two ways is a function that stays apart, and is compiled when a matrix comes that it is for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import register_jitable

from adc.runtime import small
from adc.runtime.apart import apart
from adc.runtime.lapack import LEFT, LOWER, NO, RIGHT, TRANSPOSE, UNIT, UPPER, require, routine
from adc.runtime.rooms import empty_of, zeros_of
from adc.runtime.rows import as_matrix

__all__ = [
    "det",
    "inv",
    "lu",
    "lu_det",
    "lu_inv",
    "lu_inv_transposed",
    "lu_slogdet",
    "lu_solve",
    "lu_solve_transposed",
    "slogdet",
    "solve",
]

SMALL = 8  # rows up to which loops are faster than LAPACK
BLOCK = 32  # columns at a time for an inverse: the size of LAPACK's workspace

_getrf, _getri, _trsm = routine("getrf"), routine("getri"), routine("trsm")


def _nothing(*kinds: Any) -> Any:
    require()  # when the caller is compiled: to find out in the call would be too late
    return types.none


def _matrix(x: Any, *others: Any) -> Any:
    return types.Array(x.dtype, 2, "C")


# --- by LAPACK ----------------------------------------------------------------------------------------------


@apart(returns=_nothing, cache=True, error_model="numpy")
def _factor_by_lapack(columns: Any, pivots: Any) -> None:
    """Put the factors of a matrix, given by columns, in its place. A pivot counts rows from 1."""
    n = np.int32(pivots.size)
    _getrf((n, n, columns, n, pivots, empty_of(1, np.int32)))


@register_jitable(error_model="numpy")
def _divide(triangle: Any, letter: Any, diagonal: Any, factors: Any, x: Any) -> None:
    """Divide the rows of x, shape (n, m), by a triangle of the factors, or (`letter`) its transpose."""
    n, m, one = np.int32(x.shape[0]), np.int32(x.shape[1]), factors.dtype.type(1)
    if m == 1:
        _trsm((LEFT, triangle, letter, diagonal, n, m, one, factors, n, x, n))
    else:
        # BLAS counts by columns: it is told of x.T, which the transpose of the triangle divides from the right.
        other = NO if letter == TRANSPOSE else TRANSPOSE
        _trsm((RIGHT, triangle, other, diagonal, m, n, one, factors, n, x, m))


@apart(returns=_nothing, cache=True, error_model="numpy")
def _solve_by_lapack(factors: Any, pivots: Any, x: Any, transposed: Any) -> None:
    columns, n = np.ascontiguousarray(factors), x.shape[0]
    if transposed:
        _divide(UPPER, TRANSPOSE, NO, columns, x)
        _divide(LOWER, TRANSPOSE, UNIT, columns, x)
    for i in range(n):
        k = n - 1 - i if transposed else i
        _swap(x, k, pivots[k] - 1)
    if not transposed:
        _divide(LOWER, NO, UNIT, columns, x)
        _divide(UPPER, NO, NO, columns, x)


@apart(returns=_matrix, cache=True, error_model="numpy")
def _inverse_by_lapack(factors: Any, pivots: Any) -> Any:
    """The inverse, by columns."""
    n = np.int32(pivots.size)
    columns, places = empty_of(factors.shape, factors.dtype), np.ascontiguousarray(pivots)
    for i in range(n):
        for j in range(n):
            columns[i, j] = factors[i, j]
    work = empty_of(BLOCK * pivots.size, factors.dtype)
    if n > 0:
        _getri((n, columns, n, places, work, np.int32(work.size), empty_of(1, np.int32)))
    return columns


# --- by loops -----------------------------------------------------------------------------------------------


@apart(returns=_nothing, cache=True, error_model="numpy")
def _factor_by_loops(columns: Any, pivots: Any) -> None:
    n = pivots.size
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(columns[k, i]) > abs(columns[k, best]):
                best = i
        pivots[k] = best + 1
        pivot = columns[k, best]
        if pivot == 0:
            continue
        if best != k:
            for j in range(n):
                columns[j, k], columns[j, best] = columns[j, best], columns[j, k]
        for i in range(k + 1, n):
            columns[k, i] /= pivot
        for j in range(k + 1, n):
            factor = columns[j, k]
            for i in range(k + 1, n):
                columns[j, i] -= factor * columns[k, i]


@register_jitable(error_model="numpy")
def _swap(x: Any, k: Any, other: Any) -> None:
    if k != other:
        for j in range(x.shape[1]):
            x[k, j], x[other, j] = x[other, j], x[k, j]


@apart(returns=_nothing, cache=True, error_model="numpy")
def _solve_by_loops(factors: Any, pivots: Any, x: Any) -> None:
    n, m = x.shape
    for k in range(n):
        _swap(x, k, pivots[k] - 1)
    for k in range(n):
        for i in range(k + 1, n):
            for j in range(m):
                x[i, j] -= factors[k, i] * x[k, j]
    for k in range(n - 1, -1, -1):
        for j in range(m):
            x[k, j] /= factors[k, k]
        for i in range(k):
            for j in range(m):
                x[i, j] -= factors[k, i] * x[k, j]


@apart(returns=_nothing, cache=True, error_model="numpy")
def _solve_transposed_by_loops(factors: Any, pivots: Any, x: Any) -> None:
    n, m = x.shape
    for i in range(n):
        for k in range(i):
            for j in range(m):
                x[i, j] -= factors[i, k] * x[k, j]
        for j in range(m):
            x[i, j] /= factors[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            for j in range(m):
                x[i, j] -= factors[i, k] * x[k, j]
    for k in range(n - 1, -1, -1):
        _swap(x, k, pivots[k] - 1)


# --- a matrix that is used often ----------------------------------------------------------------------------


@apart(cache=True, error_model="numpy")
def lu(a: Any) -> Any:
    """The factors of one matrix, by columns, L below the diagonal and U from there on, and its pivots.

    Of a matrix that is not square no use is made: what follows says so.
    """
    n, m = a.shape
    factors = empty_of((m, n), a.dtype)
    for i in range(n):
        for j in range(m):
            factors[j, i] = a[i, j]
    pivots = empty_of(n, np.int32)
    if n == m and n <= SMALL:
        _factor_by_loops(factors, pivots)
    elif n == m:
        _factor_by_lapack(factors, pivots)
    return factors, pivots


@register_jitable(error_model="numpy")
def _require_square(factors: Any) -> None:
    if factors.shape[0] != factors.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


@apart(returns=_nothing, cache=True, error_model="numpy")
def _require_regular(factors: Any) -> None:
    _require_square(factors)
    for k in range(factors.shape[0]):
        if factors[k, k] == 0:
            raise np.linalg.LinAlgError("Singular matrix")


@apart(returns=lambda factors, b: _matrix(b), cache=True, error_model="numpy")
def _right_side(factors: Any, b: Any) -> Any:
    """A copy of b as a matrix."""
    _require_regular(factors)
    if b.shape[0] != factors.shape[0]:
        raise ValueError("the right side of a linear system has another number of rows than its matrix")
    return as_matrix(b)


@apart(cache=True, error_model="numpy")
def lu_solve(factors: Any, pivots: Any, b: Any) -> Any:
    """`np.linalg.solve(a, b)` by the factors of a, for b of its dtype, shape (n,) or (n, m). Raises LinAlgError.

    >>> lu_solve(*lu(np.array([[0.0, 2.0], [1.0, 0.0]])), np.array([2.0, 3.0]))
    array([3., 1.])
    """
    x = _right_side(factors, b)
    if x.shape[0] <= SMALL:
        _solve_by_loops(factors, pivots, x)
    elif x.size > 0:
        _solve_by_lapack(factors, pivots, x, False)
    return x.reshape(b.shape)


@apart(cache=True, error_model="numpy")
def lu_solve_transposed(factors: Any, pivots: Any, b: Any) -> Any:
    """`np.linalg.solve(a.T, b)` by the factors of a, for b of its dtype, shape (n,) or (n, m). Raises LinAlgError.

    >>> lu_solve_transposed(*lu(np.array([[0.0, 2.0], [1.0, 0.0]])), np.array([2.0, 3.0]))
    array([1.5, 2. ])
    """
    x = _right_side(factors, b)
    if x.shape[0] <= SMALL:
        _solve_transposed_by_loops(factors, pivots, x)
    elif x.size > 0:
        _solve_by_lapack(factors, pivots, x, True)
    return x.reshape(b.shape)


@register_jitable(error_model="numpy")
def _identity(a: Any) -> Any:
    """That of the shape and dtype of a matrix."""
    x = zeros_of(a.shape, a.dtype)
    for k in range(x.shape[0]):
        x[k, k] = 1
    return x


@apart(cache=True, error_model="numpy")
def lu_inv_transposed(factors: Any, pivots: Any) -> Any:
    """`np.linalg.inv(a).T` by the factors of a. Raises LinAlgError."""
    _require_regular(factors)
    if factors.shape[0] > SMALL:
        return _inverse_by_lapack(factors, pivots)
    x = _identity(factors)
    _solve_transposed_by_loops(factors, pivots, x)
    return x


@apart(cache=True, error_model="numpy")
def lu_inv(factors: Any, pivots: Any) -> Any:
    """`np.linalg.inv(a)` by the factors of a. Raises LinAlgError.

    >>> lu_inv(*lu(np.array([[2.0, 1.0], [1.0, 1.0]])))
    array([[ 1., -1.],
           [-1.,  2.]])
    """
    _require_regular(factors)
    if factors.shape[0] > SMALL:
        return as_matrix(_inverse_by_lapack(factors, pivots).T)
    x = _identity(factors)
    _solve_by_loops(factors, pivots, x)
    return x


@apart(cache=True, error_model="numpy")
def lu_slogdet(factors: Any, pivots: Any) -> Any:
    """`np.linalg.slogdet(a)` by the factors of a: sign, logarithm."""
    _require_square(factors)
    sign, logarithm = factors.dtype.type(1), abs(factors.dtype.type(0))
    for k in range(pivots.size):
        size = abs(factors[k, k])
        if size == 0:
            return sign - sign, np.log(size)
        sign *= factors[k, k] / size
        if pivots[k] != k + 1:
            sign = -sign
        logarithm += np.log(size)
    return sign, logarithm


@apart(cache=True, error_model="numpy")
def lu_det(factors: Any, pivots: Any) -> Any:
    """`np.linalg.det(a)` by the factors of a.

    >>> lu_det(*lu(np.array([[0.0, 2.0], [1.0, 0.0]])))
    -2.0
    """
    sign, logarithm = lu_slogdet(factors, pivots)
    return sign * np.exp(logarithm)


# --- a matrix that is used once -----------------------------------------------------------------------------


@register_jitable(error_model="numpy")
def _is_small(a: Any) -> Any:
    return a.shape[0] == a.shape[1] and 0 < a.shape[0] <= small.LARGEST


@apart(cache=True, error_model="numpy")
def solve(a: Any, b: Any) -> Any:
    """`np.linalg.solve` of one matrix, shape (n, n), and b of its dtype, (n,) or (n, m). Raises LinAlgError."""
    if _is_small(a) and b.shape[0] == a.shape[0]:
        x = as_matrix(b)
        small.substitute(a, x)
        return x.reshape(b.shape)
    factors, pivots = lu(a)
    return lu_solve(factors, pivots, b)


@apart(cache=True, error_model="numpy")
def inv(a: Any) -> Any:
    """`np.linalg.inv` of one matrix. Raises LinAlgError."""
    if _is_small(a):
        x = _identity(a)
        small.substitute(a, x)
        return x
    factors, pivots = lu(a)
    return lu_inv(factors, pivots)


@apart(cache=True, error_model="numpy")
def det(a: Any) -> Any:
    """`np.linalg.det` of one matrix."""
    if _is_small(a):
        return small.determinant(a)
    factors, pivots = lu(a)
    return lu_det(factors, pivots)


@apart(cache=True, error_model="numpy")
def slogdet(a: Any) -> Any:
    """`np.linalg.slogdet` of one matrix: sign, logarithm."""
    if _is_small(a):
        return small.sign_and_log(a)
    factors, pivots = lu(a)
    return lu_slogdet(factors, pivots)
