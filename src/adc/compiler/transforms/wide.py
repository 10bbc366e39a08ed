"""Find the functions whose rows are long, so that the widest vectors pay although loops stand in each other.

Of three loops in each other nothing says that the innermost has many trips, and vectors that are wider than half a row
cost more than they save. Where that loop reads an array at several distances, or hands on what it writes there, as a
stencil does, the rows are those of a grid; where it goes through a block of many trips or elements, most are full.
"""

from __future__ import annotations

from typing import TypeGuard

from adc.compiler.analysis.touches import element, offset
from adc.compiler.ir.nodes import Assign, Block, Const, For, Index, Program, Stmt, Var, blocks, walk
from adc.compiler.transforms.vectorise import handed_over
from adc.runtime.tuning import DEEP

MANY = 128  # trips of a block


def run(program: Program) -> Program:
    """The program with `meta["wide"]` said of it and of its kernels."""
    functions = (program, *program.meta.get("kernels", ()))
    counts = {s.target for f in functions for s in walk(f.body) if _is_of_a_block(s)}
    for function in functions:
        function.meta["wide"] = _has_long_rows(function.body, [], counts)
    return program


def _is_of_a_block(s: Stmt) -> TypeGuard[Assign]:
    """Whether a statement counts the trips of a block that has many, but for the last one."""
    if not isinstance(s, Assign) or s.name != "minimum":
        return False
    return any(isinstance(a, Const) and isinstance(a.value, int) and a.value >= MANY for a in s.args)


def _has_long_rows(block: Block, loops: list[For], counts: set[Var]) -> bool:
    """Whether a loop deep inside others has many trips, or is that of a stencil."""
    for s in block:
        if isinstance(s, For):
            inside = [*loops, s]
            innermost = not any(isinstance(inner, For) for inner in s.body)
            if innermost and len(inside) >= DEEP and (s.stop in counts or _is_stencil(s, inside)):
                return True
            if _has_long_rows(s.body, inside, counts):
                return True
        elif any(_has_long_rows(inner, loops, counts) for inner in blocks(s)):
            return True
    return False


def _is_stencil(loop: For, loops: list[For]) -> bool:
    """Whether a loop reads an array at several distances from the counters, or hands on what is to be written there."""
    if handed_over(loop):
        return True
    counters = [loop.index for loop in loops]
    read: dict[Var, list[Index]] = {}
    for s in loop.body:
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
