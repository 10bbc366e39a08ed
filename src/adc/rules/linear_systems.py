"""Rules of linear systems and determinants: solve, inv, det, slogdet, cholesky, matrix_power, ...

Source of the formulas: Giles, "Collected matrix derivative results for forward and reverse mode" (2008).
All act on the last two axes. Adjoints are transposes, not conjugates: complex matrices follow.
"""

import numpy as np

from adc.rules import shapes
from adc.rules.products import conjugated, hermitian, transposed
from adc.rules.registry import composite, full, pull, push, static
from adc.rules.sampler import call

STACKED = {"stacked": 2}


def square(a, *_, require, **__):
    return shapes.require_square(a, require)


def stack_of_numbers(a, require):
    return shapes.require_square(a, require)[:-2]


def symmetric(x):
    """The symmetric part of a real matrix, the Hermitian part of a complex one."""
    return 0.5 * (x + hermitian(x))


def of_triangle(a, lower):
    """The Hermitian matrix of which one triangle is read; its diagonal is real."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    return half + hermitian(half) + np.real(a) * np.eye(a.shape[-1], dtype=a.dtype)


def _is_filled_on_both_sides(a):
    """Whether a matrix is Hermitian, and not only as there is nothing beside its diagonal.

    Of a diagonal matrix nobody knows whether one triangle was filled, or both: only the one that is read counts then.
    """
    beside = (a != 0.0) & (np.eye(a.shape[-1]) == 0.0)
    return np.all(a == hermitian(a)) & np.any(beside)


def bar_of_triangle(bar, a, lower=True):
    """The adjoint of a matrix of which one triangle is read, from that of the Hermitian matrix.

    It stays Hermitian where the matrix is filled on both sides, as in JAX and PyTorch: right for every change that
    keeps it so.
    """
    folded = 2.0 * (np.tril(bar) if lower else np.triu(bar)) - bar * np.eye(bar.shape[-1], dtype=bar.dtype)
    return np.where(_is_filled_on_both_sides(a), bar, folded)


def dot_of_triangle(a_dot, a, lower=True):
    """The tangent of the Hermitian matrix of which one triangle is read."""
    return np.where(_is_filled_on_both_sides(a), symmetric(a_dot), of_triangle(a_dot, lower))


def _complex_matrix(r, n):
    return r.well_conditioned(n) + 0.3j * r.normal(n, n)


def _solve(a, b):
    """a^-1 b for one matrix b or for a stack of vectors b."""
    if np.ndim(b) == np.ndim(a) or np.ndim(a) == 2:
        return np.linalg.solve(a, b)
    return np.squeeze(np.linalg.solve(a, np.expand_dims(b, -1)), -1)


def _solved(a, b, require):
    shapes.require_square(a, require)
    require(a.shape[-1], b.shape[-1] if b.ndim == 1 else b.shape[-2])
    if b.ndim == 1:
        return (*a.shape[:-2], a.shape[-1])
    return (*shapes.broadcast([tuple(a.shape[:-2]), tuple(b.shape[:-2])], require), *b.shape[-2:])


@pull(
    np.linalg.solve,
    wrt="a b",
    cost=1000,
    shape=_solved,
    extra=STACKED,
    examples=lambda r: [
        (r.well_conditioned(4), r.normal(4)),
        (r.well_conditioned(3), r.normal(3, 2)),
        (r.well_conditioned(3, 2), r.normal(2, 3, 2)),
        (r.well_conditioned(3, 2), r.normal(3)),
        (r.well_conditioned(3), r.normal(2, 3, 2)),
        (r.well_conditioned(1), r.normal(1)),
        (_complex_matrix(r, 3), r.normal(3) + 1j * r.normal(3)),
    ],
)
def solve_pull(x_bar, x, a, b):
    if np.ndim(b) == 1:
        b_bar = _solve(transposed(a), x_bar)
        if np.ndim(a) == 2:
            return -np.outer(b_bar, x), b_bar
        return -np.expand_dims(b_bar, -1) * np.expand_dims(x, -2), b_bar
    b_bar = np.linalg.solve(transposed(a), x_bar)
    return -b_bar @ transposed(x), b_bar


@push(np.linalg.solve)
def solve_push(x, a, b, *, a_dot, b_dot):
    if np.ndim(b) == 1 and np.ndim(a) == 2:
        return np.linalg.solve(a, b_dot - a_dot @ x)
    if np.ndim(b) == 1:
        return _solve(a, b_dot - np.squeeze(a_dot @ np.expand_dims(x, -1), -1))
    return np.linalg.solve(a, b_dot - a_dot @ x)


@pull(
    np.linalg.inv,
    wrt="a",
    cost=1000,
    shape=square,
    extra=STACKED,
    examples=lambda r: [
        r.well_conditioned(3),
        r.well_conditioned(2, 3),
        r.well_conditioned(1),
        _complex_matrix(r, 3),
    ],
)
def inv_pull(z_bar, z, a):
    return -transposed(z) @ z_bar @ transposed(z)


@push(np.linalg.inv)
def inv_push(z, a, *, a_dot):
    return -z @ a_dot @ z


def spread(z):
    """A number per matrix, ready to multiply the matrices."""
    return np.expand_dims(z, (-2, -1)) if np.ndim(z) > 0 else z


def _trace_of_solve(a, a_dot):
    """trace(a^-1 a_dot) for each matrix."""
    return np.sum(np.diagonal(np.linalg.solve(a, a_dot), 0, -2, -1), axis=-1)


def have_inverses(dets):
    """Whether matrices with these determinants can be inverted. Generated code takes it for so, or raises."""
    return np.all(dets != 0.0)


@static
def _has_few_rows(n):
    """Whether matrices are known to have up to three rows: their cofactors are plain."""
    return isinstance(n, int) and n in (1, 2, 3)


def _cofactors_of_few_rows(a):
    if a.shape[-1] == 3:
        first, second, third = a[..., 0, :], a[..., 1, :], a[..., 2, :]
        rows = np.cross(second, third), np.cross(third, first), np.cross(first, second)
        return np.stack(rows, axis=-2)
    if a.shape[-1] == 1:
        return np.ones_like(a)
    first = np.stack((a[..., 1, 1], -a[..., 1, 0]), axis=-1)
    return np.stack((first, np.stack((-a[..., 0, 1], a[..., 0, 0]), axis=-1)), axis=-2)


def _cofactors(a):
    """The derivative of det where the matrix has no inverse: of the products of all singular values but one."""
    u, s, vh = np.linalg.svd(a)
    others = np.prod(np.where(np.eye(a.shape[-1]) == 1.0, 1.0, np.expand_dims(s, -2)), axis=-1)
    turned = conjugated(u) * np.expand_dims(others, -2) @ conjugated(vh)
    return spread(np.linalg.det(u) * np.linalg.det(vh)) * turned


@pull(
    np.linalg.det,
    wrt="a",
    cost=1000,
    shape=stack_of_numbers,
    extra=STACKED,
    notes="at a singular matrix the cofactors, of four rows and more by the tape",
    examples=lambda r: [
        r.well_conditioned(3),
        r.well_conditioned(4),
        r.well_conditioned(2, 3),
        r.well_conditioned(2, 2),
        r.well_conditioned(1),
        _complex_matrix(r, 3),
        _complex_matrix(r, 4),
    ],
)
def det_pull(z_bar, z, a):
    if _has_few_rows(a.shape[-1]):
        return spread(z_bar) * _cofactors_of_few_rows(a)
    if have_inverses(z):
        return spread(z_bar * z) * transposed(np.linalg.inv(a))
    return spread(z_bar) * _cofactors(a)


@push(np.linalg.det)
def det_push(z, a, *, a_dot):
    if _has_few_rows(a.shape[-1]):
        return np.sum(_cofactors_of_few_rows(a) * a_dot, axis=(-2, -1))
    if have_inverses(z):
        return z * _trace_of_solve(a, a_dot)
    return np.sum(_cofactors(a) * a_dot, axis=(-2, -1))


@pull(
    np.linalg.slogdet,
    wrt="a",
    cost=1000,
    extra=STACKED,
    shape=lambda a, require: (stack_of_numbers(a, require),) * 2,
    examples=lambda r: [
        r.well_conditioned(3),
        r.well_conditioned(2, 3),
        r.well_conditioned(1),
        _complex_matrix(r, 3),
    ],
)
def slogdet_pull(z_bar, z, a):
    sign_bar, log_bar = z_bar
    sign, _ = z
    if np.iscomplexobj(a):
        log_bar = log_bar - 1j * np.real(1j * sign_bar * sign)
    if not have_inverses(sign):  # then the inverse is only there, and raises, where it is wanted
        a = np.where(spread((sign == 0.0) & (log_bar == 0.0)), np.eye(a.shape[-1], dtype=a.dtype), a)
    return spread(log_bar) * transposed(np.linalg.inv(a))


@push(np.linalg.slogdet)
def slogdet_push(z, a, *, a_dot):
    sign, _ = z
    trace = _trace_of_solve(a, a_dot)
    if np.iscomplexobj(a):
        return sign * 1j * np.imag(trace), np.real(trace)
    return np.zeros_like(sign), trace


def halved(x):
    """The lower triangle, its diagonal halved."""
    return np.tril(x) - 0.5 * x * np.eye(x.shape[-1], dtype=x.dtype)


@pull(
    np.linalg.cholesky,
    wrt="a",
    cost=1000,
    shape=square,
    extra={**STACKED, "directions": {"a": symmetric}},
    notes="the adjoint of a symmetric matrix is symmetric, as in JAX and PyTorch; of others, and of a diagonal "
    "one, that of the triangle read",
    examples=lambda r: [
        r.positive_definite(3),
        r.positive_definite(2, 3),
        r.positive_definite(1),
        r.hermitian(3),
    ],
)
def cholesky_pull(z_bar, z, a):
    inner = halved(hermitian(z) @ conjugated(z_bar))
    right = hermitian(np.linalg.solve(hermitian(z), hermitian(inner)))
    return bar_of_triangle(conjugated(symmetric(np.linalg.solve(hermitian(z), right))), a)


@push(np.linalg.cholesky)
def cholesky_push(z, a, *, a_dot):
    left = np.linalg.solve(z, dot_of_triangle(a_dot, a))
    return z @ halved(hermitian(np.linalg.solve(z, hermitian(left))))


@full(np.linalg.cholesky)
def either_cholesky(a, *, upper=False):
    return hermitian(np.linalg.cholesky(hermitian(a))) if upper else np.linalg.cholesky(a)


@composite(
    np.linalg.matrix_power,
    examples=lambda r: [
        (r.well_conditioned(3), 0),
        (r.well_conditioned(3), 1),
        (r.well_conditioned(3), 5),
        (r.well_conditioned(3), -2),
        (r.well_conditioned(2, 3), 3),
    ],
)
def matrix_power(a, n):
    if n == 0:
        return np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype)
    base = np.linalg.inv(a) if n < 0 else a
    result = None
    for bit in _bits(abs(n)):
        if bit:
            result = base if result is None else result @ base
        base = base @ base
    return result


@static
def _bits(n):
    """The binary digits, the last first."""
    return tuple(digit == "1" for digit in bin(n)[:1:-1])


@composite(np.linalg.tensorinv, examples=lambda r: [(r.normal(4, 2, 2), 1), call(r.normal(2, 3, 6), ind=2)])
def tensorinv(a, ind=2):
    first, rest = np.shape(a)[:ind], np.shape(a)[ind:]
    n = 1
    for length in rest:
        n = n * length
    return np.reshape(np.linalg.inv(np.reshape(a, (n, n))), rest + first)


@composite(np.linalg.tensorsolve, wrt="a b", examples=lambda r: [(r.normal(2, 3, 6), r.normal(2, 3))])
def tensorsolve(a, b, axes=None):
    x = a
    if axes is not None:
        order = _last(axes, np.ndim(a))
        x = np.transpose(a, order)
    rest = np.shape(x)[np.ndim(b) :]
    n = np.size(b)
    return np.reshape(np.linalg.solve(np.reshape(x, (n, n)), np.reshape(b, (n,))), rest)


@static
def _last(axes, ndim):
    """The order that moves some axes to the end."""
    return (*(k for k in range(ndim) if k not in axes), *axes)
