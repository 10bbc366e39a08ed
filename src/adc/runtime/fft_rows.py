"""Fourier transforms of all rows of an array in its (outer, axis, inner) form, block by block.

A block is as many rows as stay in the cache, their numbers side by side. A length with small prime factors is
transformed by a pass for each factor (Cooley & Tukey 1965; they need no reordering). Any other length goes through a
convolution with a chirp (Bluestein 1970), which is three transforms of a power of two. Real data of even length are
half as many complex numbers. An inverse transform is a forward one with real and imaginary parts exchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from adc.runtime.apart import apart
from adc.runtime.fft_passes import from_halves, passes, to_halves
from adc.runtime.fft_plans import PLAN, half_turns, plan
from adc.runtime.kernels import options

__all__ = ["complex_rows", "real_rows", "rows_of_halves"]

_SIDE_BY_SIDE = 16  # rows in a block if the array has them side by side
_ONE_BY_ONE = 8  # rows in a block if the array has them one behind the other
_SHORT = 192  # numbers of such a row, at most: gathering longer ones costs more than it saves

_COMPLEX, _REAL = "complex128[:, :, ::1]", "float64[:, :, ::1]"


@apart(f"void(float64[::1], {PLAN}, int64)", **options())
def _through_chirp(x: Any, shared: Any, width: Any) -> None:
    """Transform a block of rows of a length with a large prime factor, in place."""
    factors, w, chirp, kernel = shared
    n, m = chirp.size // 2, kernel.size // 2
    size, room = n * width, m * width
    y, z = np.zeros(2 * room), np.empty(2 * room)
    for k in range(n):
        c, s = chirp[k], chirp[n + k]
        for q in range(k * width, k * width + width):
            y[q] = x[q] * c - x[size + q] * s
            y[room + q] = x[q] * s + x[size + q] * c
    if not passes(y, z, factors, w, m, width):
        y, z = z, y
    for k in range(m):
        c, s = kernel[k], kernel[m + k]
        for q in range(k * width, k * width + width):
            # Parts exchanged: the way back is an inverse transform.
            z[room + q] = y[q] * c - y[room + q] * s
            z[q] = y[q] * s + y[room + q] * c
    if not passes(z, y, factors, w, m, width):
        y, z = z, y
    for k in range(n):
        c, s = chirp[k] / m, chirp[n + k] / m
        for q in range(k * width, k * width + width):
            x[q] = z[room + q] * c - z[q] * s
            x[size + q] = z[room + q] * s + z[q] * c


@apart(f"boolean(float64[::1], float64[::1], {PLAN}, int64, int64)", **options())
def _transform(x: Any, other: Any, shared: Any, n: Any, width: Any) -> Any:
    """Transform a block of rows by exp(-2 pi i k t / n). Whether the result lies in x: it may be in the other."""
    factors, w, chirp, _ = shared
    if chirp.size == 0:
        return passes(x, other, factors, w, n, width)
    _through_chirp(x, shared, width)
    return True


# --- blocks of rows, from an array and back ------------------------------------------------------------------
#
# Rows behind one another are `row` floats apart, and a number is two neighbours. Of rows side by side, `inner` of
# them, a number is two neighbours, too, or a pair of floats that follow one another along the axis.

_WHERE = "float64[::1], uint64, uint64, uint64, boolean"


@apart(f"void({_WHERE}, uint64, float64[::1], uint64, uint64, boolean)", **options())
def _load(
    array: Any,
    at: Any,
    row: Any,
    inner: Any,
    pairs: Any,
    count: Any,
    x: Any,
    size: Any,
    width: Any,
    swap: Any,
) -> None:
    """The first `count` numbers of each row of a block, then zeros."""
    re, im = (size, np.uint64(0)) if swap else (np.uint64(0), size)
    if inner == np.uint64(1):
        for q in range(width):
            for k in range(count):
                x[re + k * width + q] = array[at + q * row + k + k]
                x[im + k * width + q] = array[at + q * row + k + k + np.uint64(1)]
    elif pairs:
        for k in range(count):
            for q in range(width):
                x[re + k * width + q] = array[at + (k + k) * inner + q]
                x[im + k * width + q] = array[at + (k + k) * inner + inner + q]
    else:
        for k in range(count):
            for q in range(width):
                x[re + k * width + q] = array[at + (k + k) * inner + q + q]
                x[im + k * width + q] = array[at + (k + k) * inner + q + q + np.uint64(1)]
    for q in range(count * width, size):
        x[q], x[size + q] = 0.0, 0.0


@apart(f"void({_WHERE}, uint64, float64[::1], uint64, uint64, boolean, float64)", **options())
def _store(
    array: Any,
    at: Any,
    row: Any,
    inner: Any,
    pairs: Any,
    count: Any,
    x: Any,
    size: Any,
    width: Any,
    swap: Any,
    scale: Any,
) -> None:
    """A block, scaled, to where `_load` would take it from."""
    re, im = (size, np.uint64(0)) if swap else (np.uint64(0), size)
    if inner == np.uint64(1):
        for q in range(width):
            for k in range(count):
                array[at + q * row + k + k] = x[re + k * width + q] * scale
                array[at + q * row + k + k + np.uint64(1)] = x[im + k * width + q] * scale
    elif pairs:
        for k in range(count):
            for q in range(width):
                array[at + (k + k) * inner + q] = x[re + k * width + q] * scale
                array[at + (k + k) * inner + inner + q] = x[im + k * width + q] * scale
    else:
        for k in range(count):
            for q in range(width):
                array[at + (k + k) * inner + q + q] = x[re + k * width + q] * scale
                array[at + (k + k) * inner + q + q + np.uint64(1)] = x[im + k * width + q] * scale


@register_jitable(error_model="numpy")
def _blocks(outer: Any, inner: Any, n: Any) -> Any:
    """How many groups of rows there are, how many rows each has, and how many of them make a block."""
    if inner > 1:
        return outer, inner, min(inner, _SIDE_BY_SIDE)
    return min(outer, 1), outer, min(outer, _ONE_BY_ONE) if n <= _SHORT else 1


@register_jitable(error_model="numpy")
def _place(group: Any, lane: Any, length: Any, inner: Any, floats: Any) -> Any:
    """Where a row begins in an array whose numbers are so many floats each, and how many floats a row has."""
    row = length * floats
    return lane * row if inner == 1 else group * row * inner + lane * floats, row


@apart(f"void({_COMPLEX}, {_COMPLEX}, boolean, float64)", **options())
def complex_rows(x: Any, z: Any, forward: Any, scale: Any) -> None:
    """Transform x along the middle axis, cut or filled with zeros to the length of z, into z."""
    outer, source, inner = x.shape
    n = z.shape[1]
    given, found = x.reshape(x.size).view(np.float64), z.reshape(z.size).view(np.float64)
    shared = plan(n)
    groups, lanes, wide = _blocks(outer, inner, n)
    block, other = np.empty(2 * n * wide), np.empty(2 * n * wide)
    for group in range(groups):
        for lane in range(0, lanes, wide):
            width = min(wide, lanes - lane)
            at, row = _place(group, lane, source, inner, 2)
            _load(given, at, row, inner, False, min(source, n), block, n * width, width, not forward)
            y = block if _transform(block, other, shared, n, width) else other
            at, row = _place(group, lane, n, inner, 2)
            _store(found, at, row, inner, False, n, y, n * width, width, not forward, scale)


@apart(f"void({_REAL}, {_COMPLEX}, int64, float64)", **options())
def real_rows(x: Any, z: Any, length: Any, scale: Any) -> None:
    """Transform x along the middle axis, cut or filled with zeros to a length: the first half into z, or all of it."""
    if x.shape[1] != length:
        x = _fitted(x, length)
    if length % 2 == 0:
        _even_rows(x, z, scale)
        _mirror(z, length)
    else:
        _odd_rows(x, z, scale)


@apart(f"void({_COMPLEX}, uint64)", **options())
def _mirror(z: Any, length: Any) -> None:
    """Fill the rest of the transform of real numbers, which is the conjugate of its first half."""
    outer, found, inner = np.uint64(z.shape[0]), np.uint64(z.shape[1]), np.uint64(z.shape[2])
    x, floats, one = z.reshape(z.size).view(np.float64), inner + inner, np.uint64(1)
    for i in range(outer):
        at = i * found * floats
        for k in range(length // np.uint64(2) + one, found):
            to, source = at + k * floats, at + (length - k) * floats
            for j in range(inner):
                x[to + j + j] = x[source + j + j]
                x[to + j + j + one] = -x[source + j + j + one]


@apart(f"{_REAL}({_REAL}, int64)", **options())
def _fitted(x: Any, length: Any) -> Any:
    outer, source, inner = x.shape
    y = np.zeros((outer, length, inner))
    for i in range(outer):
        for k in range(min(source, length)):
            y[i, k] = x[i, k]
    return y


@apart(f"void({_REAL}, {_COMPLEX}, float64)", **options())
def _odd_rows(x: Any, z: Any, scale: Any) -> None:
    whole = np.empty(x.shape, np.complex128)
    complex_rows(x.astype(np.complex128), whole, True, scale)
    z[...] = whole[:, : z.shape[1]]


@apart(f"void({_REAL}, {_COMPLEX}, float64)", **options())
def _even_rows(x: Any, z: Any, scale: Any) -> None:
    outer, length, inner = x.shape
    m = length // 2
    given, found = x.reshape(x.size), z.reshape(z.size).view(np.float64)
    shared, w = plan(m), half_turns(length)
    groups, lanes, wide = _blocks(outer, inner, m)
    block, other = np.empty(2 * (m + 1) * wide), np.empty(2 * (m + 1) * wide)
    for group in range(groups):
        for lane in range(0, lanes, wide):
            width = min(wide, lanes - lane)
            at, row = _place(group, lane, length, inner, 1)
            _load(given, at, row, inner, True, m, block, m * width, width, False)
            here = _transform(block, other, shared, m, width)
            y, half = (block, other) if here else (other, block)
            from_halves(y, half, m, width, w)
            at, row = _place(group, lane, z.shape[1], inner, 2)
            _store(found, at, row, inner, False, m + 1, half, (m + 1) * width, width, False, scale)


@apart(f"void({_COMPLEX}, {_REAL}, float64)", **options())
def rows_of_halves(x: Any, z: Any, scale: Any) -> None:
    """Find the real numbers z with a transform along the middle axis whose first half is x."""
    if z.shape[1] % 2 == 0:
        _even_rows_of_halves(x, z, scale)
    else:
        _odd_rows_of_halves(x, z, scale)


@apart(f"void({_COMPLEX}, {_REAL}, float64)", **options())
def _odd_rows_of_halves(x: Any, z: Any, scale: Any) -> None:
    outer, length, inner = z.shape
    whole, found = np.zeros(z.shape, np.complex128), np.empty(z.shape, np.complex128)
    for i in range(outer):
        for k in range(min(x.shape[1], length // 2 + 1)):
            for j in range(inner):
                if k == 0:
                    whole[i, k, j] = x[i, k, j].real
                else:
                    whole[i, k, j], whole[i, length - k, j] = x[i, k, j], np.conj(x[i, k, j])
    complex_rows(whole, found, False, scale)
    z[...] = found.real


@apart(f"void({_COMPLEX}, {_REAL}, float64)", **options())
def _even_rows_of_halves(x: Any, z: Any, scale: Any) -> None:
    outer, source, inner = x.shape
    length = z.shape[1]
    m = length // 2
    given, found = x.reshape(x.size).view(np.float64), z.reshape(z.size)
    shared, w = plan(m), half_turns(length)
    groups, lanes, wide = _blocks(outer, inner, m)
    block, other = np.empty(2 * (m + 1) * wide), np.empty(2 * (m + 1) * wide)
    for group in range(groups):
        for lane in range(0, lanes, wide):
            width = min(wide, lanes - lane)
            at, row = _place(group, lane, source, inner, 2)
            _load(given, at, row, inner, False, min(source, m + 1), block, (m + 1) * width, width, False)
            to_halves(block, other, m, width, w)
            y = other if _transform(other, block, shared, m, width) else block
            at, row = _place(group, lane, length, inner, 1)
            _store(found, at, row, inner, True, m, y, m * width, width, True, scale)
