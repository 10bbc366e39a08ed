"""A list known element by element as columns, for a loop over it whose trips, written out, would be too much text.

    prims = [(a, 0.5), (b, 0.5), (c, 0.1), ...]     column = np.array([a, b, c, ...])
    for width, weight in prims: ...                 for i in range(9): width, weight = column[i], ...

What stands at one place in all elements is a constant where it is the same, else one of an array, or one of several
texts or functions. The loop goes over copies: what it goes over, and what that holds, does not change in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import packed
from adc.compiler.frontend.containers import Container, Contents, same_contents
from adc.compiler.frontend.frame import Growing, Items
from adc.compiler.frontend.frozen import freeze, put_in
from adc.compiler.frontend.provenance import containers_in
from adc.compiler.frontend.values import Choice, Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["Held", "of"]

Column = Callable[[Value], Value]  # the part of the element at a place


def of(ev: Core, elements: list[Value], demanding: bool = False) -> Items | None:
    """The elements by their places; None where they are not alike.

    Arrays at one place have the same lengths, or are `demanding` that they have: the program raises where they do not.
    """
    classes = [tuple(packed.classes(element)) for element in elements]
    if any(each != classes[0] for each in classes):
        return None
    columns: list[Column] = []
    for parts in zip(*(packed.leaves(element) for element in elements), strict=True):
        column = _column(ev, list(parts), demanding)
        if column is None:
            return None
        columns.append(column)

    def item(k: Value) -> Value:
        element = packed.filled(elements[0], (column(k) for column in columns))
        ev.origins.note_copies(element)
        return element

    return Items(len(elements), item)


def _column(ev: Core, parts: list[Value], demanding: bool) -> Column | None:
    first = parts[0]
    if all(part is first or ev.same_static(part, first) for part in parts):
        return lambda k: first
    if all(map(ev.is_choice, parts)):
        options = ev.options(*parts)
        place = ev.array_of([ev.place_among(options, part) for part in parts])
        return lambda k: Choice(ev.plain(ev.subscript(place, k)), options)
    kinds = [ev.type_of(part) for part in parts]
    kind = kinds[0]
    if isinstance(kind, Scalar):
        if any(t != kind for t in kinds):
            return None
        numbers = ev.array_of(parts)
        return lambda k: _number(ev, ev.subscript(numbers, k), kind.weak is True)
    if not isinstance(kind, Array) or not kind.ndim:
        return None
    for part, t in zip(parts, kinds, strict=True):
        alike = isinstance(t, Array) and t.dtype == kind.dtype and t.ndim == kind.ndim
        if not alike or not isinstance(part, Var) or not _of_one_shape(ev, t.shape, kind.shape, demanding):  # type: ignore[union-attr]
            return None
        put_in(ev, part)
    arrays = ev.array_of(parts)
    freeze(ev, arrays)
    return lambda k: ev.subscript(arrays, k)


def _of_one_shape(ev: Core, one: tuple[Dim, ...], other: tuple[Dim, ...], demanding: bool) -> bool:
    if ev.equal.same_shape(one, other):
        return True
    pairs = [*zip(one, other, strict=True)]
    if not demanding or any(len({ev.equal.number(d) for d in pair} - {None}) == 2 for pair in pairs):
        return False
    for a, b in pairs:
        ev.require_equal(a, b, "the elements of a list have different shapes")
    return True


def _number(ev: Core, number: Var, of_python: bool) -> Value:
    return ev.plain(number) if of_python else number


class Held:
    """The containers that elements of a list are or hold, and the list, as a loop finds them."""

    def __init__(self, ev: Core, elements: list[Value]) -> None:
        known = Contents(ev.frame).held
        containers: list[Container] = [c for _, c in containers_in(elements, ()) if not isinstance(c, tuple)]
        self._found = [(c, _copy(c), id(c) in known) for c in containers]

    def unchanged(self, ev: Core) -> bool:
        """Whether they hold what they held, and stand where they stood."""
        known = Contents(ev.frame).held
        return all(same_contents(c, was) and (id(c) in known or not there) for c, was, there in self._found)


def _copy(container: Any) -> Any:
    return container.copy() if isinstance(container, (dict, Growing)) else list(container)
