"""Rules of matrix factorizations: qr, svd, eigh, eig and what is read off them.

Equal eigenvalues or singular values make the vectors discontinuous: what depends on how the vectors of such a
pair turn has no derivative that the vectors could tell, and gets NaN; what does not depend on them, as functions of
the values alone, keeps its own. Source: Giles (2008); Townsend, "Differentiating the singular value
decomposition" (2016).
"""

import numpy as np

from adc.rules import shapes
from adc.rules.linear_systems import STACKED, bar_of_triangle, dot_of_triangle, symmetric
from adc.rules.products import conjugated, hermitian, transposed
from adc.rules.registry import composite, pull, push, static
from adc.rules.sampler import call
from adc.rules.shapes import smaller


def _qr_shape(a, mode="reduced"):
    *batch, m, n = a.shape
    k = m if mode == "complete" else smaller(m, n)
    return (*batch, k, n) if mode == "r" else ((*batch, m, k), (*batch, k, n))


def svd_shape(a, full_matrices=True, compute_uv=True):
    *batch, m, n = a.shape
    k = smaller(m, n)
    if not compute_uv:
        return (*batch, k)
    return ((*batch, m, m if full_matrices else k), (*batch, k), (*batch, n if full_matrices else k, n))


def eig_shape(a, *_, require, **__):
    shape = shapes.require_square(a, require)
    return shape[:-1], shape


def _reciprocal(x):
    """1 / x, and 0 at 0."""
    return np.where(x == 0.0, 0.0, 1.0 / np.where(x == 0.0, 1.0, x))


def over_gaps(x, w, turning):
    """x[i, j] / (w[j] - w[i]), and 0 for i = j. Where two values are equal 0 if nothing turns their vectors, or NaN."""
    gap = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    turned = ((turning != 0.0) | (transposed(turning) != 0.0)) & (np.eye(w.shape[-1]) == 0.0)
    return x * np.where((gap == 0.0) & turned, np.nan, _reciprocal(gap))


def _diagonal_matrix(w):
    return np.expand_dims(w, -1) * np.eye(w.shape[-1], dtype=w.dtype)


# --- QR -----------------------------------------------------------------------------------------------------


def _over(x, r):
    """X r^-1."""
    return transposed(np.linalg.solve(transposed(r), transposed(x)))


def _mirrored(x):
    """The lower triangle, completed to a Hermitian matrix."""
    lower = (
        np.tril(x, -1) + np.real(x) * np.eye(x.shape[-1], dtype=x.dtype) if np.iscomplexobj(x) else np.tril(x)
    )
    return lower + hermitian(np.tril(x, -1))


def _turning(s):
    """The skew-Hermitian matrix that makes s upper triangular, with a real diagonal, when it is taken away."""
    below = np.tril(s, -1)
    turning = below - hermitian(below)
    return turning + 1j * np.imag(s) * np.eye(s.shape[-1], dtype=s.dtype) if np.iscomplexobj(s) else turning


def _parts(r, k):
    """The square part of a triangular factor, and what stands beside it."""
    return r[..., :k, :k], r[..., :k, k:]


def _completion(q, k):
    """The columns that complete a basis are [m x; 1 + lower x], as Q = 1 - V T V^H is a product of reflections.

    Of Q1 = [m + 1; lower] the reflections are known: m = -V1 T V1^H, lower = -V2 T V1^H, so x = -T' V2^H.
    """
    lower = q[..., k:, :k]
    # Without such columns m may be singular and is not wanted: of a unitary matrix less 3 it is not.
    one = np.eye(k, dtype=q.dtype)
    m = q[..., :k, :k] - np.where(np.shape(lower)[-2] > 0, one, 3.0 * one)
    return lower, m, np.linalg.solve(hermitian(m), hermitian(lower))


@pull(
    np.linalg.qr,
    wrt="a",
    cost=1000,
    shape=_qr_shape,
    extra=STACKED,
    notes='where the rank is full; modes "reduced", "complete" and "r"',
    examples=lambda r: [
        r.normal(3, 3),
        r.normal(5, 3),
        r.normal(2, 4),
        call(r.normal(4, 3), mode="r"),
        r.normal(2, 4, 3),
        r.normal(1, 1),
        call(r.normal(4, 2), mode="complete"),
        call(r.normal(2, 4), mode="complete"),
        call(r.normal(2, 4), mode="r"),
        r.normal(3, 3) + 1j * r.normal(3, 3),
        r.normal(4, 2) + 1j * r.normal(4, 2),
        call(r.normal(2, 3) + 1j * r.normal(2, 3), mode="r"),
    ],
)
def qr_pull(z_bar, z, a, mode="reduced"):
    # A wide matrix [X Y] = Q [U V] is the tall problem X = Q U, with Y = Q V beside it.
    k = np.minimum(a.shape[-2], a.shape[-1])
    if mode == "r":
        u, _ = _parts(z, k)
        u_bar, v_bar = _parts(conjugated(z_bar), k)
        q = _over(a[..., :k], u)
        q_bar = a[..., k:] @ hermitian(v_bar)
    else:
        q, r = z
        q_bar, r_bar = conjugated(z_bar[0]), conjugated(z_bar[1])
        u, _ = _parts(r, k)
        u_bar, v_bar = _parts(r_bar, k)
        if mode == "complete":
            lower, m, x = _completion(q, k)
            upper_bar, lower_bar = q_bar[..., :k, k:], q_bar[..., k:, k:]
            y = np.linalg.solve(m, hermitian(m) @ upper_bar + hermitian(lower) @ lower_bar)
            m_bar = upper_bar @ hermitian(x) - x @ hermitian(y)
            rest_bar = np.concatenate((m_bar, lower_bar @ hermitian(x) + hermitian(y)), axis=-2)
            q_bar = q_bar[..., :k] + rest_bar
            q = q[..., :k]
        q_bar = q_bar + a[..., k:] @ hermitian(v_bar)
    inner = u @ hermitian(u_bar) - hermitian(q_bar) @ q
    x_bar = hermitian(np.linalg.solve(u, hermitian(q_bar + q @ _mirrored(inner))))
    return conjugated(np.concatenate((x_bar, q @ v_bar), axis=-1))


@push(np.linalg.qr)
def qr_push(z, a, mode="reduced", *, a_dot):
    k = np.minimum(a.shape[-2], a.shape[-1])
    if mode == "r":
        r = z
        u, _ = _parts(r, k)
        q = _over(a[..., :k], u)
    else:
        full_q, r = z
        u, _ = _parts(r, k)
        q = full_q[..., :k]
    w = _over(a_dot[..., :k], u)
    s = hermitian(q) @ w
    omega = _turning(s)
    q_dot = w - q @ (s - omega)
    v_dot = hermitian(q_dot) @ a[..., k:] + hermitian(q) @ a_dot[..., k:]
    r_dot = np.concatenate(((s - omega) @ u, v_dot), axis=-1)
    if mode == "r":
        return r_dot
    if mode == "complete":
        lower, m, x = _completion(full_q, k)
        m_dot, lower_dot = q_dot[..., :k, :], q_dot[..., k:, :]
        x_dot = np.linalg.solve(hermitian(m), hermitian(lower_dot) - hermitian(m_dot) @ x)
        rest_dot = np.concatenate((m_dot @ x + m @ x_dot, lower_dot @ x + lower @ x_dot), axis=-2)
        q_dot = np.concatenate((q_dot, rest_dot), axis=-1)
        r_dot = np.concatenate((r_dot, np.zeros_like(r[..., k:, :])), axis=-2)
    return q_dot, r_dot


# --- singular values ----------------------------------------------------------------------------------------


def _skew(x):
    return x - hermitian(x)


def _phases(x, s):
    """What turns left and right vectors against each other: the imaginary part of a diagonal, shared by both."""
    return 0.5j * np.imag(np.diagonal(x, 0, -2, -1)) * _reciprocal(s)


def _thin_svd_pull(u_bar, s_bar, vt_bar, u, s, vt):
    v, u_bar, v_bar = hermitian(vt), conjugated(u_bar), transposed(vt_bar)
    rows = np.expand_dims(s, -1)
    columns = np.expand_dims(s, -2)
    of_u, of_v = hermitian(u) @ u_bar, vt @ v_bar
    inner = over_gaps(_skew(of_u), s * s, of_u) * columns + rows * over_gaps(_skew(of_v), s * s, of_v)
    if np.iscomplexobj(u):
        inner = inner + _diagonal_matrix(_phases(of_u - of_v, s))
    a_bar = (u * np.expand_dims(s_bar, -2) + u @ inner) @ vt
    scaled_u = u_bar * np.expand_dims(_reciprocal(s), -2)
    a_bar = a_bar + (scaled_u - u @ (hermitian(u) @ scaled_u)) @ vt
    scaled_v = v_bar * np.expand_dims(_reciprocal(s), -2)
    return conjugated(a_bar + u @ hermitian(scaled_v - v @ (vt @ scaled_v)))


@pull(
    np.linalg.svd,
    wrt="a",
    cost=1000,
    shape=svd_shape,
    extra=STACKED,
    notes="NaN where vectors of equal singular values are used, or which ones complete a basis; complex vectors"
    " up to their phases, which LAPACK chooses",
    examples=lambda r: [
        call(r.normal(3, 3)),
        call(r.normal(4, 2), full_matrices=False),
        call(r.normal(2, 4), full_matrices=False),
        call(r.normal(3, 4), compute_uv=False),
        call(r.normal(2, 3, 2), full_matrices=False),
        call(r.normal(2, 4, 3), compute_uv=False),
        call(r.normal(3, 2), full_matrices=True),
        call(r.normal(3, 4) + 1j * r.normal(3, 4), compute_uv=False),
    ],
)
def svd_pull(z_bar, z, a, full_matrices=True, compute_uv=True):
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return conjugated(u @ (np.expand_dims(z_bar, -1) * vt))
    u, s, vt = z
    u_bar, s_bar, vt_bar = z_bar
    if not full_matrices:
        return _thin_svd_pull(u_bar, s_bar, vt_bar, u, s, vt)
    k = s.shape[-1]
    u1, u2, u2_bar = u[..., :k], u[..., k:], u_bar[..., k:]
    v1, v2, v2_bar = vt[..., :k, :], vt[..., k:, :], vt_bar[..., k:, :]
    u1_bar = u_bar[..., :k] - conjugated(u2) @ transposed(u2_bar) @ conjugated(u1)
    v1_bar = vt_bar[..., :k, :] - conjugated(v1) @ hermitian(v2_bar) @ conjugated(v2)
    a_bar = _thin_svd_pull(u1_bar, s_bar, v1_bar, u1, s, v1)
    unknown = _nan_if_turned(hermitian(u2) @ conjugated(u2_bar)) + _nan_if_turned(v2 @ transposed(v2_bar))
    return a_bar + unknown


def _nan_if_turned(asked):
    """NaN where a function depends on how vectors turn among each other, of which only the space is known.

    Rounding makes such a dependence, too; one that is meant is not so small.
    """
    turned = np.sum(np.abs(_skew(asked)), axis=(-2, -1), keepdims=True)
    meant = turned > 1e-5 * np.sum(np.abs(asked), axis=(-2, -1), keepdims=True)
    return np.where(meant, np.nan, 0.0 * turned)


def _thin_svd_push(u, s, vt, a_dot):
    v = hermitian(vt)
    rows = np.expand_dims(s, -1)
    columns = np.expand_dims(s, -2)
    p = hermitian(u) @ a_dot @ v
    inverse = np.expand_dims(_reciprocal(s), -2)
    left = (a_dot @ v) * inverse
    right = (hermitian(a_dot) @ u) * inverse
    u_dot = u @ over_gaps(p * columns + rows * hermitian(p), s * s, p) + left - u @ (hermitian(u) @ left)
    v_dot = v @ over_gaps(rows * p + hermitian(p) * columns, s * s, p) + right - v @ (vt @ right)
    if np.iscomplexobj(u):
        turned = np.expand_dims(_phases(p, s), -2)
        u_dot, v_dot = u_dot + u * turned, v_dot - v * turned
    return u_dot, np.real(np.diagonal(p, 0, -2, -1)), hermitian(v_dot)


@push(np.linalg.svd)
def svd_push(z, a, full_matrices=True, compute_uv=True, *, a_dot):
    if not compute_uv:
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        return np.real(np.diagonal(hermitian(u) @ a_dot @ hermitian(vt), 0, -2, -1))
    u, s, vt = z
    k = s.shape[-1]
    u_dot, s_dot, vt_dot = _thin_svd_push(u[..., :k], s, vt[..., :k, :], a_dot)
    if not full_matrices:
        return u_dot, s_dot, vt_dot
    u2_dot = -u[..., :k] @ hermitian(u_dot) @ u[..., k:]
    v2_dot = -vt[..., k:, :] @ hermitian(vt_dot) @ vt[..., :k, :]
    return np.concatenate((u_dot, u2_dot), axis=-1), s_dot, np.concatenate((vt_dot, v2_dot), axis=-2)


# --- eigenvalues --------------------------------------------------------------------------------------------


@static
def _reads_lower(UPLO):
    return UPLO.upper() == "L"


@pull(
    np.linalg.eigh,
    wrt="a",
    cost=1000,
    shape=eig_shape,
    extra={**STACKED, "directions": {"a": symmetric}},
    notes="as cholesky; NaN where vectors of equal eigenvalues are used; complex vectors up to their"
    " phases, which LAPACK chooses",
    examples=lambda r: [
        r.positive_definite(3),
        r.positive_definite(2, 3),
        call(r.positive_definite(3), UPLO="U"),
        r.positive_definite(1),
    ],
)
def eigh_pull(z_bar, z, a, UPLO="L"):
    w_bar, v_bar = z_bar
    w, v = z
    turning = hermitian(v) @ conjugated(v_bar)
    inner = over_gaps(turning, w, turning)
    a_bar = conjugated(symmetric((v * np.expand_dims(w_bar, -2) + v @ inner) @ hermitian(v)))
    return bar_of_triangle(a_bar, a, _reads_lower(UPLO))


@push(np.linalg.eigh)
def eigh_push(z, a, UPLO="L", *, a_dot):
    w, v = z
    p = hermitian(v) @ dot_of_triangle(a_dot, a, _reads_lower(UPLO)) @ v
    return np.real(np.diagonal(p, 0, -2, -1)), v @ over_gaps(p, w, p)


@composite(
    np.linalg.eigvalsh,
    notes="as eigh",
    extra={"directions": {"a": symmetric}},
    examples=lambda r: [
        r.positive_definite(3),
        r.positive_definite(2, 3),
        call(r.positive_definite(3), UPLO="U"),
        r.hermitian(3),
    ],
)
def eigvalsh(a, UPLO="L"):
    w, _ = np.linalg.eigh(a, UPLO)
    return w


def _real_eigenvalues(r, *batch):
    return r.positive_definite(3, *batch) + 0.05 * r.normal(*batch, 3, 3)


def _phases_fixed_by(v):
    """1 / v where a complex vector is real: LAPACK turns it so that its largest component is; 0 elsewhere."""
    largest = np.expand_dims(np.argmax(np.abs(v), axis=-2), -2)
    there = np.expand_dims(np.arange(v.shape[-1]), -1) == largest
    return np.where(there, 1.0 / np.where(there, np.real(v), 1.0), 0.0)


@pull(
    np.linalg.eig,
    wrt="a",
    cost=1000,
    shape=eig_shape,
    extra={**STACKED, "may_be_complex": True, "order": "A"},
    examples=lambda r: [_real_eigenvalues(r), _real_eigenvalues(r, 2), r.normal(3, 3) + 1j * r.normal(3, 3)],
    notes="vectors of unit length, the largest component of a complex one real, as LAPACK gives them",
)
def eig_pull(z_bar, z, a):
    w_bar, v_bar = z_bar
    w, v = z
    if np.iscomplexobj(v):
        turned = np.expand_dims(np.imag(np.sum(v_bar * v, axis=-2)), -2)
        v_bar = v_bar - 1j * turned * _phases_fixed_by(v)
    projected = transposed(v) @ v_bar
    lengths = np.expand_dims(np.real(np.diagonal(projected, 0, -2, -1)), -2)
    turning = projected - transposed(v) @ np.conjugate(v) * lengths
    inner = _diagonal_matrix(w_bar) + over_gaps(turning, w, turning)
    # SciPy's values are complex where the vectors may be real; a system has one dtype.
    matrix = transposed(v) + 0.0 * inner
    return np.linalg.solve(matrix, inner @ transposed(v))


@push(np.linalg.eig)
def eig_push(z, a, *, a_dot):
    w, v = z
    p = np.linalg.solve(v, a_dot @ v)
    turned = over_gaps(p, w, p)
    stretched = np.real(np.diagonal(transposed(np.conjugate(v)) @ v @ turned, 0, -2, -1))
    v_dot = v @ turned - v * np.expand_dims(stretched, -2)
    if np.iscomplexobj(v):
        v_dot = v_dot - 1j * v * np.expand_dims(np.sum(np.imag(v_dot) * _phases_fixed_by(v), axis=-2), -2)
    return np.diagonal(p, 0, -2, -1), v_dot


@composite(
    np.linalg.eigvals,
    notes="as eig",
    examples=lambda r: [_real_eigenvalues(r), np.array([[1.0, 2.0], [-3.0, 0.5]])],
)
def eigvals(a):
    w, _ = np.linalg.eig(a)
    return w
