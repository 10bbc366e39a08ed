"""Two items of a short list change places where the run says which: `m[k], m[p] = m[p], m[k]`, of rows with a pivot.

    m[k], m[p] = m[p], m[k]             if p == 0: m[k], m[0] = m[0], m[k]
                                        if p == 1: m[k], m[1] = m[1], m[k]
                                        ...

The items may be lists, dicts and objects, and stay what they are: of one that is put at a place of the run alone nobody
knows afterwards which it is. A write to such an item, `m[p][j] = v`, is one to each where that is its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import choices, positions
from adc.compiler.frontend.frame import Instance, ListValue
from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.values import Choice, Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import is_integer

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["each", "exchange", "written_to"]

_FEW = 8  # items: each is a branch
_BRANCHES = 16  # of an exchange of two items that only the run knows


@dataclass(frozen=True)
class OneOf:
    """The item of a list at a place that only the run knows, to which is written."""

    items: ListValue
    place: Choice


def each(ev: Core, base: Value | OneOf, write: Callable[[Value], None]) -> None:
    """`write(base)`, or of each item where the run has its place."""
    if isinstance(base, OneOf):
        choices.of_each_in_turn(ev, lambda k: write(base.items[k]), base.place)
    elif isinstance(base, Choice) and all(map(ev.left_outside.is_outside, base.options)):
        choices.of_each_in_turn(ev, write, base)
    else:
        write(base)


def written_to(ev: Core, node: Any) -> Value | OneOf:
    """What the expression stands for of which an item is written to: `m[p]` of `m[p][j] = v`."""
    if not isinstance(node, gast.Subscript):
        return ev.evaluate(node)
    base, index = ev.evaluate(node.value), ev.evaluate(node.slice)
    place = _place(ev, base, index) if isinstance(index, Var) and _holds_containers(base) else None
    return OneOf(base, place) if isinstance(place, Choice) else ev.there(node, ev.item_of(node, base, index))


def exchange(ev: Core, node: Any) -> bool:
    """Do an assignment by which two lists, dicts or objects in a list change places that the run knows.

    False for any other assignment, of which nothing is evaluated.
    """
    pair = _pair(node)
    base = None if pair is None else _list(ev, pair[0].value)
    if pair is None or not isinstance(base, ListValue) or not _holds_containers(base):
        return False
    if not all(_counts(ev, each.slice) for each in pair):
        return False
    places = [_place(ev, base, ev.evaluate(each.slice)) for each in pair]
    unknown = [place for place in places if isinstance(place, Choice)]
    if None in places or not unknown or len(base) ** len(unknown) > _BRANCHES:
        return False

    def change(a: Value, b: Value) -> None:
        first, second = ev.subscript(base, a), ev.subscript(base, b)
        ev.set_item(base, a, second)
        ev.set_item(base, b, first)

    with ev.origin_at(ev.locate(node)):
        choices.of_each_in_turn(ev, change, *places)
    return True


def _place(ev: Core, base: ListValue, index: Value) -> Value:
    """Which item it is: one of all where only the run knows. None of a list that may not be changed here."""
    if base.depth != ev.loop_depth or base.taken:
        return None
    if not isinstance(index, Var):
        return index if isinstance(index, int) else None
    if index.is_array or not is_integer(index.type) or positions.is_truth(index):
        return None
    return Choice(positions.place(ev, base, index), tuple(range(len(base))))


def _holds_containers(base: Value) -> bool:
    few = isinstance(base, ListValue) and 0 < len(base) <= _FEW
    return few and all(any(held is item for held in held_in(item)) for item in base)


def _pair(node: Any) -> tuple[Any, Any] | None:
    """The two items of one list that change places."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], gast.Tuple):
        return None
    to, of = node.targets[0], node.value
    if not isinstance(of, gast.Tuple) or not len(to.elts) == len(of.elts) == 2:
        return None
    items = (*to.elts, *of.elts)
    if not all(isinstance(item, gast.Subscript) for item in items):
        return None
    a, b, c, d = ((gast.dump(item.value), gast.dump(item.slice)) for item in items)
    return (to.elts[0], to.elts[1]) if a == d and b == c and a[0] == b[0] else None


def _list(ev: Core, node: Any) -> Value:
    """The list that has a name, or a known place in an object or list that has one."""
    if isinstance(node, gast.Name):
        return ev.frame.named(node.id)
    if isinstance(node, gast.Attribute):
        owner = _list(ev, node.value)
        return owner.get(node.attr) if isinstance(owner, Instance) else None
    if not isinstance(node, gast.Subscript) or not isinstance(node.slice, gast.Constant):
        return None
    owner, place = _list(ev, node.value), node.slice.value
    known = isinstance(owner, ListValue) and isinstance(place, int) and -len(owner) <= place < len(owner)
    return owner[place] if known else None


def _counts(ev: Core, node: Any) -> bool:
    """Whether an index is made of integers under names, whatever is evaluated first."""
    if isinstance(node, gast.BinOp):
        return _counts(ev, node.left) and _counts(ev, node.right)
    value = node.value if isinstance(node, gast.Constant) else None
    if isinstance(node, gast.Name):
        value = ev.frame.named(node.id)
    return isinstance(value, int) or (
        isinstance(value, Var) and not value.is_array and is_integer(value.type)
    )
