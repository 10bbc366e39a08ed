"""Rules of matrix, vector and tensor products in all ranks. Transposes only, never conjugates: complex
operands follow.
"""

import operator

import numpy as np

from adc.rules import shapes
from adc.rules.registry import composite, lowered, pull, push, static
from adc.rules.sampler import call


def _contracted(a, b, require):
    """The lengths that are summed over are equal."""
    require(a.shape[-1], b.shape[0] if b.ndim == 1 else b.shape[-2])


def _matmul_shape(a, b, require=lambda x, y: None):
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("matmul: operands do not have enough dimensions")
    _contracted(a, b, require)
    rows = a.shape[-2:-1] if a.ndim > 1 else ()
    columns = b.shape[-1:] if b.ndim > 1 else ()
    return (*shapes.broadcast([tuple(a.shape[:-2]), tuple(b.shape[:-2])], require), *rows, *columns)


def _dot_shape(a, b, require=lambda x, y: None):
    if not shapes.shape_of(a) or not shapes.shape_of(b):
        return shapes.shape_of(a) + shapes.shape_of(b)
    _contracted(a, b, require)
    return (*a.shape[:-1], *b.shape[:-2], *(b.shape[-1:] if b.ndim > 1 else ()))


def transposed(x):
    """The last two axes exchanged."""
    return x.T if np.ndim(x) == 2 else np.swapaxes(x, -1, -2)


def conjugated(x):
    """The complex conjugate; real numbers as they are. It makes of an adjoint the gradient of textbooks."""
    return np.conjugate(x) if np.iscomplexobj(x) else x


def hermitian(x):
    """The conjugate transpose of the last two axes."""
    return conjugated(transposed(x))


@pull(
    np.matmul,
    operator.matmul,
    operator.imatmul,
    wrt="a b",
    symbol="@",
    shape=_matmul_shape,
    cost=100,
    extra={"positional": True, "stacked": 2, "order": "C"},
    examples=lambda r: [
        (r.normal(3), r.normal(3)),
        (r.normal(2, 3), r.normal(3)),
        (r.normal(3), r.normal(3, 2)),
        (r.normal(2, 3), r.normal(3, 4)),
        (r.normal(5, 2, 3), r.normal(5, 3, 4)),
        (r.normal(5, 2, 3), r.normal(3, 4)),
        (r.normal(2, 3), r.normal(5, 3, 4)),
        (r.normal(3), r.normal(5, 3, 4)),
        (r.normal(5, 2, 3), r.normal(3)),
        (r.normal(2, 1, 2, 3), r.normal(4, 3, 2)),
        (r.normal(0, 3), r.normal(3, 2)),
        (r.normal(2, 0), r.normal(0, 3)),
        (r.normal(2, 3, 0), r.normal(2, 0, 4)),
        (r.normal(0, 2, 3), r.normal(3, 4)),
        (r.normal(2, 3) + 1j * r.normal(2, 3), r.normal(3, 2) - 1j * r.normal(3, 2)),
    ],
)
def matmul_pull(z_bar, z, a, b):
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return z_bar * b, z_bar * a
    if np.ndim(a) == 2 and np.ndim(b) == 1:
        return np.outer(z_bar, b), a.T @ z_bar
    if np.ndim(a) == 1 and np.ndim(b) == 2:
        return b @ z_bar, np.outer(a, z_bar)
    if np.ndim(b) == 1:
        column = np.expand_dims(z_bar, -1)
        return column * b, np.squeeze(transposed(a) @ column, -1)
    if np.ndim(a) == 1:
        row = np.expand_dims(z_bar, -2)
        return np.squeeze(b @ np.expand_dims(z_bar, -1), -1), np.expand_dims(a, -1) * row
    # One product over all of the stack, not a product for each and their sum.
    if np.ndim(a) > 2 and np.ndim(b) == 2:
        rows = _but_last(np.ndim(a))
        return z_bar @ b.T, np.tensordot(a, z_bar, (rows, rows))
    return z_bar @ transposed(b), transposed(a) @ z_bar


@push(np.matmul)
def matmul_push(z, a, b, *, a_dot, b_dot):
    return a_dot @ b + a @ b_dot


@static
def _but_last(ndim):
    return tuple(range(ndim - 1))


@static
def _dot_axes(a_ndim, b_ndim):
    """Axes of z and b, and of a and z, over which the adjoints of np.dot are contracted."""
    rest_of_b = (*range(b_ndim - 2), b_ndim - 1)
    return tuple(range(a_ndim - 1, a_ndim + b_ndim - 2)), rest_of_b, tuple(range(a_ndim - 1))


@pull(
    np.dot,
    wrt="a b",
    methods="dot",
    shape=_dot_shape,
    cost=100,
    extra={"positional": True, "ranks": (1, 2), "arrays": "a b", "order": "C"},
    examples=lambda r: [
        (1.5, 2.5),
        (r.normal(3), r.normal(3)),
        (r.normal(2, 3), r.normal(3)),
        (r.normal(3), r.normal(3, 2)),
        (r.normal(2, 3), r.normal(3, 4)),
        (2.0, r.normal(3)),
        (r.normal(2, 3), 2.0),
        (r.normal(2, 3), 2),
        (r.normal(2, 2, 3), r.normal(3)),
        (r.normal(2, 2, 3), r.normal(3, 4)),
        (r.normal(2, 3), r.normal(4, 3, 2)),
        (r.normal(3), r.normal(4, 3, 2)),
    ],
)
def dot_pull(z_bar, z, a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return z_bar * b, z_bar * a
    if np.ndim(a) <= 2 and np.ndim(b) <= 2:
        return matmul_pull(z_bar, z, a, b)
    if np.ndim(b) == 1:
        return np.expand_dims(z_bar, -1) * b, np.tensordot(z_bar, a, np.ndim(z_bar))
    z_axes, b_axes, a_axes = _dot_axes(np.ndim(a), np.ndim(b))
    return (
        np.tensordot(z_bar, b, (z_axes, b_axes)),
        np.moveaxis(np.tensordot(a, z_bar, (a_axes, a_axes)), 0, -2),
    )


@push(np.dot)
def dot_push(z, a, b, *, a_dot, b_dot):
    return np.dot(a_dot, b) + np.dot(a, b_dot)


@lowered(np.dot)
def dot_by_axes(a, b):
    if np.ndim(a) == 0 and np.ndim(b) == 0:
        return a * b
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.atleast_1d(a) * np.atleast_1d(b)  # a number has a dtype of its own here
    return np.tensordot(a, b, (-1, 0 if np.ndim(b) == 1 else -2))


def _flat(x):
    if np.ndim(x) == 0:
        return np.broadcast_to(x, (1,))
    return x if np.ndim(x) == 1 else np.reshape(x, (np.size(x),))


def _as(flat, x):
    """A flat adjoint in the shape of its operand."""
    if np.ndim(x) == 0:
        return flat[0]
    return flat if np.ndim(x) == 1 else np.reshape(flat, np.shape(x))


@pull(
    np.outer,
    *((np.linalg.outer,) if hasattr(np.linalg, "outer") else ()),
    wrt="a b",
    shape=lambda a, b: (shapes.size(shapes.shape_of(a)), shapes.size(shapes.shape_of(b))),
    cost=4,
    extra={"positional": True, "arrays": "a b", "order": "C"},
    examples=lambda r: [(r.normal(2), r.normal(3)), (r.normal(2, 2), r.normal(3)), (1.5, r.normal(2))],
)
def outer_pull(z_bar, z, a, b):
    return _as(z_bar @ _flat(b), a), _as(_flat(a) @ z_bar, b)


@push(np.outer)
def outer_push(z, a, b, *, a_dot, b_dot):
    return np.outer(a_dot, b) + np.outer(a, b_dot)


@composite(
    np.inner,
    wrt="a b",
    extra={"arrays": "a b", "order": "C"},
    examples=lambda r: [
        (r.normal(3), r.normal(3)),
        (r.normal(2, 3), r.normal(3)),
        (r.normal(2, 3), r.normal(4, 3)),
        (1.5, r.normal(2)),
        (r.normal(2, 2, 3), r.normal(4, 3)),
    ],
)
def inner(a, b):
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if np.ndim(a) <= 2 and np.ndim(b) == 1:
        return a @ b
    return np.tensordot(a, b, (-1, -1))


@composite(
    np.vdot,
    wrt="a b",
    examples=lambda r: [
        (r.normal(3), r.normal(3)),
        (r.normal(2, 3), r.normal(2, 3)),
        (r.normal(3) + 1j * r.normal(3), r.normal(3) - 1j * r.normal(3)),
    ],
)
def vdot(a, b):
    return conjugated(_flat(a)) @ _flat(b)


def vecdot(x1, x2, *, axis=-1):
    # The axis is one of each operand, before they are broadcast against each other.
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError("vecdot: the operands have different lengths along the axis")
    products = conjugated(np.moveaxis(x1, axis, -1)) * np.moveaxis(x2, axis, -1)
    total = np.sum(products, axis=-1)
    return total.astype(products.dtype) if products.dtype.kind in "biu" else total


if hasattr(np, "vecdot"):  # NumPy 2.0
    composite(
        np.vecdot,
        *((np.linalg.vecdot,) if hasattr(np.linalg, "vecdot") else ()),
        wrt="x1 x2",
        examples=lambda r: [
            (r.normal(3), r.normal(3)),
            (r.normal(2, 3), r.normal(3)),
            call(r.normal(2, 3), r.normal(2, 3), axis=0),
        ],
    )(vecdot)

if hasattr(np, "matvec"):  # NumPy 2.2

    @composite(
        np.matvec,
        wrt="x1 x2",
        examples=lambda r: [(r.normal(2, 3), r.normal(3)), (r.normal(4, 2, 3), r.normal(4, 3))],
    )
    def matvec(x1, x2):
        return np.squeeze(x1 @ np.expand_dims(x2, -1), -1)

    @composite(
        np.vecmat,
        wrt="x1 x2",
        examples=lambda r: [(r.normal(3), r.normal(3, 2)), (r.normal(4, 3), r.normal(4, 3, 2))],
    )
    def vecmat(x1, x2):
        return np.squeeze(np.expand_dims(conjugated(x1), -2) @ x2, -2)


@static
def _contraction(axes, a_ndim, b_ndim):
    """The axes that stay and the axes that are summed, of both operands."""
    if isinstance(axes, int):
        a_axes, b_axes = tuple(range(a_ndim - axes, a_ndim)), tuple(range(axes))
    else:
        a_axes, b_axes = ((k,) if isinstance(k, int) else tuple(k) for k in axes)
    a_axes, b_axes = tuple(k % a_ndim for k in a_axes), tuple(k % b_ndim for k in b_axes)
    a_kept = tuple(k for k in range(a_ndim) if k not in a_axes)
    b_kept = tuple(k for k in range(b_ndim) if k not in b_axes)
    return a_kept, a_axes, b_kept, b_axes


def _length(x, axes):
    n = 1
    for k in axes:
        n = n * x.shape[k]
    return n


def _lengths(x, axes):
    lengths = ()
    for k in axes:
        lengths = lengths + (x.shape[k],)
    return lengths


@static
def _ascend(axes):
    return axes == tuple(range(len(axes)))


def _as_matrix(x, rows, columns):
    """An array as a matrix, its axes in two groups; the transpose of one that takes no copy where there is one."""
    if _ascend(columns + rows) and not _ascend(rows + columns):
        return np.reshape(x, (_length(x, columns), _length(x, rows))).T
    return np.reshape(np.transpose(x, rows + columns), (_length(x, rows), _length(x, columns)))


@composite(
    np.tensordot,
    *((np.linalg.tensordot,) if hasattr(np.linalg, "tensordot") else ()),
    wrt="a b",
    extra={"order": "C"},
    examples=lambda r: [
        (r.normal(2, 3, 4), r.normal(3, 4, 2)),
        (r.normal(2, 3), r.normal(3, 4), 1),
        (r.normal(2, 3), r.normal(4, 3), (1, 1)),
        (r.normal(2, 3, 4), r.normal(4, 5, 3), ((1, 2), (2, 0))),
        (r.normal(2), r.normal(3), 0),
        (r.normal(3), r.normal(3), 1),
    ],
)
def tensordot(a, b, axes=2):
    a_kept, a_axes, b_kept, b_axes = _contraction(axes, np.ndim(a), np.ndim(b))
    product = _as_matrix(a, a_kept, a_axes) @ _as_matrix(b, b_axes, b_kept)
    return np.reshape(product, _lengths(a, a_kept) + _lengths(b, b_kept))


@composite(
    np.kron,
    wrt="a b",
    extra={"arrays": "a b"},
    examples=lambda r: [
        (r.normal(2), r.normal(3)),
        (r.normal(2, 3), r.normal(3, 2)),
        (r.normal(2), r.normal(2, 3)),
        (1.5, r.normal(2)),
    ],
)
def kron(a, b):
    if np.ndim(a) == 0 and np.ndim(b) == 0:
        return a * b
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.copy(a * b)
    ndim = max(np.ndim(a), np.ndim(b))
    left = (1,) * (ndim - np.ndim(a)) + np.shape(a)
    right = (1,) * (ndim - np.ndim(b)) + np.shape(b)
    apart_left = ()
    apart_right = ()
    lengths = ()
    for k in range(ndim):
        apart_left = apart_left + (left[k], 1)
        apart_right = apart_right + (1, right[k])
        lengths = lengths + (left[k] * right[k],)
    return np.reshape(np.reshape(a, apart_left) * np.reshape(b, apart_right), lengths)


def in_plane(a):
    """Whether vectors along the last axis have two components.

    The compiler says yes where a length is at most 2 in every run; any other that only the run knows it takes for 3,
    and looks at it there.
    """
    return a.shape[-1] == 2


def _crossed(a, b):
    """The cross product along the last axis; a vector of two components lies in the plane of the first two axes."""
    flat_a, flat_b = in_plane(a), in_plane(b)
    if flat_a and flat_b:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if flat_a:
        a = np.concatenate((a, np.zeros_like(a[..., :1])), axis=-1)
    if flat_b:
        b = np.concatenate((b, np.zeros_like(b[..., :1])), axis=-1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("incompatible dimensions for cross product (dimension must be 2 or 3)")
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    return np.stack((a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0), axis=-1)


@composite(
    np.cross,
    *((np.linalg.cross,) if hasattr(np.linalg, "cross") else ()),
    wrt="a b",
    extra={"order": "A"},
    examples=lambda r: [
        (r.normal(3), r.normal(3)),
        (r.normal(4, 3), r.normal(4, 3)),
        call(r.normal(3, 4), r.normal(3, 4), axis=0),
        (r.normal(4, 3), r.normal(3)),
    ],
    notes="vectors of two components: where the program says so, x[:2]; of arguments on the tape",
)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    first = np.moveaxis(a, axisa if axis is None else axis, -1)
    second = np.moveaxis(b, axisb if axis is None else axis, -1)
    crossed = _crossed(first, second)
    if in_plane(first) and in_plane(second):
        return crossed
    return np.moveaxis(crossed, -1, axisc if axis is None else axis)


@composite(
    np.linalg.multi_dot,
    wrt="arrays",
    examples=lambda r: [
        call((r.normal(2, 3), r.normal(3, 4))),
        call((r.normal(2, 3), r.normal(3, 4), r.normal(4, 2))),
        call((r.normal(3), r.normal(3, 4), r.normal(4))),
    ],
    notes="from left to right",
)
def multi_dot(arrays):
    result = arrays[0]
    for k in range(1, len(arrays)):
        result = result @ arrays[k]
    return result
