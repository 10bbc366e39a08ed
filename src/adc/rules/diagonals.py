"""Rules of diagonals and triangles: diag, diagonal, diagflat, trace, tril, triu, vander, ..."""

import numpy as np

from adc.rules.dims import Dim
from adc.rules.reductions import in_dtype
from adc.rules.registry import composite, constant, linear, pull, push
from adc.rules.sampler import call


def _length(rows, columns, offset):
    """How many elements a diagonal has."""
    if isinstance(offset, int) and offset == 0:
        return np.minimum(rows, columns)
    return np.maximum(np.minimum(rows + np.minimum(offset, 0), columns - np.maximum(offset, 0)), 0)


def diagonal_of(a, offset=0):
    """The diagonal of the last two axes, which comes last."""
    steps = np.arange(_length(a.shape[-2], a.shape[-1], offset))
    full = (slice(None),) * (np.ndim(a) - 2)
    return a[full + (steps + np.maximum(-offset, 0), steps + np.maximum(offset, 0))]


@composite(
    np.diagonal,
    methods="diagonal",
    extra={"view": True},
    examples=lambda r: [
        r.normal(3, 3),
        r.normal(2, 4),
        (r.normal(3, 4), 1),
        (r.normal(4, 3), -2),
        call(r.normal(2, 3, 4), 0, 1, 2),
        call(r.normal(3, 2, 3), axis1=0, axis2=2),
        (r.normal(2, 2), 5),
    ],
)
def diagonal(a, offset=0, axis1=0, axis2=1):
    if np.ndim(a) < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    x = a if np.ndim(a) == 2 and axis1 == 0 and axis2 == 1 else np.moveaxis(a, (axis1, axis2), (-2, -1))
    return diagonal_of(x, offset)


def _matrix_with_diagonal(v, k):
    rows = v
    if not isinstance(k, int) or k != 0:
        above = np.zeros(np.maximum(-k, 0), dtype=v.dtype)
        below = np.zeros(np.maximum(k, 0), dtype=v.dtype)
        rows = np.concatenate((above, v, below))
    zero = 0.0 if v.dtype.kind in "fc" else False if v.dtype.kind == "b" else 0
    return np.where(np.eye(np.size(v) + abs(k), k=k) > 0.0, np.expand_dims(rows, 1), zero)


@composite(
    np.diag,
    wrt="v",
    extra={"view": "matrix"},
    examples=lambda r: [
        r.normal(3),
        (r.normal(3), 1),
        (r.normal(2), -2),
        r.normal(3, 3),
        (r.normal(3, 4), 1),
        r.normal(1),
        (r.normal(0), 1),
    ],
)
def diag(v, k=0):
    if np.ndim(v) == 1:
        return _matrix_with_diagonal(v, k)
    if np.ndim(v) != 2:
        raise ValueError("Input must be 1- or 2-d.")
    return diagonal_of(v, k)


@composite(np.diagflat, wrt="v", examples=lambda r: [r.normal(3), (r.normal(2, 2), 1)])
def diagflat(v, k=0):
    return _matrix_with_diagonal(np.reshape(v, (np.size(v),)), k)


@composite(
    np.trace,
    methods="trace",
    examples=lambda r: [
        r.normal(3, 3),
        r.normal(2, 4),
        (r.normal(3, 4), 1),
        (r.normal(4, 3), -2),
        call(r.normal(2, 3, 3), axis1=1, axis2=2),
    ],
)
def trace(a, offset=0, axis1=0, axis2=1):
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1)


def _triangle(m, k=0):
    # A row stands for the matrix of such rows.
    return m.shape if m.ndim > 1 else (m.shape[0], m.shape[0])


@linear(
    np.tril,
    wrt="m",
    shape=_triangle,
    examples=lambda r: [r.normal(3, 3), (r.normal(2, 4), 1), (r.normal(2, 3, 3), -1), r.normal(3)],
)
def tril(z_bar, m, k=0):
    return np.tril(z_bar, k)


@linear(
    np.triu,
    wrt="m",
    shape=_triangle,
    examples=lambda r: [r.normal(3, 3), (r.normal(2, 4), 1), (r.normal(2, 3, 3), -1), r.normal(3)],
)
def triu(z_bar, m, k=0):
    return np.triu(z_bar, k)


def _vander_shape(x, N=None, increasing=False):
    return x.shape[0], x.shape[0] if N is None else Dim.of(N)


@pull(
    np.vander,
    wrt="x",
    shape=_vander_shape,
    examples=lambda r: [
        r.normal(3),
        (r.normal(3), 2),
        (np.array([0.0, -1.5]), 4),
        call(r.normal(3), increasing=True),
        call(r.normal(2), 1, increasing=True),
    ],
)
def vander_pull(z_bar, z, x, N=None, increasing=False):
    n = z.shape[1]
    if increasing:
        return np.sum(z_bar[:, 1:] * np.arange(1, n) * z[:, :-1], axis=1)
    return np.sum(z_bar[:, :-1] * np.arange(n - 1, 0, -1) * z[:, 1:], axis=1)


@push(np.vander)
def vander_push(z, x, N=None, increasing=False, *, x_dot):
    n = z.shape[1]
    constant = np.zeros((x.shape[0], min(n, 1)), dtype=z.dtype)
    if increasing:
        return np.concatenate((constant, np.expand_dims(x_dot, 1) * np.arange(1, n) * z[:, :-1]), axis=1)
    return np.concatenate((np.expand_dims(x_dot, 1) * np.arange(n - 1, 0, -1) * z[:, 1:], constant), axis=1)


def _square(N, M=None, *_, **__):
    return Dim.of(N), Dim.of(N if M is None else M)


constant(np.eye, parameters="N, M=None, k=0, dtype=float", shape=_square, examples=lambda r: [3, (2, 3)])
constant(
    np.identity,
    parameters="n, dtype=None",
    shape=lambda n, dtype=None: (Dim.of(n), Dim.of(n)),
    examples=lambda r: [3],
)
constant(np.tri, parameters="N, M=None, k=0, dtype=float", shape=_square, examples=lambda r: [3, (2, 3)])


def _has_differences(start, stop):
    dtype = np.result_type(start, stop)
    return dtype.kind in "fc" or dtype == np.int64


@composite(
    np.linspace,
    wrt="start stop",
    examples=lambda r: [
        (0.5, 2.5, 5),
        (r.normal(2), r.normal(2), 3),
        call(0.5, 2.5, 4, endpoint=False),
        (0.5, 2.5, 1),
        call(0.5, 2.5, 5, retstep=True),
    ],
    extra={"float64_only": True},
)
def linspace(start, stop, num=50, endpoint=True, retstep=False):
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    dtype = np.result_type(start, stop, 0.0)
    divisions = np.maximum(num - 1 if endpoint else num, 1)
    # The difference of unsigned or small integers would wrap.
    step = ((stop - start) if _has_differences(start, stop) else (1.0 * stop - 1.0 * start)) / divisions
    steps = np.reshape(np.arange(num), (num,) + (1,) * np.ndim(step))
    points = start + steps * step
    if endpoint:
        points = np.where(steps == divisions, stop, points)  # to the bit: data may be compared with it
    points = in_dtype(points, dtype)
    return (points, in_dtype(step, dtype)) if retstep else points


@composite(
    np.logspace,
    wrt="start stop base",
    examples=lambda r: [(0.5, 2.5, 5), call(0.5, 2.5, 4, base=3.0)],
    extra={"float64_only": True},
)
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    return np.power(base, np.linspace(start, stop, num, endpoint))


@composite(
    np.geomspace,
    wrt="start stop",
    examples=lambda r: [(0.5, 2.5, 5), call(2.5, 0.5, 4, endpoint=False), (-0.5, -2.5, 4)],
    extra={"float64_only": True},
    notes="ends of one sign",
)
def geomspace(start, stop, num=50, endpoint=True):
    # In double precision, whatever the ends have; of small integers the logarithm has half precision.
    dtype = np.result_type(start, stop, np.float64)
    first, last = in_dtype(1.0 * start, dtype), in_dtype(1.0 * stop, dtype)
    if np.any(first == 0.0) or np.any(last == 0.0):
        raise ValueError("Geometric sequence cannot include zero")
    sign = np.sign(first)
    points = sign * np.power(10.0, np.linspace(np.log10(first / sign), np.log10(last / sign), num, endpoint))
    part = np.reshape(np.linspace(0.0, 1.0, num, endpoint), (num,) + (1,) * (np.ndim(points) - 1))
    points = np.where(part == 0.0, start, points)  # the ends to the bit: data may be compared with them
    return np.where(part == 1.0, stop, points) if endpoint else points
