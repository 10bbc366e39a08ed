"""Numba knows numpy.fft: fft, ifft, rfft and irfft along an axis, with `n` and `norm`.

A power of two is transformed by the iterative radix-2 algorithm (Cooley & Tukey 1965), a length with small
prime factors by Stockham's passes in mixed radix, any other through a convolution with a chirp (Bluestein
1970), which is three transforms of a power of two. Angles are reduced as integers, so the error stays a few
units in the last place at every length.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from adc.runtime.rows import around

__all__: list[str] = []

_OPTIONS: dict[str, Any] = {"error_model": "numpy"}
_LARGEST_FACTOR = 32  # a larger prime costs more than the three transforms of the chirp


@register_jitable(**_OPTIONS)
def _roots(n: Any, sign: Any, count: Any) -> Any:
    """The first `count` of exp(sign * 2 pi i k / n)."""
    roots = np.empty(max(count, 1), np.complex128)
    for k in range(roots.size):
        angle = sign * 2.0 * math.pi * k / n
        roots[k] = complex(math.cos(angle), math.sin(angle))
    return roots


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
def _mixed(x: Any, factors: Any, roots: Any) -> None:
    """Transform an array by one pass for each factor, in place."""
    n = x.size
    source, target = x.copy(), np.empty_like(x)
    held = np.empty(_LARGEST_FACTOR + 1, np.complex128)
    length, stride = n, 1
    for f in range(factors.size):
        p = factors[f]
        part = length // p
        for a in range(part):
            for q in range(stride):
                for b in range(p):
                    held[b] = source[q + stride * (a + part * b)]
                for c in range(p):
                    total = held[0]
                    for b in range(1, p):
                        total += held[b] * roots[(b * c % p) * (n // p)]
                    target[q + stride * (p * a + c)] = total * roots[(a * c * stride) % n]
        source, target = target, source
        length = part
        stride *= p
    x[:] = source


@register_jitable(**_OPTIONS)
def _radix2(x: Any, roots: Any) -> None:
    """Transform an array whose length is a power of two, in place."""
    n = x.size
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            held = x[i]
            x[i] = x[j]
            x[j] = held
    half = 1
    while half < n:
        stride = n // (2 * half)
        for start in range(0, n, 2 * half):
            for k in range(half):
                turned = x[start + k + half] * roots[k * stride]
                x[start + k + half] = x[start + k] - turned
                x[start + k] = x[start + k] + turned
        half *= 2


@register_jitable(**_OPTIONS)
def _plan(n: Any, sign: Any) -> Any:
    """What transforms of one length share: the roots, the chirp and the transform of its conjugate."""
    nothing = np.empty(0, np.complex128)
    factors = _factors(n)
    if n & (n - 1) == 0:
        return _roots(n, sign, n // 2), nothing, nothing, nothing, factors[:0]
    if factors.size > 0:
        return _roots(n, sign, n), nothing, nothing, nothing, factors
    m = 1
    while m < 2 * n - 1:
        m *= 2
    chirp = np.empty(n, np.complex128)
    kernel = np.zeros(m, np.complex128)
    for k in range(n):
        angle = sign * math.pi * ((k * k) % (2 * n)) / n
        chirp[k] = complex(math.cos(angle), math.sin(angle))
        kernel[k] = chirp[k].conjugate()
        if k > 0:
            kernel[m - k] = chirp[k].conjugate()
    roots = _roots(m, -1.0, m // 2)
    _radix2(kernel, roots)
    return roots, chirp, kernel, _roots(m, 1.0, m // 2), factors


@register_jitable(**_OPTIONS)
def _transform(x: Any, plan: Any) -> None:
    """Transform an array of any length, in place."""
    roots, chirp, kernel, back, factors = plan
    if factors.size > 0:
        _mixed(x, factors, roots)
        return
    if chirp.size == 0:
        _radix2(x, roots)
        return
    n, m = x.size, kernel.size
    padded = np.zeros(m, np.complex128)
    for k in range(n):
        padded[k] = x[k] * chirp[k]
    _radix2(padded, roots)
    for k in range(m):
        padded[k] = padded[k] * kernel[k]
    _radix2(padded, back)
    for k in range(n):
        x[k] = padded[k] * chirp[k] / m


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
    sign = -1.0 if forward else 1.0
    given = isinstance(n, types.Integer)

    def transform(a: Any, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        source = a.shape[where]
        length = n if given else source
        x = np.ascontiguousarray(a).reshape((outer, source, inner))
        z = np.zeros((outer, length, inner), dtype)
        plan = _plan(length, sign)
        scale = _scale(length, forward, norm)
        row = np.empty(length, np.complex128)
        for i in range(outer):
            for j in range(inner):
                for k in range(length):
                    row[k] = x[i, k, j] if k < source else 0.0
                _transform(row, plan)
                for k in range(length):
                    z[i, k, j] = row[k] * scale
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
        z = np.zeros((outer, half, inner), dtype)
        plan = _plan(length, -1.0)
        scale = _scale(length, True, norm)
        row = np.empty(length, np.complex128)
        for i in range(outer):
            for j in range(inner):
                for k in range(length):
                    row[k] = x[i, k, j] if k < source else 0.0
                _transform(row, plan)
                for k in range(half):
                    z[i, k, j] = row[k] * scale
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
        z = np.zeros((outer, length, inner), dtype)
        plan = _plan(length, 1.0)
        scale = _scale(length, False, norm)
        row = np.empty(length, np.complex128)
        for i in range(outer):
            for j in range(inner):
                for k in range(length):
                    row[k] = 0.0
                for k in range(min(half, source)):
                    value = complex(x[i, k, j])
                    # The imaginary parts of the first and, for even lengths, of the last have no place.
                    if k == 0 or 2 * k == length:
                        row[k] = value.real
                    else:
                        row[k] = value
                        row[length - k] = value.conjugate()
                _transform(row, plan)
                for k in range(length):
                    z[i, k, j] = row[k].real * scale
        return z.reshape(tuple_setitem(a.shape, where, length))

    return irfft
