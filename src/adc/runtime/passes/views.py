"""A part of an array, and what is asked of its lengths, are made of values: nothing is copied to a place in memory.

For `x[:, a:b]` Numba copies all that is known of the array to memory, the slices too, and asks in eight branches what
they come to: 280 instructions for what is done in forty, which LLVM then takes out again. The part is the one that
Numba takes. Slices with a step are left to it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numba.core import cgutils, imputils
from numba.np import arrayobj

from adc.runtime import tuning
from adc.runtime.passes.aggregates import built, parts
from adc.runtime.passes.known import is_known, put_among, types

# The texts of Numba's functions that these are known to stand for: those of 0.65 and 0.68.
PARTS = frozenset(
    {
        "0bbbd434f2806603bb368f3f0ad00d984f3034ddfc6415c3856f2193a100346b",
        "1717aa1f09327ce28af4046bf8dcda54b77284f2b8d4a59b73c9877fd24c6183",
    }
)
LENGTHS = frozenset({"367831bcc375e242ee5d2acbb9dc9df8eb1753e78a6df0b10dd95f86416542c7"})

_FIELDS = 7  # of an array: what owns it, its parent, how many elements, of what size, where, lengths, steps


def _part(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's functions: `array[index]`."""

    @functools.wraps(own)
    def part(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        kind, at = signature.args
        each = at.types if isinstance(at, types.BaseTuple) else (at,)
        if (
            tuning.compiling()
            and is_known(own, PARTS)
            and isinstance(kind, types.Array)
            and isinstance(signature.return_type, types.Array)
            and not context.enable_boundscheck
            and all(map(_is_plain, each))
        ):
            index = (
                parts(builder, operands[1], len(each)) if isinstance(at, types.BaseTuple) else [operands[1]]
            )
            made = _view(
                context,
                builder,
                kind,
                operands[0],
                list(zip(each, index, strict=True)),
                signature.return_type,
            )
            return imputils.impl_ret_borrowed(context, builder, signature.return_type, made)
        return own(context, builder, signature, operands)

    return part


def _is_plain(index: Any) -> bool:
    if isinstance(index, types.SliceType):
        return not index.has_step
    return isinstance(index, types.Integer) and index.bitwidth == 64


def _view(
    context: Any, builder: Any, kind: Any, array: Any, index: list[tuple[Any, Any]], result: Any
) -> Any:
    owner, parent, _, size, data, lengths, steps = parts(builder, array, _FIELDS)
    shape, strides = (cgutils.unpack_tuple(builder, each, kind.ndim) for each in (lengths, steps))
    firsts, kept = [], []
    for axis, (of, given) in enumerate(index):
        if isinstance(of, types.SliceType):
            first, last = (_within(builder, bound, shape[axis]) for bound in parts(builder, given, 2))
            many = _at_least_none(builder, builder.sub(last, first))
            kept.append((many, strides[axis]))
        else:
            first = _from_the_front(builder, given, shape[axis]) if of.signed else given
        firsts.append(first)
    kept += zip(shape[len(index) :], strides[len(index) :], strict=True)
    elements = cgutils.get_item_pointer2(context, builder, data, shape, strides, kind.layout, firsts)
    count = kept[0][0]
    for many, _ in kept[1:]:
        count = builder.mul(count, many, flags=["nsw"])
    return built(
        builder,
        context.get_value_type(result),
        [
            owner,
            parent,
            count,
            size,
            elements,
            cgutils.pack_array(builder, [many for many, _ in kept]),
            cgutils.pack_array(builder, [step for _, step in kept]),
        ],
    )


def _from_the_front(builder: Any, place: Any, length: Any) -> Any:
    negative = builder.icmp_signed("<", place, place.type(0))
    return builder.select(negative, builder.add(place, length), place)


def _at_least_none(builder: Any, many: Any) -> Any:
    return builder.select(builder.icmp_signed("<", many, many.type(0)), many.type(0), many)


def _within(builder: Any, bound: Any, length: Any) -> Any:
    """A bound of a slice as a place in the array, or behind its last one."""
    place = _at_least_none(builder, _from_the_front(builder, bound, length))
    return builder.select(builder.icmp_signed(">=", place, length), length, place)


def _lengths(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's function: `array.shape`."""

    @functools.wraps(own)
    def lengths(context: Any, builder: Any, kind: Any, array: Any, attribute: str) -> Any:
        if not (tuning.compiling() and is_known(arrayobj.array_shape, LENGTHS)):
            return own(context, builder, kind, array, attribute)
        return parts(builder, array, _FIELDS)[5]

    return lengths


def _standing_for(own: Callable[..., Any], *entry: Any) -> Callable[..., Any] | None:
    if own in (arrayobj.getitem_array_tuple, arrayobj.getitem_arraynd_intp):
        return _part(own)
    return _lengths(own) if entry == ("shape", (types.Array,)) else None


put_among(imputils.builtin_registry.functions, _standing_for)
put_among(imputils.builtin_registry.getattrs, _standing_for)
