"""Dicts and sets under whose keys the program finds things that only the run knows: whole numbers, and tuples of them.

    sums = {}                              keys, sums = [], []
    for k, v in zip(labels, x):            for k, v in zip(labels, x):
        sums[k] = sums.get(k, 0.0) + v         ...   # looks for k among the keys

A dict of the evaluator has keys that are known. Where that is why a program is refused, it is lowered once more with
two lists in the place of such dicts (`rules/tables_by_key.py`), of which only the run knows how long they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import growing, instances
from adc.compiler.frontend.element_kinds import ElementFound
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar, Type, is_integer
from adc.rules import python_containers, tables_by_key
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def note(ev: Core, held: Value, key: Value) -> None:
    """Take down where a dict was made, if such a key is looked for in it."""
    made = ev.dicts_made.get(id(ev.origins.original(held)))
    if made is not None and _is_of_the_run(key) and all(_is_whole(k) for k in held):
        ev.keys_of_run.add((made[1], len(key) if isinstance(key, tuple) else None))


def made(ev: Core, found: dict[Value, Value]) -> Value:
    """A dict that the program has made here, or what stands for it."""
    for where, width in ev.tables:
        if where == ev.origin:
            kind = tables_by_key.Table if width is None else tables_by_key.TableOfTuples
            return ev.call(kind, _lists(ev, found, width), {})
    ev.dicts_made[id(found)] = found, ev.origin
    return found


def refuse_set(ev: Core, value: Value) -> None:
    """Refuse to go over a set whose elements only the run knows."""
    if instances.class_of(value) is python_containers.Set and isinstance(value["__held__"], Instance):
        raise ev.refuse(
            "a set is gone over whose elements only the run knows",
            "Python's order of them is that of their hashes",
            "keep a list beside it",
        )


def _lists(ev: Core, found: dict[Value, Value], width: int | None) -> list[Value]:
    """The keys of a dict and what they hold, as lists that grow from here on."""
    keys, values = ev.new_list([*found]), ev.new_list([*found.values()])
    if ev.origin is not None:  # what a list holds is remembered by its place
        values.made = replace(ev.origin, column=ev.origin.column + 1)
    whole: Type = Scalar("int64") if width is None else Array("int64", (Dim(width),))
    kind = ElementFound(id(keys), keys.made, whole, nested=width is not None)
    return [growing.begun(ev, "keys", keys, kind), growing.begun(ev, "values", values, None)]


def _is_of_the_run(key: Value) -> bool:
    return _is_whole(key) and (
        isinstance(key, Var) or (isinstance(key, tuple) and any(map(_is_of_the_run, key)))
    )


def _is_whole(key: Any) -> bool:
    if isinstance(key, tuple):
        return all(map(_is_whole, key))
    if isinstance(key, Var):
        return isinstance(key.type, Scalar) and is_integer(key.type) and key.type.dtype != "bool"
    return type(key) is int
