"""Rules of triangular, banded and factored systems of scipy.linalg."""

import numpy as np
from scipy import linalg as sl

from adc.rules.linear_systems import symmetric
from adc.rules.operation import floating
from adc.rules.registry import composite, lowered, pull, push, static
from adc.rules.sampler import call
from adc.rules.shapes import smaller


def _triangle(r, n):
    return np.tril(r.normal(n, n), -1) + np.diag(r.positive(n) + 0.5)


def _of_right_side(a, b, *_, **__):
    return tuple(b.shape)


@static
def flipped(trans):
    """The same system, transposed."""
    return {0: 1, "N": "T", 1: 0, "T": "N", 2: 0, "C": "N"}[trans]


@static
def is_transposed(trans):
    return trans in (1, "T", 2, "C")


@static
def of_lapack(*dtypes):
    return floating(*dtypes)


def outer_of(x, y):
    """The product x y^T, for vectors or for matrices of columns."""
    return np.outer(x, y) if np.ndim(x) == 1 else x @ y.T


def _inside(a, lower, unit_diagonal):
    """The elements that a triangular solve reads."""
    k = 1 if unit_diagonal else 0
    return np.tril(a, -k) if lower else np.triu(a, k)


@pull(
    sl.solve_triangular,
    wrt="a b",
    name="scipy.linalg.solve_triangular",
    cost=200,
    shape=_of_right_side,
    extra={"cores": {"a": 2, "b": 2}, "real_only": True, "dtype": "floating a b"},
    examples=lambda r: [
        call(_triangle(r, 3), r.normal(3), lower=True),
        call(_triangle(r, 3).T, r.normal(3)),
        call(_triangle(r, 3), r.normal(3, 2), lower=True),
        call(_triangle(r, 3), r.normal(3), trans=1, lower=True),
        call(_triangle(r, 3).T, r.normal(3, 2), trans="T"),
        call(_triangle(r, 3).T, r.normal(3), trans="C"),
        call(_triangle(r, 3), r.normal(3), lower=True, unit_diagonal=True),
    ],
)
def solve_triangular_pull(x_bar, x, a, b, trans=0, lower=False, unit_diagonal=False):
    b_bar = sl.solve_triangular(a, x_bar, flipped(trans), lower, unit_diagonal)
    a_bar = -outer_of(x, b_bar) if is_transposed(trans) else -outer_of(b_bar, x)
    return _inside(a_bar, lower, unit_diagonal), b_bar


@push(sl.solve_triangular)
def solve_triangular_push(x, a, b, trans=0, lower=False, unit_diagonal=False, *, a_dot, b_dot):
    moved = _inside(a_dot, lower, unit_diagonal)
    rest = b_dot - (moved.T @ x if is_transposed(trans) else moved @ x)
    return sl.solve_triangular(a, rest, trans, lower, unit_diagonal)


@lowered(sl.solve_triangular)
def substitution(a, b, trans=0, lower=False, unit_diagonal=False):
    t = a.T if is_transposed(trans) else a
    n = t.shape[0]
    x = np.zeros(np.shape(b), dtype=of_lapack(a.dtype, b.dtype))
    for k in range(n):
        i = k if lower != is_transposed(trans) else n - 1 - k
        # What is not solved yet is zero, so the whole row can be used.
        rest = b[i] - t[i] @ x
        x[i] = rest if unit_diagonal else rest / t[i, i]
    return x


# --- Cholesky -----------------------------------------------------------------------------------------------


@composite(
    sl.cholesky,
    name="scipy.linalg.cholesky",
    extra={"cores": {"a": 2}, "real_only": True, "directions": {"a": symmetric}},
    examples=lambda r: [r.positive_definite(3), call(r.positive_definite(3), lower=True)],
)
def cholesky(a, lower=False):
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a.T).T  # NumPy reads the lower triangle


# LAPACK leaves the other triangle of the matrix in place; from version 1.18 on SciPy clears it.
OTHER_TRIANGLE_STAYS = bool(sl.cho_factor(np.array([[2.0, 1.0], [1.0, 2.0]]))[0][1, 0] != 0.0)


@composite(
    sl.cho_factor,
    name="scipy.linalg.cho_factor",
    extra={"cores": {"a": 2}, "real_only": True, "directions": {"a": symmetric}},
    examples=lambda r: [r.positive_definite(3), call(r.positive_definite(3), lower=True)],
)
def cho_factor(a, lower=False):
    factor = np.linalg.cholesky(a if lower else a.T)
    if not OTHER_TRIANGLE_STAYS:
        return (factor, True) if lower else (factor.T, False)
    if lower:
        return factor + np.triu(a, 1), True
    return factor.T + np.tril(a, -1), False


@composite(
    sl.cho_solve,
    wrt="c_and_lower b",
    name="scipy.linalg.cho_solve",
    extra={"cores": {"c_and_lower": (2, 0), "b": 2}, "real_only": True},
    examples=lambda r: [
        call((np.linalg.cholesky(r.positive_definite(3)), True), r.normal(3)),
        call((np.linalg.cholesky(r.positive_definite(3)).T, False), r.normal(3, 2)),
    ],
)
def cho_solve(c_and_lower, b):
    c, lower = c_and_lower
    half = sl.solve_triangular(c, b, 0 if lower else 1, lower)
    return sl.solve_triangular(c, half, 1 if lower else 0, lower)


# --- LU -----------------------------------------------------------------------------------------------------


def row_order(piv, n):
    """The order of n rows that a sequence of exchanges leads to."""
    order = np.arange(n)
    for k in range(piv.shape[0]):
        first, second = order[k], order[piv[k]]
        order[k] = second
        order[piv[k]] = first
    return order


def _unit_lower(lu):
    return np.tril(lu, -1) + np.eye(lu.shape[0], dtype=lu.dtype)


def _square(lu):
    """The lengths of a side, and the two triangles, of the square that a factorisation of any matrix begins with."""
    k = np.minimum(lu.shape[0], lu.shape[1])
    return k, _unit_lower(lu[:k, :k]), np.triu(lu[:k, :k])


# The rows below the square are L2 = A21 U1^-1, the columns beside it U2 = L1^-1 A12; one of the two is empty.
@pull(
    sl.lu_factor,
    wrt="a",
    name="scipy.linalg.lu_factor",
    cost=1000,
    shape=lambda a: (tuple(a.shape), (smaller(*a.shape),)),
    extra={"cores": {"a": 2}, "real_only": True},
    notes="the pivots are piecewise constant",
    examples=lambda r: [r.well_conditioned(3), r.normal(4, 2), r.normal(2, 4)],
)
def lu_factor_pull(z_bar, z, a):
    lu_bar, _ = z_bar
    lu, piv = z
    k, lower, upper = _square(lu)
    of_lower = lower.T @ np.tril(lu_bar[:k, :k], -1) - lu_bar[:k, k:] @ lu[:k, k:].T
    of_upper = np.triu(lu_bar[:k, :k]) @ upper.T - lu[k:, :k].T @ lu_bar[k:, :k]
    inner_bar = np.tril(of_lower, -1) + np.triu(of_upper)
    right = sl.solve_triangular(upper, inner_bar.T).T
    permuted = np.zeros_like(lu)
    permuted[:k, :k] = sl.solve_triangular(lower, right, 1, True, True)
    permuted[:k, k:] = sl.solve_triangular(lower, lu_bar[:k, k:], 1, True, True)
    permuted[k:, :k] = sl.solve_triangular(upper, lu_bar[k:, :k].T).T
    return permuted[np.argsort(row_order(piv, lu.shape[0]))]


@push(sl.lu_factor)
def lu_factor_push(z, a, *, a_dot):
    lu, piv = z
    k, lower, upper = _square(lu)
    moved = a_dot[row_order(piv, lu.shape[0])]
    left = sl.solve_triangular(lower, moved[:k], 0, True, True)
    inner = sl.solve_triangular(upper, left[:, :k].T, 1).T
    below = sl.solve_triangular(upper, moved[k:, :k].T, 1).T
    lu_dot = np.zeros_like(lu)
    lu_dot[:k, :k] = lower @ np.tril(inner, -1) + np.triu(inner) @ upper
    lu_dot[:k, k:] = left[:, k:] - np.tril(inner, -1) @ lu[:k, k:]
    lu_dot[k:, :k] = below - lu[k:, :k] @ np.triu(inner)
    return lu_dot, np.zeros_like(piv)


@lowered(sl.lu_factor)
def lu_factor_by_elimination(a):
    lu = np.zeros(np.shape(a), dtype=of_lapack(a.dtype))
    lu[...] = a
    n = np.minimum(a.shape[0], a.shape[1])
    piv = np.arange(n)
    for k in range(n):
        best = k + np.argmax(np.abs(lu[k:, k]))
        piv[k] = best
        row = lu[k].copy()
        lu[k] = lu[best]
        lu[best] = row
        lu[k + 1 :, k] = lu[k + 1 :, k] / lu[k, k]
        lu[k + 1 :, k + 1 :] = lu[k + 1 :, k + 1 :] - np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return lu, piv


@composite(
    sl.lu_solve,
    wrt="lu_and_piv b",
    name="scipy.linalg.lu_solve",
    extra={"cores": {"lu_and_piv": (2, 1), "b": 2}, "real_only": True},
    examples=lambda r: [
        call(sl.lu_factor(r.well_conditioned(3)), r.normal(3)),
        call(sl.lu_factor(r.well_conditioned(3)), r.normal(3, 2)),
        call(sl.lu_factor(r.well_conditioned(3)), r.normal(3), trans=1),
    ],
)
def lu_solve(lu_and_piv, b, trans=0):
    lu, piv = lu_and_piv
    order = row_order(piv, lu.shape[0])
    if trans == 0:
        half = sl.solve_triangular(lu, b[order], 0, True, True)
        return sl.solve_triangular(lu, half)
    half = sl.solve_triangular(lu, b, 1)
    return sl.solve_triangular(lu, half, 1, True, True)[np.argsort(order)]


@composite(
    sl.lu,
    name="scipy.linalg.lu",
    extra={"cores": {"a": 2}, "real_only": True},
    examples=lambda r: [
        r.well_conditioned(3),
        call(r.normal(4, 2), permute_l=True),
        call(r.normal(2, 4), p_indices=True),
    ],
)
def lu(a, permute_l=False, p_indices=False):
    factors, piv = sl.lu_factor(a)
    m, k = a.shape[0], piv.shape[0]
    rows = m * np.minimum(k, 1)  # of a matrix without columns SciPy gives no permutation
    places = np.argsort(row_order(piv, m))[:rows]
    lower = np.tril(factors[:, :k], -1) + np.eye(m, k, dtype=factors.dtype)
    upper = np.triu(factors[:k])
    if permute_l:
        return lower[places], upper
    if p_indices:
        return places, lower, upper
    return np.eye(rows, dtype=a.dtype)[places], lower, upper


# --- banded matrices ----------------------------------------------------------------------------------------


def shifted(v, k):
    """v[j + k] along the first axis, and 0 where that leaves the array (k is static)."""
    n = v.shape[0]
    filler = np.zeros((np.minimum(abs(k), n),) + np.shape(v)[1:], dtype=v.dtype)
    if k == 0:
        return v
    if k > 0:
        return np.concatenate((v[k:], filler), axis=0)
    return np.concatenate((filler, v[: np.maximum(n + k, 0)]), axis=0)


def _transposed_band(ab, below, above):
    """The diagonals of the transposed matrix, in LAPACK's order."""
    rows = []
    for k in range(below + above + 1):
        rows.append(shifted(ab[below + above - k], k - below))
    return np.stack(rows)


def band_product(ab, x, below, above):
    """The banded matrix times a vector or a matrix of columns."""
    total = np.zeros_like(x)
    for k in range(below + above + 1):
        diagonal = ab[k] if np.ndim(x) == 1 else np.expand_dims(ab[k], 1)
        # Element (i, j) stands in row above + i - j, column j.
        total = total + shifted(diagonal * x, above - k)
    return total


def _banded(r):
    ab = r.normal(3, 5)
    ab[1] += 5.0
    wide = r.normal(4, 5)
    wide[1] += 6.0
    return [((1, 1), ab, r.normal(5)), ((1, 1), ab, r.normal(5, 2)), ((2, 1), wide, r.normal(5))]


@pull(
    sl.solve_banded,
    wrt="ab b",
    name="scipy.linalg.solve_banded",
    cost=20,
    examples=_banded,
    shape=lambda l_and_u, ab, b: tuple(b.shape),
    extra={"cores": {"ab": 2, "b": 2}, "real_only": True, "dtype": "floating ab b"},
)
def solve_banded_pull(x_bar, x, l_and_u, ab, b):
    below, above = l_and_u
    b_bar = sl.solve_banded((above, below), _transposed_band(ab, below, above), x_bar)
    rows = []
    for k in range(below + above + 1):
        product = -shifted(b_bar, k - above) * x
        rows.append(product if np.ndim(x) == 1 else np.sum(product, axis=1))
    return np.stack(rows), b_bar


@push(sl.solve_banded)
def solve_banded_push(x, l_and_u, ab, b, *, ab_dot, b_dot):
    below, above = l_and_u
    return sl.solve_banded(l_and_u, ab, b_dot - band_product(ab_dot, x, below, above))


def _below(ab, lower):
    """How far below the diagonal each stored row of a symmetric band lies."""
    rows = ab.shape[0]
    below = np.expand_dims(np.arange(rows), 1)
    return below if lower else below - (rows - 1)


def _at(x, position):
    """The elements of a vector or of columns at positions, and 0 outside; columns come last."""
    n = x.shape[0]
    columns = np.expand_dims(x, 1) if np.ndim(x) == 1 else x
    inside = (position >= 0) & (position < n)
    return np.where(np.expand_dims(inside, 2), columns[np.clip(position, 0, n - 1)], 0.0)


def _symmetric_band_product(ab, x, lower):
    """The symmetric matrix of which one triangle's diagonals are stored, times columns."""
    below = _below(ab, lower)
    column = np.expand_dims(np.arange(ab.shape[1]), 0)
    # The element (i, j) multiplies x[i] into row j and, off the diagonal, x[j] into row i.
    total = np.sum(np.expand_dims(ab, 2) * _at(x, column + below), axis=0)
    rows = np.expand_dims(np.arange(ab.shape[0]), 1)
    left = np.clip(column - below, 0, ab.shape[1] - 1)
    mirrored = np.expand_dims(np.where(below == 0, 0.0, ab[rows, left]), 2) * _at(x, column - below)
    return np.reshape(total + np.sum(mirrored, axis=0), np.shape(x))


@pull(
    sl.solveh_banded,
    wrt="ab b",
    name="scipy.linalg.solveh_banded",
    cost=20,
    shape=lambda ab, b, lower=False: tuple(b.shape),
    extra={"cores": {"ab": 2, "b": 2}, "real_only": True, "dtype": "floating ab b"},
    examples=lambda r: [
        (np.stack([np.array([0.0, 0.3, -0.2, 0.4]), r.positive(4) + 2.0]), r.normal(4)),
        call(np.stack([r.positive(4) + 2.0, np.array([0.3, -0.2, 0.4, 0.0])]), r.normal(4, 2), lower=True),
        (np.stack([0.1 * r.normal(5), 0.1 * r.normal(5), r.positive(5) + 2.0]), r.normal(5)),
    ],
)
def solveh_banded_pull(x_bar, x, ab, b, lower=False):
    below = _below(ab, lower)
    row = np.expand_dims(np.arange(ab.shape[1]), 0) + below
    b_bar = sl.solveh_banded(ab, x_bar, lower=lower)
    here = np.expand_dims(np.arange(ab.shape[1]), 0)
    both = np.sum(_at(b_bar, row) * _at(x, here) + _at(b_bar, here) * _at(x, row), axis=2)
    return np.where(below == 0, -0.5 * both, -both), b_bar


@push(sl.solveh_banded)
def solveh_banded_push(x, ab, b, lower=False, *, ab_dot, b_dot):
    return sl.solveh_banded(ab, b_dot - _symmetric_band_product(ab_dot, x, lower), lower=lower)
