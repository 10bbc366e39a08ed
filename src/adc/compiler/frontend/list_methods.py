"""What a program does with a list of a run-time length: its methods and operators (see growing.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adc.compiler.frontend import row_classes, shared_rows, templates
from adc.compiler.frontend.element_kinds import ElementFound, cannot, is_weak, stays_weak
from adc.compiler.frontend.frame import Closure, Growing
from adc.compiler.frontend.frozen import freeze, put_in
from adc.compiler.frontend.growing import (
    FIRST_ROOM,
    changed,
    joined_kinds,
    kind_of,
    may_change,
    of_array,
    places,
    put_at,
    stored,
)
from adc.compiler.frontend.grown_reads import element, position, rows, seen
from adc.compiler.frontend.indexing import normalized
from adc.compiler.frontend.rooms import Irregular
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var
from adc.compiler.ir.types import Array, Scalar
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


_EXTEND = templates.later("def extend(items, more):\n    for item in more:\n        items.append(item)")


_INDEX = templates.later(
    """
def index(items, value):
    for k, item in enumerate(items):
        if value in (item,):
            return k
    raise ValueError("the value is not in the list")
"""
)
_COUNT = templates.later(
    """
def count(items, value):
    found = 0
    for item in items:
        if value in (item,):
            found += 1
    return found
"""
)


_COLUMN = templates.later("def column(rows, k):\n    return [row[k] for row in rows]")


class ShrinksFound(UnsupportedError):
    """A list becomes shorter, in a program whose lists were thought to grow only."""


def extend(ev: Core, growing: Growing, values: Value) -> None:
    """`growing.extend(values)`."""
    if isinstance(values, Growing) and values is growing:
        raise cannot(ev, "it is extended by itself")
    ev.call(Closure(_EXTEND(), ev.frame, {}), [growing, values], {})


def index(ev: Core, items: Value, value: Value) -> Value:
    """`items.index(value)`."""
    return ev.call(Closure(_INDEX(), ev.frame, {}), [items, value], {})


def columns(ev: Core, growing: Growing) -> list[Growing] | None:
    """`zip(*growing)`: what stands at each place of its elements; None where it is not known how many there are."""
    form = seen(growing).form
    if form is not None:
        width = len(form.example) if isinstance(form.example, tuple) else None
    else:
        width = rows(ev, growing).type.shape[1].known if growing.nested else None
    if width is None:
        return None
    some = ev.op("greater", growing.count, 0)
    if some is not True:
        message = f"not enough values to unpack (expected {width}, got 0)"
        ev.block.append(Check(ev.atom(some), "ValueError", (Const(message),), ev.origin))
    found = [ev.call(Closure(_COLUMN(), ev.frame, {}), [growing, k], {}) for k in range(width)]
    for column in found:
        column.fixed = True  # a tuple
    return found


def count(ev: Core, items: Value, value: Value) -> Value:
    """`items.count(value)`."""
    return ev.call(Closure(_COUNT(), ev.frame, {}), [items, value], {})


def pop(ev: Core, growing: Growing) -> Value:
    """`growing.pop()`."""
    shrinks(ev, growing)
    last = element(ev, growing, -1)
    growing.count = ev.op("subtract", growing.count, 1)
    return last


def clear(ev: Core, growing: Growing) -> None:
    """`growing.clear()`."""
    shrinks(ev, growing)
    growing.count = 0


def sort(ev: Core, growing: Growing, **how: Value) -> None:
    """`growing.sort()`."""
    ordered = ev.call(sorted, [growing], how)
    _reorder(ev, growing, rows(ev, ordered) if isinstance(ordered, Growing) else ev.array_of(ordered))


def reverse(ev: Core, growing: Growing) -> None:
    """`growing.reverse()`."""
    _reorder(ev, growing, ev.op("copy", ev.subscript(rows(ev, growing), slice(None, None, -1))))


def _reorder(ev: Core, growing: Growing, values: Var) -> None:
    """The list has its elements in the order of an array that nothing else knows."""
    may_change(ev, growing)
    if growing.room is not None:
        raise Irregular(growing.name)
    freeze(ev, values)
    growing.values = values


def shrinks(ev: Core, growing: Growing) -> None:
    """A place is filled again later: what was read there before must not see that, so it was copied."""
    may_change(ev, growing)
    if growing.room is not None:
        raise Irregular(growing.name)
    if not ev.lists_shrink:
        raise ShrinksFound("a list becomes shorter here", location=ev.origin)


def copied(ev: Core, growing: Growing) -> Growing:
    """`list(growing)`, whose elements are the same ones."""
    made = deeply_copied(ev, growing)
    shared_rows.share(ev, growing, made)
    return made


def deeply_copied(ev: Core, growing: Growing) -> Growing:
    """The list with copies of its elements.

    An earlier attempt may have found that more is put into the copy than is in the list.
    """
    if growing.of is not None and not growing.of.of_numbers:
        return replace(growing, made=ev.origin)  # neither changes
    known = ev.list_kinds.get(ev.origin)
    if growing.values is not None:
        values = ev.op("copy", rows(ev, growing))
        if known is not None:
            values = ev.cast(values, known[0].dtype)
    elif known is not None:
        values = places(ev, growing.name, FIRST_ROOM, known[0])
    else:
        return Growing(growing.name, None, growing.count, growing.nested, growing.form, made=ev.origin)
    freeze(ev, values)
    weak = (growing.weak or growing.values is None) and stays_weak(ev)
    copy = Growing(growing.name, values, growing.count, growing.nested, growing.form, weak, made=ev.origin)
    row_classes.pass_on(ev, growing, copy)
    row_classes.read_from(growing, copy)
    return copy


def put(ev: Core, growing: Growing, index: Value, value: Value) -> None:
    """`growing[index] = value`."""
    ev.refuse_either(growing)
    if growing.fixed and growing.row_of is None:
        raise changed(ev)
    shared_rows.written(ev, growing)
    if growing.room is not None:
        raise Irregular(growing.name)
    t = ev.type_of(value)
    kind = kind_of(seen(growing))
    if isinstance(kind, Array) and ev.length(index) is not None and growing.row_of is None:
        shrinks(ev, growing)  # what was read there is not what stands there now
        item = stored(ev, growing, value)
        assert growing.values is not None
        put_at(ev, growing.values, position(ev, growing, index), item)
        return
    if isinstance(kind, Array) or not isinstance(t, Scalar) or ev.length(index) is None:
        raise cannot(ev, "only numbers can be put into a row of it at a position, and nothing into a part")
    weak = growing.weak and t.weak is True
    if joined_kinds(kind, t) != kind or growing.weak != weak:
        wide = joined_kinds(kind, t)
        assert wide is not None
        of_rows = growing.row_of is not None
        whole = growing if growing.row_of is None else growing.row_of
        found = ElementFound(whole.key, whole.made, wide, nested=of_rows, weak=weak, of_rows=of_rows)
        ev.list_kinds[whole.made] = found.kept
        raise found
    place = position(ev, growing, index)
    behind = shared_rows.through(ev, growing)
    if behind is None:
        assert growing.values is not None
        put_at(ev, growing.values, place, value)
        return
    assert behind.values is not None
    freeze(ev, behind.values)
    number = normalized(ev, behind.values, (growing.row_at, place))
    ev.store(behind.values, number, ev.cast(value, behind.values.type.dtype))


def repeated(ev: Core, items: list[Value], count: Value) -> Growing:
    """`[value] * count`: an array in it is the element of many places, and may not be written to."""
    kinds = [ev.type_of(item) for item in items]
    ranks = {None if t is None else t.ndim for t in kinds}
    if len(ranks) != 1 or None in ranks:
        raise cannot(ev, "only numbers and arrays of one rank can be repeated that often")
    known = ev.list_kinds.get(ev.origin)
    length = ev.length(count)
    assert length is not None
    count = ev.dim_value(length.clamped())
    values = ev.array_of(items)
    for item in items:
        if isinstance(item, Var) and item.is_array:
            put_in(ev, item)
    if known is not None:
        values = ev.cast(values, known[0].dtype)
    kind = Array(values.type.dtype, values.type.shape[1:])
    lengths = (ev.op("multiply", count, len(items)), *ev.shape_values(values.type.shape[1:]))
    whole: Var = ev.op("zeros", lengths, dtype=np.dtype(values.type.dtype))
    for k in range(len(items)):
        every = slice(k, None, len(items)) if len(items) > 1 else slice(None)
        one = items[0] if len(items) == 1 and kinds[0] == kind else ev.subscript(values, k)
        ev.store(whole, normalized(ev, whole, every), one)
    return of_array(ev, whole, all(is_weak(ev, item) for item in items))


def times(ev: Core, items: Growing, count: Value) -> Growing:
    """`items * count`."""
    if not isinstance(count, int):
        raise cannot(ev, "it is repeated a number of times that is only known at run time")
    whole = copied(ev, items)
    if count < 1:
        whole.count = 0
    for _ in range(count - 1):
        extend(ev, whole, items)
    return whole
