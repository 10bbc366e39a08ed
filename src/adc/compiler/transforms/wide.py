"""Find the functions whose rows are long, so that the widest vectors pay although loops stand in each other.

Of three loops in each other nothing says that the innermost has many trips, and vectors that are wider than half a row
cost more than they save. Where that loop reads an array at several distances, as a stencil does, the rows are those of
a grid.
"""

from __future__ import annotations

from adc.compiler.analysis.touches import element, offset
from adc.compiler.ir.nodes import Assign, Block, For, Index, Program, Var, blocks
from adc.runtime.tuning import DEEP


def run(program: Program) -> Program:
    """The program with `meta["wide"]` said of it and of its kernels."""
    for function in (program, *program.meta.get("kernels", ())):
        function.meta["wide"] = _has_long_rows(function.body, [])
    return program


def _has_long_rows(block: Block, loops: list[For]) -> bool:
    """Whether a loop deep inside others reads an array at several distances from their counters."""
    for s in block:
        if isinstance(s, For):
            inside = [*loops, s]
            innermost = not any(isinstance(inner, For) for inner in s.body)
            if innermost and len(inside) >= DEEP and _is_stencil(s.body, [loop.index for loop in inside]):
                return True
            if _has_long_rows(s.body, inside):
                return True
        elif any(_has_long_rows(inner, loops) for inner in blocks(s)):
            return True
    return False


def _is_stencil(body: Block, counters: list[Var]) -> bool:
    read: dict[Var, list[Index]] = {}
    for s in body:
        touch = element(s)
        if isinstance(s, Assign) and touch is not None:
            read.setdefault(touch[0], []).append(touch[1])
    return any(
        _are_neighbours(one, other, counters)
        for found in read.values()
        for one in found[:1]
        for other in found[1:]
    )


def _are_neighbours(one: Index, other: Index, counters: list[Var]) -> bool:
    """Whether two subscripts follow one counter at different distances."""
    for i, j in zip(one, other, strict=True):
        for counter in counters:
            apart = offset(counter, i), offset(counter, j)
            if None not in apart and apart[0] != apart[1]:
                return True
    return False
