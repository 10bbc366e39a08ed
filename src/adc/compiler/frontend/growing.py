"""Lists that grow in a loop whose number of trips is only known at run time are arrays with a place for each element.

    parts = []                      parts = np.zeros(n)
    for i in range(n):              for i in range(n):
        parts.append(x[i] ** 2)         parts[i] = x[i] ** 2

Where every trip adds as many on its only path, as here, the array has all its places before the loop; where it puts
them in front, by `insert(0, ...)`, they are filled from the last on. Otherwise (an
`append` under an `if`, in a `while`, a `pop`) the loop carries the array and the number of elements, and the array
grows by doubling. What is put into such a list is copied, so it may not be written to afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adc.compiler.frontend.containers import Contents, Differs, exchange
from adc.compiler.frontend.element_kinds import ElementFound, cannot
from adc.compiler.frontend.frame import Growing, Items, ListValue, Room
from adc.compiler.frontend.frozen import freeze, put_in
from adc.compiler.frontend.indexing import normalized
from adc.compiler.frontend.rooms import Added, Irregular
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var, owners
from adc.compiler.ir.types import Array, Scalar, Type, joined
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


FIRST_ROOM = 16  # places of a list that grows


@dataclass(frozen=True)
class Method:
    """`list.name`, about to be called."""

    owner: Growing
    name: str


def begun(
    ev: Core,
    name: str,
    items: ListValue,
    kind: ElementFound | None,
    trips: Value = None,
    added: Added | None = None,
) -> Growing:
    """The list as it is before a loop or branch changes it: its elements so far, and room for more.

    Room for all that a loop adds, given its `trips` and what each adds.
    """
    nested = (
        all(isinstance(item, (list, tuple)) for item in items) if items else kind is not None and kind.nested
    )
    if nested:
        _take_rows(ev, items)
    elements = [ev.array_of(item) if nested else item for item in items]
    kinds = [ev.type_of(item) for item in elements]
    t = kind.type if kind is not None else ev.list_kinds.get(items.made)
    for each in kinds:
        t = each if t is None else _joined(t, each) if each is not None else None
    if any(each is None for each in kinds) or (items and t is None):
        raise cannot(ev, "its elements are not numbers or arrays of one rank")
    guessed = kind is not None and kind.guessed
    growing = Growing(name, None, len(items), nested, id(items), items.made, guessed=guessed)
    if added is not None:
        inside = ev.loop_depth + 1, ev.region_depth + 1
        growing.room = Room(added.per_trip, inside, bool(items), added.front)
    if t is not None:
        length = (
            max(FIRST_ROOM, 2 * len(items))
            if added is None
            else ev.op("add", ev.op("multiply", trips, added.per_trip), len(items))
        )
        growing.values = places(ev, name, length, t)
        first = _first(ev, growing)
        for k, item in enumerate(elements):
            put_at(ev, growing.values, ev.op("add", first, k), item)
    return growing


def _joined(t: Type, other: Type) -> Type | None:
    """One type for both; that the lengths are equal is checked where the elements are put in."""
    wide = joined(t, other)
    return Array(wide.dtype, t.shape) if isinstance(wide, Array) and isinstance(t, Array) else wide


def _take_rows(ev: Core, rows: ListValue) -> None:
    """The lists in a list become rows of an array: nobody else may know them, as their copies are what changes."""
    contents = Contents(ev.frame)
    for row in rows:
        _refuse_named_fields(ev, row)
        if contents.shared(row):
            raise cannot(ev, "a list in it has another name")


def _refuse_named_fields(ev: Core, row: Value) -> None:
    """A row of numbers has no fields, and no operators but those of a tuple."""
    if hasattr(row, "_fields"):
        raise cannot(ev, "its elements are named tuples")


def of_array(ev: Core, values: Var) -> Growing:
    """A list with the elements of an array that nothing else knows."""
    values.named = True
    freeze(ev, values)
    return Growing(values.name, values, ev.dim_value(values.type.shape[0]), made=ev.origin)


def view(ev: Core, values: Var) -> Growing:
    """A list that shares its elements with an array: neither may be written to afterwards."""
    freeze(ev, values)
    return Growing("items", values, ev.dim_value(values.type.shape[0]), made=ev.origin, fixed=True)


def places(ev: Core, name: str, length: Value, kind: Type) -> Var:
    shape = kind.shape if isinstance(kind, Array) else ()
    values: Var = ev.op("zeros", (length, *ev.shape_values(shape)), dtype=kind.dtype)
    values.name, values.named = name, True
    freeze(ev, values)
    return values


def _first(ev: Core, growing: Growing) -> Value:
    """The place of the first element."""
    if growing.room is None or not growing.room.front:
        return 0
    assert growing.values is not None
    return ev.op("subtract", ev.dim_value(growing.values.type.shape[0]), growing.count)


def append(ev: Core, growing: Growing, value: Value) -> None:
    """`growing.append(value)`."""
    _add(ev, growing, value, front=False)


def insert(ev: Core, growing: Growing, index: Value, value: Value) -> None:
    """`growing.insert(0, value)`."""
    if growing.room is None or not growing.room.front or type(index) is not int or index != 0:
        raise cannot(ev, "an element is put between others, or in front of them in some trips only")
    _add(ev, growing, value, front=True)


def _add(ev: Core, growing: Growing, value: Value, front: bool) -> None:
    nested = isinstance(value, (Growing, list, tuple))
    may_change(ev, growing)
    if nested:
        if isinstance(value, (list, tuple)) and any(ev.type_is_array(v) for v in value):
            raise cannot(ev, "its elements have arrays in them")
        _refuse_named_fields(ev, value)
        _take(value)
        value = array(ev, value) if isinstance(value, Growing) else ev.array_of(value)
    t = ev.type_of(value)
    room = growing.room
    if room is not None and (
        room.inside != (ev.loop_depth, ev.region_depth)
        or room.appended == room.per_trip
        or room.front != front
    ):
        raise Irregular(growing.name)
    if t is None or (nested and t.ndim > 1):
        raise cannot(ev, "its elements are not numbers or arrays of one rank")
    if growing.values is None or growing.guessed:
        _not_of_itself(ev, growing, t)
        known = growing.values is not None and kind_of(growing) == _from_outside(ev, growing, t)
        if not known:
            raise ElementFound(growing.key, growing.made, _from_outside(ev, growing, t), nested=nested)
        growing.guessed = False
    assert growing.values is not None
    if nested != growing.nested and not _is_empty(growing):
        raise cannot(ev, "some of its elements are lists and some are not")
    growing.nested = nested
    kind = kind_of(growing)
    wide = _joined(kind, t)
    if wide is None:
        raise cannot(ev, "its elements are not of one rank")
    if wide.dtype != kind.dtype:
        raise ElementFound(
            growing.key,
            growing.made,
            Array(wide.dtype, kind.shape) if isinstance(kind, Array) else Scalar(wide.dtype),
            nested=nested,
        )
    if isinstance(value, Var) and value.is_array:
        put_in(ev, value)
    if room is None:
        growing.values = _with_room(ev, growing, growing.values)
    else:
        room.appended += 1
    count = growing.count
    growing.count = ev.op("add", count, 1)
    put_at(ev, growing.values, _first(ev, growing) if front else count, value)


def _not_of_itself(ev: Core, growing: Growing, t: Type) -> None:
    """The first element may not have the length that was only guessed, of elements that there are none of."""
    guessed = kind_of(growing).shape if growing.values is not None else ()
    if any(symbol in d.symbols() for each in guessed for symbol in each.symbols() for d in t.shape):
        raise cannot(ev, "nothing says how long its elements are")


def _take(row: Value) -> None:
    """What is put into a list of lists is copied."""
    if isinstance(row, Growing):
        row.fixed = True
    elif isinstance(row, ListValue):
        row.taken = True


def may_change(ev: Core, growing: Growing) -> None:
    ev.refuse_either(growing)
    if growing.fixed:
        raise changed(ev)


def changed(ev: Core) -> UnsupportedError:
    return ev.refuse(
        "a list changes that was put into another list, or whose length is that of its neighbours",
        "a list of lists is a matrix in compiled code, and holds copies",
        "put in a copy: `list(row)`, or use an array",
    )


def kind_of(growing: Growing) -> Type:
    """The type of an element."""
    assert growing.values is not None
    whole = growing.values.type
    return Array(whole.dtype, whole.shape[1:]) if len(whole.shape) > 1 else Scalar(whole.dtype)


def _is_empty(growing: Growing) -> bool:
    if growing.room is not None:
        return not growing.room.started and not growing.room.appended
    return isinstance(growing.count, int) and growing.count == 0


def _with_room(ev: Core, growing: Growing, values: Var) -> Var:
    """The array of a list, or, where it is full, one of twice its length."""
    room = ev.dim_value(values.type.shape[0])
    full = ev.op("greater_equal", growing.count, room)
    if full is False:
        return values

    def doubled() -> Var:
        more = places(
            ev, growing.name, ev.op("multiply", ev.extreme("maximum", room, 1), 2), kind_of(growing)
        )
        part = ev.subscript(values, slice(None, growing.count))
        ev.store(more, normalized(ev, more, slice(None, growing.count)), part)
        return more

    if full is True:
        return doubled()
    wider: Var = ev.choose(full, doubled, lambda: values)
    wider.name, wider.named = growing.name, True
    freeze(ev, wider)
    return wider


def converted(ev: Core, items: ListValue) -> Growing:
    """Let a list live in an array that grows, from here on and wherever it is known.

    Raises Differs for the branch that found the list.
    """
    if ev.from_outside(items):
        raise Differs(items, ev.origin)
    name = next((n for n, value in ev.frame.env.items() if value is items), "items")
    growing = begun(ev, name, items, None)
    if not exchange(ev.frame, items, growing):
        raise cannot(ev, "it is held by something that is not looked into")
    return growing


def seen(growing: Growing) -> Growing:
    """The list, once it is known what its elements are; for want of anything better they are taken for numbers."""
    if growing.values is None:
        raise ElementFound(growing.key, growing.made, Scalar("float64"), guessed=True)
    return growing


def element(ev: Core, growing: Growing, index: Value) -> Value:
    """`growing[index]`, with Python's rule for what is out of range."""
    if isinstance(index, slice):
        part = ev.op("copy", ev.subscript(array(ev, growing), index))  # a list of its own, which may change
        freeze(ev, part)
        return Growing(growing.name, part, ev.dim_value(part.type.shape[0]), growing.nested, made=ev.origin)
    if ev.length(index) is None:
        return _as_element(growing, ev, ev.subscript(array(ev, growing), index))
    values = seen(growing).values
    assert values is not None
    place = ev.op("add", _first(ev, growing), position(ev, growing, index))
    found = ev.getitem(values, normalized(ev, values, place))
    return _as_element(growing, ev, _apart(ev, found))


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
    if not growing.nested or value.type.ndim != 1:
        return value
    return Growing(growing.name, value, ev.dim_value(value.type.shape[0]), fixed=True)


def items(ev: Core, growing: Growing) -> Items:
    """What a loop over the list goes over."""
    count = growing.count

    def item(k: Value) -> Value:
        if growing.count is not count:
            raise cannot(ev, "it changes its length while a loop goes over it")
        return element(ev, growing, k)

    return Items(count, item)


def array(ev: Core, growing: Growing) -> Value:
    """What `np.array(growing)` has for elements."""
    if growing.values is None:
        if isinstance(growing.count, int) and growing.count == 0 and growing.room is None:
            return ev.op("zeros", 0)
        seen(growing)
    assert growing.values is not None
    if ev.length(growing.count) == growing.values.type.shape[0]:
        return growing.values
    if growing.room is not None and growing.room.front:
        return ev.subscript(growing.values, slice(_first(ev, growing), None))
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


def put_at(ev: Core, values: Var, k: Value, value: Value) -> None:
    t = ev.type_of(value)
    assert t is not None and isinstance(values.type, Array)
    for a, b in zip(values.type.shape[1:], t.shape, strict=True):
        if (a - b).known or (not ev.equal.same(a, b) and any(owner in ev.varying for owner in owners(b))):
            raise cannot(ev, "its elements have different lengths")
        ev.require_equal(a, b, "the elements of a list have different shapes")
    freeze(ev, values)
    ev.store(values, normalized(ev, values, k), ev.cast(value, values.type.dtype))


def _from_outside(ev: Core, growing: Growing, t: Type) -> Type:
    """The type of an element, if its lengths are known where the list begins to grow."""
    if not isinstance(t, Array):
        return Scalar(t.dtype)
    shape = tuple(ev.equal.find(d) for d in t.shape)
    if any(owner.order > growing.born for d in shape for owner in owners(d)):
        raise cannot(ev, "the lengths of its elements are only known inside the loop")
    return Array(t.dtype, shape)
