"""Stacks that keep values for the reverse sweep, where nobody knows the number of trips before.

Numba compiles an assignment to a slice, and `np.concatenate`, anew in every program: seconds, for a loop of two lines.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.runtime.apart import apart

__all__ = ["grown", "push"]


@apart(cache=True, error_model="numpy")
def grown(stack: Any, room: Any) -> Any:
    """A stack with `room` more places, and what is in it already; `stack` has a place for each index of its first axis.

    >>> grown(np.array([1.0, 2.0]), 3)[:2], grown(np.zeros((2, 4)), 3).shape
    (array([1., 2.]), (5, 4))
    """
    made = np.empty((stack.shape[0] + room, *stack.shape[1:]), stack.dtype)
    old, new = stack.ravel(), made.ravel()
    for k in range(old.shape[0]):
        new[k] = old[k]
    return made


@apart(cache=True, error_model="numpy")
def push(stack: Any, top: Any, values: Any) -> None:
    """Write the elements of an array, row by row, to a stack from the place `top` on; there is room for them.

    >>> stack = np.zeros(5)
    >>> push(stack, 1, np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> stack
    array([0., 1., 2., 3., 4.])
    """
    places, flat = stack.ravel(), values.ravel()
    start = top * (places.shape[0] // stack.shape[0])
    for k in range(flat.shape[0]):
        places[start + k] = flat[k]
