"""Compiled code goes along an axis row by row: an array is its (outer, axis, inner) form."""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable


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
