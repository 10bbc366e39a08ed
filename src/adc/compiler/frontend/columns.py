"""Long lists of alike things as a few arrays, so that code which goes over them is one loop, for any length.

    [x0, x1, ...]              np.stack(xs)                               arrays of one shape
                               np.concatenate(xs), starts                 arrays whose first axes differ
    [(x0, 0.5), (x1, 1.0)]     a column for each part of an element
    [0.5, 1.0, ...]            np.array(xs)

With an input for each element, the program for a list of 100 arrays has 100 parameters and 100 copies of a loop's body.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from adc import pytree
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.pytree import Structure

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["MANY", "Columns", "Form", "are_in", "element", "of"]

MANY = 8  # elements of a list that may become columns

Kind = Literal["float", "int", "rows", "pieces"]
_LARGEST = 2**63


@dataclass(frozen=True)
class Form:
    """What the elements of a list are like: their structure, and what each part of one is."""

    element: Structure
    kinds: tuple[Kind, ...]


@dataclass(eq=False)
class Columns:
    """A list as arrays: for each part of its elements one, and where the pieces of one start, if it is in pieces."""

    form: Form
    arrays: list[Any]


def _step(form: Form, position: int) -> str:
    """How a message speaks of an array: `xs[:][0]`, `xs[:][0] starts`."""
    paths = [path for path, _ in pytree.flatten_with_paths(pytree.unflatten(form.element, form.kinds))[0]]
    names: list[str] = []
    for path, kind in zip(paths, form.kinds, strict=True):
        names += [f"[:]{path}", f"[:]{path} starts"] if kind == "pieces" else [f"[:]{path}"]
    return names[position]


pytree.register(Columns, lambda c: (c.arrays, c.form), lambda form, arrays: Columns(form, arrays), _step)  # type: ignore[arg-type]


def of(items: list[Any]) -> Columns | None:
    """A list as columns; None where it is short, or its elements are not alike.

    >>> of([np.ones(2), np.ones(3)] * 4).arrays[1]
    array([ 0,  2,  5,  7, 10, 12, 15, 17, 20])
    """
    if len(items) < MANY:
        return None
    kind = type(items[0])
    if any(type(item) is not kind for item in items):
        return None
    first, element = pytree.flatten(items[0])
    parts = [first]
    for item in items[1:]:
        leaves, structure = pytree.flatten(item)
        if structure != element:
            return None
        parts.append(leaves)
    kinds: list[Kind] = []
    arrays: list[Any] = []
    for column in zip(*parts, strict=True):
        found = _column(column)
        if found is None:
            return None
        kinds.append(found[0])
        arrays += found[1:]
    return Columns(Form(element, tuple(kinds)), arrays) if arrays else None


def _column(items: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """What one part of all elements becomes."""
    kind = type(items[0])
    if any(type(item) is not kind for item in items):
        return None
    if kind is float:
        return "float", np.array(items)
    if kind is int:
        fits = all(-_LARGEST <= item < _LARGEST for item in items)
        return ("int", np.array(items, np.int64)) if fits else None
    if kind is not np.ndarray:
        return None
    dtype, shape = items[0].dtype, items[0].shape
    if not shape or dtype.kind not in "fiubc" or any(item.dtype != dtype for item in items):
        return None
    if all(item.shape == shape for item in items):
        return "rows", np.stack(items)
    if all(item.shape[1:] == shape[1:] and item.ndim for item in items):
        starts = np.array([0, *accumulate(len(item) for item in items)])
        return "pieces", np.concatenate(items), starts
    return None


def are_in(structure: Structure) -> bool:
    """Whether a structure has columns in it."""
    return structure.kind is Columns or any(map(are_in, structure.children))


def element(ev: Core, columns: Columns, place: Value) -> list[Value]:
    """The parts of the element at a place of a list that a program goes over, in the order of its leaves."""
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
