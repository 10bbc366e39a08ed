"""Arrays laid out by their last axis, for loops that read them column by column."""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.runtime.apart import apart
from adc.runtime.rooms import empty

__all__ = ["columns"]

_TOGETHER = (
    8  # elements of 8 bytes: what is read of a row, and what is written of a column, are whole cache lines
)


@apart(cache=True, error_model="numpy")
def columns(a: Any) -> Any:
    """A copy of an array of float64 and two or more axes, contiguous, with the last axis in front.

    >>> columns(np.arange(6.0).reshape(2, 3))
    array([[0., 3.],
           [1., 4.],
           [2., 5.]])
    >>> columns(np.zeros((2, 3, 4))).shape
    (4, 2, 3)
    """
    made = empty((a.shape[-1], *a.shape[:-1]))
    count = a.shape[-1]
    rows = 1
    for k in range(a.ndim - 1):
        rows *= a.shape[k]
    source, target = np.ascontiguousarray(a).ravel(), made.ravel()
    whole = rows - rows % _TOGETHER
    for i in range(0, whole, _TOGETHER):
        for j in range(count):
            for k in range(_TOGETHER):
                target[j * rows + i + k] = source[(i + k) * count + j]
    for i in range(whole, rows):
        for j in range(count):
            target[j * rows + i] = source[i * count + j]
    return made
