"""Rules of np.linalg's pseudo-inverse and least squares, of all singular values and of the largest ones.

Source of the formulas: Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems
whose variables separate" (1973), where no singular value is left out but those that are zero; else Noferini, "A formula
for the Frechet derivative of a generalized matrix function" (2017).
"""

import numpy as np

from adc.rules.linear_systems import STACKED, of_triangle
from adc.rules.products import conjugated, hermitian, transposed
from adc.rules.reductions import as_floats
from adc.rules.registry import composite, full, pull, push, static


def _identity_like(a, n):
    """An identity of n rows in the dtype of `a`."""
    return np.eye(n, dtype=a.dtype)


ROUNDING = 1e-10  # of the largest singular value: what is left out below is as good as zero


@static
def precision_of(dtype):
    return float(np.finfo(dtype).eps)


def _leaves_out(rcond):
    """Whether singular values are left out that are no rounding errors of zero."""
    return np.any(rcond > ROUNDING)


def _derivative_of_kept(a, a_dot, rcond):
    """Along `a_dot`, of u @ diag(1 / s) @ vh of the singular values that are kept: the pseudo-inverse, transposed.

    Also what is left out turns the vectors of what is kept.
    """
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    uh, v = hermitian(u), hermitian(vh)
    kept = s > np.expand_dims(rcond, -1) * np.max(s, axis=-1, keepdims=True)
    g = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    one, other = np.expand_dims(s, -1), np.expand_dims(s, -2)
    g_one, g_other = np.expand_dims(g, -1), np.expand_dims(g, -2)
    kept_one, kept_other = np.expand_dims(kept, -1), np.expand_dims(kept, -2)
    apart = np.where(kept_one != kept_other, one - other, 1.0)
    together = np.where(np.logical_or(kept_one, kept_other), one + other, 1.0)
    of_even = np.where(np.logical_and(kept_one, kept_other), -g_one * g_other, (g_one - g_other) / apart)
    of_odd = (g_one + g_other) / together
    seen = uh @ a_dot @ v
    inner = 0.5 * (of_even * (seen + hermitian(seen)) + of_odd * (seen - hermitian(seen)))
    squares = g * g
    rows = u * np.expand_dims(squares, -2) @ (uh @ a_dot - seen @ vh)
    columns = (a_dot @ v - u @ seen) * np.expand_dims(squares, -2) @ vh
    return u @ inner @ vh + rows + columns


def _pulled_through_all(z_bar, z, a):
    """The adjoint of a matrix, conjugated, whose pseudo-inverse leaves out no singular values but zeros."""
    z_h = hermitian(z)
    bar_h = transposed(z_bar)
    # Products as small as the smaller side of the matrix.
    if a.shape[-2] >= a.shape[-1]:
        inner = z_h @ (conjugated(z_bar) @ z_h)
        left = bar_h @ (z @ z_h)
        right = z_h @ (z @ bar_h)
        a_bar = left - a @ (z @ left) + right - right @ (z @ a) - inner
    else:
        inner = z_h @ conjugated(z_bar) @ z_h
        left = bar_h @ z @ z_h
        right = z_h @ z @ bar_h
        a_bar = left - a @ z @ left + right - right @ z @ a - inner
    return a_bar


def _pushed_through_all(z, a, a_dot):
    """The tangent of a pseudo-inverse that leaves out no singular values but zeros."""
    m, n = a.shape[-2], a.shape[-1]
    z_h = hermitian(z)
    dot_h = hermitian(a_dot)
    z_dot = -z @ a_dot @ z
    z_dot = z_dot + z @ z_h @ dot_h @ (_identity_like(a, m) - a @ z)
    return z_dot + (_identity_like(a, n) - z @ a) @ dot_h @ z_h @ z


@pull(
    np.linalg.pinv,
    wrt="a",
    cost=1000,
    extra=STACKED,
    shape=lambda a, rcond=None: (*a.shape[:-2], a.shape[-1], a.shape[-2]),
    notes="where as many singular values are kept",
    examples=lambda r: [
        r.normal(3, 3),
        r.normal(4, 2),
        r.normal(2, 4),
        r.normal(2, 3, 2),
        r.normal(4, 2) + 1j * r.normal(4, 2),
        (r.singular_values(1.0, 0.7, 0.1, rows=4), 0.3),
        (hermitian(r.singular_values(1.0, 0.7, 0.1, rows=5)), 0.3),
        (r.singular_values(1.0, 0.1, rows=2) + 1j * r.singular_values(0.2, 0.05, rows=2), 0.4),
    ],
)
def pinv_pull(z_bar, z, a, rcond=None):
    if rcond is not None and _leaves_out(rcond):
        a_bar = _derivative_of_kept(a, transposed(z_bar), rcond)
    else:
        a_bar = _pulled_through_all(z_bar, z, a)
    return conjugated(a_bar)


@push(np.linalg.pinv)
def pinv_push(z, a, rcond=None, *, a_dot):
    if rcond is not None and _leaves_out(rcond):
        z_dot = hermitian(_derivative_of_kept(a, a_dot, rcond))
    else:
        z_dot = _pushed_through_all(z, a, a_dot)
    return z_dot


@full(np.linalg.pinv)
def pinv(a, rcond=None, hermitian=False, rtol=None):
    return np.linalg.pinv(of_triangle(a, True) if hermitian else a, rcond if rtol is None else rtol)


@composite(
    np.linalg.lstsq,
    wrt="a b",
    notes="through the pseudo-inverse; where as many singular values are kept; residuals of dependent columns are NaN",
    examples=lambda r: [
        (r.normal(5, 3), r.normal(5)),
        (r.normal(5, 3), r.normal(5, 2)),
        (r.normal(2, 4), r.normal(2)),
        (r.normal(3, 3), r.normal(3)),
        (r.normal(4, 2) + 1j * r.normal(4, 2), r.normal(4) + 1j * r.normal(4)),
        (r.well_conditioned(3), r.normal(3), -1),
        (r.singular_values(1.0, 0.7, 0.1, rows=3), r.normal(3), 0.3),
    ],
)
def lstsq(a, b, rcond=None):
    m, n = a.shape
    a, b = as_floats(a), as_floats(b)
    s = np.linalg.svd(a, compute_uv=False)
    precision = precision_of((a[:1, :1] + b[:1]).dtype)
    if rcond is None:
        least = precision * np.maximum(m, n)
    else:
        least = np.where(rcond < 0.0, precision, rcond)  # as LAPACK takes it
    rank = np.sum(s > least * np.max(s, initial=0.0), dtype=np.int32)
    x = np.linalg.pinv(a, least) @ b
    residue = b - a @ x
    squares = np.sum(np.real(residue * conjugated(residue)), axis=0)
    if np.ndim(b) == 1:
        squares = np.reshape(squares, (1,))
    # NumPy gives no residuals unless there are more rows than columns: that the shapes say. That there are none of
    # dependent columns only the numbers say.
    squares = np.where(rank == n, squares, np.nan)
    kept = np.where(m > n, squares.shape[0], 0)
    return x, squares[:kept], rank, s
