"""Matrices of one to three rows, by elimination with partial pivoting on numbers that stay in registers.

LAPACK takes the same steps, but a call of it, and the copies that it works on, cost six to ten times as much. Closed
forms by cofactors lose digits where a matrix is nearly singular.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import register_jitable

from adc.runtime.apart import apart

__all__ = ["LARGEST", "determinant", "sign_and_log", "substitute"]

LARGEST = 3  # rows

_jitted = register_jitable(error_model="numpy")


@_jitted
def _size(x: Any) -> Any:
    """What LAPACK compares to choose a pivot."""
    return abs(x.real) + abs(x.imag)


@_jitted
def _two(p: Any, r: Any, q: Any, s: Any) -> Any:
    """The rows (p, r) and (q, s): whether exchanged, the first of them, how often it is subtracted, what is left."""
    exchanged = _size(q) > _size(p)
    if exchanged:
        p, r, q, s = q, s, p, r
    factor = q / p
    return exchanged, p, r, factor, s - factor * r


@_jitted
def _three(a: Any) -> Any:
    """A matrix of three rows: which comes first, it, how often it is subtracted, and `_two` of what is left."""
    first = 1 if _size(a[1, 0]) > _size(a[0, 0]) else 0
    if _size(a[2, 0]) > _size(a[first, 0]):
        first = 2
    second, third = 0 if first == 1 else 1, 0 if first == 2 else 2
    p, q, r = a[first, 0], a[first, 1], a[first, 2]
    f, g = a[second, 0] / p, a[third, 0] / p
    left = _two(a[second, 1] - f * q, a[second, 2] - f * r, a[third, 1] - g * q, a[third, 2] - g * r)
    return first, p, q, r, f, g, left


@_jitted
def _pivots(a: Any) -> Any:
    """Whether rows were exchanged once, and the three pivots, ones in place of those that there are not."""
    one = a.dtype.type(1)
    if a.shape[0] == 1:
        return False, a[0, 0], one, one
    if a.shape[0] == 2:
        exchanged, p, _, _, u = _two(a[0, 0], a[0, 1], a[1, 0], a[1, 1])
        return exchanged, p, u, one
    first, p, _, _, _, _, left = _three(a)
    return (first != 0) != left[0], p, left[1], left[4]


@_jitted
def determinant(a: Any) -> Any:
    """0 where a pivot is, whatever the others are."""
    odd, p, q, r = _pivots(a)
    if p == 0 or q == 0 or r == 0:
        return a.dtype.type(0)
    return -(p * q * r) if odd else p * q * r


@_jitted
def sign_and_log(a: Any) -> Any:
    """Sign and logarithm of the determinant, which itself may be too large for a number."""
    odd, p, q, r = _pivots(a)
    if p == 0 or q == 0 or r == 0:
        return a.dtype.type(0), a.real.dtype.type(-math.inf)
    sign = _sign(p) * _sign(q) * _sign(r)
    log = np.log(abs(p)) + np.log(abs(q)) + np.log(abs(r))
    return -sign if odd else sign, log


@_jitted
def _sign(x: Any) -> Any:
    return x / abs(x)


def _nothing(*kinds: Any) -> Any:
    return types.none


@_jitted
def substitute(a: Any, x: Any) -> None:
    """a^-1 x in place of x, shape (n, m). Raises LinAlgError if a pivot is 0."""
    if a.shape[0] == 1:
        _checked(a[0, 0])
        for j in range(x.shape[1]):
            x[0, j] /= a[0, 0]
    elif a.shape[0] == 2:
        _of_two(a, x)
    else:
        _of_three(a, x)


# Apart, so that of the two only what a matrix comes for is compiled.


@apart(returns=_nothing, cache=True, error_model="numpy")
def _of_two(a: Any, x: Any) -> None:
    exchanged, p, r, f, u = _two(a[0, 0], a[0, 1], a[1, 0], a[1, 1])
    _checked(p)
    _checked(u)
    for j in range(x.shape[1]):
        y, z = (x[1, j], x[0, j]) if exchanged else (x[0, j], x[1, j])
        z = (z - f * y) / u
        x[0, j], x[1, j] = (y - r * z) / p, z


@apart(returns=_nothing, cache=True, error_model="numpy")
def _of_three(a: Any, x: Any) -> None:
    first, p, q, r, f, g, left = _three(a)
    exchanged, s, t, h, u = left
    _checked(p)
    _checked(s)
    _checked(u)
    second, third = 0 if first == 1 else 1, 0 if first == 2 else 2
    for j in range(x.shape[1]):
        b = x[first, j]
        c, d = x[second, j] - f * b, x[third, j] - g * b
        if exchanged:
            c, d = d, c
        d = (d - h * c) / u
        c = (c - t * d) / s
        x[0, j], x[1, j], x[2, j] = (b - q * c - r * d) / p, c, d


@_jitted
def _checked(pivot: Any) -> None:
    if pivot == 0:
        raise np.linalg.LinAlgError("Singular matrix")
