"""sorted(): of numbers an array in order; of rows, tuples, dicts and objects what stands at each place, in one order.

sorted(events, key=when)      order = np.argsort(np.array([when(e) for e in events]), kind="stable")
                              each field in that order: np.array([e.field for e in events])[order]
"""

from __future__ import annotations

import bisect
import builtins
import dataclasses
import functools
import types
from collections.abc import Callable
from typing import TYPE_CHECKING

import gast
import numpy as np

from adc.compiler.frontend import (
    element_kinds,
    growing,
    grown_reads,
    object_operators,
    row_classes,
    shared_rows,
    templates,
)
from adc.compiler.frontend.carried_places import alike
from adc.compiler.frontend.frame import Closure, Evaluated, Growing, Instance, Kept, ListValue
from adc.compiler.frontend.frozen import freeze, put_in
from adc.compiler.frontend.provenance import Copied
from adc.compiler.frontend.values import Choice, Value, kind, rebuilt
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

__all__ = ["TABLE", "first", "measure", "ordered", "telling"]

MOST_COUNTED = 8  # items of which each is compared with each, in code that names them

_KEYS = templates.later("def keys(values, key, array):\n    return array([key(v) for v in values])")

_INSERTED = templates.later(
    """
def inserted(items, less, reverse, arange):
    places = arange(len(items))
    for k in range(1, len(items)):
        j = k
        while j > 0 and (less(items[places[j - 1]], items[k]) if reverse else less(items[k], items[places[j - 1]])):
            places[j] = places[j - 1]
            j = j - 1
        places[j] = k
    return places
"""
)

_FIRST = templates.later(
    """
def first(items, sorted, most):
    if len(items) == 0:
        raise ValueError("max() or min() of an empty sequence")
    return sorted(items, reverse=most)[0]
"""
)


def first(self: Calls, items: Growing, most: bool) -> Value:
    """`min(items)` or `max(items)` of tuples or objects."""
    return self.call(Closure(_FIRST(), self.frame, {}), [items, sorted, most], {})


def ordered(self: Calls, values: Value, *, key: Value = None, reverse: Value = False) -> Value:
    """`sorted(values, key=key, reverse=reverse)`."""
    if not isinstance(values, (Var, Growing, list)):
        values = self.call(builtins.list, [values], {})
    less = _less(self, values, key)
    if less is not None:
        return _by_comparisons(self, values, less, reverse)
    if isinstance(values, Growing):
        if values.form is not None or (values.of is not None and key is not None):
            return _packed_in_order(self, values, key, reverse)
        made = _array_in_order(
            self, grown_reads.array(self, values), key, reverse, values.nested, values.weak
        )
        made.nested = values.nested
        shared_rows.share(self, values, made)
        row_classes.pass_on(self, values, made)
        return made
    if isinstance(values, Var):
        return _array_in_order(self, values, key, reverse, False)
    items = self.static_items(values, None)
    measures = telling(self, [measure(self, key, item) for item in items])
    if self.is_static(measures):
        order = sorted(range(len(items)), key=measures.__getitem__, reverse=reverse)
        return self.new_list([items[k] for k in order])
    if all(isinstance(self.type_of(item), Scalar) for item in items):
        weak = all(element_kinds.is_weak(self, item) for item in items)
        return _array_in_order(self, self.array_of(items), key, reverse, False, weak)
    return self.new_list(_in_order(self, items, _order(self, measures, reverse)))


def _bisected(side: str) -> Callable[..., Value]:
    """`bisect.bisect_left(values, x)` or `bisect_right`: np.searchsorted, with Python's number for a result."""

    def place(self: Calls, values: Value, x: Value, *rest: Value, **options: Value) -> Value:
        if rest or options:
            raise self.refuse(
                "bisect of a part of a list, or by a key, is not supported", repair="take a slice"
            )
        found = self.call(np.searchsorted, [values, x, side], {})
        return self.plain(found) if isinstance(found, Var) else int(found)

    return place


TABLE = {
    builtins.sorted: ordered,
    functools.cmp_to_key: lambda _, mycmp: ByComparison(mycmp),
    bisect.bisect_left: _bisected("left"),
    bisect.bisect_right: _bisected("right"),
}


@dataclasses.dataclass(frozen=True, eq=False)
class ByComparison:
    """`functools.cmp_to_key(compare)`."""

    compare: Value


def _less(self: Calls, values: Value, key: Value) -> Evaluated | None:
    """What tells whether one item comes before another, where that is a function of the user's."""
    if isinstance(key, ByComparison):
        compare = key.compare
        return Evaluated(lambda a, b: self.compare(gast.Lt(), self.call(compare, [a, b], {}), 0))
    if isinstance(values, Growing):
        example = None if values.form is None or key is not None else values.form.example
    else:
        items = [] if isinstance(values, Var) else self.static_items(values, None)
        example = items[0] if items else None
    found = example if key is None or example is None else self.call(key, [example], {})
    if not isinstance(found, Instance) or measure(self, None, found) is not found:
        return None
    return Evaluated(lambda a, b: self.compare(gast.Lt(), measure(self, key, a), measure(self, key, b)))


def _by_comparisons(self: Calls, values: Value, less: Evaluated, reverse: Value) -> Value:
    """The items in an order that only comparisons of two of them tell."""
    if isinstance(values, ListValue) and len(values) <= MOST_COUNTED:
        return self.new_list(_in_order(self, [*values], _counted(self, values, less, reverse)))
    if isinstance(values, Growing) and values.generated:  # nobody else goes over it
        values = dataclasses.replace(values, generated=False)
    places = self.call(Closure(_INSERTED(), self.frame, {}), [values, less, reverse, np.arange], {})
    if isinstance(values, Growing):
        if values.of is not None:
            return grown_reads.selected(self, values, places)
        found = growing.of_array(self, self.subscript(grown_reads.rows(self, values), places))
        found.form = values.form
        return found
    return self.new_list(_in_order(self, self.static_items(values, None), places))


def _counted(self: Calls, items: list[Value], less: Evaluated, reverse: Value) -> Value:
    """The positions of a few items in their order: before each stand as many as win against it."""
    ranks: list[Value] = [0] * len(items)
    for k, later in enumerate(items):
        for j, earlier in enumerate(items[:k]):
            found = less.function(earlier, later) if reverse else less.function(later, earlier)
            wins = self.op("where", found, 1, 0)
            ranks[j] = self.op("add", ranks[j], wins)
            ranks[k] = self.op("add", ranks[k], self.op("subtract", 1, wins))
    return self.call(np.argsort, [self.array_of(ranks)], {})


def measure(self: Calls, key: Value, item: Value) -> Value:
    """What an item is ordered by; an object of a dataclass by the fields that its `__lt__` compares."""
    found = item if key is None else self.call(key, [item], {})
    cls = found.cls if isinstance(found, Instance) else type(found)
    less = getattr(cls, "__lt__", None) if dataclasses.is_dataclass(cls) else None
    made = isinstance(less, types.FunctionType) and less.__code__.co_filename == "<string>"
    return object_operators.fields_compared(self, found) if made else found


def telling(self: Calls, measures: list[Value]) -> list[Value]:
    """Tuples by their first elements, where those are known and differ: Python looks no further."""
    if not measures or not all(isinstance(m, tuple) and m and self.is_static(m[0]) for m in measures):
        return measures
    firsts = [m[0] for m in measures]
    return firsts if len(set(firsts)) == len(firsts) else measures


def _array_in_order(
    self: Calls, array: Var, key: Value, reverse: Value, tuples: bool, weak: bool = False
) -> Value:
    """The elements of an array, or its rows, as a list; `weak`: as Python's own numbers."""
    if array.type.ndim == 1 and key is None:
        found = self.call(np.sort, [array], {})
        found = self.subscript(found, slice(None, None, -1)) if reverse else found
    else:
        if key is not None:
            keys = self.call(Closure(_KEYS(), self.frame, {}), [array, key, np.array], {})
        elif tuples and array.type.ndim == 2:
            keys = array
        else:
            raise self.refuse("sorted() of rows without a key is not supported", repair="give it a key")
        columns = [keys] if keys.type.ndim == 1 else _columns(self, keys)
        found = self.subscript(array, _by_columns(self, columns, reverse))
        if found.type.ndim > 1:
            put_in(self, array)
    if array.type.shape[0].known is None:
        return growing.of_array(self, found, weak)
    freeze(self, found)
    items = self.static_items(found, None)
    return self.new_list([self.plain(item) for item in items] if weak else items)


def _packed_in_order(self: Calls, items: Growing, key: Value, reverse: Value) -> Value:
    """A list of tuples that are packed in rows, in the order of a key of theirs."""
    if key is None and not _is_compared_by_numbers(self, items):
        return _by_comparisons(self, items, Evaluated(lambda a, b: self.compare(gast.Lt(), a, b)), reverse)
    key = Evaluated(lambda item: measure(self, None, item)) if key is None else key
    keys = self.call(Closure(_KEYS(), self.frame, {}), [items, key, np.array], {})
    columns = [keys] if keys.type.ndim == 1 else _columns(self, keys)
    order = _by_columns(self, columns, reverse)
    if items.of is not None:
        return grown_reads.selected(self, items, order)
    found = growing.of_array(self, self.subscript(grown_reads.rows(self, items), order))
    found.form = items.form
    return found


def _is_compared_by_numbers(self: Calls, items: Growing) -> bool:
    """Whether the order of packed elements is that of rows of numbers."""
    example = measure(self, None, items.form.example) if items.form is not None else None
    return isinstance(example, tuple) and all(isinstance(self.type_of(part), Scalar) for part in example)


def _columns(self: Calls, rows: Var) -> list[Value]:
    if rows.type.ndim != 2:
        raise self.refuse("sorted() by arrays is not supported", repair="order by a number or a tuple")
    return self.static_items(self.op("transpose", rows), None)


def _order(self: Calls, measures: list[Value], reverse: Value) -> Value:
    """The positions of items in the order of what each is measured by: a number, or a tuple."""
    first = measures[0]
    if not isinstance(first, tuple):
        return _by_columns(self, [_as_numbers(self, measures)], reverse)
    if any(not isinstance(m, tuple) or len(m) != len(first) for m in measures):
        raise self.refuse("sorted() compares tuples of several lengths", repair="give it a key")
    columns = []
    for column in map(list, zip(*measures, strict=True)):
        columns.append(_as_numbers(self, column))
        if self.is_static(column) and len(set(column)) == len(column):
            break  # Python looks no further
    return _by_columns(self, columns, reverse)


def _as_numbers(self: Calls, measures: list[Value]) -> Value:
    """What is compared, as an array of numbers; texts by their rank."""
    if all(isinstance(m, str) for m in measures):
        ranks = sorted(set(measures))
        measures = [ranks.index(m) for m in measures]
    if not all(isinstance(self.type_of(m), Scalar) for m in measures):
        raise self.refuse(
            f"sorted() by {kind(measures[0])} is not supported",
            "items are ordered by numbers, or by tuples of them",
            "give it a key",
        )
    return self.array_of(measures)


def _by_columns(self: Calls, columns: list[Value], reverse: Value) -> Value:
    """Positions in the order of the first column, then of the next; equals keep their order, also in reverse."""
    if reverse:
        whole = [self.cast(c, "int64") if c.type.dtype == "bool" else c for c in columns]
        columns = [self.op("negative", c) for c in whole]
    if len(columns) == 1:
        return self.call(np.argsort, [columns[0]], {"kind": "stable"})
    return self.call(np.lexsort, [tuple(columns[::-1])], {})


def _in_order(self: Calls, values: list[Value], order: Value) -> list[Value]:
    """Values of one structure in an order that the run decides: what stands at each place of them is."""
    first = values[0]
    if all(v is first or self.same_static(v, first) for v in values):
        return values
    keys = _places(first)
    if keys is not None:
        if any(_kind_of(v) is not _kind_of(first) or _places(v) != keys for v in values):
            raise self.refuse("sorted() of items of several structures is not supported")
        columns = {k: _in_order(self, [v[k] for v in values], order) for k in keys}
        made = [_holding(v, {k: column[n] for k, column in columns.items()}) for n, v in enumerate(values)]
        for new in made:
            self.remember(new, Copied(), *values)
        return made
    if all(map(self.is_choice, values)):
        options = self.options(*values)
        places = self.array_of([self.place_among(options, v) for v in values])
        return [Choice(place, options) for place in _picked(self, places, order)]
    types = [self.type_of(v) for v in values]
    for v, t in zip(values, types, strict=True):
        if t is None or types[0] is None or (t.ndim, t.dtype) != (types[0].ndim, types[0].dtype):
            raise self.refuse(
                f"sorted() of items in which {kind(first)} stands where {kind(v)} of another type does",
                repair="sort positions with np.argsort",
            )
    for v in values:
        if isinstance(v, Var) and v.is_array:
            put_in(self, v)
    picked = _picked(self, self.array_of(values), order)
    weak = all(isinstance(t, Scalar) and t.weak for t in types)
    return [self.plain(v) for v in picked] if weak else picked


def _picked(self: Calls, array: Var, order: Value) -> list[Value]:
    found = self.subscript(array, order)
    freeze(self, found)
    return self.static_items(found, None)


def _places(value: Value) -> list[Value] | None:
    """The positions or keys of a container."""
    if isinstance(value, (tuple, ListValue)):
        return [*range(len(value))]
    if type(value) in (dict, Kept) or isinstance(value, Instance):
        return [*value]
    return None


def _kind_of(value: Value) -> type:
    return value.cls if isinstance(value, Instance) else type(value)


def _holding(value: Value, parts: dict[Value, Value]) -> Value:
    return alike(value, parts) if isinstance(value, dict) else rebuilt(value, [*parts.values()])
