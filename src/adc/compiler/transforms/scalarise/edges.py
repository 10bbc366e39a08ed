"""Which elements of an array of zeros stay zero, where the first that happens to it is that a slice is assigned.

`y_bar = np.zeros(n); y_bar[:-1] = g` clears the last element only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adc.compiler.frontend.indexing import FULL
from adc.compiler.ir.nodes import Assign, Block, Const, Program, Slice, Stmt, Store, Var, blocks, uses, walk

_ZEROS = ("zeros", "zeros_like")


def of(program: Program) -> dict[Assign, list[Slice]]:
    """For statements that make zeros of which a slice is then assigned: the slices beside it, along the first axis."""
    return dict(_found(program.body))


def _found(block: Block) -> Iterator[tuple[Assign, list[Slice]]]:
    for position, stmt in enumerate(block):
        for inner in blocks(stmt):
            yield from _found(inner)
        if isinstance(stmt, Assign) and stmt.name in _ZEROS and stmt.target.is_array:
            first = next((s for s in block[position + 1 :] if _touches(s, stmt.target)), None)
            if isinstance(first, Store) and first.array is stmt.target and not first.accumulate:
                beside = _beside(first.index)
                if beside is not None and first.value is not stmt.target:
                    yield stmt, beside


def _touches(stmt: Stmt, array: Var) -> bool:
    return any(v.root is array for s in walk([stmt]) for v in uses(s) if v.is_array)


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
