"""Reductions with the keywords that their rules leave away: `where`, `initial`, `dtype`; clip with `min` and `max`.

The rule of an operation has what a derivative depends on. A call that gives more is the body here, written with the
operation itself.
"""

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import arithmetic as arithmetic  # registers what stands below
from adc.rules import cumulative as cumulative
from adc.rules import diagonals as diagonals
from adc.rules import factorizations as factorizations
from adc.rules import gathering as gathering
from adc.rules import movement as movement
from adc.rules import norms as norms
from adc.rules import reductions as reductions
from adc.rules import statistics as statistics
from adc.rules.elementary import root
from adc.rules.reductions import count, without_nan
from adc.rules.registry import full, static


def as_dtype(a, dtype):
    return a if dtype is None else a.astype(dtype)


@static
def is_whole(dtype):
    return dtype is not None and np.dtype(dtype).kind in "biu"


def _begun(initial, total):
    """What a reduction begins with, which takes the dtype of the result."""
    return np.array(initial).astype(total.dtype)


def _total(x, dtype):
    """What was added up or multiplied, where the caller says in which integers: they wrap."""
    return x.astype(dtype) if is_whole(dtype) else x


@full(np.sum)
def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    x = as_dtype(a, dtype)
    total = _total(np.sum(x if where is None else np.where(where, x, 0), axis=axis, keepdims=keepdims), dtype)
    return total if initial is None else total + _begun(initial, total)


@full(np.prod)
def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    x = as_dtype(a, dtype)
    product = _total(
        np.prod(x if where is None else np.where(where, x, 1), axis=axis, keepdims=keepdims), dtype
    )
    return product if initial is None else product * _begun(initial, product)


@full(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    x = as_dtype(a, dtype)
    if where is None:
        return _total(np.mean(x, axis=axis, keepdims=keepdims), dtype)
    count = np.sum(np.where(where, np.ones_like(x), np.zeros_like(x)), axis=axis, keepdims=keepdims)
    return _total(np.sum(np.where(where, x, 0), axis=axis, keepdims=keepdims) / count, dtype)


def _kept(a, where, initial):
    """The elements that `where` names, and `initial`, which NumPy wants then, too, in place of the others."""
    return a if where is None else np.where(where, a, initial)


def _of_nothing(x, axis, keepdims, initial):
    """`initial` in the shape of what is reduced, where it is reduced over no elements."""
    return np.sum(x, axis=axis, keepdims=keepdims) + initial


@full(np.max)
def max(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    if initial is None:
        return np.max(_kept(a, where, initial), axis=axis, keepdims=keepdims)
    initial = _begun(initial, np.array(a))
    x = _kept(a, where, initial)
    if count(x, axis) == 0:
        largest = _of_nothing(x, axis, keepdims, initial)
    else:
        largest = np.maximum(np.max(x, axis=axis, keepdims=keepdims), initial)
    return largest


@full(np.min)
def min(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    if initial is None:
        return np.min(_kept(a, where, initial), axis=axis, keepdims=keepdims)
    initial = _begun(initial, np.array(a))
    x = _kept(a, where, initial)
    if count(x, axis) == 0:
        smallest = _of_nothing(x, axis, keepdims, initial)
    else:
        smallest = np.minimum(np.min(x, axis=axis, keepdims=keepdims), initial)
    return smallest


@static
def _inexact(dtype):
    """The dtype of a variance; in integers NumPy cuts the fractions of each square off, or refuses."""
    if is_whole(dtype):
        raise UnsupportedError(
            f"a variance, or a mean without NaN, with dtype={np.dtype(dtype)} is not supported",
            repair="Leave `dtype` away, and round what comes of it.",
        )
    return dtype


def _spread(x, axis, fewer, keepdims, where, mean):
    """The variance of the elements that `where` names, around a mean that may be given."""
    one = np.real(np.ones_like(x))
    counted = one if where is None else np.where(where, one, np.zeros_like(one))
    total = np.sum(counted, axis=axis, keepdims=True)
    middle = np.sum(x * counted, axis=axis, keepdims=True) / total if mean is None else mean
    apart = np.where(counted > 0.0, x - middle, 0.0)
    squares = np.sum(np.real(apart * np.conjugate(apart)), axis=axis, keepdims=keepdims)
    return squares / np.maximum(np.sum(counted, axis=axis, keepdims=keepdims) - fewer, 0.0)


@full(np.nansum)
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return sum(without_nan(a, 0.0), axis, dtype, None, keepdims, initial, where)


@full(np.nanprod)
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    return prod(without_nan(a, 1.0), axis, dtype, None, keepdims, initial, where)


@full(np.nanmax)
def nanmax(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    x = _kept(a, where, initial)
    if initial is None:
        return np.nanmax(x, axis=axis, keepdims=keepdims)
    if count(x, axis) == 0:
        largest = _of_nothing(x, axis, keepdims, initial)
    else:
        largest = np.fmax(np.nanmax(x, axis=axis, keepdims=keepdims), initial)
    return largest


@full(np.nanmin)
def nanmin(a, axis=None, out=None, keepdims=False, initial=None, where=None):
    x = _kept(a, where, initial)
    if initial is None:
        return np.nanmin(x, axis=axis, keepdims=keepdims)
    if count(x, axis) == 0:
        smallest = _of_nothing(x, axis, keepdims, initial)
    else:
        smallest = np.fmin(np.nanmin(x, axis=axis, keepdims=keepdims), initial)
    return smallest


def _where(x, where):
    """An array with NaN in place of what is left away."""
    return x if where is None else np.where(where, x, np.nan)


@full(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, where=None):
    return np.nanmean(_where(as_dtype(a, _inexact(dtype)), where), axis=axis, keepdims=keepdims)


@full(np.nanvar)
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, correction=None):
    fewer = ddof if correction is None else correction
    return np.nanvar(_where(as_dtype(a, _inexact(dtype)), where), axis=axis, ddof=fewer, keepdims=keepdims)


@full(np.nanstd)
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, correction=None):
    fewer = ddof if correction is None else correction
    return np.nanstd(_where(as_dtype(a, _inexact(dtype)), where), axis=axis, ddof=fewer, keepdims=keepdims)


@full(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    fewer = ddof if correction is None else correction
    x = as_dtype(a, _inexact(dtype))
    if where is None and mean is None:
        return np.var(x, axis=axis, ddof=fewer, keepdims=keepdims)
    return _spread(x, axis, fewer, keepdims, where, mean)


@full(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=None, mean=None, correction=None):
    fewer = ddof if correction is None else correction
    x = as_dtype(a, _inexact(dtype))
    if where is None and mean is None:
        return np.std(x, axis=axis, ddof=fewer, keepdims=keepdims)
    return root(_spread(x, axis, fewer, keepdims, where, mean))


@full(np.all)
def all(a, axis=None, out=None, keepdims=False, where=None):
    return np.all(a if where is None else np.where(where, a, True), axis=axis, keepdims=keepdims)


@full(np.any)
def any(a, axis=None, out=None, keepdims=False, where=None):
    return np.any(a if where is None else np.where(where, a, False), axis=axis, keepdims=keepdims)


@full(np.cumsum)
def cumsum(a, axis=None, dtype=None, out=None):
    return _total(np.cumsum(as_dtype(a, dtype), axis=axis), dtype)


@full(np.cumprod)
def cumprod(a, axis=None, dtype=None, out=None):
    return _total(np.cumprod(as_dtype(a, dtype), axis=axis), dtype)


@full(np.isin)
def isin(element, test_elements, assume_unique=False, invert=False, kind=None):
    return np.isin(element, test_elements, assume_unique, invert)


@full(np.sort)
def sort(a, axis=-1, kind=None, stable=None):
    return np.sort(a, axis=axis, kind="stable" if stable else kind)


@full(np.argsort)
def argsort(a, axis=-1, kind=None, stable=None):
    return np.argsort(a, axis=axis, kind="stable" if stable else kind)


@full(np.searchsorted)
def searchsorted(a, v, side="left", sorter=None):
    return np.searchsorted(a if sorter is None else np.asarray(a)[np.asarray(sorter)], v, side)


@full(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return _total(np.trace(as_dtype(a, dtype), offset, axis1, axis2), dtype)


@full(np.clip)
def clip(a, a_min=None, a_max=None, out=None, min=None, max=None):
    return np.clip(a, a_min if min is None else min, a_max if max is None else max)


@static
def _is_fortran(order):
    """Whether elements are counted by columns."""
    if order not in ("C", "F"):
        raise UnsupportedError(
            f'order="{order}" is not supported',
            why="It asks how the array lies in memory.",
            repair='Say "C" or "F".',
        )
    return order == "F"


@full(np.linalg.matrix_rank)
def matrix_rank(A, tol=None, hermitian=False, rtol=None):
    if rtol is None or np.ndim(A) < 2:
        return np.linalg.matrix_rank(A, tol, hermitian)
    s = np.abs(np.linalg.eigvalsh(A)) if hermitian else np.linalg.svd(A, compute_uv=False)
    return np.sum(s > rtol * np.max(s, axis=-1, keepdims=True), axis=-1)


@full(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if not hermitian:
        return np.linalg.svd(a, full_matrices, compute_uv)
    if not compute_uv:
        return np.flip(np.sort(np.abs(np.linalg.eigvalsh(a)), axis=-1), -1)
    w, vectors = np.linalg.eigh(a)
    order = np.flip(np.argsort(np.abs(w), axis=-1), -1)
    w, vectors = np.take_along_axis(w, order, -1), np.take_along_axis(vectors, np.expand_dims(order, -2), -1)
    signed = vectors * np.expand_dims(np.sign(w), -2)
    return vectors, np.abs(w), np.conjugate(np.swapaxes(signed, -1, -2))


@full(np.copy)
def copy(a, order="K", subok=False):
    return np.copy(a)


@full(np.ravel)
def ravel(a, order="C"):
    return np.ravel(np.transpose(a) if _is_fortran(order) else a)


@full(np.reshape)
def reshape(a, shape, order="C", copy=None):
    if copy:
        return np.copy(reshape(a, shape, order))
    if not _is_fortran(order):
        return np.reshape(a, shape)
    lengths = shape if isinstance(shape, (tuple, list)) else (shape,)
    return np.transpose(np.reshape(np.transpose(a), tuple(lengths)[::-1]))
