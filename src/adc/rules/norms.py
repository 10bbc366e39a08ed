"""Rules of norms of vectors and matrices, of condition numbers, and of NumPy 2's twins in numpy.linalg.

A norm has derivative 0 where it is 0: a corner in all of them but one. At a tie, as max and abs.
"""

import numpy as np

from adc.rules.elementary import root
from adc.rules.least_squares import precision_of
from adc.rules.reductions import as_floats, in_dtype
from adc.rules.registry import composite, constant, lowered, static
from adc.rules.sampler import call


@static
def _axes(ord, axis, ndim):
    """The one or two axes of a norm, which has no other orders than these."""
    axes = tuple(range(ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if len(axes) not in (1, 2):
        raise ValueError("Improper number of dimensions to norm.")
    if len(axes) == 1 and isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if len(axes) == 2 and ord not in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        raise ValueError("Invalid norm order for matrices.")
    return axes


def _squares(x):
    return np.real(x) ** 2 + np.imag(x) ** 2 if np.iscomplexobj(x) else x * x


def _vector_norm(x, order, axis, keepdims):
    # A float may be differentiated by, also where it is 1 or 2.
    if order is None or (isinstance(order, int) and order == 2):
        return root(np.sum(_squares(x), axis=axis, keepdims=keepdims))
    if isinstance(order, int) and order == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    size = np.abs(x)
    if order == np.inf:
        norm = np.max(size, axis=axis, keepdims=keepdims)
    elif order == -np.inf:
        norm = np.min(size, axis=axis, keepdims=keepdims)
    elif order == 0:
        norm = np.sum(
            np.where(x != 0.0, np.ones_like(size), np.zeros_like(size)), axis=axis, keepdims=keepdims
        )
    else:
        total = np.sum(size**order, axis=axis, keepdims=keepdims)
        nothing = 0.0 if order > 0 else np.inf  # of no elements; one that is zero makes the total infinite
        norm = np.where(total == 0.0, nothing, np.where(total == 0.0, 1.0, total) ** (1.0 / order))
        norm = in_dtype(norm, size.dtype)
    return norm


def _matrix_norm(x, order, keepdims):
    """A norm of the matrices in the last two axes."""
    if order is None or order == "fro":
        return root(np.sum(_squares(x), axis=(-2, -1), keepdims=keepdims))
    if order in (1, -1, np.inf, -np.inf):
        terms = np.sum(np.abs(x), axis=-2 if order in (1, -1) else -1)
    else:
        terms = np.linalg.svd(x, compute_uv=False)
    if order == "nuc":
        norm = np.sum(terms, axis=-1)
    else:
        norm = np.max(terms, axis=-1) if order in (1, 2, np.inf) else np.min(terms, axis=-1)
    return np.expand_dims(norm, (-2, -1)) if keepdims else norm


@composite(
    np.linalg.norm,
    name="norm",
    examples=lambda r: [
        r.normal(3),
        r.normal(2, 3),
        r.normal(2, 2, 2),
        (r.normal(3), 1),
        (r.distinct(3), np.inf),
        (r.distinct(3), -np.inf),
        (r.nonzero(3), 3),
        (r.positive(3), 0.5),
        (r.nonzero(3), 1.0 + r.positive()),
        (r.normal(3), 0),
        (r.normal(2, 3), "fro"),
        (r.normal(2, 3), "nuc"),
        (r.normal(2, 3), 2),
        (r.normal(3, 2), -2),
        (r.distinct(2, 3), 1),
        (r.distinct(2, 3), np.inf),
        (r.distinct(2, 3), -1),
        call(r.normal(2, 3), axis=1),
        call(r.normal(2, 3), axis=0, keepdims=True),
        call(r.normal(2, 3, 4), axis=(0, 2)),
        call(r.normal(2, 3, 4), 2, axis=(0, 2), keepdims=True),
        np.zeros(3),
        r.normal(3) + 1j * r.normal(3),
    ],
    notes="0 at 0 for the norms that have a corner there; at a tie as max and abs",
)
def norm(x, ord=None, axis=None, keepdims=False):
    x = as_floats(x)
    if axis is None and ord is None:
        total = root(np.sum(_squares(x)))
        return np.reshape(total, (1,) * np.ndim(x)) if keepdims else total
    axes = _axes(ord, axis, np.ndim(x))
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    result = _matrix_norm(np.moveaxis(x, axes, (-2, -1)), ord, keepdims)
    return np.moveaxis(result, (-2, -1), axes) if keepdims else result


@composite(
    np.linalg.cond,
    notes="as svd and norm",
    examples=lambda r: [
        r.well_conditioned(3),
        (r.well_conditioned(3), -2),
        (r.well_conditioned(3), "fro"),
        (r.distinct(3, 3) + np.eye(3), 1),
        r.normal(4, 2),
    ],
)
def cond(x, p=None):
    x = as_floats(x)
    if p is None or p == 2 or p == -2:
        s = np.linalg.svd(x, compute_uv=False)
        largest, smallest = np.max(s, axis=-1), np.min(s, axis=-1)
        # NumPy's answer for a matrix of zeros is inf, not 0 / 0.
        quotient = smallest / largest if p == -2 else largest / smallest
        return np.where(largest == 0.0, np.inf, quotient)
    return _matrix_norm(x, p, False) * _matrix_norm(np.linalg.inv(x), p, False)


constant(
    np.linalg.matrix_rank,
    parameters="A, tol=None, hermitian=False",
    examples=lambda r: [
        r.normal(3, 3),
        (r.normal(4, 3), 0.5),
        call(r.positive_definite(3), hermitian=True),
        r.normal(2, 3, 3),
        np.array([[1, 2], [2, 4]]),
        r.normal(3),
    ],
)


@lowered(np.linalg.matrix_rank)
def matrix_rank(A, tol=None, hermitian=False):
    if np.ndim(A) < 2:
        return np.where(np.any(A != 0), 1, 0)
    a = as_floats(A)
    s = np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)
    if tol is None:
        rounding = precision_of(a.dtype) * np.maximum(a.shape[-2], a.shape[-1])
        tol = rounding * np.max(s, axis=-1, keepdims=True)
    return np.sum(s > tol, axis=-1)


if hasattr(np.linalg, "vector_norm"):  # NumPy 2.0

    @composite(
        np.linalg.vector_norm,
        name="vector_norm",
        notes="as norm",
        examples=lambda r: [
            r.normal(3),
            r.normal(2, 3),
            call(r.normal(2, 3), axis=1),
            call(r.nonzero(4), ord=3),
            call(r.normal(2, 3), axis=(0, 1)),
        ],
    )
    def vector_norm(x, axis=None, keepdims=False, ord=2):
        return _vector_norm(as_floats(x), ord, axis, keepdims)

    @composite(
        np.linalg.matrix_norm,
        wrt="x",
        name="matrix_norm",
        notes="as norm",
        examples=lambda r: [
            r.normal(2, 3),
            call(r.normal(2, 3), ord="nuc"),
            call(r.normal(4, 2, 3), keepdims=True),
        ],
    )
    def matrix_norm(x, keepdims=False, ord="fro"):
        return _matrix_norm(as_floats(x), ord, keepdims)

    @composite(
        np.linalg.svdvals,
        wrt="x",
        name="svdvals",
        notes="as svd",
        examples=lambda r: [r.normal(3, 2), r.normal(2, 3, 3)],
    )
    def svdvals(x):
        return np.linalg.svd(x, compute_uv=False)

    @composite(
        np.linalg.diagonal,
        wrt="x",
        name="linalg.diagonal",
        extra={"view": True},
        examples=lambda r: [r.normal(3, 3), call(r.normal(2, 3, 4), offset=1)],
    )
    def linalg_diagonal(x, offset=0):
        return np.diagonal(x, offset, -2, -1)

    @composite(
        np.linalg.trace,
        wrt="x",
        name="linalg.trace",
        examples=lambda r: [r.normal(3, 3), call(r.normal(2, 3, 4), offset=1)],
    )
    def linalg_trace(x, offset=0):
        return np.sum(np.diagonal(x, offset, -2, -1), axis=-1)

    if np.linalg.matmul is not np.matmul:

        @composite(
            np.linalg.matmul,
            wrt="x1 x2",
            name="linalg.matmul",
            examples=lambda r: [(r.normal(2, 3), r.normal(3, 2))],
        )
        def linalg_matmul(x1, x2):
            return x1 @ x2
