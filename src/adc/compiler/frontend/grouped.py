"""`zip` of one iterator, several times over, gives its items in groups.

    zip(*[iter(x)] * 2)            (x[0], x[1]), (x[2], x[3]), ...
    it = iter(x); zip(it, it)      the same

Items too few for a last group are taken from the iterator, too, and are in no group.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, NamedTuple

import gast

from adc.compiler.frontend import python_builtins
from adc.compiler.frontend.desugar_syntax import constant
from adc.compiler.frontend.frame import Generator, Items, Iterated, RunTimeLength, reads_of
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

__all__ = ["Shared", "count", "shared", "zipped"]


class Shared(NamedTuple):
    """The expression of what `zip` is given several times over, and that of how often."""

    value: Any
    count: Any


def shared(ev: Calls, function: Value, node: Any) -> Shared | None:
    """What `zip` is given several times over, and may be an iterator; None of other calls."""
    if function is not builtins.zip or node.keywords:
        return None
    args = node.args
    if len(args) == 1 and isinstance(args[0], gast.Starred):
        return _repeated(args[0].value)
    if len(args) < 2 or not all(isinstance(a, gast.Name) and a.id == args[0].id for a in args):
        return None
    held = ev.unread(args[0])
    return None if held is None or held.of is not None else Shared(args[0], constant(len(args), args[0]))


def count(ev: Calls, shared: Shared) -> int:
    """How often it is given."""
    found = ev.evaluate(shared.count)
    if not isinstance(found, int):
        raise RunTimeLength(
            "how many iterators zip() is given is only known at run time",
            location=ev.locate(shared.count),
            repair="Use an array, and reshape it.",
        )
    return found


def zipped(ev: Calls, node: Any, value: Value, count: int) -> Items:
    """What the call gives: groups of the items of an iterator, any other value beside itself."""
    if isinstance(value, Generator):
        ev.refuse_iterators([value], node.args[0])  # what it computes, it computes between the trips
    with ev.origin_at(ev.locate(node)):
        if count < 1 or reads_of(value) is None:
            found: Items = ev.call(builtins.zip, [value] * count, {})
        else:
            ev.as_it_was(reads_of(value), "an iterator")
            found = _groups(ev, value, count)
        ev.goes_over(found, [value.over if isinstance(value, Iterated) else value])
        return found


def _repeated(spread: Any) -> Shared | None:
    """The parts of `[value] * count`, where the value is evaluated once."""
    if not isinstance(spread, gast.BinOp) or not isinstance(spread.op, gast.Mult):
        return None
    items = spread.left
    if not isinstance(items, (gast.List, gast.Tuple)) or len(items.elts) != 1:
        return None
    return None if isinstance(items.elts[0], gast.Starred) else Shared(items.elts[0], spread.right)


def _groups(ev: Calls, iterator: Value, count: int) -> Items:
    endless = isinstance(iterator, Items) and iterator.length is None
    each = python_builtins.items_of(ev, iterator if endless else ev.iterable(iterator))

    def group(k: Value) -> Value:
        first = ev.op("multiply", k, count)
        return tuple(each.item(ev.op("add", first, i)) for i in range(count))

    length = None if endless else ev.op("floor_divide", each.length, count)
    return Items(length, group, each.lists)
