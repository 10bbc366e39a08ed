"""Long lists of alike things as a few arrays, so that code which goes over them is one loop, for any length.

    [x0, x1, ...]              np.stack(xs)                               arrays of one shape
                               np.concatenate(xs), starts                 arrays whose first axes differ
    [(x0, 0.5), (x1, 1.0)]     a column for each part of an element
    [0.5, 1.0, ...]            np.array(xs)

With an input for each element, the program for a list of 100 arrays has 100 parameters and 100 copies of a loop's body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adc import pytree
from adc.compiler.frontend import packed
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.pytree import Structure

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["MANY", "Columns", "Form", "Spread", "are_in", "array_of", "count", "form_of", "of", "spread"]

MANY = 8  # elements of a list that may become columns

Kind = Literal["float", "int", "rows", "pieces", "table"]
_LARGEST = 2**63
_PARTS = (float, int, np.ndarray)


@dataclass(frozen=True)
class Form:
    """What the elements of a list are like: their structure, and what each part of one is."""

    element: Structure
    kinds: tuple[Kind, ...]
    orders: tuple[Any, ...] = ()  # of the keys of dicts in an element

    @cached_property
    def build(self) -> Callable[[Iterable[Any]], list[Any]]:
        """What makes an element of its parts, as the only one of a list."""
        return pytree.builder([self.element])


@dataclass(eq=False)
class Columns:
    """A list as arrays: for each part of its elements one, and where the pieces of one start, if it is in pieces."""

    form: Form
    arrays: list[Any]

    def have_derivatives(self) -> bool:
        """Whether a gradient with respect to the arrays is one with respect to the list."""
        return "pieces" not in self.form.kinds and all(a.dtype.kind in "fc" for a in self.arrays)

    def listed(self) -> list[Any]:
        """The list, where it has no pieces."""
        columns = [
            list(array) if kind == "rows" else array.tolist()
            for kind, array in zip(self.form.kinds, self.arrays, strict=True)
        ]
        build = self.form.build
        return [build(parts)[0] for parts in zip(*columns, strict=True)]


def _step(form: Form, position: int) -> str:
    """How a message speaks of an array: `xs[:][0]`, `xs[:][0] starts`."""
    paths = [path for path, _ in pytree.flatten_with_paths(pytree.unflatten(form.element, form.kinds))[0]]
    names: list[str] = []
    for path, kind in zip(paths, form.kinds, strict=True):
        names += [f"[:]{path}", f"[:]{path} starts"] if kind == "pieces" else [f"[:]{path}"]
    return names[position]


def _joined(form: Any, arrays: list[Any]) -> Any:
    """Gradients become a list; the inputs of a program stay columns."""
    made = Columns(form, arrays)
    return made.listed() if all(type(a) is np.ndarray for a in arrays) else made


pytree.register(Columns, lambda c: (c.arrays, c.form), _joined, _step)


def of(items: list[Any], wanted: bool = False) -> Columns | None:
    """A list as columns; None where it is short, or its elements are not alike.

    Where it is differentiated they are floats and arrays of floats, those of one column of one shape.

    >>> of([np.ones(2), np.ones(3)] * 4).arrays[1]
    array([ 0,  2,  5,  7, 10, 12, 15, 17, 20])
    """
    found = _of(items)
    if wanted and found is not None and not found.have_derivatives():
        return None
    return found


def _of(items: list[Any]) -> Columns | None:
    if len(items) < MANY:
        return None
    kind = type(items[0])
    if any(type(item) is not kind for item in items):
        return None
    if kind is list and _is_table(items):
        return Columns(Form(pytree.LEAF, ("table",)), [np.array(items)])
    first, element = pytree.flatten(items[0])
    columns = _parts_of_all(items, first, element)
    if columns is None:
        return None
    kinds: list[Kind] = []
    arrays: list[Any] = []
    for column in columns:
        found = _column(column)
        if found is None:
            return None
        kinds.append(found[0])
        arrays += found[1:]
    return Columns(Form(element, tuple(kinds), element.orders), arrays) if arrays else None


def _parts_of_all(items: list[Any], first: list[Any], element: Structure) -> Iterable[Sequence[Any]] | None:
    """For each part of an element that of all elements; None where their structures differ."""
    if all(type(part) in _PARTS for part in first):
        if element is pytree.LEAF:
            return [items]
        if element.kind is tuple and len(first) == len(element.children):
            return None if any(len(item) != len(first) for item in items) else zip(*items, strict=True)
        if element.kind is dict and len(first) == len(element.children) and are_texts(element.order):
            if any(tuple(item) != element.order for item in items):
                return None
            return [[item[key] for item in items] for key in sorted(element.order)]
    parts = [first]
    for item in items[1:]:
        leaves, structure = pytree.flatten(item)
        if structure != element or structure.orders != element.orders:
            return None
        parts.append(leaves)
    return zip(*parts, strict=True)


def are_texts(keys: Iterable[Any]) -> bool:
    return all(type(key) is str for key in keys)


def _is_table(rows: list[Any]) -> bool:
    """Whether lists are lists of numbers, all as long."""
    kinds = {type(item) for row in rows for item in row}
    return len({len(row) for row in rows}) == 1 and kinds in ({float}, {int}) and _fit(rows)


def _fit(rows: Iterable[Iterable[Any]]) -> bool:
    return all(-_LARGEST <= item < _LARGEST for row in rows for item in row if type(item) is int)


def _column(items: Sequence[Any]) -> tuple[Any, ...] | None:
    """What one part of all elements becomes."""
    kind, *others = {type(item) for item in items}
    if others:
        return None
    if kind is float:
        return "float", np.array(items)
    if kind is int:
        return ("int", np.array(items, np.int64)) if _fit([items]) else None
    if kind is not np.ndarray:
        return None
    dtype, shape = items[0].dtype, items[0].shape
    if not shape or dtype.kind not in "fiubc" or {item.dtype for item in items} != {dtype}:
        return None
    if {item.shape for item in items} == {shape}:
        return "rows", np.stack(items)
    if all(item.shape[1:] == shape[1:] and item.ndim for item in items):
        starts = np.array([0, *accumulate(len(item) for item in items)])
        return "pieces", np.concatenate(items), starts
    return None


def form_of(items: Any, _: None) -> tuple[Any, ...]:
    """The form of a list outside the function, as a guard compares it; empty where it cannot be columns any more."""
    found = of(items) if type(items) is list else None
    return () if found is None else (found.form.element, found.form.kinds)


def array_of(items: list[Any], position: int) -> Any:
    """An array of a list outside the function."""
    found = of(items)
    assert found is not None  # its form is asked for first
    return found.arrays[position]


def are_in(structure: Structure) -> bool:
    """Whether a structure has columns in it."""
    return structure.kind is Columns or any(map(are_in, structure.children))


@dataclass(eq=False)
class Spread:
    """The elements of a list that lie in several arrays, or in pieces of one."""

    at: Callable[[Value], Value]  # the element at a place that is there
    whole: Callable[[], Var] | None = None  # the array that NumPy makes of the list
    joined: Var | None = None  # its elements one behind the other
    of_numbers: bool = False


def spread(ev: Core, columns: Columns, made: Callable[[list[Value]], Value]) -> Spread:
    """The elements of a list of the caller's; `made` puts the parts of one together."""

    def at(place: Value) -> Value:
        element = made(_parts(ev, columns, place))
        element = packed.filled(element, packed.leaves(element))  # nobody would see what is written to it
        ev.origins.note_copies(element)
        return element

    first, form = columns.arrays[0], columns.form
    if form.element is pytree.LEAF:
        in_pieces = form.kinds == ("pieces",)
        return Spread(at, joined=first) if in_pieces else Spread(at, lambda: first, of_numbers=True)
    in_tuples = form.element.kind is tuple and form.element.size == len(form.element.children)
    if not in_tuples or not all(kind in ("float", "int") for kind in form.kinds):
        return Spread(at)

    def whole() -> Var:
        side_by_side: Var = ev.call(np.column_stack, [tuple(columns.arrays)], {})
        return side_by_side

    return Spread(at, whole)


def count(ev: Core, columns: Columns) -> Value:
    """How many elements the list has."""
    if columns.form.kinds[0] == "pieces":
        return ev.op("subtract", ev.dim_value(columns.arrays[1].type.shape[0]), 1)
    return ev.dim_value(columns.arrays[0].type.shape[0])


def _parts(ev: Core, columns: Columns, place: Value) -> list[Value]:
    """The parts of an element, in the order of its leaves."""
    parts: list[Value] = []
    arrays = iter(columns.arrays)
    for kind in columns.form.kinds:
        values: Var = next(arrays)
        if kind == "pieces":
            starts = next(arrays)
            start, stop = (ev.subscript(starts, k) for k in (place, ev.op("add", place, 1)))
            parts.append(ev.subscript(values, slice(start, stop)))
        else:
            part = ev.subscript(values, place)
            parts.append(part if kind == "rows" else ev.plain(part))
    return parts
