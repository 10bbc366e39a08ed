"""Arrays for generated code: Numba compiles `np.empty` and `np.zeros` anew for each number of lengths and each dtype.

Here one function makes the memory of all of them, and stays apart; what an array is beside its memory, its lengths and
steps, the caller knows, as if it had made it itself.

Large ones are made of large pages, as NumPy's own are on Linux: memory that is new to a process is given to it page by
page, where it is first written to, and of the usual 4096 bytes that takes longer than anything a loop does with them
(states of 128 MB, kept: 56 ms to 13).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.types.containers import BaseTuple
from numba.core.typing.npydecl import parse_dtype
from numba.core.typing.templates import signature
from numba.extending import register_jitable
from numba.np.arrayobj import get_itemsize

from adc.runtime.apart import Apart, apart
from adc.runtime.passes.aggregates import built

__all__ = ["empty", "empty_of", "zeros", "zeros_of"]

_ON_LINUX = sys.platform == "linux"
_LARGE = 1 << 22  # bytes, where NumPy begins
_PAGE = 4096  # bytes
_HUGE_PAGES = 14  # MADV_HUGEPAGE
_MOST = 1 << 62  # bytes, of which no array has so many
_LENGTHS = 4  # that the functions of memory take
_OWNER, _PARENT, _DATA = 0, 1, 4  # fields of an array: what counts its references, and where its elements are
_BYTES = types.Array(types.uint8, 1, "C")  # which they return
_madvise: Any = types.ExternalFunction(
    "madvise", signature(types.int32, types.uintp, types.uintp, types.int32)
)


@register_jitable(error_model="numpy")
def _product(a: Any, b: Any) -> Any:
    """That of two lengths, with the errors of an array that has too many elements, or fewer than none."""
    if a < 0 or b < 0:
        raise ValueError("negative dimensions not allowed")
    if b > 0 and a > _MOST // b:
        raise ValueError(
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
        )
    return a * b


@apart("int64(int64, int64)", cache=True, error_model="numpy")
def _together(a: Any, b: Any) -> Any:
    return _product(a, b)


@apart("uint8[::1](int64, int64, int64, int64, int64)", cache=True, error_model="numpy")
def _memory(a: Any, b: Any, c: Any, d: Any, size: Any) -> Any:
    """Room for a * b * c * d elements of so many bytes. What the system answers makes no difference but in time."""
    made = np.empty(_product(_product(_product(a, b), _product(c, d)), size), np.uint8)
    if _ON_LINUX and made.size >= _LARGE:
        start = np.uint64(made.ctypes.data)
        skipped = np.uint64(_PAGE) - start % np.uint64(_PAGE)
        _madvise(start + skipped, np.uint64(made.size) - skipped, _HUGE_PAGES)
    return made


@apart("uint8[::1](int64, int64, int64, int64, int64)", cache=True, error_model="numpy")
def _zeroed(a: Any, b: Any, c: Any, d: Any, size: Any) -> Any:
    """The same with zeros in it: of every dtype they are bytes of zeros."""
    made = _memory(a, b, c, d, size)
    for k in range(made.size):
        made[k] = 0
    return made


def _in_c_order(shape: Any, dtype: Any = types.float64) -> Any:
    of = dtype if dtype is types.float64 else parse_dtype(dtype)
    return types.Array(of, len(shape) if isinstance(shape, BaseTuple) else 1, "C")


class _Room(Apart):
    """A function of a shape, and perhaps a dtype, that returns a new array, contiguous in C order."""

    def __init__(self, function: Any, memory: Apart) -> None:
        super().__init__(function, None, {}, returns=_in_c_order)
        self.memory = memory

    def __call__(self, shape: Any, *dtype: Any) -> Any:
        return self.function(shape, *dtype)

    def call(self, context: Any, builder: Any, called: Any, values: Any) -> Any:
        shape, kind = called.args[0], called.return_type
        tuples = isinstance(shape, BaseTuple)
        lengths = [
            context.cast(builder, length, given, types.intp)
            for length, given in zip(
                cgutils.unpack_tuple(builder, values[0]) if tuples else values[:1],
                shape.types if tuples else (shape,),
                strict=True,
            )
        ]
        size = context.get_constant(types.intp, get_itemsize(context, kind))
        memory = self._bytes(context, builder, lengths, size)
        steps, many = [size], lengths[0]
        for n in reversed(lengths[1:]):
            steps.insert(0, builder.mul(steps[0], n))
        for n in lengths[1:]:
            many = builder.mul(many, n, flags=["nsw"])
        model = context.get_value_type(kind)
        return built(
            builder,
            model,
            [
                _field(builder, memory, _OWNER),
                model.elements[_PARENT](None),
                many,
                size,
                builder.bitcast(_field(builder, memory, _DATA), model.elements[_DATA]),
                cgutils.pack_array(builder, lengths),
                cgutils.pack_array(builder, steps),
            ],
        )

    def _bytes(self, context: Any, builder: Any, lengths: list[Any], size: Any) -> Any:
        """Where the array of bytes lies that is the memory."""
        outer = list(lengths)
        while len(outer) > _LENGTHS:
            outer[:2] = [_together.call(context, builder, _declared(_together), outer[:2])]
        ones = [context.get_constant(types.intp, 1)] * (_LENGTHS - len(outer))
        values = [*ones, *outer, size]
        return self.memory.place_of_result(context, builder, _declared(self.memory), values)


def _declared(function: Apart) -> Any:
    assert function.declared is not None
    wanted, result = function.declared
    return signature(result, *wanted)


def _field(builder: Any, array: Any, k: int) -> Any:
    return builder.load(builder.gep(array, [ir.IntType(32)(0), ir.IntType(32)(k)], inbounds=True))


def _room(memory: Apart) -> Callable[[Any], _Room]:
    return lambda function: _Room(function, memory)


@_room(_memory)
def empty(shape: Any) -> Any:
    """`np.empty(shape)`; `shape` is an integer or a tuple of integers.

    >>> empty((2, 3)).shape
    (2, 3)
    """
    return np.empty(shape)


@_room(_memory)
def empty_of(shape: Any, dtype: Any) -> Any:
    """`np.empty(shape, dtype)`; `shape` is an integer or a tuple of integers.

    >>> empty_of(3, np.int32).dtype
    dtype('int32')
    """
    return np.empty(shape, dtype)


@_room(_zeroed)
def zeros(shape: Any) -> Any:
    """`np.zeros(shape)`; `shape` is an integer or a tuple of integers.

    >>> zeros(2)
    array([0., 0.])
    """
    return np.zeros(shape)


@_room(_zeroed)
def zeros_of(shape: Any, dtype: Any) -> Any:
    """`np.zeros(shape, dtype)`; `shape` is an integer or a tuple of integers.

    >>> zeros_of((1, 2), np.bool_)
    array([[False, False]])
    """
    return np.zeros(shape, dtype)
