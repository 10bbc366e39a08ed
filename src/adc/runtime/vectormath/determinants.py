"""The determinant of a matrix of two or three rows, given by its elements: loops over stacks of them vectorise.

A difference of products is rounded about once, by Kahan's method: ad - bc as (ad - w) + (w - bc), where w is bc rounded
and both brackets come of one fused operation each (Jeannerod, Louvet & Muller, *Further analysis of Kahan's algorithm
for the accurate computation of 2 x 2 determinants*, 2013: at most 1.5 units in the last place). Three rows are expanded
along the first, whose elements are then as good as rounded by three units more: as backward stable as elimination.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from adc.runtime.vectormath.dispatch import KERNEL_OPTIONS, helper
from adc.runtime.vectormath.primitives import fused, select, two_product

__all__ = ["SIZES", "det"]

SIZES = (2, 3)  # rows


def det(*elements: float) -> float:
    """The determinant of the matrix with these elements, row by row: 4 or 9 of one dtype, float64 or float32.

    >>> det(1.0, 2.0, 3.0, 4.0)
    -2.0
    >>> det(2.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 1.0, 2.0)
    10.0
    """
    return _compiled(len(elements))(*elements)  # type: ignore[no-any-return]


@helper
def _difference(a: float, d: float, b: float, c: float) -> float:
    """The difference a d - b c; where a product overflows, what comes of it without care."""
    product, rest = two_product(b, c)
    careful = fused(a, d, -product) - rest
    return select(math.isfinite(careful), careful, a * d - b * c)


@helper
def _of_two(a: float, b: float, c: float, d: float) -> float:
    return _difference(a, d, b, c)


@helper
def _of_three(
    a: float, b: float, c: float, d: float, e: float, f: float, g: float, h: float, i: float
) -> float:
    return a * _difference(e, i, f, h) - b * _difference(d, i, f, g) + c * _difference(d, h, e, g)


def _two(*x: Any) -> Any:
    return _of_two(x[0], x[1], x[2], x[3])


def _three(*x: Any) -> Any:
    return _of_three(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8])


def _two_single(*x: Any) -> Any:
    return np.float32(_of_two(np.float64(x[0]), np.float64(x[1]), np.float64(x[2]), np.float64(x[3])))


def _three_single(*x: Any) -> Any:
    first = np.float64(x[0]), np.float64(x[1]), np.float64(x[2])
    second = np.float64(x[3]), np.float64(x[4]), np.float64(x[5])
    third = np.float64(x[6]), np.float64(x[7]), np.float64(x[8])
    return np.float32(_of_three(*first, *second, *third))


@overload(det, jit_options=KERNEL_OPTIONS, strict=False)
def _det(*elements: Any) -> Any:
    kinds = set(elements)
    if kinds == {types.float32}:
        return {4: _two_single, 9: _three_single}.get(len(elements))
    return {4: _two, 9: _three}.get(len(elements)) if kinds == {types.float64} else None


@functools.cache
def _compiled(count: int) -> Any:
    if count == 4:
        return njit(**KERNEL_OPTIONS)(lambda a, b, c, d: det(a, b, c, d))
    return njit(**KERNEL_OPTIONS)(lambda a, b, c, d, e, f, g, h, i: det(a, b, c, d, e, f, g, h, i))
