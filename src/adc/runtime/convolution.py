"""Convolutions of vectors: four taps at a time, over a stretch of the result that stays in the nearest cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import register_jitable

from adc.runtime.apart import apart
from adc.runtime.rooms import zeros_of

__all__ = ["convolve", "convolve_same", "convolve_valid"]

STRETCH = 256
FEW = 16  # results that are worth a product of vectors each


def _vector(long: Any, *others: Any) -> Any:
    return types.Array(long.dtype, 1, "C")


@register_jitable(error_model="numpy")
def _slid(x: Any, taps: Any) -> Any:
    """The products of the taps with as many elements of `x`, from each place on where there are so many."""
    m = len(taps)
    out = zeros_of(len(x) - m + 1, x.dtype)
    if len(out) < FEW:
        for i in range(len(out)):
            out[i] = np.dot(x[i : i + m], taps)
        return out
    for start in range(0, len(out), STRETCH):
        z = out[start : start + STRETCH]
        for j in range(0, m - 3, 4):
            a, b, c, d = taps[j], taps[j + 1], taps[j + 2], taps[j + 3]
            y = x[start + j : start + j + len(z) + 3]
            for i in range(len(z)):
                z[i] = z[i] + a * y[i] + b * y[i + 1] + c * y[i + 2] + d * y[i + 3]
        for j in range(m - m % 4, m):
            a, y = taps[j], x[start + j : start + j + len(z)]
            for i in range(len(z)):
                z[i] += a * y[i]
    return out


@apart(returns=_vector, cache=True, error_model="numpy")
def _by_rows(long: Any, short: Any) -> Any:
    """The full convolution, where a zero beside the ends times an infinite tap would not be zero."""
    out = zeros_of(len(long) + len(short) - 1, long.dtype)
    for j in range(len(short)):
        for i in range(len(long)):
            out[i + j] += short[j] * long[i]
    return out


@register_jitable(error_model="numpy")
def _by_length(a: Any, v: Any) -> Any:
    """The longer of two vectors, and the other one."""
    if len(a) == 0:
        raise ValueError("a cannot be empty")
    if len(v) == 0:
        raise ValueError("v cannot be empty")
    return (a, v) if len(a) >= len(v) else (v, a)


@apart(returns=_vector, cache=True, error_model="numpy")
def _part(long: Any, short: Any, before: Any, after: Any) -> Any:
    """The convolution where all of the short vector lies in the long one, and that many places on both sides."""
    n, more = len(long), len(short) - 1
    if before + after > 0 and not np.all(np.isfinite(short)):
        return _by_rows(long, short)[more - before : more + n - (more - after)].copy()
    x = zeros_of(before + n + after, long.dtype)
    for i in range(n):  # of slices Numba would compile what it says where the lengths differ, for two seconds
        x[before + i] = long[i]
    return _slid(x, short[::-1].copy())


# A function for each mode: one for all would compare texts, which takes Numba a second to compile.


@apart(cache=True, error_model="numpy")
def convolve(a: Any, v: Any) -> Any:
    """`np.convolve` of two vectors of one float dtype. Raises ValueError where one is empty.

    >>> convolve(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    array([0., 1., 2., 3.])
    """
    long, short = _by_length(a, v)
    return _part(long, short, len(short) - 1, len(short) - 1)


@apart(cache=True, error_model="numpy")
def convolve_same(a: Any, v: Any) -> Any:
    """`np.convolve` with mode="same": as many elements as the longer vector has.

    >>> convolve_same(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    array([0., 1., 2.])
    """
    long, short = _by_length(a, v)
    more = len(short) - 1
    return _part(long, short, more - more // 2, more // 2)


@apart(cache=True, error_model="numpy")
def convolve_valid(a: Any, v: Any) -> Any:
    """`np.convolve` with mode="valid": where all of the shorter vector lies in the longer one.

    >>> convolve_valid(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0]))
    array([1., 2.])
    """
    long, short = _by_length(a, v)
    return _part(long, short, 0, 0)
