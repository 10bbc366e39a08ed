"""Numba knows numpy.fft: fft, ifft, rfft and irfft along an axis, with `n` and `norm`.

A length with small prime factors is transformed by Stockham's passes, one for each factor (Cooley & Tukey 1965;
Stockham 1966): they need no reordering, and vectorise, as real and imaginary parts lie in arrays of their own. Any
other length goes through a convolution with a chirp (Bluestein 1970), which is three transforms of a power of two.
Real data of even length are half as many complex numbers. An inverse transform is a forward one with the parts
exchanged.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from adc.runtime.fft_passes import (
    first_pass4,
    from_halves,
    pass2,
    pass3,
    pass4,
    pass5,
    pass_of,
    to_halves,
    turns,
)
from adc.runtime.rows import around

__all__: list[str] = []

_OPTIONS: dict[str, Any] = {"error_model": "numpy"}
_LARGEST_FACTOR = 32  # a larger prime costs more than the three transforms of the chirp


@register_jitable(**_OPTIONS)
def _factors(n: Any) -> Any:
    """The prime factors of n, fours for pairs of twos; empty if one is too large."""
    found = np.empty(64, np.int64)
    count = 0
    rest = n
    while rest % 4 == 0:
        found[count] = 4
        count += 1
        rest //= 4
    p = 2
    while p <= _LARGEST_FACTOR and rest > 1:
        while rest % p == 0:
            found[count] = p
            count += 1
            rest //= p
        p += 1
    return found[:count] if rest == 1 else found[:0]


@register_jitable(**_OPTIONS)
def _passes(re: Any, im: Any, work_re: Any, work_im: Any, factors: Any, w_re: Any, w_im: Any) -> None:
    """Transform a complex row by one pass for each factor, in place."""
    part, stride = re.size, 1
    here = True  # where the numbers are: in the row, or in its work space
    for p in factors:
        part //= p
        a, b, c, d = (re, im, work_re, work_im) if here else (work_re, work_im, re, im)
        if p == 4 and stride == 1:
            first_pass4(a, b, c, d, part, w_re, w_im)
        elif p == 4:
            pass4(a, b, c, d, part, stride, w_re, w_im)
        elif p == 2:
            pass2(a, b, c, d, part, stride, w_re, w_im)
        elif p == 3:
            pass3(a, b, c, d, part, stride, w_re, w_im)
        elif p == 5:
            pass5(a, b, c, d, part, stride, w_re, w_im)
        else:
            pass_of(p, a, b, c, d, part, stride, w_re, w_im)
        stride *= p
        here = not here
    if not here:
        re[:] = work_re
        im[:] = work_im


@register_jitable(**_OPTIONS)
def _plan(n: Any) -> Any:
    """What transforms of one length share: factors, turns, and the chirp with the transform of its conjugate."""
    nothing = np.empty(0)
    factors = _factors(n)
    if factors.size > 0 or n == 1:
        # Passes of two and four begin at turns of less than a half.
        count = n // 2 + 1 if n & (n - 1) == 0 else n
        w_re, w_im = np.empty(count), np.empty(count)
        turns(w_re, w_im, n)
        return factors, w_re, w_im, nothing, nothing, nothing, nothing
    m = 1
    while m < 2 * n - 1:
        m *= 2
    w_re, w_im = np.empty(m // 2 + 1), np.empty(m // 2 + 1)
    turns(w_re, w_im, m)
    factors = _factors(m)
    chirp_re, chirp_im = np.empty(n), np.empty(n)
    kernel_re, kernel_im = np.zeros(m), np.zeros(m)
    for k in range(n):
        angle = math.pi * ((k * k) % (2 * n)) / n
        chirp_re[k], chirp_im[k] = math.cos(angle), -math.sin(angle)
        kernel_re[k], kernel_im[k] = chirp_re[k], -chirp_im[k]
        if k > 0:
            kernel_re[m - k], kernel_im[m - k] = chirp_re[k], -chirp_im[k]
    _passes(kernel_re, kernel_im, np.empty(m), np.empty(m), factors, w_re, w_im)
    return factors, w_re, w_im, chirp_re, chirp_im, kernel_re, kernel_im


@register_jitable(**_OPTIONS)
def _transform(re: Any, im: Any, work_re: Any, work_im: Any, plan: Any) -> None:
    """Transform a complex row, in place, by exp(-2 pi i k t / n). With `im, re` for `re, im` it is the inverse one."""
    factors, w_re, w_im, chirp_re, chirp_im, kernel_re, kernel_im = plan
    if chirp_re.size == 0:
        _passes(re, im, work_re, work_im, factors, w_re, w_im)
        return
    n, m = re.size, kernel_re.size
    x, y = np.zeros(m), np.zeros(m)
    for k in range(n):
        x[k] = re[k] * chirp_re[k] - im[k] * chirp_im[k]
        y[k] = re[k] * chirp_im[k] + im[k] * chirp_re[k]
    room_re, room_im = np.empty(m), np.empty(m)
    _passes(x, y, room_re, room_im, factors, w_re, w_im)
    for k in range(m):
        held = x[k] * kernel_re[k] - y[k] * kernel_im[k]
        y[k] = x[k] * kernel_im[k] + y[k] * kernel_re[k]
        x[k] = held
    _passes(y, x, room_im, room_re, factors, w_re, w_im)
    for k in range(n):
        re[k] = (x[k] * chirp_re[k] - y[k] * chirp_im[k]) / m
        im[k] = (x[k] * chirp_im[k] + y[k] * chirp_re[k]) / m


@register_jitable(**_OPTIONS)
def _scale(n: Any, forward: Any, norm: Any) -> Any:
    """The factor of a transform of n elements under a normalisation."""
    if norm is not None and norm == "ortho":
        return 1.0 / math.sqrt(n)
    backward = norm is None or norm == "backward"
    return 1.0 if forward == backward else 1.0 / n


def _result(a: Any) -> tuple[Any, Any]:
    """The dtypes of complex and of real results."""
    single = a.dtype in (types.float32, types.complex64)
    return (np.complex64, np.float32) if single else (np.complex128, np.float64)


def _is_array(a: Any) -> bool:
    return isinstance(a, types.Array) and isinstance(
        a.dtype, (types.Float, types.Complex, types.Integer, types.Boolean)
    )


def _complex_to_complex(a: Any, n: Any, norm: Any, forward: bool) -> Any:
    dtype, _ = _result(a)
    given = isinstance(n, types.Integer)

    def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        source = a.shape[where]
        length = n if given else source
        x = np.ascontiguousarray(a).reshape((outer, source, inner))
        z = np.empty((outer, length, inner), dtype)
        plan = _plan(length)
        scale = _scale(length, forward, norm)
        re, im, work_re, work_im = np.empty(length), np.empty(length), np.empty(length), np.empty(length)
        for i in range(outer):
            for j in range(inner):
                for k in range(min(length, source)):
                    value = x[i, k, j] + 0.0j
                    re[k], im[k] = value.real, value.imag
                re[source:], im[source:] = 0.0, 0.0
                if forward:
                    _transform(re, im, work_re, work_im, plan)
                else:
                    _transform(im, re, work_im, work_re, plan)
                for k in range(length):
                    z[i, k, j] = complex(re[k] * scale, im[k] * scale)
        return z.reshape(tuple_setitem(a.shape, where, length))

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
    given = isinstance(n, types.Integer)

    def rfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        source = a.shape[where]
        length = n if given else source
        half = length // 2 + 1
        x = np.ascontiguousarray(a).reshape((outer, source, inner))
        z = np.empty((outer, half, inner), dtype)
        scale = _scale(length, True, norm)
        pairs = length % 2 == 0
        size = length // 2 if pairs else length
        plan = _plan(size)
        re, im, work_re, work_im = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
        w_re, w_im, to_re, to_im = np.empty(half), np.empty(half), np.empty(half), np.empty(half)
        turns(w_re, w_im, length)
        row = np.zeros(length)
        for i in range(outer):
            for j in range(inner):
                for k in range(min(length, source)):
                    row[k] = x[i, k, j]
                if pairs:
                    for k in range(size):
                        re[k], im[k] = row[2 * k], row[2 * k + 1]
                    _transform(re, im, work_re, work_im, plan)
                    from_halves(re, im, w_re, w_im, to_re, to_im)
                    for k in range(half):
                        z[i, k, j] = complex(to_re[k] * scale, to_im[k] * scale)
                else:
                    re[:], im[:] = row, 0.0
                    _transform(re, im, work_re, work_im, plan)
                    for k in range(half):
                        z[i, k, j] = complex(re[k] * scale, im[k] * scale)
        return z.reshape(tuple_setitem(a.shape, where, half))

    return rfft


@overload(np.fft.irfft, jit_options=_OPTIONS)
def _irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
    if not _is_array(a):
        return None
    _, dtype = _result(a)
    given = isinstance(n, types.Integer)

    def irfft(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        source = a.shape[where]
        length = n if given else 2 * (source - 1)
        half = length // 2 + 1
        x = np.ascontiguousarray(a).reshape((outer, source, inner))
        z = np.empty((outer, length, inner), dtype)
        scale = _scale(length, False, norm)
        pairs = length % 2 == 0
        size = length // 2 if pairs else length
        plan = _plan(size)
        re, im, work_re, work_im = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
        w_re, w_im, of_re, of_im = np.empty(half), np.empty(half), np.zeros(half), np.zeros(half)
        turns(w_re, w_im, length)
        for i in range(outer):
            for j in range(inner):
                for k in range(min(half, source)):
                    value = x[i, k, j] + 0.0j
                    of_re[k], of_im[k] = value.real, value.imag
                # The imaginary parts of the first and, for even lengths, of the last have no place.
                of_im[0] = 0.0
                if pairs:
                    of_im[half - 1] = 0.0
                    to_halves(of_re, of_im, w_re, w_im, re, im)
                    _transform(im, re, work_im, work_re, plan)
                    for k in range(size):
                        z[i, 2 * k, j] = re[k] * scale
                        z[i, 2 * k + 1, j] = im[k] * scale
                else:
                    for k in range(half):
                        re[k], im[k] = of_re[k], of_im[k]
                        if k > 0:
                            re[length - k], im[length - k] = of_re[k], -of_im[k]
                    _transform(im, re, work_im, work_re, plan)
                    for k in range(length):
                        z[i, k, j] = re[k] * scale
        return z.reshape(tuple_setitem(a.shape, where, length))

    return irfft
