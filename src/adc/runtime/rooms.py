"""Arrays for generated code: Numba compiles `np.empty` and `np.zeros` anew in every process.

They are made by functions that stay apart; the caller knows their lengths, as if it had made them itself.

Large ones are made of large pages, as NumPy's own are on Linux: memory that is new to a process is given to it page by
page, where it is first written to, and of the usual 4096 bytes that takes longer than anything a loop does with them
(states of 128 MB, kept: 56 ms to 13).
"""

from __future__ import annotations

import sys
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.types.containers import BaseTuple
from numba.core.typing.templates import signature
from numba.np.arrayobj import make_array

from adc.runtime.apart import Apart

__all__ = ["empty", "empty_of", "zeros", "zeros_of"]


class _Room(Apart):
    """A function of a shape, and perhaps a dtype, that returns a new array, contiguous in C order."""

    def __call__(self, shape: Any, *dtype: Any) -> Any:
        return self.function(shape, *dtype)

    def call(self, context: Any, builder: Any, called: Any, values: Any) -> Any:
        made = super().call(context, builder, called, values)
        array = make_array(called.return_type)(context, builder, made)
        shape = called.args[0]
        tuples = isinstance(shape, BaseTuple)
        lengths = [
            context.cast(builder, length, kind, types.intp)
            for length, kind in zip(
                cgutils.unpack_tuple(builder, values[0]) if tuples else values[:1],
                shape.types if tuples else (shape,),
                strict=True,
            )
        ]
        steps = [array.itemsize]
        for n in reversed(lengths[1:]):
            steps.insert(0, builder.mul(steps[0], n))
        array.shape = cgutils.pack_array(builder, lengths)
        array.strides = cgutils.pack_array(builder, steps)
        return array._getvalue()


_ON_LINUX = sys.platform == "linux"
_LARGE = 1 << 22  # bytes, where NumPy begins
_PAGE = 4096  # bytes
_HUGE_PAGES = 14  # MADV_HUGEPAGE
_madvise: Any = types.ExternalFunction(
    "madvise", signature(types.int32, types.uintp, types.uintp, types.int32)
)


@numba.njit
def _of_large_pages(array: Any) -> Any:
    """The array, for whose memory large pages are asked; what the system answers makes no difference but in time."""
    if _ON_LINUX and array.nbytes >= _LARGE:
        start = np.uint64(array.ctypes.data)
        skipped = np.uint64(_PAGE) - start % np.uint64(_PAGE)
        _madvise(start + skipped, np.uint64(array.nbytes) - skipped, _HUGE_PAGES)
    return array


def _room(function: Any) -> Any:
    return _Room(function, None, {"cache": True, "error_model": "numpy"})


@_room
def empty(shape: Any) -> Any:
    """`np.empty(shape)`; `shape` is an integer or a tuple of integers.

    >>> empty((2, 3)).shape
    (2, 3)
    """
    return _of_large_pages(np.empty(shape))


@_room
def empty_of(shape: Any, dtype: Any) -> Any:
    """`np.empty(shape, dtype)`; `shape` is an integer or a tuple of integers.

    >>> empty_of(3, np.int32).dtype
    dtype('int32')
    """
    return _of_large_pages(np.empty(shape, dtype))


@_room
def zeros(shape: Any) -> Any:
    """`np.zeros(shape)`; `shape` is an integer or a tuple of integers.

    >>> zeros(2)
    array([0., 0.])
    """
    made = _of_large_pages(np.empty(shape))
    made.fill(0.0)
    return made


@_room
def zeros_of(shape: Any, dtype: Any) -> Any:
    """`np.zeros(shape, dtype)`; `shape` is an integer or a tuple of integers.

    >>> zeros_of((1, 2), np.bool_)
    array([[False, False]])
    """
    made = _of_large_pages(np.empty(shape, dtype))
    flat = made.ravel()
    for k in range(flat.shape[0]):
        flat[k] = 0
    return made
