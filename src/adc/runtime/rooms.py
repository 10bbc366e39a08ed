"""Arrays of float64 for generated code: Numba compiles `np.empty` and `np.zeros` anew in every process.

They are made by functions that stay apart; the caller knows their lengths, as if it had made them itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.types.containers import BaseTuple
from numba.np.arrayobj import make_array

from adc.runtime.apart import Apart

__all__ = ["empty", "zeros"]


class _Room(Apart):
    """A function of a shape that returns a new array, contiguous in C order."""

    def __call__(self, shape: Any) -> Any:
        return self.function(shape)

    def call(self, context: Any, builder: Any, called: Any, values: Any) -> Any:
        made = super().call(context, builder, called, values)
        array = make_array(called.return_type)(context, builder, made)
        (shape,) = called.args
        tuples = isinstance(shape, BaseTuple)
        lengths = [
            context.cast(builder, length, kind, types.intp)
            for length, kind in zip(
                cgutils.unpack_tuple(builder, values[0]) if tuples else values,
                shape.types if tuples else called.args,
                strict=True,
            )
        ]
        steps = [array.itemsize]
        for n in reversed(lengths[1:]):
            steps.insert(0, builder.mul(steps[0], n))
        array.shape = cgutils.pack_array(builder, lengths)
        array.strides = cgutils.pack_array(builder, steps)
        return array._getvalue()


def _room(function: Any) -> Any:
    return _Room(function, None, {"cache": True, "error_model": "numpy"})


@_room
def empty(shape: Any) -> Any:
    """`np.empty(shape)`; `shape` is an integer or a tuple of integers.

    >>> empty((2, 3)).shape
    (2, 3)
    """
    return np.empty(shape)


@_room
def zeros(shape: Any) -> Any:
    """`np.zeros(shape)`; `shape` is an integer or a tuple of integers.

    >>> zeros(2)
    array([0., 0.])
    """
    return np.zeros(shape)
