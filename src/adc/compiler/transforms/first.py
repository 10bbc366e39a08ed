"""Assign where zeros would be added to.

`x_bar = np.zeros_like(x); x_bar[1:] += g` becomes `x_bar = np.zeros_like(x); x_bar[1:] = g`: the first thing that
happens to the array may as well be an assignment, and so may what is written next to other places. Where more is
added to rows beside, `x_bar[:-1, 1:-1] += h`, it stays an addition: these may come in any order, so that the loop that
makes all of it adds it, too. Of `y_bar[1:] = 0.0; y_bar[1:] += g` the assignment is all that is left; and nothing at
all where `g` is what stood there before it was cleared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.positions import all_different, differ, never_meet_at_once
from adc.compiler.frontend.indexing import FULL
from adc.compiler.ir.creation import ZEROS
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Index,
    Program,
    Slice,
    Stmt,
    Store,
    Var,
    all_blocks,
    blocks,
    is_view,
    uses,
    variables,
    walk,
)


def run(program: Program, joined_roots: dict[Var, set[Var]]) -> Program:
    """The program with first accumulations into zeros made assignments."""
    memory = Memory(joined_roots)
    different = all_different(program, memory)
    added: dict[Var, list[Store]] = {}
    for s in walk(program.body):
        if isinstance(s, Store) and s.accumulate:
            added.setdefault(s.array, []).append(s)
    for _, writes in _written(program.body):
        for k, s in enumerate(writes):
            if (
                s.accumulate
                and differ(s.index, different)
                and not any(_are_beside(s.index, other.index) for other in added[s.array])
                and all(never_meet_at_once(s.index, before.index) for before in writes[:k])
            ):
                s.accumulate = False
    parts = {s.target: s for s in walk(program.body) if isinstance(s, Assign) and s.name == "getitem"}
    copies = {s.target: s for s in walk(program.body) if isinstance(s, Assign) and s.name == "copy"}
    for block in all_blocks(program.body):
        for cleared in [s for s in block if _clears(s, different)]:
            again = _puts_back(cleared, block, parts, copies, memory)
            if again is not None:
                block.remove(cleared)
                block.remove(again)
        for cleared, first in _refilled(block, parts, memory, different):
            block.remove(cleared)
            first.accumulate = False
    return program


def first_writes(block: Block) -> Iterator[tuple[Assign, Store]]:
    """Statements that make an array of zeros, each with the write of something else that is the first to touch it."""
    for zeros, writes in _written(block):
        yield zeros, writes[0]


def _written(block: Block) -> Iterator[tuple[Assign, list[Store]]]:
    """Statements that make an array of zeros, each with the writes before anything else touches it."""
    for position, stmt in enumerate(block):
        for inner in blocks(stmt):
            yield from _written(inner)
        if not isinstance(stmt, Assign) or stmt.name not in ZEROS or not stmt.target.is_array:
            continue
        if writes := list(_writes(block[position + 1 :], stmt.target)):
            yield stmt, writes


def _writes(block: Block, array: Var) -> Iterator[Store]:
    for s in block:
        if _touches(s, array):
            if not (isinstance(s, Store) and s.array is array and s.value is not array):
                return
            yield s


def _refilled(
    block: Block, parts: dict[Var, Assign], memory: Memory, different: set[Var]
) -> Iterator[tuple[Store, Store]]:
    """Statements that clear a part, each with the one that adds to that part before anything else touches the array."""
    for stmt in list(block):
        if not _clears(stmt, different):
            continue
        mine = memory.of(stmt.array)
        first = next((s for s in block[block.index(stmt) + 1 :] if _works_on(s, mine, memory)), None)
        if (
            isinstance(first, Store)
            and first.accumulate
            and _place(first, parts) == _place(stmt, parts)
            and not (isinstance(first.value, Var) and memory.of(first.value) is mine)
        ):
            yield stmt, first


def _place(store: Store, parts: dict[Var, Assign]) -> tuple[Var, Index]:
    """The array and the index that a statement writes to; of all of a part, those of the part."""
    part = parts.get(store.array)
    if part is not None and all(i == FULL for i in store.index):
        return part.args[0], part.args[1]
    return store.array, store.index


def _clears(s: Stmt, different: set[Var]) -> TypeGuard[Store]:
    return isinstance(s, Store) and s.role == "clear" and differ(s.index, different)


def _puts_back(
    cleared: Store, block: Block, parts: dict[Var, Assign], copies: dict[Var, Assign], memory: Memory
) -> Store | None:
    """The statement that adds what a part held before it was cleared, if the array is only added to till then."""
    mine, place = memory.of(cleared.array), _place(cleared, parts)
    written: set[Var] = set()
    for s in block[block.index(cleared) + 1 :]:
        if not _works_on(s, mine, memory):
            written |= {memory.of(w.array) for w in walk([s]) if isinstance(w, Store)}
            continue
        if not (isinstance(s, Store) and s.accumulate and memory.of(s.array) is mine):
            return None
        copy = copies.get(s.value) if isinstance(s.value, Var) else None
        part = parts.get(copy.args[0]) if copy is not None else None
        if copy is not None and part is not None and copy in block and part.args == place == _place(s, parts):
            for w in walk(block[block.index(copy) + 1 : block.index(cleared)]):
                if isinstance(w, Store):
                    written.add(memory.of(w.array))
            kept = {mine, memory.of(copy.target), *(memory.of(v) for v in variables(place[1]))}
            return s if written.isdisjoint(kept) else None
        if isinstance(s.value, Var) and memory.of(s.value) is mine:
            return None
    return None


def _are_beside(a: Index, b: Index) -> bool:
    """Whether two parts of an array have rows at other distances."""
    return any(
        isinstance(x, Slice) and isinstance(y, Slice) and x != y for x, y in zip(a[:-1], b[:-1], strict=False)
    )


def _works_on(stmt: Stmt, mine: Var, memory: Memory) -> bool:
    """Whether a statement reads or writes elements of a memory; a view only says where they are."""
    if isinstance(stmt, Assign) and is_view(stmt):
        return False
    return any(memory.of(v) is mine for s in walk([stmt]) for v in uses(s) if v.is_array)


def _touches(stmt: Stmt, array: Var) -> bool:
    return any(v.root is array for s in walk([stmt]) for v in uses(s) if v.is_array)
