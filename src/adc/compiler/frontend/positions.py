"""An item of a short list or tuple at a position that only the run knows is chosen by branches.

`[a, b][k]` is `a if k == 0 else b`: the items may be arrays, tuples or functions, as on the sides of a branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var
from adc.compiler.ir.types import Scalar, is_integer

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["item_at", "may_choose"]

_FEW = 8  # items: each is a branch


def may_choose(ev: Core, base: Value, index: Value) -> bool:
    """Whether the item is chosen by branches; in loops the trips may be written out, or the items made an array."""
    if not (isinstance(index, Var) and isinstance(index.type, Scalar) and isinstance(base, (tuple, list))):
        return False
    few = is_integer(index.type) and 0 < len(base) <= _FEW and not ev.loop_depth
    if not (few or (is_truth(index) and len(base) > 1)):
        return False
    # A write to what is chosen would reach one of several lists or objects.
    return not any(True for item in base for _ in held_in(item))


def is_truth(index: Var) -> bool:
    """Whether a position is 0 or 1, as in `(a, b)[x > 0]`."""
    return index.type.dtype == "bool"


def item_at(ev: Core, base: Sequence[Value], index: Var) -> Value:
    """The item; the program raises IndexError where there is none."""
    if is_truth(index):
        return ev.choose(index, lambda: base[1], lambda: base[0])
    n = len(base)
    good = ev.op("logical_and", ev.op("greater_equal", index, -n), ev.op("less", index, n))
    what = f"{'tuple' if isinstance(base, tuple) else 'list'} index out of range"
    ev.block.append(Check(ev.atom(good), "IndexError", (Const(what),), ev.origin, user=True))
    place = ev.choose(ev.op("less", index, 0), lambda: ev.op("add", index, n), lambda: index)

    def chosen(k: int) -> Value:
        if k == n - 1:
            return base[k]
        return ev.choose(ev.op("equal", place, k), lambda: base[k], lambda: chosen(k + 1))

    return chosen(0)
