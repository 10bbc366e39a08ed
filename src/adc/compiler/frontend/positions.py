"""An item of a short list or tuple at a position that only the run knows is chosen by branches, of a table read.

`[a, b][k]` is `a if k == 0 else b`: the items may be arrays, tuples or functions, as on the sides of a branch.
A longer list of numbers, or of rows of them, is put into an array. Of dicts and objects that are alike, which a
program might write to, the item is a copy, and what may be copied is not written to from then on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import row_classes, tabled
from adc.compiler.frontend.containers import Contents
from adc.compiler.frontend.frame import Growing, Instance, Kept, ListValue, SurelyRaised
from adc.compiler.frontend.frozen import freeze, settle
from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.values import Value, rebuilt
from adc.compiler.ir.nodes import Check, Const, Var
from adc.compiler.ir.types import Scalar, is_integer
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = [
    "in_table",
    "is_place",
    "is_stacked",
    "is_table",
    "item_at",
    "key",
    "may_choose",
    "place",
    "put_at",
    "put_place",
    "require_items",
    "settle_records",
    "uniform",
]

_FEW = 8  # items: each is a branch
_EXACT = 2**53  # the integers up to here are floats


def may_choose(ev: Core, base: Value, index: Value) -> bool:
    """Whether the item is chosen by branches; in loops the trips may be written out, or the items made an array."""
    if not (isinstance(index, Var) and isinstance(index.type, Scalar) and isinstance(base, (tuple, list))):
        return False
    few = is_integer(index.type) and 0 < len(base) <= _FEW and _stays(ev, base) and not _is_ragged(ev, base)
    if not (few or (is_truth(index) and len(base) > 1)):
        return False
    # A write to what is chosen would reach one of several lists or objects; nobody writes to those from outside.
    return all(getattr(held, "outside", None) is not None for item in base for held in held_in(item))


def _stays(ev: Core, base: Value) -> bool:
    """Whether a loop that reads at a position of the run is written out already, or carries items of one rank.

    What is chosen by its place needs neither.
    """
    if not ev.loop_depth or (isinstance(base, tuple) and all(map(ev.is_choice, base))):
        return True
    types = [ev.type_of(item) for item in base]
    alike = None not in types and len({t.ndim for t in types if t is not None}) == 1
    return alike and isinstance(base, ListValue) and ev.is_itemwise(base)


def put_place(ev: Core, base: Value, index: Value) -> Value:
    """The place of a write at a position of the run, which is one to each item where that is its place; or None.

    The program raises IndexError where there is no such item.
    """
    fits = isinstance(base, ListValue) and base.depth == ev.loop_depth and not base.taken
    if not (fits and isinstance(index, Var) and not is_truth(index) and may_choose(ev, base, index)):
        return None
    return place(ev, base, index)


def put_at(ev: Core, base: Value, at: Value, value: Value) -> None:
    """`base[at] = value`."""
    for k, item in enumerate(base):
        base[k] = ev.choose(ev.op("equal", at, k), lambda: value, lambda item=item: item)


def is_truth(index: Var) -> bool:
    """Whether a position is 0 or 1, as in `(a, b)[x > 0]`."""
    return index.type.dtype == "bool"


def item_at(ev: Core, base: Sequence[Value], index: Var) -> Value:
    """The item; the program raises IndexError where there is none."""
    if is_truth(index):
        return ev.choose(index, lambda: base[1], lambda: base[0])
    n = len(base)
    at = place(ev, base, index)

    def chosen(k: int) -> Value:
        if k == n - 1:
            return base[k]
        return ev.choose(ev.op("equal", at, k), lambda: base[k], lambda: chosen(k + 1))

    return chosen(0)


def place(ev: Core, base: Sequence[Value], index: Var) -> Value:
    """The position counted from the first item."""
    n = len(base)
    known = ev.length(index)
    if known is not None and ev.never_negative(known) and ev.never_negative(Dim(n - 1) - known):
        return index
    good = ev.op("logical_and", ev.op("greater_equal", index, -n), ev.op("less", index, n))
    what = f"{'tuple' if isinstance(base, tuple) else 'list'} index out of range"
    ev.block.append(Check(ev.atom(good), "IndexError", (Const(what),), ev.origin, user=True))
    return ev.choose(ev.op("less", index, 0), lambda: ev.op("add", index, n), lambda: index)


def is_table(ev: Core, base: Value, index: Value) -> bool:
    """Whether the item is read from an array of all: outside loops, the trips of which may be written out."""
    if not isinstance(index, Var):
        return False
    if not (is_place(index) and not ev.loop_depth and isinstance(base, (tuple, list)) and base):
        return False
    return uniform(ev, base) or settle_records(ev, base)


def require_items(ev: Core, base: Value, index: Value) -> None:
    """Raise what every position of the run raises, as that in the first trip of a loop that fills a list."""
    empty = isinstance(base, (tuple, list)) and not base and not ev.loop_depth
    if empty and isinstance(index, Var) and is_place(index):
        error = IndexError(f"{'list' if isinstance(base, list) else 'tuple'} index out of range")
        raise SurelyRaised(error, ev.region_depth, ev.origin)


def is_place(index: Var) -> bool:
    """Whether a position counts items, and is no truth value."""
    return isinstance(index.type, Scalar) and is_integer(index.type) and not is_truth(index)


def is_stacked(ev: Core, base: Value) -> bool:
    """Whether what a loop reads at positions of the run lies in an array, or is a row of what does."""
    while True:
        if key(base) in ev.stacked or id(base) in ev.table_rows:
            return True
        base = getattr(base, "original", None)  # that was settled, or stands for it in the body of a loop
        if base is None:
            return False


def key(base: Value) -> int:
    """What a list or tuple is known by in `stacked`."""
    users = getattr(base, "users", None) if isinstance(base, list) else None
    return id(base if users is None else users)


def settle_records(ev: Core, base: Value) -> bool:
    """Whether items of a list can be read as copies: they are dicts or objects that are alike.

    From here on nothing may write to it, nor to them. So it is not where a loop around knows it already.
    """
    if not (isinstance(base, ListValue) and base and all(map(_is_record, base))):
        return False
    known = Contents(ev.trips[-1]).held if ev.trips else {}
    if any(id(each) in known for each in (base, *base)) or tabled.of(ev, [*base], demanding=True) is None:
        return False
    settle(ev, base)
    return True


def _is_record(item: Value) -> bool:
    return type(item) is dict or isinstance(item, (Instance, Kept))


def in_table(ev: Core, base: Sequence[Value], index: Var) -> Value:
    """The item, of numbers of Python's one of them: as a float where some are. A tuple has one item of each column."""
    if _is_record(base[0]):
        records = tabled.of(ev, [*base], demanding=True)
        assert records is not None
        return records.item(place(ev, base, index))
    if _is_ragged(ev, base):
        return _in_ragged(ev, base, index)
    first = base[0]
    if isinstance(first, tuple) and len(first) <= _FEW:
        row = rebuilt(first, [in_table(ev, [item[k] for item in base], index) for k in range(len(first))])
        ev.table_rows[id(row)] = row
        return row
    table = ev.array_of(base)
    freeze(ev, table)
    found = ev.subscript(table, index)
    kinds = [ev.type_of(item) for item in _numbers_in(base)]
    weak = all(isinstance(t, Scalar) and t.weak for t in kinds)
    if isinstance(first, (tuple, list)):
        nested = found.type.ndim > 1
        items = Growing("row", found, len(first), nested, weak=weak, made=ev.origin, fixed=True)
        ev.note_copied(items, _lists_in(base))
        if nested:
            row_classes.note(ev, items, first[0])
        return items
    if weak:
        found.type = Scalar(found.type.dtype, True)  # which an array would make one of NumPy's
    return found


def _in_ragged(ev: Core, base: Sequence[Value], index: Var) -> Growing:
    """A row of a table whose rows have lengths of their own: they lie one behind the other."""
    numbers = [*_numbers_in(base)]
    at = place(ev, base, index)
    starts = ev.array_of([0, *accumulate(len(row) for row in base)])
    first, last = (ev.subscript(starts, k) for k in (at, ev.op("add", at, 1)))
    table = ev.array_of(numbers)
    freeze(ev, table)
    found = ev.subscript(table, slice(first, last))
    weak = all(isinstance(t, Scalar) and t.weak for t in map(ev.type_of, numbers))
    row = Growing("row", found, ev.op("subtract", last, first), weak=weak, made=ev.origin, fixed=True)
    ev.note_copied(row, _lists_in(base))
    return row


def _lists_in(items: Sequence[Value]) -> tuple[ListValue, ...]:
    """The lists of a table, to which the program may write."""
    held = (list_ for item in items for list_ in held_in(item))
    return tuple(each for each in held if isinstance(each, ListValue) and each.outside is None)


def _numbers_in(items: Sequence[Value]) -> Iterator[Value]:
    for item in items:
        yield from _numbers_in(item) if isinstance(item, (tuple, list)) else (item,)


def uniform(ev: Core, items: Any) -> bool:
    """Whether all elements are numbers that one array can hold as they are, or all sequences of as many of them.

    Lists of numbers may have lengths of their own.
    """
    if _is_ragged(ev, items):
        return True
    if all(isinstance(i, (tuple, list)) for i in items):
        return len({len(i) for i in items}) == 1 and all(uniform(ev, i) for i in items)
    kinds = [ev.type_of(i) for i in items]
    if not all(isinstance(t, Scalar) for t in kinds):
        return False
    floats = any(not is_integer(t) for t in kinds if t is not None)
    return not floats or all(not isinstance(i, int) or abs(i) <= _EXACT for i in items)


def _is_ragged(ev: Core, items: Any) -> bool:
    """Whether all elements are lists of numbers, not all as long. A tuple of them is no index as a list is."""
    if not all(isinstance(i, list) for i in items) or len({len(i) for i in items}) < 2:
        return False
    numbers = [number for row in items for number in row]
    return not any(isinstance(n, (tuple, list)) for n in numbers) and uniform(ev, numbers)
