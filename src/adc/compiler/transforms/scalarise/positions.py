"""Reads and writes at positions given by data: integer arrays and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.compiler.frontend.indexing import FULL, indexed_type
from adc.compiler.ir.nodes import (
    Assign,
    Carried,
    Const,
    If,
    Merge,
    Slice,
    Store,
    Var,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.scalarise import reductions
from adc.compiler.transforms.scalarise.nests import Nests
from adc.rules import registry
from adc.rules.dims import Dim


def gather(nests: Nests, stmt: Assign) -> None:
    array, items = stmt.args
    if mask_of(items) is not None:
        _masked_read(nests, stmt)
        return
    target = stmt.target
    assert isinstance(target.type, Array)
    nests.allocate(target)
    _over_positions(
        nests,
        array,
        items,
        target.type.shape,
        lambda index, where: nests.put(target, index, nests.load(array, where)),
    )


def _over_positions(
    nests: Nests,
    array: Var,
    items: tuple[Any, ...],
    shape: tuple[Dim, ...],
    body: Callable[[list[Any], list[Any]], None],
) -> None:
    """Run `body(index, where)` for each index of `array[items]`, some of which are integer arrays.

    `where` is the index in the array. A position is read once for all elements of a row: LLVM could not tell that what
    is written is no position.
    """
    advanced = [i for i in items if isinstance(i, Var) and i.is_array]
    rank = max(i.type.ndim for i in advanced)
    positions = [k for k, i in enumerate(items) if not isinstance(i, Slice) and i != Const(None)]
    together = positions == list(range(positions[0], positions[-1] + 1))
    lead = sum(isinstance(i, Slice) or i == Const(None) for i in items[: positions[0]]) if together else 0
    axes = iter(range(array.type.ndim))
    axis_of = [None if item == Const(None) else next(axes) for item in items]

    def row(outer: list[Any]) -> None:
        given: dict[int, Any] = {}
        for k in positions:
            item, axis = items[k], axis_of[k]
            assert axis is not None
            is_array = isinstance(item, Var) and item.is_array
            value = (
                nests.aligned(item, outer[lead:])
                if is_array
                else nests.positive(item, array.type.shape[axis])
            )
            given[k] = _position(nests, array, axis, value)

        def element(index: list[Any]) -> None:
            rest = iter([*index[:lead], *index[lead + rank :]])
            where: list[Any] = []
            for k, (item, axis) in enumerate(zip(items, axis_of, strict=True)):
                if axis is None:
                    next(rest)
                elif isinstance(item, Slice):
                    where.append(nests.sliced(item, next(rest), array.type.shape[axis]))
                else:
                    where.append(given[k])
            body(index, where)

        nests.loops(shape[lead + rank :], element, outer)

    nests.loops(shape[: lead + rank], row)


def _position(nests: Nests, array: Var, axis: int, position: Any) -> Any:
    """A position along an axis that is given by data, as elements are read and written by.

    In memory it stays as it is: compiled code counts a negative index from the end, as Python does. But one that is so
    far from a counter, -1 at first, would be taken for an element of that trip alone.
    """
    if not isinstance(position, Var) or nests.never_negative(position):
        return position
    if not nests.by_counter(position) and not nests.is_computed(array) and nests.is_owners(array, axis):
        return position
    return nests.counted(position, array.type.shape[axis])


def _masked_read(nests: Nests, stmt: Assign) -> None:
    """The elements where a mask is true, in order: counted first, then copied."""
    array, items = stmt.args
    mask, rest = _mask_parts(nests, array, items)
    target = stmt.target
    assert isinstance(target.type, Array)
    ev = nests.ev
    count = reductions.accumulated(nests, "count_nonzero", mask, tuple(range(mask.type.ndim)), {}, "int64")
    lengths = (count, *ev.shape_values(rest))
    target.type = Array(target.type.dtype, target.type.shape, "C")
    ev.block.append(
        Assign(
            (target,),
            registry.named("empty"),
            (ev.operand(lengths), Const(np.dtype(target.type.dtype))),
            ev.origin,
        )
    )
    _over_mask(
        nests,
        mask,
        rest,
        lambda position, tail, where: nests.put(target, [position, *tail], nests.load(array, where)),
    )


def _mask_parts(nests: Nests, array: Var, items: tuple[Any, ...]) -> tuple[Var, tuple[Dim, ...]]:
    mask = mask_of(items)
    assert mask is not None
    assert items[0] is mask and all(i == FULL for i in items[1:]), "masks beside other items are positions"
    return mask, array.type.shape[mask.type.ndim :]


def _over_mask(
    nests: Nests, mask: Var, rest: tuple[Dim, ...], body: Callable[[Any, list[Any], list[Any]], None]
) -> None:
    """Run `body(position, tail, where)` for each true element: `position` counts, `where` is the full index."""
    ev = nests.ev
    counter_type = Scalar("int64", True)

    def level(axis: int, index: list[Any], start: Any) -> Any:
        if axis == mask.type.ndim:
            test = nests.load(mask, index)
            region = If(ev.atom(test), [], [], [], ev.origin)
            with ev.at(region.then):
                nests.loops(rest, lambda tail: body(start, tail, [*index, *tail]))
                after = ev.op("add", start, 1)
            result = Var("position", counter_type)
            result.dim = Dim.symbol("value", result)
            region.merges.append(Merge(result, ev.atom(after), ev.atom(start)))
            ev.block.append(region)
            return result
        counter = nests.counter(axis)
        phi, result = Var("position", counter_type), Var("position", counter_type)
        phi.dim, result.dim = Dim.symbol("value", phi), Dim.symbol("value", result)
        loop = nests.over(counter, mask.type.shape[axis])
        with ev.at(loop.body):
            out = level(axis + 1, [*index, counter], phi)
        loop.carried.append(Carried(phi, ev.atom(start), ev.atom(out), result))
        ev.block.append(loop)
        return result

    level(0, [], 0)


def scatter(nests: Nests, stmt: Store) -> None:
    """Write, or add, at integer positions or where a mask is true, one element after the other."""
    array = stmt.array
    if mask_of(stmt.index) is not None:
        mask, rest = _mask_parts(nests, array, stmt.index)
        value = stmt.value
        by_position = (
            isinstance(value, Var) and value.type.ndim == 1 + len(rest) and value.type.shape[0].known != 1
        )

        def put(position: Any, tail: list[Any], where: list[Any]) -> None:
            element = (
                nests.load(value, [position, *tail]) if by_position else nests.aligned(value, [0, *tail])
            )
            nests.put(array, where, element, stmt.accumulate)

        _over_mask(nests, mask, rest, put)
        return
    space, _ = indexed_type(nests.ev, array, stmt.index)
    _over_positions(
        nests,
        array,
        stmt.index,
        nests.iterated(stmt, space.shape),
        lambda index, where: nests.put(array, where, nests.aligned(stmt.value, index), stmt.accumulate),
    )


def mask_of(items: tuple[Any, ...]) -> Var | None:
    return next((i for i in items if isinstance(i, Var) and i.is_array and i.type.dtype == "bool"), None)
