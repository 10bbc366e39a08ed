"""Numba knows functions of matrices and matrix equations of scipy.linalg, through Schur's form and LAPACK.

A function of a real matrix that turns out complex raises ValueError: jitted code has one type.
Sources: Bjorck and Hammarling (1983) for roots; Higham, "Functions of Matrices" (2008), for the logarithm.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload
from scipy import linalg

from adc.runtime.apart import apart
from adc.runtime.lapack import LEFT, NO, UPPER, VECTORS, routine
from adc.runtime.lu import solve
from adc.runtime.products import dot

__all__: list[str] = []

_zgees, _ztrsyl, _dgeev, _dgbsv, _dpbsv = map(routine, ("zgees", "ztrsyl", "dgeev", "dgbsv", "dpbsv"))

# Gauss and Legendre on (0, 1): the Pade approximant of log(1 + x) of degree 7, in partial fractions.
_NODES, _WEIGHTS = (
    part / 2 + shift for part, shift in zip(np.polynomial.legendre.leggauss(7), (0.5, 0.0), strict=True)
)
CLOSE = 0.25  # to the identity: where the approximant has full precision


def _in_any_order(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that arrays are taken as which lie in any order: one function does for all of them."""
    return tuple(k.copy(layout="A") for k in kinds)


@apart(takes=_in_any_order, cache=True, error_model="numpy")
def schur(a: Any) -> Any:
    """Upper triangular T and unitary U with a = U T U^H, complex. a: shape (n, n)."""
    n = a.shape[0]
    t, u = np.empty((n, n), np.complex128), np.empty((n, n), np.complex128)
    for i in range(n):
        for j in range(n):
            t[j, i] = a[i, j]  # LAPACK counts by columns
    values, numbers = np.empty(n, np.complex128), np.empty(n)
    work = np.empty(max(1, 32 * n), np.complex128)
    count, info = np.zeros(1, np.int32), np.zeros(1, np.int32)
    lead = np.int32(max(n, 1))
    _zgees(
        (
            VECTORS,
            NO,
            count,
            np.int32(n),
            t,
            lead,
            count,
            values,
            u,
            lead,
            work,
            np.int32(work.size),
            numbers,
            count,
            info,
        )
    )
    if info[0] != 0:
        raise np.linalg.LinAlgError("Schur form not found")
    return np.ascontiguousarray(t.T), np.ascontiguousarray(u.T)


@apart(takes=_in_any_order, cache=True, error_model="numpy")
def sylvester(a: Any, b: Any, q: Any) -> Any:
    """X with a X + X b = q, complex. Shapes (m, m), (n, n), (m, n)."""
    if q.shape != (a.shape[0], b.shape[0]):
        raise ValueError(
            "the right side of the equation has not one row for each of a and one column for each of b"
        )
    if q.size == 0:
        return np.zeros(q.shape, np.complex128)
    r, u = schur(a)
    s, v = schur(b)
    f = dot(dot(np.ascontiguousarray(np.conj(u.T)), q.astype(np.complex128)), v)
    y, r, s = np.ascontiguousarray(f.T), np.ascontiguousarray(r.T), np.ascontiguousarray(s.T)
    m, n = np.int32(a.shape[0]), np.int32(b.shape[0])
    scale, info = np.ones(1), np.zeros(1, np.int32)
    _ztrsyl((NO, NO, np.int32(1), m, n, r, m, s, n, y, m, scale, info))
    if info[0] < 0:
        raise np.linalg.LinAlgError("the equation is not solved")
    return dot(dot(u, np.ascontiguousarray(y.T)), np.ascontiguousarray(np.conj(v.T))) / scale[0]


@numba.njit(cache=True, error_model="numpy")
def _triangular_root(t: Any) -> Any:
    n = t.shape[0]
    r = np.zeros((n, n), np.complex128)
    for j in range(n):
        r[j, j] = np.sqrt(t[j, j])
        for i in range(j - 1, -1, -1):
            rest = t[i, j]
            for k in range(i + 1, j):
                rest -= r[i, k] * r[k, j]
            both = r[i, i] + r[j, j]
            r[i, j] = 0.0 if rest == 0.0 else rest / both
    return r


@numba.njit(cache=True, error_model="numpy")
def _real(x: Any) -> Any:
    size = np.max(np.abs(x)) if x.size > 0 else 0.0
    if x.size > 0 and np.max(np.abs(x.imag)) > 1e-11 * x.shape[0] * size:
        raise ValueError("the result is complex, which the types of the arguments do not say")
    return x.real.copy()


@apart(cache=True, error_model="numpy")
def root(a: Any) -> Any:
    """The principal square root of a matrix, complex."""
    t, u = schur(a)
    return u @ _triangular_root(t) @ np.conj(u.T)


@apart(cache=True, error_model="numpy")
def logarithm(a: Any) -> Any:
    """The principal logarithm of a matrix, complex, by roots until the matrix is close to the identity."""
    t, u = schur(a)
    n = t.shape[0]
    eigenvalues = np.diag(t)
    one = np.eye(n, dtype=np.complex128)
    roots = 0
    while roots < 100 and np.max(np.sum(np.abs(t - one), axis=0)) > CLOSE:
        t = _triangular_root(t)
        roots += 1
    x = t - one
    total = np.zeros((n, n), np.complex128)
    for k in range(_NODES.size):
        total += _WEIGHTS[k] * solve(one + _NODES[k] * x, x)
    total *= 2.0**roots
    for k in range(n):
        total[k, k] = np.log(eigenvalues[k])
    return u @ total @ np.conj(u.T)


@apart(cache=True, error_model="numpy")
def eigen(a: Any) -> Any:
    """Eigenvalues, as complex numbers, and right eigenvectors of a real matrix that has real ones."""
    n = a.shape[0]
    matrix = np.ascontiguousarray(a.T).astype(np.float64).copy()
    real, imaginary, vectors = np.empty(n), np.empty(n), np.empty((n, n))
    work, info, lead = np.empty(max(1, 32 * n)), np.zeros(1, np.int32), np.int32(max(n, 1))
    nothing = np.empty(1)
    _dgeev(
        (
            NO,
            VECTORS,
            lead,
            matrix,
            lead,
            real,
            imaginary,
            nothing,
            np.int32(1),
            vectors,
            lead,
            work,
            np.int32(work.size),
            info,
        )
    )
    if info[0] != 0:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    if np.any(imaginary != 0.0):
        raise ValueError("the result is complex, which the types of the arguments do not say")
    return real + 0j, np.ascontiguousarray(vectors.T)


@numba.njit(cache=True, error_model="numpy")
def _rounded(pair: Any) -> Any:
    return pair[0].astype(np.complex64), pair[1].astype(np.float32)


@apart(cache=True, error_model="numpy")
def banded(below: int, above: int, ab: Any, b: Any) -> Any:
    """X with A x = b for a matrix whose diagonals are the rows of `ab`, shape (below + above + 1, n); b: (n, m)."""
    n, width = b.shape
    rows = 2 * below + above + 1
    band, x = np.zeros((n, rows)), np.ascontiguousarray(b.T).astype(np.float64).copy()
    for i in range(below + above + 1):
        for j in range(n):
            band[j, below + i] = ab[i, j]
    pivots, info = np.empty(n, np.int32), np.zeros(1, np.int32)
    lead = np.int32(max(n, 1))
    _dgbsv(
        (
            np.int32(n),
            np.int32(below),
            np.int32(above),
            np.int32(width),
            band,
            np.int32(rows),
            pivots,
            x,
            lead,
            info,
        )
    )
    if info[0] != 0:
        raise np.linalg.LinAlgError("singular matrix")
    return np.ascontiguousarray(x.T)


@apart(cache=True, error_model="numpy")
def symmetric_banded(ab: Any, b: Any, lower: bool) -> Any:
    """X with A x = b for a positive definite matrix, the diagonals of one triangle in the rows of `ab`; b: (n, m)."""
    n, width = b.shape
    band, x = (
        np.ascontiguousarray(ab.T).astype(np.float64).copy(),
        np.ascontiguousarray(b.T).astype(np.float64).copy(),
    )
    info, lead = np.zeros(1, np.int32), np.int32(max(n, 1))
    _dpbsv(
        (
            LEFT if lower else UPPER,
            np.int32(n),
            np.int32(ab.shape[0] - 1),
            np.int32(width),
            band,
            np.int32(ab.shape[0]),
            x,
            lead,
            info,
        )
    )
    if info[0] != 0:
        raise np.linalg.LinAlgError("leading minor not positive definite")
    return np.ascontiguousarray(x.T)


# --- what Numba calls for SciPy's functions -----------------------------------------------------------------


def known(function: Any) -> Any:
    """`overload`, of a function whose implementations are lambdas: they have no annotations, and it may have none."""

    def register(choose: Any) -> Any:
        choose.__annotations__.clear()
        return overload(function, jit_options={"error_model": "numpy"})(choose)

    return register


def _is_complex(*arrays: Any) -> bool:
    return any(isinstance(a.dtype, types.Complex) for a in arrays)


def _single(*arrays: Any) -> bool:
    return all(a.dtype in (types.float32, types.complex64) for a in arrays)


def _of_one_matrix(function: Any) -> Any:
    def choose(A: Any) -> Any:
        if not isinstance(A, types.Array) or A.ndim != 2:
            return None
        if _is_complex(A):
            whole = np.complex64 if _single(A) else np.complex128
            return lambda A: function(A).astype(whole)
        kind = np.float32 if _single(A) else np.float64
        return lambda A: _real(function(A)).astype(kind)

    return choose


known(linalg.sqrtm)(_of_one_matrix(root))
known(linalg.logm)(_of_one_matrix(logarithm))


@known(linalg.solve_sylvester)
def _solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    kind = np.float32 if _single(a, b, q) else np.float64
    if _is_complex(a, b, q):
        whole = np.complex64 if _single(a, b, q) else np.complex128
        return lambda a, b, q: sylvester(a, b, q).astype(whole)
    return lambda a, b, q: sylvester(a, b, q).real.astype(kind)


@numba.njit(cache=True, error_model="numpy")
def _polar_factors(a: Any, side: Any) -> Any:
    left, s, vt = np.linalg.svd(a, full_matrices=False)
    return left @ vt, (vt.T * s) @ vt if side == "right" else (left * s) @ left.T


@known(linalg.polar)
def _polar(a: Any, side: Any = "right") -> Any:
    if not isinstance(a, types.Array) or a.ndim != 2 or _is_complex(a):
        return None
    kind = np.float32 if _single(a) else np.float64

    def factors(a: Any, side: Any = "right") -> Any:
        u, p = _polar_factors(np.ascontiguousarray(a).astype(np.float64), side)
        return u.astype(kind), p.astype(kind)

    factors.__annotations__.clear()
    return factors


@known(linalg.eig)
def _eig(a: Any) -> Any:
    if _is_complex(a):
        return lambda a: np.linalg.eig(a)
    if a.dtype == types.float64:
        return lambda a: eigen(a)

    return lambda a: _rounded(eigen(a))


@known(linalg.solve_banded)
def _solve_banded(l_and_u: Any, ab: Any, b: Any) -> Any:
    if _is_complex(ab, b):
        return None
    kind = np.float32 if _single(ab, b) else np.float64
    if b.ndim == 2:
        return lambda l_and_u, ab, b: banded(l_and_u[0], l_and_u[1], ab, b).astype(kind)
    return lambda l_and_u, ab, b: banded(
        l_and_u[0], l_and_u[1], ab, np.ascontiguousarray(b).reshape((b.size, 1))
    )[:, 0].astype(kind)


@known(linalg.solveh_banded)
def _solveh_banded(ab: Any, b: Any, lower: Any = False) -> Any:
    if _is_complex(ab, b):
        return None
    kind = np.float32 if _single(ab, b) else np.float64
    if b.ndim == 2:
        return lambda ab, b, lower=False: symmetric_banded(ab, b, lower).astype(kind)
    return lambda ab, b, lower=False: symmetric_banded(
        ab, np.ascontiguousarray(b).reshape((b.size, 1)), lower
    )[:, 0].astype(kind)
