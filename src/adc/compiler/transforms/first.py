"""Assign where a fresh array of zeros would be added to.

`x_bar = np.zeros_like(x); x_bar[1:] += g` becomes `x_bar = np.zeros_like(x); x_bar[1:] = g`: the first thing that
happens to the array may as well be an assignment.
"""

from __future__ import annotations

from collections.abc import Iterator

from adc.compiler.ir.nodes import Assign, Block, Program, Stmt, Store, Var, blocks, uses, walk

ZEROS = ("zeros", "zeros_like")


def run(program: Program) -> Program:
    """The program with the first accumulation into zeros made an assignment."""
    for _, first in first_writes(program.body):
        if first.accumulate and not any(isinstance(i, Var) and i.is_array for i in first.index):
            first.accumulate = False
    return program


def first_writes(block: Block) -> Iterator[tuple[Assign, Store]]:
    """Statements that make an array of zeros, each with the write of something else that is the first to touch it."""
    for position, stmt in enumerate(block):
        for inner in blocks(stmt):
            yield from first_writes(inner)
        if isinstance(stmt, Assign) and stmt.name in ZEROS and stmt.target.is_array:
            first = next((s for s in block[position + 1 :] if _touches(s, stmt.target)), None)
            if isinstance(first, Store) and first.array is stmt.target and first.value is not stmt.target:
                yield stmt, first


def _touches(stmt: Stmt, array: Var) -> bool:
    return any(v.root is array for s in walk([stmt]) for v in uses(s) if v.is_array)
