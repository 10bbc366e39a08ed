"""Rules of matrices of scipy.linalg that are made of a few vectors, and of those that a few vectors stand for."""

import numpy as np
from scipy import linalg as sl

from adc.errors import UnsupportedError
from adc.rules.registry import composite, static
from adc.rules.sampler import call


@composite(sl.companion, name="scipy.linalg.companion", examples=lambda r: [r.nonzero(4), r.nonzero(2)])
def companion(a):
    n = a.shape[0] - 1
    first = -a[1:] / a[0]
    return np.concatenate((first[None, :], np.eye(n, dtype=first.dtype)[: n - 1]), axis=0)


@composite(sl.leslie, wrt="f s", name="scipy.linalg.leslie", examples=lambda r: [(r.normal(4), r.normal(3))])
def leslie(f, s):
    if s.shape[0] != f.shape[0] - 1:
        raise ValueError("The length of s must be one less than that of f.")
    rows = np.diag(s) @ np.eye(s.shape[0], f.shape[0], dtype=s.dtype)
    return np.concatenate((f[None, :], rows), axis=0)


@composite(sl.fiedler, name="scipy.linalg.fiedler", examples=lambda r: [r.distinct(4)])
def fiedler(a):
    return np.abs(a[:, None] - a[None, :])


@static
def _known_mode(mode):
    if mode not in ("full", "same", "valid"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")


@composite(
    sl.convolution_matrix,
    wrt="a",
    name="scipy.linalg.convolution_matrix",
    examples=lambda r: [
        (r.normal(3), 4),
        (r.normal(3), 4, "valid"),
        (r.normal(4), 3, "valid"),
        (r.normal(3), 5, "same"),
        (r.normal(4), 3, "same"),
    ],
)
def convolution_matrix(a, n, mode="full"):
    _known_mode(mode)
    m = a.shape[0]
    zeros = np.zeros(n - 1, dtype=a.dtype)
    whole = sl.toeplitz(np.concatenate((a, zeros)), np.concatenate((a[:1], zeros)))
    if mode == "full":
        return whole
    if mode == "same":
        before = (np.minimum(n, m) - 1) // 2
        return whole[before : before + np.maximum(n, m)]
    before = np.minimum(n, m) - 1
    return whole[before : n + m - 1 - before]


def grid(rows, columns):
    """Row and column numbers, ready to broadcast."""
    return np.expand_dims(np.arange(rows), 1), np.expand_dims(np.arange(columns), 0)


@composite(
    sl.toeplitz,
    wrt="c r",
    name="scipy.linalg.toeplitz",
    extra={"cores": {"c": 1, "r": 1}},
    examples=lambda r: [r.normal(3), (r.normal(3), r.normal(4))],
)
def toeplitz(c, r=None):
    first_row = np.conjugate(c) if r is None else r
    values = np.concatenate((np.flip(c), first_row[1:]))
    i, j = grid(c.shape[0], first_row.shape[0])
    return values[c.shape[0] - 1 - i + j]


def _vector(c):
    return np.array(c) if isinstance(c, list) else c


def _toeplitz_of(c_or_cr):
    """The matrix of a column, or of a pair of a column and a row, each an array or a list."""
    if isinstance(c_or_cr, tuple):
        return toeplitz(_vector(c_or_cr[0]), _vector(c_or_cr[1]))
    return toeplitz(_vector(c_or_cr))


@composite(
    sl.solve_toeplitz,
    wrt="c_or_cr b",
    name="scipy.linalg.solve_toeplitz",
    notes="solved as a dense system",
    extra={"cores": {"c_or_cr": 1, "b": 2}, "rtol": 1e-9, "doubles": True},
    examples=lambda r: [
        call((np.array([4.0, 1.0, 0.5]), np.array([4.0, -1.0, 0.3])), r.normal(3)),
        (np.array([4.0, 1.0, 0.5]), r.normal(3)),
        ([4.0, 1.0, 0.5], r.normal(3)),
        (([4.0, 1.0, 0.5], [4.0, -1.0, 0.3]), r.normal(3)),
    ],
)
def solve_toeplitz(c_or_cr, b):
    return np.linalg.solve(_toeplitz_of(c_or_cr), b)


@composite(
    sl.matmul_toeplitz,
    wrt="c_or_cr x",
    name="scipy.linalg.matmul_toeplitz",
    extra={"doubles": True},  # SciPy multiplies by Fourier transforms of 64 bits
    examples=lambda r: [
        (r.normal(4), r.normal(4)),
        ((r.normal(3), r.normal(4)), r.normal(4, 2)),
        ([4.0, 1.0], r.normal(2)),
        (([4.0, 1.0, 0.5], [4.0, -1.0]), r.normal(2)),
    ],
)
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    return _toeplitz_of(c_or_cr) @ x


@composite(
    sl.diagsvd,
    wrt="s",
    name="scipy.linalg.diagsvd",
    examples=lambda r: [(r.normal(3), 3, 5), (r.normal(2), 4, 2)],
)
def diagsvd(s, M, N):
    if s.shape[0] != np.minimum(M, N):
        raise ValueError("Length of s must be M or N.")
    n = s.shape[0]
    return np.eye(M, n, dtype=s.dtype) @ np.diag(s) @ np.eye(n, N, dtype=s.dtype)


# --- eigenvalues of bands -----------------------------------------------------------------------------------


@static
def _all_of_them(select, name):
    if select not in ("a", "all", 0):
        raise UnsupportedError(
            f'{name} with select="{select}" is not supported',
            repair="Take all of them, and slice the result.",
        )


def _of_diagonals(d, e):
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def _two_diagonals(r):
    return [(r.normal(4), r.nonzero(3)), (r.normal(2), r.nonzero(1))]


@composite(
    sl.eigh_tridiagonal,
    wrt="d e",
    name="scipy.linalg.eigh_tridiagonal",
    notes="a vector up to its sign, which LAPACK chooses",
    extra={"order": "A", "up_to_sign": 1, "real_only": True},
    examples=_two_diagonals,
)
def eigh_tridiagonal(
    d,
    e,
    eigvals_only=False,
    select="a",
    select_range=None,
    check_finite=True,
    tol=0.0,
    lapack_driver="auto",
):
    _all_of_them(select, "scipy.linalg.eigh_tridiagonal")
    if eigvals_only:
        return np.linalg.eigvalsh(_of_diagonals(d, e))
    w, v = np.linalg.eigh(_of_diagonals(d, e))
    return w, v


@composite(
    sl.eigvalsh_tridiagonal,
    wrt="d e",
    name="scipy.linalg.eigvalsh_tridiagonal",
    extra={"real_only": True},
    examples=_two_diagonals,
)
def eigvalsh_tridiagonal(
    d, e, select="a", select_range=None, check_finite=True, tol=0.0, lapack_driver="auto"
):
    _all_of_them(select, "scipy.linalg.eigvalsh_tridiagonal")
    return np.linalg.eigvalsh(_of_diagonals(d, e))


def _of_band(a_band, lower):
    """The symmetric matrix of whose diagonals these are the rows."""
    n = a_band.shape[1]
    main = 0 if lower else a_band.shape[0] - 1
    total = np.diag(a_band[main])
    for k in range(1, a_band.shape[0]):
        diagonal = a_band[k, : np.maximum(n - k, 0)] if lower else a_band[main - k, k:]
        total = total + np.diag(diagonal, k) + np.diag(diagonal, -k)
    return total


@composite(
    sl.eigvals_banded,
    wrt="a_band",
    name="scipy.linalg.eigvals_banded",
    extra={"real_only": True},
    examples=lambda r: [r.normal(2, 4), call(r.normal(3, 4), lower=True)],
)
def eigvals_banded(
    a_band, lower=False, overwrite_a_band=False, select="a", select_range=None, check_finite=True
):
    _all_of_them(select, "scipy.linalg.eigvals_banded")
    return np.linalg.eigvalsh(_of_band(a_band, lower))


# --- nearest rotations --------------------------------------------------------------------------------------


@composite(
    sl.orthogonal_procrustes,
    wrt="A B",
    name="scipy.linalg.orthogonal_procrustes",
    notes="the rotation of matrices of full rank; NaN elsewhere",
    extra={"real_only": True, "order": "A"},
    examples=lambda r: [(r.normal(5, 3), r.normal(5, 3)), (r.normal(4, 2), r.normal(4, 2))],
)
def orthogonal_procrustes(A, B, check_finite=True):
    # The nearest rotation is the polar factor, whose derivative needs no distance between singular values.
    product = A.T @ B
    rotation, _ = sl.polar(product)
    return rotation, np.sum(np.linalg.svd(product, compute_uv=False))
