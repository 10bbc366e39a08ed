"""Contiguous arrays in another shape, made of values: Numba copies all that is known of them to memory, and asks there.

Whether the lengths fit is one question. Where they do not, or one is -1, a function that stays apart says what they
are, or what is wrong with them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, imputils
from numba.core.typing.templates import signature
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.np import arrayobj

from adc.runtime import tuning
from adc.runtime.apart import apart
from adc.runtime.passes.aggregates import built, parts
from adc.runtime.passes.known import is_known, put_among, types

__all__: list[str] = []

# The texts of Numba's function that this one is known to stand for: that of 0.65 and 0.68.
KNOWN = frozenset({"94564b39e02da51290a0f95d0107b8c7f67ab089d68cd0346aa21b91d8bbdf21"})

_OWNER, _PARENT, _COUNT, _SIZE, _DATA = range(5)
_FIELDS = 7  # with lengths and steps


def _as_they_come(count: Any, lengths: Any) -> Any:
    return lengths


@apart(returns=_as_they_come, cache=True, error_model="numpy")
def _fitting(count: Any, lengths: Any) -> Any:
    """The lengths of an array of so many elements: one that is negative is what the others leave."""
    negative, known, at = 0, 1, 0
    for axis in range(len(lengths)):
        if lengths[axis] < 0:
            negative += 1
            at = axis
        else:
            known *= lengths[axis]
    if negative > 1:
        raise ValueError("multiple negative shape values")
    left = 1
    if negative == 1:
        left = count // known if known > 0 else 0
    if known * left != count:
        raise ValueError("total size of new array must be unchanged")
    return tuple_setitem(lengths, at, left) if negative == 1 else lengths


def reshaping(own: Callable[..., Any], *entry: Any) -> Callable[..., Any] | None:
    """What stands for Numba's function: `array.reshape(lengths)`."""
    if own is not arrayobj.array_reshape:
        return None

    @functools.wraps(own)
    def reshaped(context: Any, builder: Any, called: Any, values: Any) -> Any:
        kind, of = called.args
        if not (
            tuning.compiling()
            and is_known(own, KNOWN)
            and kind.layout == called.return_type.layout == "C"
            and of.types  # no lengths: an array without axes
            and all(isinstance(each, types.Integer) and each.signed for each in of.types)
        ):
            return own(context, builder, called, values)
        fields = parts(builder, values[0], _FIELDS)
        given = [
            context.cast(builder, length, each, types.intp)
            for length, each in zip(parts(builder, values[1], len(of)), of.types, strict=True)
        ]
        lengths = _lengths(context, builder, fields[_COUNT], given)
        steps = [fields[_SIZE]]
        for length in reversed(lengths[1:]):
            steps.insert(0, builder.mul(steps[0], length))
        made = [cgutils.pack_array(builder, each) for each in (lengths, steps)]
        view = built(builder, context.get_value_type(called.return_type), [*fields[: _DATA + 1], *made])
        return imputils.impl_ret_borrowed(context, builder, called.return_type, view)

    return reshaped


def _lengths(context: Any, builder: Any, count: Any, given: list[Any]) -> list[Any]:
    """The lengths that an array of so many elements gets, if these are wanted."""
    product, before = given[0], builder.block
    for length in given[1:]:
        product = builder.mul(product, length)
    unfit = builder.icmp_unsigned("!=", product, count)
    for length in given:
        if not _is_length(length):
            unfit = builder.or_(unfit, builder.icmp_signed("<", length, length.type(0)))
    tuples = types.UniTuple(types.intp, len(given))
    with builder.if_then(unfit, likely=False):
        called = signature(tuples, types.intp, tuples)
        found = _fitting.call(context, builder, called, [count, cgutils.pack_array(builder, given)])
        others = cgutils.unpack_tuple(builder, found, len(given))
        after = builder.block
    made = []
    for length, other in zip(given, others, strict=True):
        if _is_length(length):
            made.append(length)
            continue
        phi = builder.phi(length.type)
        phi.add_incoming(length, before)
        phi.add_incoming(other, after)
        made.append(phi)
    return made


def _is_length(value: Any) -> bool:
    """Whether a value is known, and not negative: then it stays what it is."""
    return isinstance(value, ir.Constant) and value.constant >= 0


put_among(imputils.builtin_registry.functions, reshaping)
