"""An element of an array is read and written where it lies: of the array no more is looked up than that takes.

Numba has one way for all that an array can be indexed with. For `x[i, 0]` it copies all that is known of the array into
a place in memory, reads every length and step back from there twice, and asks of `0` whether it is negative: sixty
instructions for what is done in a dozen, which LLVM then takes out again. With them went a third of the time in which
a gradient of 300 lines was lowered, printed and parsed. The element is the one that Numba takes: an index that is
negative counts from the end, and none is checked. Of a counter it is asked, too, though it never is: without the
question LLVM makes other loops, and rows of a dozen took 1.3 times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir as llvm
from numba.core import cgutils, lowering
from numba.np.arrayobj import load_item, mark_positive, store_item

from adc.runtime import tuning
from adc.runtime.passes.aggregates import parts
from adc.runtime.passes.known import is_known, put, types

# The texts of Numba's methods that these are known to stand for: those of 0.65 and 0.68.
READ = frozenset({"76f8c6ed4f7e86d49b57b8dfcf94998d5bfafd001868e05c770f770ef674a0b0"})
WRITTEN = frozenset({"84ed9f0254ea25af31984f5bb617f13084e9d9f1be14a248e4eb21f40877839f"})

_INDEX = llvm.IntType(64)
_DATA, _LENGTHS, _STEPS = 4, 5, 6  # fields of an array


class _Array:
    """An array that is being compiled, of which single fields are looked up."""

    def __init__(self, lowerer: Any, name: str) -> None:
        self.builder = lowerer.builder
        self.type = lowerer.typeof(name)
        in_place = name not in lowerer._blk_local_varmap
        self.place = lowerer.getvar(name) if in_place else None
        self.value = None if in_place else lowerer.loadvar(name)
        self.lengths: dict[int, Any] = {}

    def _field(self, *path: int) -> Any:
        if self.place is None:
            return self.builder.extract_value(self.value, path)
        steps = [llvm.IntType(32)(k) for k in (0, *path)]
        return self.builder.load(self.builder.gep(self.place, steps, inbounds=True))

    def length(self, axis: int) -> Any:
        if axis not in self.lengths:
            self.lengths[axis] = self._field(_LENGTHS, axis)
            if self.place is not None:
                mark_positive(self.builder, self.lengths[axis])
        return self.lengths[axis]

    def address(self, index: list[Any]) -> Any:
        """Where the element at an index lies."""
        builder, data = self.builder, self._field(_DATA)
        if self.type.layout not in "CF":
            steps = [builder.mul(self._field(_STEPS, axis), i) for axis, i in enumerate(index)]
            return cgutils.pointer_add(builder, data, _sum(builder, steps))
        axes = range(len(index)) if self.type.layout == "F" else range(len(index) - 1, -1, -1)
        parts, size = [], None  # the fastest axis first; how many elements a step along an axis is
        for axis in axes:
            parts.append(index[axis] if size is None else builder.mul(index[axis], size))
            if axis != axes[-1]:
                length = self.length(axis)
                size = length if size is None else builder.mul(length, size)
        return builder.gep(data, [_sum(builder, parts[::-1])])


def _sum(builder: Any, parts: list[Any]) -> Any:
    total = parts[0]
    for part in parts[1:]:
        total = builder.add(total, part)
    return total


def _element(lowerer: Any, array: Any, index: Any, signature: Any) -> Any:
    """The address of an element; None where a place is not told by one integer for each axis."""
    kind, at = signature.args[:2]
    each = at.types if isinstance(at, types.BaseTuple) else (at,)
    if not (
        isinstance(kind, types.Array)
        and kind == lowerer.typeof(array.name)
        and isinstance(kind.dtype, (types.Number, types.Boolean))
        and len(each) == kind.ndim > 0
        and all(isinstance(t, types.Integer) and t.bitwidth == _INDEX.width for t in each)
        and at == types.unliteral(lowerer.typeof(index.name))
        and not lowerer.context.enable_boundscheck
    ):
        return None
    of, builder = _Array(lowerer, array.name), lowerer.builder
    given = lowerer.loadvar(index.name)
    places = parts(builder, given, len(each)) if isinstance(at, types.BaseTuple) else [given]
    for axis, (place, t) in enumerate(zip(places, each, strict=True)):
        from_the_front = (
            isinstance(place, llvm.Constant) and type(place.constant) is int and place.constant >= 0
        )
        if t.signed and not from_the_front:
            negative = builder.icmp_signed("<", place, _INDEX(0))
            places[axis] = builder.select(negative, builder.add(place, of.length(axis)), place)
    return of.address(places)


def reading(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's method: the value of `array[index]`."""

    def lower_getitem(self: Any, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        known = tuning.compiling() and is_known(own, READ)
        address = _element(self, value, index, signature) if known else None
        if address is None:
            return own(self, resty, expr, value, index, signature)
        kind = signature.args[0]
        element = load_item(self.context, self.builder, kind, address)
        return self.context.cast(self.builder, element, signature.return_type, resty)

    return lower_getitem


def writing(own: Callable[..., None]) -> Callable[..., None]:
    """What stands for Numba's method: `array[index] = value`."""

    def lower_setitem(self: Any, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        known = tuning.compiling() and is_known(own, WRITTEN)
        address = _element(self, target_var, index_var, signature) if known else None
        if address is None:
            return own(self, target_var, index_var, value_var, signature)
        kind, _, given = signature.args
        value = self.loadvar(value_var.name)
        for before, after in ((self.typeof(value_var.name), given), (given, kind.dtype)):
            value = self.context.cast(self.builder, value, before, after)
        return store_item(self.context, self.builder, kind, value, address)

    return lower_setitem


put(lowering.Lower, "lower_getitem", reading)
put(lowering.Lower, "lower_setitem", writing)
