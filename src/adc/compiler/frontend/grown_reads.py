"""What is read of a list that lives in an array: elements, parts, the array itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from adc.compiler.frontend import packed, row_classes, shared_rows
from adc.compiler.frontend.columns import Spread
from adc.compiler.frontend.element_kinds import ElementFound, cannot, stays_weak
from adc.compiler.frontend.frame import Growing, Items
from adc.compiler.frontend.frozen import freeze
from adc.compiler.frontend.indexing import normalized
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var
from adc.compiler.ir.types import Scalar

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def first_place(ev: Core, growing: Growing) -> Value:
    """The place of the first element."""
    if growing.room is None or not growing.room.front:
        return 0
    assert growing.values is not None
    return ev.op("subtract", ev.dim_value(growing.values.type.shape[0]), growing.count)


def seen(growing: Growing) -> Growing:
    """The list, once it is known what its elements are; for want of anything better they are taken for numbers."""
    if growing.values is None:
        raise ElementFound(growing.key, growing.made, Scalar("float64"), guessed=True)
    return growing


def element(ev: Core, growing: Growing, index: Value) -> Value:
    """`growing[index]`, with Python's rule for what is out of range."""
    if isinstance(index, slice) and growing.of is not None and not growing.of.of_numbers:
        every = ev.call(np.arange, [growing.count], {})
        return selected(ev, growing, ev.subscript(every, index))
    if isinstance(index, slice):
        part = ev.op("copy", ev.subscript(rows(ev, growing), index))  # a list of its own, which may change
        known = ev.list_kinds.get(ev.origin)
        part = part if known is None else ev.cast(part, known[0].dtype)
        freeze(ev, part)
        made = Growing(
            growing.name,
            part,
            ev.dim_value(part.type.shape[0]),
            growing.nested,
            growing.form,
            growing.weak and stays_weak(ev),
            made=ev.origin,
        )
        shared_rows.share(ev, growing, made)
        row_classes.pass_on(ev, growing, made)
        row_classes.read_from(growing, made)
        return made
    if ev.length(index) is None:
        return _as_element(growing, ev, ev.subscript(rows(ev, growing), index))
    return _at(ev, growing, position(ev, growing, index))


def _at(ev: Core, growing: Growing, place: Value) -> Value:
    """The element at a place that is there, counted from the front."""
    if growing.of is not None:
        return growing.of.at(place)
    values = seen(growing).values
    assert values is not None
    place = ev.op("add", first_place(ev, growing), place)
    found = ev.getitem(values, normalized(ev, values, place))
    element = _as_element(growing, ev, _apart(ev, found))
    if isinstance(element, Growing):
        element.row_at = place
    return element


def selected(ev: Core, growing: Growing, places: Var) -> Growing:
    """The elements at some places of a list whose elements lie in several arrays, in their order."""
    of = growing.of
    assert of is not None
    count = ev.dim_value(places.type.shape[0])
    return replace(growing, count=count, made=ev.origin, of=Spread(lambda k: of.at(ev.subscript(places, k))))


def _apart(ev: Core, value: Var) -> Var:
    """What was read from a list, where later writes to its place do not reach it."""
    if not ev.lists_shrink or not value.is_array:
        return value
    value = ev.op("copy", value)
    freeze(ev, value)
    return value


def position(ev: Core, growing: Growing, index: Value) -> Value:
    if isinstance(index, Var):
        index = ev.op("where", ev.op("less", index, 0), ev.op("add", index, growing.count), index)
    elif index < 0:
        index = ev.op("add", growing.count, index)
    good = ev.op("logical_and", ev.op("less", index, growing.count), ev.op("greater_equal", index, 0))
    if good is not True:
        ev.block.append(Check(ev.atom(good), "IndexError", (Const("list index out of range"),), ev.origin))
    return index


def _as_element(growing: Growing, ev: Core, value: Value) -> Value:
    if growing.form is not None and value.type.ndim == 1:
        return packed.unpacked(ev, growing.form, value)
    if not growing.nested or value.type.ndim != 1:
        return ev.plain(value) if growing.weak else value
    if value.type.shape[0].known is not None and row_classes.are_tuples(ev, growing):
        numbers = [ev.subscript(value, k) for k in range(value.type.shape[0].known)]
        element = tuple([ev.plain(number) for number in numbers] if growing.weak else numbers)
        ev.origins.note_copies(element)
        return element
    length = ev.dim_value(value.type.shape[0])
    row = Growing(growing.name, value, length, weak=growing.weak, fixed=True, row_of=growing)
    row.is_row, row.row_made = True, growing.made
    if growing.copied:
        row.row_of = None  # it was read from a copy, and a write to it would be lost
        ev.note_copied(row, growing.copied)
    else:
        ev.origins.note_copies(row)
    return row


def items(ev: Core, growing: Growing) -> Items:
    """What a loop over the list goes over."""
    count = growing.count

    def item(k: Value) -> Value:
        if growing.count is not count:
            raise cannot(ev, "it changes its length while a loop goes over it")
        return _at(ev, growing, k)

    return Items(count, item)


def array(ev: Core, growing: Growing) -> Value:
    """What `np.array(growing)` has for elements."""
    if growing.form is not None and not growing.form.is_mixed:
        of_words = packed.is_word(growing.form.example)
        raise ev.refuse(
            f"the list `{growing.name}` of texts or the like is taken for one of numbers"
            if of_words
            else f"the list `{growing.name}` of tuples of arrays, or of named tuples, is taken for an array",
            "its length is only known at run time",
            "use numbers"
            if of_words
            else "make a list of each of their parts: `[item[0] for item in items]`",
        )
    return rows(ev, growing)


def rows(ev: Core, growing: Growing) -> Value:
    """The array in which the elements of a list lie, as far as it has any."""
    if growing.of is not None:
        if growing.of.whole is None:
            raise cannot(ev, "its elements lie in several arrays")
        return growing.of.whole()
    if growing.values is None:
        if isinstance(growing.count, int) and growing.count == 0 and growing.room is None:
            return ev.op("zeros", 0)
        seen(growing)
    assert growing.values is not None
    if ev.length(growing.count) == growing.values.type.shape[0]:
        return growing.values
    if growing.room is not None and growing.room.front:
        return ev.subscript(growing.values, slice(first_place(ev, growing), None))
    return ev.subscript(growing.values, slice(None, growing.count))


def refuse_in(ev: Core, output: Value) -> None:
    """A result has a structure known before the program runs."""
    if isinstance(output, Growing):
        raise ev.refuse(
            f"the list `{output.name}` is returned, and its length is only known at run time",
            "the structure of the result is part of the compiled code",
            f"return `np.array({output.name})`",
        )
    for part in (
        output.values() if isinstance(output, dict) else output if isinstance(output, (list, tuple)) else ()
    ):
        refuse_in(ev, part)
