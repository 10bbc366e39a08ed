"""Numba knows forms of NumPy functions that it lacks: argsort along an axis, svd without vectors, frexp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

__all__: list[str] = []

_OPTIONS: dict[str, Any] = {"error_model": "numpy"}


@overload(np.argsort, jit_options=_OPTIONS)
def _argsort(a: Any, axis: Any = -1, kind: Any = None) -> Any:
    """Positions in ascending order along an axis; equal elements keep their order."""
    if not isinstance(a, types.Array) or a.ndim == 0:
        return None

    def argsort(a: Any, axis: Any = -1, kind: Any = None) -> Any:
        where = axis + a.ndim if axis < 0 else axis
        outer, inner = 1, 1
        for k in range(a.ndim):
            if k < where:
                outer *= a.shape[k]
            elif k > where:
                inner *= a.shape[k]
        n = a.shape[where]
        x = np.ascontiguousarray(a).reshape((outer, n, inner))
        order = np.empty((outer, n, inner), np.int64)
        for i in range(outer):
            for j in range(inner):
                order[i, :, j] = np.argsort(x[i, :, j].copy(), kind="mergesort")
        return order.reshape(a.shape)

    return argsort


@overload(np.linalg.svd, jit_options=_OPTIONS, prefer_literal=True)
def _svd(a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    """Singular values alone."""
    if not isinstance(compute_uv, types.BooleanLiteral) or compute_uv.literal_value:
        return None

    def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
        return np.linalg.svd(a, False)[1]

    return svd


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
