"""Matrix products for generated code, compiled once and kept on disk: of two operands, or of two stacks of matrices.

BLAS is given any matrix whose rows or columns are contiguous as it lies, transposed or sliced, and any vector whose
elements follow one another at one distance. Matrices of a few elements are multiplied by loops, as a call costs more
than they do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from adc.runtime.apart import apart
from adc.runtime.kernels import options
from adc.runtime.lapack import NO, TRANSPOSE, require, routine
from adc.runtime.rooms import empty_of

SMALL = 64  # multiplications of two matrices that cost less than a call of BLAS
SMALL_BY_VECTOR = 1024  # of a matrix and a vector: loops read a matrix once as fast as BLAS does
PACKED = 10, 4096  # elements (least, most) of a transposed matrix of a stack whose copy by rows is worth it
SCRATCH = 8192  # elements of the copies made at once: they stay in the cache

_gemm, _gemv = routine("gemm"), routine("gemv")


@register_jitable(error_model="numpy")
def _spacing(x: Any) -> Any:
    """How far rows (positive) or columns (negative) of a matrix are apart; 0 where BLAS cannot read it."""
    rows, columns = x.shape
    size = x.itemsize
    if x.strides[1] == size or columns <= 1:
        apart = x.strides[0] // size if rows > 1 else columns
        if columns > 1 or apart >= 1:
            return max(apart, 1) if apart >= columns else 0
    if x.strides[0] == size or rows <= 1:
        apart = x.strides[1] // size if columns > 1 else rows
        if apart >= max(rows, 1):
            return -apart
    return 0


def _by_loops(a: Any, b: Any, out: Any) -> None:
    np.matmul(a, b, out=out)


@overload(_by_loops, jit_options={"error_model": "numpy", "fastmath": {"reassoc", "contract"}})
def _by_loops_of(a: Any, b: Any, out: Any) -> Any:
    def of_matrices(a: Any, b: Any, out: Any) -> None:
        for i in range(a.shape[0]):
            for k in range(b.shape[1]):
                total = a.dtype.type(0.0)
                for j in range(a.shape[1]):
                    total += a[i, j] * b[j, k]
                out[i, k] = total

    def of_stacks(a: Any, b: Any, out: Any) -> None:
        for c in range(a.shape[0]):
            for i in range(a.shape[1]):
                for k in range(b.shape[2]):
                    total = a.dtype.type(0.0)
                    for j in range(a.shape[2]):
                        total += a[c, i, j] * b[c, j, k]
                    out[c, i, k] = total

    return of_matrices if a.ndim == 2 else of_stacks


def _nothing(*kinds: Any) -> Any:
    require()  # when the caller is compiled: to find out in the call would be too late
    return types.none


def _in_c_order(x: Any) -> Any:
    return types.Array(x.dtype, x.ndim, "C")


@apart(returns=_in_c_order, cache=True)
def _packed(x: Any) -> Any:
    return np.ascontiguousarray(x)


@apart(returns=_nothing, **options())
def _by_blas(a: Any, b: Any, out: Any) -> None:
    """out[...] = a @ b for matrices, or stacks of as many, that lie in any order; `out` in C order."""
    if out.shape[0] == 0:
        return
    if a.ndim == 3:
        left, right = _spacing(a[0]), _spacing(b[0])
    else:
        left, right = _spacing(a), _spacing(b)
    n, width, m = out.shape[-2], out.shape[-1], a.shape[-1]
    first, second = a, b
    if left == 0:
        first, left = _packed(a), m
    if right == 0:
        second, right = _packed(b), width
    # BLAS counts by columns: it is told of the transpose of everything.
    by_rows = NO if right > 0 else TRANSPOSE, NO if left > 0 else TRANSPOSE
    lengths = np.int32(width), np.int32(n), np.int32(m)
    apart = np.int32(abs(right)), np.int32(abs(left))
    one, none = out.dtype.type(1.0), out.dtype.type(0.0)
    at = 0, 0, 0
    for _ in range(out.shape[0] if out.ndim == 3 else 1):
        _gemm(
            (
                by_rows[0],
                by_rows[1],
                lengths[0],
                lengths[1],
                lengths[2],
                one,
                (second, at[1]),
                apart[0],
                (first, at[0]),
                apart[1],
                none,
                (out, at[2]),
                lengths[0],
            )
        )
        steps = first.strides[0] // first.itemsize, second.strides[0] // second.itemsize
        at = at[0] + steps[0], at[1] + steps[1], at[2] + n * width


@register_jitable(error_model="numpy")
def _into(a: Any, b: Any, out: Any) -> None:
    """out[...] = a @ b for matrices, or stacks of as many, of one float dtype; `out` in C order."""
    if out.shape[-2] * out.shape[-1] * a.shape[-1] <= SMALL:
        _by_loops(a, b, out)
    else:
        _by_blas(a, b, out)


@apart(returns=_nothing, **options())
def _stacks_into(a: Any, b: Any, out: Any) -> None:
    """out[...] = a @ b for stacks of as many matrices, those of `b` copied by rows where they are small and turned."""
    count, m, width = b.shape
    by_columns = b.strides[1] == b.itemsize and b.strides[2] != b.itemsize
    if count == 0 or not by_columns or not PACKED[0] <= m * width <= PACKED[1]:
        _into(a, b, out)
        return
    at_once = min(SCRATCH // (m * width), count)
    rows = empty_of((at_once, m, width), b.dtype)
    for begin in range(0, count, at_once):
        end = min(begin + at_once, count)
        for c in range(end - begin):
            for j in range(m):
                for k in range(width):
                    rows[c, j, k] = b[begin + c, j, k]
        # The last slice makes of the rows an array in any order, for which `_into` is compiled.
        _into(a[begin:end], rows[: end - begin, :, ::1], out[begin:end])


@register_jitable(error_model="numpy")
def _steps_forward(x: Any) -> Any:
    """Whether each element of a vector lies behind the one before it, so that BLAS can read it."""
    return len(x) <= 1 or x.strides[0] > 0


def _times(a: Any, x: Any, out: Any) -> None:
    """out[...] = a @ x for a matrix and a vector of one float dtype; `out` contiguous."""
    np.matmul(a, x, out=out)


@overload(_times, jit_options={"error_model": "numpy"})
def _times_of(a: Any, x: Any, out: Any) -> Any:
    by_loops = {"C": _times_by_rows, "F": _times_by_columns}.get(a.layout, _times_as_it_lies)

    def times(a: Any, x: Any, out: Any) -> None:
        if a.size > SMALL_BY_VECTOR:
            _times_by_blas(a, x, out)
        else:
            by_loops(a, x, out)

    return times


@register_jitable(error_model="numpy")
def _times_as_it_lies(a: Any, x: Any, out: Any) -> None:
    if a.strides[1] == a.itemsize:
        _times_by_rows(a, x, out)
    else:
        _times_by_columns(a, x, out)


@register_jitable(error_model="numpy", fastmath={"reassoc", "contract"})
def _times_by_rows(a: Any, x: Any, out: Any) -> None:
    for i in range(a.shape[0]):
        total = a.dtype.type(0.0)
        for j in range(a.shape[1]):
            total += a[i, j] * x[j]
        out[i] = total


@register_jitable(error_model="numpy", fastmath={"reassoc", "contract"})
def _times_by_columns(a: Any, x: Any, out: Any) -> None:
    # Four columns at a time: an element that has just been stored is not ready to be added to.
    n, m = a.shape
    first = m % 4
    for i in range(n):
        total = a.dtype.type(0.0)
        for j in range(first):
            total += a[i, j] * x[j]
        out[i] = total
    for j in range(first, m, 4):
        p, q, r, s = x[j], x[j + 1], x[j + 2], x[j + 3]
        for i in range(n):
            out[i] += a[i, j] * p + a[i, j + 1] * q + a[i, j + 2] * r + a[i, j + 3] * s


@apart(returns=_nothing, **options())
def _times_by_blas(a: Any, x: Any, out: Any) -> None:
    n, m = a.shape
    spacing = _spacing(a)
    if spacing == 0:
        a, spacing = _packed(a), m
    if not _steps_forward(x):
        x = _packed(x)
    # BLAS counts by columns: rows that are contiguous are columns of the transpose.
    rows, columns = (m, n) if spacing > 0 else (n, m)
    _gemv(
        (
            TRANSPOSE if spacing > 0 else NO,
            np.int32(rows),
            np.int32(columns),
            out.dtype.type(1.0),
            a,
            np.int32(abs(spacing)),
            x,
            np.int32(max(x.strides[0] // x.itemsize, 1)),
            out.dtype.type(0.0),
            out,
            np.int32(1),
        )
    )


def _write(a: Any, b: Any, out: Any) -> None:
    """out[...] = a @ b for operands of one float dtype, not both vectors; `out` in C order."""
    np.matmul(a, b, out=out)


@overload(_write, jit_options={"error_model": "numpy"})
def _write_of(a: Any, b: Any, out: Any) -> Any:
    def of_stacks(a: Any, b: Any, out: Any) -> None:
        _stacks_into(a, b, out)

    def of_matrices(a: Any, b: Any, out: Any) -> None:
        _into(a, b, out)

    def of_matrix_and_vector(a: Any, b: Any, out: Any) -> None:
        _times(a, b, out)

    def of_vector_and_matrix(a: Any, b: Any, out: Any) -> None:
        _times(b.T, a, out)

    if a.ndim == b.ndim:
        return of_stacks if a.ndim == 3 else of_matrices
    return of_matrix_and_vector if a.ndim == 2 else of_vector_and_matrix


def _sum_of_products(a: Any, b: Any) -> Any:
    return np.dot(a, b)


@overload(_sum_of_products, jit_options={"error_model": "numpy", "fastmath": {"reassoc", "contract"}})
def _sum_of_products_of(a: Any, b: Any) -> Any:
    zero = np.float32(0.0) if a.dtype == types.float32 else np.float64(0.0)

    def of_vectors(a: Any, b: Any) -> Any:
        total = zero
        for i in range(len(a)):
            total += a[i] * b[i]
        return total

    return of_vectors


@register_jitable
def _as_it_lies(x: Any) -> Any:
    return x


def _product(a: Any, b: Any) -> Any:
    return np.matmul(a, b)


@overload(_product, jit_options={"error_model": "numpy"})
def _product_of(a: Any, b: Any) -> Any:
    if a.ndim == 3:

        def of_stacks(a: Any, b: Any) -> Any:
            out = empty_of((a.shape[0], a.shape[1], b.shape[2]), a.dtype)
            _stacks_into(a, b, out)
            return out

        return of_stacks
    if not isinstance(a.dtype, types.Float):
        left, right = (_packed if x.layout == "A" else _as_it_lies for x in (a, b))

        def of_others(a: Any, b: Any) -> Any:
            return np.dot(left(a), right(b))

        return of_others
    if a.ndim == 2 and b.ndim == 2:

        def of_matrices(a: Any, b: Any) -> Any:
            out = empty_of((a.shape[0], b.shape[1]), a.dtype)
            _into(a, b, out)
            return out

        return of_matrices
    if a.ndim == 2:

        def of_matrix_and_vector(a: Any, b: Any) -> Any:
            out = empty_of(a.shape[0], a.dtype)
            _times(a, b, out)
            return out

        return of_matrix_and_vector
    if b.ndim == 2:

        def of_vector_and_matrix(a: Any, b: Any) -> Any:
            out = empty_of(b.shape[1], a.dtype)
            _times(b.T, a, out)
            return out

        return of_vector_and_matrix
    if "A" in (a.layout, b.layout):

        def of_strided_vectors(a: Any, b: Any) -> Any:
            return _sum_of_products(a, b)

        return of_strided_vectors

    def of_vectors(a: Any, b: Any) -> Any:
        return np.dot(a, b)

    return of_vectors


def in_any_order(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types that `dot` takes two operands as: one function reads matrices of floats however they lie.

    There are nine pairs of orders, and each took one to three seconds to compile.
    """
    a, b, *out = kinds
    matrices = all(k.ndim > 1 and isinstance(k.dtype, types.Float) for k in (a, b))
    return (a.copy(layout="A"), b.copy(layout="A"), *out) if matrices else kinds


@apart(takes=in_any_order, cache=True, error_model="numpy")
def dot(a: Any, b: Any) -> Any:
    """The product of vectors and matrices (ranks 1 and 2), or of two stacks of as many matrices of floats (rank 3).

    One dtype. Floats may lie in any order and direction; complex numbers are contiguous.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    >>> dot(np.ones((2, 1, 3)), np.ones((2, 3, 1)))
    array([[[3.]],
    <BLANKLINE>
           [[3.]]])
    """
    return _product(a, b)


@apart(takes=in_any_order, **options())
def dot_into(a: Any, b: Any, out: Any) -> None:
    """`out[...] = dot(a, b)`, for a matrix and a matrix or a vector of one float dtype.

    `out` is contiguous in C order, of the product's shape, and shares no memory with `a` and `b`.

    >>> out = np.empty(2)
    >>> dot_into(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 1.0]), out)
    >>> out
    array([3., 7.])
    """
    _write(a, b, out)
