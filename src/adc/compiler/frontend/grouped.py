"""`zip` of one iterator, several times over, gives its items in groups.

    zip(*[iter(x)] * 2)            (x[0], x[1]), (x[2], x[3]), ...
    it = iter(x); zip(it, it)      the same

Items too few for a last group are taken from the iterator, too, and are in no group.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import python_builtins
from adc.compiler.frontend.desugar_syntax import constant
from adc.compiler.frontend.frame import Items, Once, RunTimeLength, reads_of
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

__all__ = ["are", "operand", "zipped"]


def are(ev: Calls, function: Value, node: Any) -> bool:
    """Whether `zip` is called with one value several times over, which may be an iterator."""
    return function is builtins.zip and not node.keywords and _shared(ev, node.args) is not None


def operand(ev: Calls, node: Any) -> tuple[Value, int]:
    """The value that such a call is given, and how often."""
    shared = _shared(ev, node.args)
    assert shared is not None
    value, count = map(ev.evaluate, shared)
    if not isinstance(count, int):
        raise RunTimeLength(
            "how many iterators zip() is given is only known at run time",
            location=ev.locate(node),
            repair="Use an array, and reshape it.",
        )
    return value, count


def zipped(ev: Calls, value: Value, count: int) -> Items:
    """What such a call gives: groups of the items of an iterator, any other value beside itself."""
    if count < 1 or reads_of(value) is None:
        found: Items = ev.call(builtins.zip, [value] * count, {})
        return found
    ev.as_it_was(reads_of(value), "an iterator")
    return _groups(ev, value, count)


def _shared(ev: Calls, args: list[Any]) -> tuple[Any, Any] | None:
    """The expression of the value, and that of how often it is given."""
    if len(args) == 1 and isinstance(args[0], gast.Starred):
        return _repeated(args[0].value)
    if len(args) < 2 or not all(isinstance(a, gast.Name) and a.id == args[0].id for a in args):
        return None
    held = ev.frame.env.get(args[0].id)
    iterator = isinstance(held, Once) and held.of is None
    return (args[0], constant(len(args), args[0])) if iterator else None


def _repeated(spread: Any) -> tuple[Any, Any] | None:
    """The parts of `[value] * count`, where the value is evaluated once."""
    if not isinstance(spread, gast.BinOp) or not isinstance(spread.op, gast.Mult):
        return None
    items = spread.left
    if not isinstance(items, (gast.List, gast.Tuple)) or len(items.elts) != 1:
        return None
    return None if isinstance(items.elts[0], gast.Starred) else (items.elts[0], spread.right)


def _groups(ev: Calls, iterator: Value, count: int) -> Items:
    endless = isinstance(iterator, Items) and iterator.length is None
    each = python_builtins.items_of(ev, iterator if endless else ev.iterable(iterator))

    def group(k: Value) -> Value:
        first = ev.op("multiply", k, count)
        return tuple(each.item(ev.op("add", first, i)) for i in range(count))

    length = None if endless else ev.op("floor_divide", each.length, count)
    return Items(length, group, each.lists)
