"""Which elements of an array of zeros stay zero, where the first that happens to it is that a slice is assigned.

`y_bar = np.zeros(n); y_bar[:-1] = g` clears the last element only.
"""

from __future__ import annotations

from typing import Any

from adc.compiler.frontend.indexing import FULL
from adc.compiler.ir.nodes import Assign, Const, Program, Slice
from adc.compiler.transforms.first import first_writes


def of(program: Program) -> dict[Assign, list[Slice]]:
    """For statements that make zeros of which a slice is then assigned: the slices beside it, along the first axis."""
    found = {zeros: _beside(s.index) for zeros, s in first_writes(program.body) if not s.accumulate}
    return {zeros: beside for zeros, beside in found.items() if beside is not None}


def _beside(index: tuple[Any, ...]) -> list[Slice] | None:
    """What a slice of the first axis leaves on both sides, if its ends are constants; None for other indices."""
    if not index or not isinstance(index[0], Slice) or any(i != FULL for i in index[1:]):
        return None
    start, stop, step = (_constant(part) for part in (index[0].start, index[0].stop, index[0].step))
    if start is False or stop is False or step not in (None, 1) or (start or 0) < 0:
        return None
    before = [Slice(None, Const(start), None)] if start else []
    return before if stop is None else [*before, Slice(Const(stop), None, None)]


def _constant(part: Any) -> Any:
    """The value of an end; False where only a run knows it."""
    return part if part is None else part.value if isinstance(part, Const) else False
