"""Rules of scipy.linalg: matrix functions and equations, special matrices, twins of numpy.linalg."""

import numpy as np
from scipy import linalg as sl

from adc.errors import UnsupportedError
from adc.rules import banded_factors as banded_factors
from adc.rules import matrix_functions as matrix_functions
from adc.rules import pseudo_inverses as pseudo_inverses
from adc.rules import riccati as riccati
from adc.rules import structured_matrices as structured_matrices
from adc.rules import triangular as triangular
from adc.rules.factorizations import (
    eig_pull,
    eig_push,
    eig_shape,
    eigh_pull,
    eigh_push,
    svd_pull,
    svd_push,
    svd_shape,
)
from adc.rules.linear_systems import of_triangle, symmetric
from adc.rules.norms import norm
from adc.rules.products import hermitian
from adc.rules.registry import composite, full, lowered, pull, push, static
from adc.rules.sampler import call
from adc.rules.structured_matrices import grid
from adc.rules.triangular import of_lapack
from adc.rules.usual import require_usual
from adc.runtime import matrix_functions as kernels

__all__ = ["kernels"]  # Numba learns them

# --- twins of numpy.linalg ----------------------------------------------------------------------------------


@static
def _assumed(name):
    """What SciPy takes a matrix for, by its short name; None where all of it is read."""
    short = {"sym": "symmetric", "her": "hermitian", "pos": "positive definite", "gen": "general"}
    full_name = short.get(name, name)
    if full_name in (None, "general", "banded"):
        return None
    if full_name not in _READ:
        raise UnsupportedError(
            f"scipy.linalg.solve with assume_a={name!r} is not supported",
            repair=f"Give one of {', '.join(_READ)}, or leave it out.",
        )
    return full_name


_READ = (
    *("diagonal", "tridiagonal", "upper triangular", "lower triangular"),
    *("symmetric", "hermitian", "positive definite"),
)


def _as_assumed(a, assumed, lower):
    """The matrix that SciPy solves: of the rest it reads nothing."""
    if assumed is None:
        return a
    if assumed == "diagonal":
        return np.tril(np.triu(a))
    if assumed == "tridiagonal":
        return np.tril(np.triu(a, -1), 1)
    if assumed == "upper triangular":
        return np.triu(a)
    if assumed == "lower triangular":
        return np.tril(a)
    if assumed == "symmetric":
        half = np.tril(a, -1) if lower else np.triu(a, 1)
        return half + np.swapaxes(half, -1, -2) + np.tril(np.triu(a))
    return of_triangle(a, lower)


def _floats(a, other):
    """Integers as floats; SciPy makes single precision of bytes beside it, where NumPy makes double of all."""
    return a if a.dtype.kind in "fc" else a.astype(of_lapack(a.dtype, other.dtype))


@composite(
    sl.solve,
    wrt="a b",
    name="scipy.linalg.solve",
    examples=lambda r: [
        (r.well_conditioned(3), r.normal(3)),
        (r.well_conditioned(3), r.normal(3, 2)),
        call(r.well_conditioned(3), r.normal(3), transposed=True),
        call(r.positive_definite(3) + np.tril(r.normal(3, 3), -1), r.normal(3), assume_a="pos"),
        call(r.normal(3, 3) + 3.0 * np.eye(3), r.normal(3, 2), lower=True, assume_a="sym"),
        call(r.normal(3, 3) + 3.0 * np.eye(3), r.normal(3), assume_a="upper triangular"),
        call(r.normal(4, 4) + 3.0 * np.eye(4), r.normal(4), assume_a="tridiagonal"),
    ],
)
def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
):
    matrix = _floats(_as_assumed(a, _assumed(assume_a), lower), b)
    return np.linalg.solve(np.swapaxes(matrix, -1, -2) if transposed else matrix, _floats(b, a))


@composite(sl.inv, name="scipy.linalg.inv", examples=lambda r: [r.well_conditioned(3)])
def inv(a):
    return np.linalg.inv(a)


@composite(
    sl.det, name="scipy.linalg.det", extra={"doubles": True}, examples=lambda r: [r.well_conditioned(3)]
)
def det(a):
    return np.linalg.det(a)


@composite(
    sl.norm,
    name="scipy.linalg.norm",
    notes="as numpy.linalg.norm",
    examples=lambda r: [
        r.normal(3),
        r.normal(2, 3),
        (r.normal(3), 1),
        (r.normal(2, 3), 2),
        call(r.normal(2, 3), axis=1),
    ],
)
def scipy_norm(a, ord=None, axis=None, keepdims=False):
    return norm(a, ord, axis, keepdims)


@static
def _not_raw(mode):
    if mode == "raw":
        what = 'scipy.linalg.qr with mode="raw" is not supported'
        raise UnsupportedError(what, repair='Use "full", "economic" or "r".')


@composite(
    sl.qr,
    name="scipy.linalg.qr",
    extra={"real_only": True},
    notes='modes "full", "economic" and "r"',
    examples=lambda r: [
        r.normal(3, 3),
        call(r.normal(4, 2), mode="economic"),
        r.normal(3, 2),
        r.normal(2, 3),
    ],
)
def qr(a, overwrite_a=False, lwork=None, mode="full"):
    _not_raw(mode)
    if mode == "r":
        return (np.linalg.qr(a, "complete")[1],)
    return tuple(np.linalg.qr(a, "complete" if mode == "full" else "reduced"))


def _flipped(a):
    return np.flip(a, (0, 1))


@composite(
    sl.rq,
    name="scipy.linalg.rq",
    extra={"real_only": True},
    notes='modes "full", "economic" and "r"',
    examples=lambda r: [
        r.normal(3, 3),
        call(r.normal(2, 4), mode="economic"),
        call(r.normal(4, 2), mode="economic"),
        call(r.normal(2, 3), mode="r"),
        r.normal(3, 2),
        r.normal(2, 3),
    ],
)
def rq(a, overwrite_a=False, lwork=None, mode="full"):
    # With J, which turns an order round, J a^T J = q r gives a = (J r^T J) (J q^T J).
    q, r = np.linalg.qr(_flipped(a.T), "reduced" if mode == "economic" else "complete")
    return _flipped(r.T) if mode == "r" else (_flipped(r.T), _flipped(q.T))


EIGEN = {"stacked": 2, "cores": {"a": 2}}
pull(
    sl.svd,
    wrt="a",
    name="scipy.linalg.svd",
    cost=1000,
    shape=svd_shape,
    extra=EIGEN,
    notes="as numpy.linalg.svd",
    examples=lambda r: [
        r.normal(3, 3),
        call(r.normal(4, 2), full_matrices=False),
        call(r.normal(3, 4), compute_uv=False),
    ],
)(svd_pull)
push(sl.svd)(svd_push)


@lowered(sl.svd)
def svd_by_numpy(a, full_matrices=True, compute_uv=True):
    return np.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)


@composite(sl.svdvals, name="scipy.linalg.svdvals", examples=lambda r: [r.normal(3, 2)])
def svdvals(a):
    return np.linalg.svd(a, compute_uv=False)


@pull(
    sl.eigh,
    wrt="a",
    name="scipy.linalg.eigh",
    cost=1000,
    shape=eig_shape,
    extra={**EIGEN, "directions": {"a": symmetric}, "up_to_sign": 1},
    notes="as numpy.linalg.eigh",
    examples=lambda r: [r.positive_definite(3), call(r.positive_definite(3), lower=False)],
)
def scipy_eigh_pull(z_bar, z, a, *, lower=True):
    return eigh_pull(z_bar, z, a, "L" if lower else "U")


@push(sl.eigh)
def scipy_eigh_push(z, a, *, lower=True, a_dot):
    return eigh_push(z, a, "L" if lower else "U", a_dot=a_dot)


@lowered(sl.eigh)
def eigh_by_numpy(a, *, lower=True):
    return np.linalg.eigh(a, UPLO="L" if lower else "U")


def _whitened(a, b, lower):
    """L^-1 a L^-H and L, with b = L L^H: its eigenvalues are those of a v = w b v."""
    factor = np.linalg.cholesky(b if lower else hermitian(b))
    half = np.linalg.solve(factor, of_triangle(a, lower))
    return hermitian(np.linalg.solve(factor, hermitian(half))), factor


@static
def _only_first_type(type, subset_by_value):
    if type != 1 or subset_by_value is not None:
        raise UnsupportedError(
            "eigenvalues by scipy.linalg with `type` or `subset_by_value` is not supported",
            repair="Bring the problem to the form a v = w b v, and choose the values by index.",
        )


@full(sl.eigh)
def eigh_of_pair(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
):
    _only_first_type(type, subset_by_value)
    matrix, factor = (a, None) if b is None else _whitened(a, b, lower)
    w, v = np.linalg.eigh(matrix, "L" if lower else "U")
    if b is not None and not eigvals_only:
        v = np.linalg.solve(hermitian(factor), v)
    if subset_by_index is not None:
        first, last = subset_by_index
        w, v = w[first : last + 1], v[:, first : last + 1]
    return w if eigvals_only else (w, v)


@composite(
    sl.eigvalsh,
    wrt="a b",
    name="scipy.linalg.eigvalsh",
    extra={"directions": {"a": symmetric, "b": symmetric}},
    notes="as numpy.linalg.eigh",
    examples=lambda r: [r.positive_definite(3), (r.positive_definite(3), r.positive_definite(3))],
)
def eigvalsh(a, b=None):
    if b is None:
        return np.linalg.eigvalsh(a)
    return np.linalg.eigvalsh(_whitened(a, b, True)[0])


@full(sl.eigvalsh)
def eigvalsh_of_pair(
    a,
    b=None,
    *,
    lower=True,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
    subset_by_index=None,
    subset_by_value=None,
    driver=None,
):
    return eigh_of_pair(
        a,
        b,
        lower=lower,
        eigvals_only=True,
        type=type,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
    )


pull(
    sl.eig,
    wrt="a",
    name="scipy.linalg.eig",
    cost=1000,
    shape=eig_shape,
    extra={"may_be_complex": True, "cores": {"a": 2}},
    notes="as numpy.linalg.eig",
    examples=lambda r: [r.positive_definite(3) + 0.05 * r.normal(3, 3)],
)(eig_pull)
push(sl.eig)(eig_push)


@composite(
    sl.eigvals,
    name="scipy.linalg.eigvals",
    extra={"cores": {"a": 2}},
    notes="as numpy.linalg.eig",
    examples=lambda r: [r.positive_definite(3) + 0.05 * r.normal(3, 3), np.array([[1.0, 2.0], [-3.0, 0.5]])],
)
def eigvals(a):
    return (
        np.linalg.eig(a)[0] + 0j
    )  # in the order of a real matrix, which is another one than that of a complex one


@composite(
    sl.lstsq,
    wrt="a b",
    name="scipy.linalg.lstsq",
    extra={"cores": {"a": 2, "b": 2}},
    notes="as numpy.linalg.lstsq; of a vector b the residual is left away",
    examples=lambda r: [
        (r.normal(5, 3), r.normal(5, 2)),
        (r.normal(2, 4), r.normal(2, 2)),
    ],
)
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True, lapack_driver=None):
    if cond is not None:
        # By a QR with pivots another rank may be left than by singular values.
        require_usual(
            "scipy.linalg.lstsq with `cond`", lapack_driver=(lapack_driver in (None, "gelsd", "gelss"), True)
        )
    x, squares, rank, s = np.linalg.lstsq(_floats(a, b), _floats(b, a), cond)
    # Whether there is a residual, a number or nothing, is for the run to know.
    return x, None if np.ndim(b) == 1 else squares, int(rank), s


def _of_full_rank(spread):
    """1, and NaN where a positive matrix has no inverse: rounding would answer there."""
    values = np.linalg.eigvalsh(spread)
    known = values[0] > 1e-15 * spread.shape[0] * values[-1]
    return np.where(known, 1.0, np.nan).astype(spread.dtype)


def _polar_shape(a, side="right"):
    m, n = a.shape
    return (m, n), ((n, n) if side == "right" else (m, m))


def _spread(u, a):
    """The symmetric factor of full rank, beside the shorter side of a matrix."""
    return symmetric(u.T @ a) if u.shape[0] >= u.shape[1] else symmetric(a @ u.T)


@pull(
    sl.polar,
    wrt="a",
    name="scipy.linalg.polar",
    cost=2000,
    shape=_polar_shape,
    extra={"cores": {"a": 2}, "real_only": True},
    notes="of full rank; NaN elsewhere",
    examples=lambda r: [
        r.well_conditioned(3),
        r.normal(4, 2),
        call(r.well_conditioned(3), side="left"),
        r.normal(2, 4),
        call(r.normal(4, 2), side="left"),
    ],
)
def polar_pull(z_bar, z, a, side="right"):
    # p = u.T a, and u turns by the skew W with W p + p W = u.T a_dot - a_dot.T u: no vectors of singular values, which
    # equal ones leave open. (Higham, Functions of Matrices, 2008, chapter 8.)
    u, _ = z
    u_bar, p_bar = z_bar[0], symmetric(z_bar[1])
    a_bar = u @ p_bar if side == "right" else p_bar @ u
    u_bar = u_bar + (a @ p_bar if side == "right" else p_bar @ a)
    spread = _spread(u, a)
    if u.shape[0] >= u.shape[1]:
        turn = u.T @ u_bar
        rest = np.linalg.solve(spread, (u_bar - u @ turn).T).T
        return a_bar + _of_full_rank(spread) * (u @ sl.solve_sylvester(spread, spread, turn - turn.T) + rest)
    turn = u_bar @ u.T
    rest = np.linalg.solve(spread, u_bar - turn @ u)
    return a_bar + _of_full_rank(spread) * (sl.solve_sylvester(spread, spread, turn - turn.T) @ u + rest)


@push(sl.polar)
def polar_push(z, a, side="right", *, a_dot):
    u, _ = z
    spread = _spread(u, a)
    if u.shape[0] >= u.shape[1]:
        turn = u.T @ a_dot
        rest = np.linalg.solve(spread, (a_dot - u @ turn).T).T
        u_dot = u @ sl.solve_sylvester(spread, spread, turn - turn.T) + rest
    else:
        turn = a_dot @ u.T
        rest = np.linalg.solve(spread, a_dot - turn @ u)
        u_dot = sl.solve_sylvester(spread, spread, turn - turn.T) @ u + rest
    u_dot = u_dot * _of_full_rank(spread)
    p_dot = u_dot.T @ a + u.T @ a_dot if side == "right" else a_dot @ u.T + a @ u_dot.T
    return u_dot, symmetric(p_dot)


# --- special matrices ---------------------------------------------------------------------------------------


@composite(
    sl.hankel,
    wrt="c r",
    name="scipy.linalg.hankel",
    extra={"cores": {"c": 1, "r": 1}},
    examples=lambda r: [r.normal(3), (r.normal(3), r.normal(4))],
)
def hankel(c, r=None):
    last_row = np.zeros_like(c) if r is None else r
    values = np.concatenate((c, last_row[1:]))
    i, j = grid(c.shape[0], last_row.shape[0])
    return values[i + j]


@composite(sl.circulant, wrt="c", name="scipy.linalg.circulant", examples=lambda r: [r.normal(3)])
def circulant(c):
    n = c.shape[-1]
    i, j = grid(n, n)
    return c[..., np.remainder(i - j, n)]


@composite(
    sl.solve_circulant,
    wrt="c b",
    name="scipy.linalg.solve_circulant",
    extra={"cores": {"c": 1}, "real_only": True},
    examples=lambda r: [(np.array([4.0, 1.0, 0.5]), b) for b in (r.normal(3), r.normal(3, 2))],
    notes="real vectors",
)
def solve_circulant(c, b):
    column = np.reshape(np.fft.fft(c), (c.shape[0],) + (1,) * (np.ndim(b) - 1))
    return np.real(np.fft.ifft(np.fft.fft(b, axis=0) / column, axis=0))


@composite(
    sl.block_diag,
    wrt="arrs",
    name="scipy.linalg.block_diag",
    extra={"cores": {"arrs": 2}},
    examples=lambda r: [(r.normal(2, 2), r.normal(1, 3)), (r.normal(2, 2), r.normal(2), 1.5)],
)
def block_diag(*arrs):
    result = np.atleast_2d(arrs[0])
    for k in range(1, len(arrs)):
        new = np.atleast_2d(arrs[k])
        right = np.zeros((result.shape[0], new.shape[1]), dtype=result.dtype)
        left = np.zeros((new.shape[0], result.shape[1]), dtype=result.dtype)
        upper = np.concatenate((result, right), axis=1)
        result = np.concatenate((upper, np.concatenate((left, new), axis=1)), axis=0)
    return result


@composite(
    sl.khatri_rao,
    wrt="a b",
    name="scipy.linalg.khatri_rao",
    extra={"cores": {"a": 2, "b": 2}},
    examples=lambda r: [(r.normal(2, 3), r.normal(4, 3))],
)
def khatri_rao(a, b):
    product = np.expand_dims(a, 1) * np.expand_dims(b, 0)
    return np.reshape(product, (a.shape[0] * b.shape[0], a.shape[1]))
