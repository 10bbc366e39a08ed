"""Numba knows numpy.fft: fft, ifft, rfft and irfft along an axis, with `n` and `norm`.

What is compiled into a caller is little: it puts the array in its (outer, axis, inner) form, in double precision, and
calls one of the three functions of `fft_rows`, which are compiled once and stay where they are.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from adc.runtime import caching
from adc.runtime.fft_rows import complex_rows, real_rows, rows_of_halves
from adc.runtime.rows import around

__all__: list[str] = []

# Called from jitted code alone, and the same in every process.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "cache": caching.POSSIBLE,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


@register_jitable(**_OPTIONS)
def _scale(n: Any, forward: Any, norm: Any) -> Any:
    """The factor of a transform of n elements under a normalisation."""
    # Told by their lengths, as Numba compiles for a second where strings are compared.
    letters = 8 if norm is None else len(norm)
    if letters == 5:  # "ortho"
        return 1.0 / math.sqrt(n)
    if letters != 7 and letters != 8:
        raise ValueError('norm must be "backward", "ortho" or "forward"')
    return 1.0 if forward == (letters == 8) else 1.0 / n


def _result(a: Any) -> tuple[Any, Any]:
    """The dtypes of complex and of real results."""
    single = a.dtype in (types.float32, types.complex64)
    return (np.complex64, np.float32) if single else (np.complex128, np.float64)


def _is_array(a: Any) -> bool:
    return isinstance(a, types.Array) and isinstance(
        a.dtype, (types.Float, types.Complex, types.Integer, types.Boolean)
    )


@register_jitable(**_OPTIONS)
def _checked(length: Any) -> Any:
    if length < 1:
        raise ValueError("Invalid number of FFT data points")
    return length


def _rows(a: Any, outer: Any, source: Any, inner: Any, whole: Any) -> Any:
    """The (outer, axis, inner) form of an array in C order, of double precision: complex, or real."""
    return (
        np.ascontiguousarray(a).reshape((outer, source, inner)).astype(np.complex128 if whole else np.float64)
    )


@overload(_rows, jit_options=_OPTIONS, prefer_literal=True)
def _rows_of(a: Any, outer: Any, source: Any, inner: Any, whole: Any) -> Any:
    wanted = np.complex128 if whole.literal_value else np.float64
    of_that_dtype = a.dtype == (types.complex128 if whole.literal_value else types.float64)

    def as_it_lies(a: Any, outer: Any, source: Any, inner: Any, whole: Any) -> Any:
        return a.reshape((outer, source, inner))

    def put_in_order(a: Any, outer: Any, source: Any, inner: Any, whole: Any) -> Any:
        return np.ascontiguousarray(a).reshape((outer, source, inner))

    def converted(a: Any, outer: Any, source: Any, inner: Any, whole: Any) -> Any:
        return np.ascontiguousarray(a).astype(wanted).reshape((outer, source, inner))

    if not of_that_dtype or not a.aligned or (a.layout == "C" and not a.mutable):
        return converted
    return as_it_lies if a.layout == "C" else put_in_order


def _complex_to_complex(a: Any, n: Any, norm: Any, forward: bool) -> Any:
    dtype, _ = _result(a)
    single = dtype is np.complex64
    given = isinstance(n, types.Integer)
    real = forward and not isinstance(a.dtype, types.Complex)

    def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        source = a.shape[where]
        length = _checked(n if given else source)
        z = np.empty((outer, length, inner), np.complex128)
        if real:
            real_rows(_rows(a, outer, source, inner, False), z, length, _scale(length, forward, norm))
        else:
            complex_rows(_rows(a, outer, source, inner, True), z, forward, _scale(length, forward, norm))
        shape = tuple_setitem(a.shape, where, length)
        return z.astype(dtype).reshape(shape) if single else z.reshape(shape)

    return transform


@overload(np.fft.fft, jit_options=_OPTIONS)
def _fft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return _complex_to_complex(a, n, norm, True) if _is_array(a) else None


@overload(np.fft.ifft, jit_options=_OPTIONS)
def _ifft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    return _complex_to_complex(a, n, norm, False) if _is_array(a) else None


@overload(np.fft.rfft, jit_options=_OPTIONS)
def _rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    if not _is_array(a) or isinstance(a.dtype, types.Complex):
        return None
    dtype, _ = _result(a)
    single = dtype is np.complex64
    given = isinstance(n, types.Integer)

    def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        source = a.shape[where]
        length = _checked(n if given else source)
        z = np.empty((outer, length // 2 + 1, inner), np.complex128)
        x = _rows(a, outer, source, inner, False)
        real_rows(x, z, length, _scale(length, True, norm))
        shape = tuple_setitem(a.shape, where, z.shape[1])
        return z.astype(dtype).reshape(shape) if single else z.reshape(shape)

    return rfft


@overload(np.fft.irfft, jit_options=_OPTIONS)
def _irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    if not _is_array(a):
        return None
    _, dtype = _result(a)
    single = dtype is np.float32
    given = isinstance(n, types.Integer)

    def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        source = a.shape[where]
        length = _checked(n if given else 2 * (source - 1))
        z = np.empty((outer, length, inner))
        x = _rows(a, outer, source, inner, True)
        rows_of_halves(x, z, _scale(length, False, norm))
        shape = tuple_setitem(a.shape, where, length)
        return z.astype(dtype).reshape(shape) if single else z.reshape(shape)

    return irfft
