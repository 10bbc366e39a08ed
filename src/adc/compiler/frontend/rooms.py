"""How many places the lists need to which every trip of a loop appends as much: they are made before the loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend.frame import Items, ListValue, Range
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


@dataclass(eq=False)
class Irregular(Exception):
    """A list that was given its places is changed in another way than by as many appends in each trip."""

    name: str


@dataclass(frozen=True)
class Added:
    """How many elements each trip of a loop adds to a list: behind the others, or in front of them."""

    per_trip: int
    front: bool


def added_in(node: Any, env: dict[str, Value]) -> dict[str, Added]:
    """The lists to which every trip of a loop adds elements.

    >>> loop = gast.parse("for i in r:\\n    a.append(i)\\n    a.append(2)\\n    if i: b.append(1)").body[0]
    >>> loop.body += gast.parse("c.insert(0, i)").body
    >>> added_in(loop, {"a": ListValue(), "b": ListValue(), "c": ListValue()})
    {'a': Added(per_trip=2, front=False), 'c': Added(per_trip=1, front=True)}
    """
    found: dict[str, Added] = {}
    for statement in node.body:
        called: Any = getattr(statement, "value", None) if isinstance(statement, gast.Expr) else None
        function = getattr(called, "func", None)
        if not isinstance(function, gast.Attribute):
            continue
        first = called.args[0] if called.args else None
        front = function.attr == "insert" and isinstance(first, gast.Constant) and first.value == 0
        if front or function.attr == "append":
            name = getattr(function.value, "id", None)
            if isinstance(env.get(name), ListValue) and env[name].outside is None:  # type: ignore[arg-type,index]
                found[str(name)] = Added(found.get(str(name), Added(0, front)).per_trip + 1, front)
    return found


def trips_of(ev: Core, items: Range | Items) -> Value:
    """How many trips a loop has."""
    if isinstance(items, Items):
        return items.length
    start, stop = ev.length(items.start), ev.length(items.stop)
    assert start is not None and stop is not None
    span = stop - start if items.step > 0 else start - stop
    return ev.dim_value(((span + (abs(items.step) - 1)) // abs(items.step)).clamped())


def ordinal(ev: Core, items: Range | Items, index: Var) -> Value:
    """The number of a trip, from zero."""
    if isinstance(items, Items):
        return index
    offset = ev.op("subtract", index, items.start)
    return offset if items.step == 1 else ev.op("floor_divide", offset, items.step)
