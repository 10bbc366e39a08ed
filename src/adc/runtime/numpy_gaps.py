"""Numba knows forms of NumPy functions that it lacks: argsort and argpartition along an axis,
nanargmax and nanargmin, these and count_nonzero of numbers, eigh of the upper triangle,
qr with a complete basis or none, frexp.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.core.types.misc import Omitted, StringLiteral
from numba.extending import overload, register_jitable

from adc.runtime.rows import around

__all__: list[str] = []

_OPTIONS: dict[str, Any] = {"error_model": "numpy"}


@overload(np.argsort, jit_options=_OPTIONS)
def _argsort(a: Any, axis: Any = -1, kind: Any = None) -> Any:
    """Positions in ascending order along an axis; equal elements keep their order."""
    if not isinstance(a, types.Array) or a.ndim == 0:
        return None

    def argsort(a: Any, axis: Any = -1, kind: Any = None) -> Any:
        where, outer, inner = around(a, axis)
        n = a.shape[where]
        x = np.ascontiguousarray(a).reshape((outer, n, inner))
        order = np.empty((outer, n, inner), np.int64)
        for i in range(outer):
            for j in range(inner):
                order[i, :, j] = np.argsort(x[i, :, j].copy(), kind="mergesort")
        return order.reshape(a.shape)

    return argsort


@overload(np.argpartition, jit_options=_OPTIONS)
def _argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    """Positions that put the kth smallest element of each row in its place."""
    if not isinstance(a, types.Array) or a.ndim == 0 or not isinstance(kth, types.Integer):
        return None
    if a.ndim == 1 and isinstance(axis, (int, Omitted)):
        return None  # Numba's own, which the loop below calls

    def argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
        where, outer, inner = around(a, axis)
        n = a.shape[where]
        x = np.ascontiguousarray(a).reshape((outer, n, inner))
        order = np.empty((outer, n, inner), np.int64)
        for i in range(outer):
            for j in range(inner):
                order[i, :, j] = np.argpartition(x[i, :, j].copy(), kth)
        return order.reshape(a.shape)

    return argpartition


@register_jitable(**_OPTIONS)
def _best(x: Any, largest: bool) -> int:
    """Where the first extreme of a row is, NaN aside; as NumPy, of a row of nothing else it says so."""
    best, found = 0, False
    for k in range(x.size):
        better = x[k] > x[best] if largest else x[k] < x[best]
        if not np.isnan(x[k]) and (not found or better):
            best, found = k, True
    if not found:
        raise ValueError("All-NaN slice encountered")
    return best


def _position_but_nan(largest: bool) -> Any:
    def of_number(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        return _best(np.array([a]), largest)

    def choose(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
        """Along no axis, or along one of a matrix; of a number that is none it raises, as of nothing else than NaN."""
        if isinstance(a, types.Number):
            return of_number
        if not isinstance(a, types.Array) or not (keepdims is False or isinstance(keepdims, Omitted)):
            return None

        def of_all(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
            return _best(np.ascontiguousarray(a).ravel(), largest)

        def along(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
            where, outer, inner = around(a, axis)
            x = np.ascontiguousarray(a).reshape((outer, a.shape[where], inner))
            found = np.empty(outer * inner, np.int64)
            for i in range(outer):
                for j in range(inner):
                    found[i * inner + j] = _best(x[i, :, j], largest)
            return found

        whole = axis is None or isinstance(axis, (Omitted, type(types.none)))
        return of_all if whole or a.ndim == 1 else along if a.ndim == 2 else None

    return choose


overload(np.nanargmax, jit_options=_OPTIONS)(_position_but_nan(True))
overload(np.nanargmin, jit_options=_OPTIONS)(_position_but_nan(False))


@overload(np.count_nonzero, jit_options=_OPTIONS)
def _count_nonzero(a: Any) -> Any:
    """Of a number."""
    if not isinstance(a, (types.Number, types.Boolean)):
        return None

    def count_nonzero(a: Any) -> Any:
        return 1 if a else 0

    return count_nonzero


@overload(np.linalg.eigh, jit_options=_OPTIONS, prefer_literal=True)
def _eigh(a: Any, UPLO: Any = "L") -> Any:
    """Of the triangle that is named: the upper one is the lower one of the transpose."""
    if not isinstance(UPLO, StringLiteral):
        return None
    lower = UPLO.literal_value.upper() == "L"

    def eigh(a: Any, UPLO: Any = "L") -> Any:
        return np.linalg.eigh(a if lower else np.ascontiguousarray(np.conj(a.T)))

    return eigh


@overload(np.linalg.qr, jit_options=_OPTIONS, prefer_literal=True)
def _qr(a: Any, mode: Any = "reduced") -> Any:
    """Modes "r" and "complete"."""
    if not isinstance(mode, StringLiteral) or not isinstance(a, types.Array):
        return None

    def reduced(a: Any, mode: Any = "reduced") -> Any:
        return np.linalg.qr(a)

    def upper(a: Any, mode: Any = "reduced") -> Any:
        return np.linalg.qr(a)[1]

    def complete(a: Any, mode: Any = "reduced") -> Any:
        return _householder(a)

    known = {"reduced": reduced, "r": upper}
    if isinstance(a.dtype, types.Float):
        known["complete"] = complete
    return known.get(mode.literal_value)


@register_jitable(**_OPTIONS)
def _householder(a: Any) -> Any:
    """Q (square) and R of a tall or wide matrix by Householder's reflections, signs as LAPACK chooses them."""
    m, n = a.shape
    r = a.copy()
    q = np.zeros((m, m), a.dtype)
    count = min(m, n)
    scales = np.zeros(count, a.dtype)
    for j in range(min(m - 1, count)):
        tail = 0.0
        for i in range(j + 1, m):
            tail = math.hypot(tail, r[i, j])
        if tail == 0.0:
            continue
        beta = -math.copysign(math.hypot(r[j, j], tail), r[j, j])
        scales[j] = (beta - r[j, j]) / beta
        for i in range(j + 1, m):
            r[i, j] /= r[j, j] - beta
        r[j, j] = beta
        for k in range(j + 1, n):
            total = r[j, k]
            for i in range(j + 1, m):
                total += r[i, j] * r[i, k]
            total *= scales[j]
            r[j, k] -= total
            for i in range(j + 1, m):
                r[i, k] -= total * r[i, j]
    for k in range(m):
        q[k, k] = 1.0
    for j in range(count - 1, -1, -1):
        for k in range(j, m):
            total = q[j, k]
            for i in range(j + 1, m):
                total += r[i, j] * q[i, k]
            total *= scales[j]
            q[j, k] -= total
            for i in range(j + 1, m):
                q[i, k] -= total * r[i, j]
    for i in range(m):
        for j in range(min(i, n)):
            r[i, j] = 0.0
    return q, r


@overload(np.frexp, jit_options=_OPTIONS)
def _frexp(x: Any) -> Any:
    """Mantissa and exponent of a number, or of every element of an array."""
    if isinstance(x, types.Float):

        def of_number(x: Any) -> Any:
            return math.frexp(x)

        return of_number
    if not isinstance(x, types.Array):
        return None

    def frexp(x: Any) -> Any:
        mantissa = np.empty(x.shape, x.dtype)
        exponent = np.empty(x.shape, np.int32)
        for index, value in np.ndenumerate(x):
            mantissa[index], exponent[index] = math.frexp(value)
        return mantissa, exponent

    return frexp
