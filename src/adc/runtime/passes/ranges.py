"""A loop over a range is a counter and a number of trips, without structures in memory around them.

Numba writes a range, its iterator and what the iterator gives into memory and reads them back, and finds out by which
sign the step has how many trips there are, though nearly every step is the number 1: a hundred instructions for each
loop, a quarter of those of a filter with seventy loops. What LLVM makes of it is what is written here at once. A step
that is not known stays Numba's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from llvmlite import ir as llvm
from numba.core import base, cgutils, imputils
from numba.cpython import rangeobj

from adc.runtime import tuning
from adc.runtime.passes.aggregates import built, parts
from adc.runtime.passes.known import is_known, put, put_among, types

# The texts of Numba's that these are known to stand for: those of 0.65 and 0.68.
RANGES = frozenset({"3b198b25a32eb352f4e8e8917a9dcb2296068ece73ab0c0211c8c138b380aae1"})
PAIR_FIRST = frozenset({"1523a1c65d96431af9100138e9e046b86b193ca989854ce82f26b17facccfd41"})
PAIR_SECOND = frozenset({"d6feb9936c9d22b42e2ad7ef4c4d19d72e4e1b81b41b72a9a8459720f0fc0489"})


def _known_ranges() -> bool:
    return tuning.compiling() and is_known(rangeobj.make_range_impl, RANGES)


def _making(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for `range(...)`: where it begins, where it ends, its step."""

    @functools.wraps(own)
    def made(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        if not _known_ranges():
            return own(context, builder, signature, operands)
        kind = context.get_value_type(signature.args[0])
        start, stop, step = {1: (kind(0), *operands, kind(1)), 2: (*operands, kind(1)), 3: operands}[
            len(operands)
        ]
        return built(builder, context.get_value_type(signature.return_type), [start, stop, step])

    return made


def _iterating(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for `iter(range)`: a place for the counter, and one for the trips that are left."""

    @functools.wraps(own)
    def iterator(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        start, stop, step = parts(builder, operands[0], 3)
        if not (_known_ranges() and _is_number(step)):
            return own(context, builder, signature, operands)
        counter, left = (cgutils.alloca_once(builder, start.type) for _ in range(2))
        builder.store(start, counter)
        builder.store(_trips(builder, builder.sub(stop, start), step), left)
        return built(builder, context.get_value_type(signature.return_type), [counter, stop, step, left])

    return iterator


def _is_number(step: Any) -> bool:
    return (
        isinstance(step, llvm.Constant)
        and isinstance(step.constant, int)
        and 0 < abs(step.constant) < 1 << 31
    )


def _trips(builder: Any, distance: Any, step: Any) -> Any:
    """How many numbers there are up to a distance, as Numba counts them: by a quotient rounded towards zero."""
    none, zero = "<=" if step.constant > 0 else ">", distance.type(0)
    trips = distance
    if step.constant == -1:
        trips = builder.neg(distance)
    elif step.constant != 1:
        rest = builder.srem(distance, step)
        trips = builder.sdiv(distance, step)
        trips = builder.add(trips, builder.zext(builder.icmp_signed("!=", rest, zero), trips.type))
    return builder.select(builder.icmp_signed(none, distance, zero), zero, trips)


def _stepping(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for `next(iterator)`: the number, and whether there is one."""

    @functools.wraps(own)
    def following(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        if not _known_ranges():
            return own(context, builder, signature, operands)
        counter, _, step, left = (builder.extract_value(operands[0], k) for k in range(4))
        number, trips = builder.load(counter), builder.load(left)
        there_is = builder.icmp_signed(">", trips, trips.type(0))
        with builder.if_then(there_is):
            builder.store(builder.sub(trips, trips.type(1), flags=["nsw"]), left)
            builder.store(builder.add(number, step), counter)
        return built(builder, context.get_value_type(signature.return_type), [number, there_is])

    return following


def _first(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's method: the first of a pair."""

    def pair_first(self: Any, builder: Any, value: Any, kind: Any) -> Any:
        known = tuning.compiling() and is_known(own, PAIR_FIRST)
        return parts(builder, value, 1)[0] if known else own(self, builder, value, kind)

    return pair_first


def _second(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's method: the second of a pair."""

    def pair_second(self: Any, builder: Any, value: Any, kind: Any) -> Any:
        known = tuning.compiling() and is_known(own, PAIR_SECOND)
        return parts(builder, value, 2)[1] if known else own(self, builder, value, kind)

    return pair_second


def _standing_for(own: Callable[..., Any], operation: Any, kinds: Any) -> Callable[..., Any] | None:
    of = kinds[0] if kinds else None
    if operation is range and own.__module__ == rangeobj.__name__:
        return _making(own)
    if operation == "getiter" and isinstance(of, types.RangeType):
        return _iterating(own)
    if operation == "iternext" and isinstance(of, types.RangeIteratorType):
        return _stepping(own)
    return None


put_among(imputils.builtin_registry.functions, _standing_for)
put(base.BaseContext, "pair_first", _first)
put(base.BaseContext, "pair_second", _second)
