"""A part of an array that np.broadcast_to gave, as a part of the array that was spread.

v = np.broadcast_to(a, (2, 3)): v[i] is a, v[i, k] is a[k], and to v[:, k] lead two elements for one, whose adjoints
add up.
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Const, Index, Slice, Var

__all__ = ["Beneath", "beneath"]


@dataclass(frozen=True)
class Beneath:
    """Where a part lies in the array that was spread, and over which of its axes adjoints add up."""

    index: Index
    dropped: tuple[int, ...]  # axes of the part that the array has not
    kept: tuple[int, ...]  # axes of the part that have one element there

    def summed(self, evaluator: Evaluator, g: Value) -> Value:
        if self.kept:
            g = evaluator.op("sum", g, axis=self.kept, keepdims=True)
        if self.dropped:
            g = evaluator.op("sum", g, axis=self.dropped)
        return g


def beneath(spread: Var, index: Index) -> Beneath | None:
    """None where arrays are in the index, whose axes may stand elsewhere."""
    array = spread.view_of
    assert array is not None
    lead = spread.type.ndim - array.type.ndim
    inner: list[object] = []
    dropped: list[int] = []
    kept: list[int] = []
    axis, place = 0, 0  # of the spread array, of its part
    for entry in index:
        if isinstance(entry, Var) and entry.is_array:
            return None
        if isinstance(entry, Const) and entry.value is None:
            inner.append(entry)
            place += 1
            continue
        is_one = axis >= lead and array.type.shape[axis - lead].known == 1
        is_spread = is_one and spread.type.shape[axis].known != 1
        if isinstance(entry, Slice):
            if axis < lead:
                dropped.append(place)
            elif is_spread:
                kept.append(place)
            place += 1
        if axis >= lead:
            inner.append(entry if not is_spread else FULL if isinstance(entry, Slice) else Const(0))
        axis += 1
    return Beneath(tuple(inner), tuple(dropped), tuple(kept))
