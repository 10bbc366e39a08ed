"""Calls that say of which dtype the result is, where the rule of the operation leaves that away.

The derivative of the change of the dtype is that of `astype`: none where it cuts fractions off.
"""

import numpy as np

from adc.rules import creation as creation  # registers what stands below
from adc.rules import cumulative as cumulative
from adc.rules import diagonals as diagonals
from adc.rules import joining as joining
from adc.rules import movement as movement
from adc.rules import norms as norms
from adc.rules import statistics as statistics
from adc.rules import ufunc_methods as ufunc_methods
from adc.rules.fitting import refuse_cast
from adc.rules.keywords import as_dtype, is_whole
from adc.rules.registry import full, static

_refuse_cast = static(refuse_cast)


def _cast(a, dtype, casting):
    """What NumPy's joins make of what they joined."""
    if dtype is None:
        return a
    _refuse_cast(a.dtype, dtype, casting)
    return a.astype(dtype)


if hasattr(np, "astype"):  # NumPy 2.1

    @full(np.astype)
    def astype(x, dtype, copy=True, device=None):
        return x.astype(dtype, copy=copy)


@full(np.asfortranarray)
def asfortranarray(a, dtype=None):
    return np.asfortranarray(a if dtype is None else np.asarray(a, dtype))


@full(np.concatenate)
def concatenate(arrays, axis=0, out=None, dtype=None, casting="same_kind"):
    return _cast(np.concatenate(arrays, axis=axis), dtype, casting)


@full(np.stack)
def stack(arrays, axis=0, out=None, dtype=None, casting="same_kind"):
    return _cast(np.stack(arrays, axis=axis), dtype, casting)


@full(np.hstack)
def hstack(tup, dtype=None, casting="same_kind"):
    return _cast(np.hstack(tup), dtype, casting)


@full(np.vstack)
def vstack(tup, dtype=None, casting="same_kind"):
    return _cast(np.vstack(tup), dtype, casting)


@full(np.add.accumulate)
def add_accumulate(array, axis=0, dtype=None, out=None):
    return np.cumsum(array, axis, dtype)


@full(np.multiply.accumulate)
def multiply_accumulate(array, axis=0, dtype=None, out=None):
    return np.cumprod(array, axis, dtype)


@full(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    others = y if y is None else as_dtype(np.asarray(y), dtype)
    found = np.cov(as_dtype(np.asarray(m), dtype), others, rowvar, bias, ddof, fweights, aweights)
    return as_dtype(found, dtype)


@full(np.corrcoef)
def corrcoef(x, y=None, rowvar=True, dtype=None):
    others = y if y is None else as_dtype(np.asarray(y), dtype)
    return as_dtype(np.corrcoef(as_dtype(np.asarray(x), dtype), others, rowvar), dtype)


if hasattr(np.linalg, "trace"):  # NumPy 2.0

    @full(np.linalg.trace)
    def linalg_trace(x, offset=0, dtype=None):
        return np.trace(x, offset, -2, -1, dtype)


def _spaced(points, dtype, axis):
    """Whole numbers are those below, as np.linspace has them, where `astype` cuts fractions off."""
    if dtype is None:
        return np.moveaxis(points, 0, axis)
    return np.moveaxis((np.floor(points) if is_whole(dtype) else points).astype(dtype), 0, axis)


@full(np.linspace)
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    points = np.linspace(start, stop, num, endpoint, retstep)
    return (_spaced(points[0], dtype, axis), points[1]) if retstep else _spaced(points, dtype, axis)


@full(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    return np.moveaxis(as_dtype(np.logspace(start, stop, num, endpoint, base), dtype), 0, axis)


@full(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    return np.moveaxis(as_dtype(np.geomspace(start, stop, num, endpoint), dtype), 0, axis)
