"""Two items of a short list change places where the run says which: `m[k], m[p] = m[p], m[k]`, of rows with a pivot.

    m[k], m[p] = m[p], m[k]             if p == 0: m[k], m[0] = m[0], m[k]
                                        if p == 1: m[k], m[1] = m[1], m[k]
                                        ...

The items may be lists, dicts and objects, which are what they were: a list that is put at a place of the run alone
could be any of several afterwards. So is a write to an item at such a place, `m[p][j] = v`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import choices, positions
from adc.compiler.frontend.frame import ListValue
from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.values import Choice, Value
from adc.compiler.ir.nodes import Var

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["by_items", "exchange"]

_FEW = 8  # items: each is a branch
_BRANCHES = 16  # of an exchange of two items that only the run knows


def exchange(ev: Core, node: Any) -> bool:
    """Whether an assignment lets two lists, dicts or objects in a list change places, which is then done."""
    pair = _pair(node)
    if pair is None:
        return False
    base = ev.evaluate(pair[0].value)
    if not _is_of_containers(base):
        return False
    first, second = (ev.evaluate(target.slice) for target in pair)
    if not isinstance(first, Var) and not isinstance(second, Var):
        return False
    places = [place_of(ev, base, index) for index in (first, second)]
    if None in places or (all(isinstance(p, Choice) for p in places) and len(base) ** 2 > _BRANCHES):
        return False

    def change(a: Value, b: Value) -> None:
        x, y = ev.subscript(base, a), ev.subscript(base, b)
        ev.set_item(base, a, y)
        ev.set_item(base, b, x)

    choices.of_each_in_turn(ev, change, *places)
    return True


def place_of(ev: Core, base: Value, index: Value) -> Value:
    """The place of an item, of a list that may be changed here: one of all where the run says which. None if not so."""
    if isinstance(index, int):
        return index
    fits = isinstance(index, Var) and positions.is_position(index) and base.depth == ev.loop_depth
    if not fits or base.taken or base.outside is not None:
        return None
    return Choice(positions.place(ev, base, index), tuple(range(len(base))))


def _is_of_containers(base: Value) -> bool:
    return isinstance(base, ListValue) and 0 < len(base) <= _FEW and all(any(held_in(item)) for item in base)


def _pair(node: Any) -> tuple[Any, Any] | None:
    """The two items of one list that change places, whose positions are names, constants and sums of such."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], gast.Tuple):
        return None
    to, of = node.targets[0], node.value
    if not isinstance(of, gast.Tuple) or len(to.elts) != 2 or len(of.elts) != 2:
        return None
    if not all(isinstance(e, gast.Subscript) for e in (*to.elts, *of.elts)):
        return None
    texts = [(gast.dump(e.value), gast.dump(e.slice)) for e in (*to.elts, *of.elts)]
    plain = all(
        isinstance(n, gast.Name | gast.Constant | gast.BinOp | gast.operator | gast.Load | gast.Attribute)
        for e in to.elts
        for part in (e.value, e.slice)
        for n in gast.walk(part)
    )
    if not plain or texts[0] != texts[3] or texts[1] != texts[2] or texts[0][0] != texts[1][0]:
        return None
    return to.elts[0], to.elts[1]
