"""The places that a loop carries: numbers and arrays under names, and in the lists, dicts and objects under them.

A place is told by its path: the name, then the keys, positions and attributes on the way in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from adc.compiler.frontend.containers import Container, Contents
from adc.compiler.frontend.frame import Growing, Instance, Kept, ListValue, NeedsUnrolling
from adc.compiler.frontend.outside import is_own_dict
from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.values import UNDEFINED, Choice, Maybe, Value, rebuilt
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Type
from adc.rules.dims import Dim

__all__ = [
    "CLASS",
    "VALUES",
    "Path",
    "alike",
    "from_before",
    "holder",
    "late",
    "leaves_of",
    "places",
    "replaced",
]

Path = tuple[Any, ...]
VALUES = "the array of a list"  # a place in a container; its length may change in each trip
CLASS = "the class of an object"


def from_before(container: Any, containers: Contents) -> Any:
    """The list that existed before the loop and for which one in its body stands."""
    while isinstance(container, ListValue) and container.original is not None:
        if id(container) in containers.held:
            break
        container = container.original
    return container


def late(t: Type | None) -> Type | None:
    """The type of a value that is first seen in the body: what is there before may have other lengths."""
    return Array(t.dtype, (Dim(-1),) * t.ndim, "A") if isinstance(t, Array) else t


def holder(changed: Container, before: dict[str, Value], carried: list[str]) -> str | None:
    """The name of a container that a loop changes, or of what it stands in; None where no variable holds it.

    Raises NeedsUnrolling where the loop carries that, and changes the container behind the back of it.
    """
    names = [name for name, value in before.items() if any(c is changed for c in held_in(value))]
    free = next((name for name in names if name not in carried), None)
    if names and free is None:
        raise NeedsUnrolling(changed)
    return free


def places(
    before: dict[Any, Value], left: dict[Any, Value], containers: Contents, path: Path = ()
) -> Iterator[tuple[Path, dict[Any, Value], dict[Any, Value]]]:
    """Names, and places in dicts and objects that a trip leaves: the path, what holds it before the loop and after.

    What changed behind the back of the name that the loop carries is left out: it is refused.
    """
    for key in list(left):
        within = list(_both(before.get(key, UNDEFINED), left[key], (*path, key)))
        for inner, init, out in within:
            yield from places(init, out, containers, inner)
        if not within and not containers.is_changed(before):
            yield (*path, key), before, left


def _both(init: Value, out: Value, path: Path) -> Iterator[tuple[Path, dict[Any, Value], dict[Any, Value]]]:
    """The dicts and objects that stand at one place in two values."""
    if isinstance(init, dict) and isinstance(out, dict) and init.keys() == out.keys():
        yield path, init, out
    elif isinstance(init, (tuple, ListValue)) and isinstance(out, (tuple, ListValue)):
        for k, (a, b) in enumerate(zip(init, out, strict=False)):
            yield from _both(a, b, (*path, k))


def alike(value: dict[Any, Value], entries: dict[Any, Value]) -> dict[Any, Value]:
    """A dict, or an object, with other values in it."""
    if isinstance(value, Instance):
        return value.holding(entries)
    return Kept(entries) if isinstance(value, Kept) else entries


def leaves_of(value: Value, path: Path) -> list[tuple[Path, Value]]:
    """The numbers, arrays and constants in a container, with where they stand."""
    if isinstance(value, (tuple, ListValue)):
        return [leaf for k, v in enumerate(value) for leaf in leaves_of(v, (*path, k))]
    if is_own_dict(value):
        kind = [((*path, CLASS), value.cls)] if isinstance(value, Instance) else []
        return [*kind, *(leaf for k, v in value.items() for leaf in leaves_of(v, (*path, k)))]
    if isinstance(value, Maybe):
        return [
            *leaves_of(value.present, (*path, "present")),
            *leaves_of(value.value, (*path, "value")),
        ]
    if isinstance(value, Choice):
        return [((*path, "place"), value.place)]
    if isinstance(value, Growing) and value.changes:
        return [((*path, VALUES), value.values), ((*path, "count"), value.count)]
    return [(path, value)]


def replaced(value: Value, path: Path, results: dict[Path, Var], stays: Collection[Path]) -> Value:
    """A container with what its leaves are after the loop: itself where it `stays`, elsewhere a new one."""
    in_place = path in stays
    if isinstance(value, tuple):
        return rebuilt(value, [replaced(v, (*path, k), results, stays) for k, v in enumerate(value)])
    if isinstance(value, ListValue):
        items = [replaced(v, (*path, k), results, stays) for k, v in enumerate(value)]
        if in_place:
            value[:] = items
        return value if in_place else rebuilt(value, items)
    if is_own_dict(value):
        entries = {k: replaced(v, (*path, k), results, stays) for k, v in value.items()}
        if in_place:
            value.update(entries)
        return value if in_place else alike(value, entries)
    if isinstance(value, Maybe):
        return Maybe(
            replaced(value.present, (*path, "present"), results, stays),
            replaced(value.value, (*path, "value"), results, stays),
            value.absent,
        )
    if isinstance(value, Choice):
        return Choice(results.get((*path, "place"), value.place), value.options)
    if isinstance(value, Growing) and value.changes:
        target = value if in_place else value.copy()
        target.values = results.get((*path, VALUES), value.values)
        target.count = results.get((*path, "count"), value.count)
        return target
    return results.get(path, value)
