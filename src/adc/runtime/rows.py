"""Compiled code goes along an axis row by row: an array is its (outer, axis, inner) form."""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable

from adc.runtime.rooms import empty_of


@register_jitable(error_model="numpy")
def around(a: Any, axis: Any) -> Any:
    """The axis as a position, and how many elements lie before and after it."""
    where = axis + a.ndim if axis < 0 else axis
    outer, inner = 1, 1
    for k in range(a.ndim):
        if k < where:
            outer *= a.shape[k]
        elif k > where:
            inner *= a.shape[k]
    return where, outer, inner


@register_jitable(error_model="numpy")
def as_matrix(x: Any) -> Any:
    """A copy of a vector or a matrix, as a matrix."""
    made = empty_of((x.shape[0], 1 if x.ndim == 1 else x.shape[1]), x.dtype)
    for i in range(made.shape[0]):
        if x.ndim == 1:
            made[i, 0] = x[i]
        else:
            for j in range(made.shape[1]):
                made[i, j] = x[i, j]
    return made
