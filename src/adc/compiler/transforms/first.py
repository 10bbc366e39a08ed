"""Assign where zeros would be added to.

`x_bar = np.zeros_like(x); x_bar[1:] += g` becomes `x_bar = np.zeros_like(x); x_bar[1:] = g`: the first thing that
happens to the array may as well be an assignment, and so may what is written next to other places. Where more is
added to rows beside, `x_bar[:-1, 1:-1] += h`, it stays an addition: these may come in any order, so that the loop that
makes all of it adds it, too. Of `y_bar[1:] = 0.0; y_bar[1:] += g` the assignment is all that is left; and nothing at
all where `g` is what stood there before it was cleared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.counters import Range, ranges
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
    counters = ranges(program.body)
    different = all_different(program, memory)
    parts = {s.target: s for s in walk(program.body) if isinstance(s, Assign) and s.name == "getitem"}
    added: dict[Var, list[Index]] = {}
    for s in walk(program.body):
        if isinstance(s, Store) and s.accumulate:
            array, index = _place(s, parts)
            added.setdefault(array, []).append(index)
    for zeros, writes in _written(program.body, parts):
        before: list[Index] = []
        for s in writes:
            index = _place(s, parts)[1]
            if (
                s.accumulate
                and differ(index, different)
                and not any(_are_beside(index, other) for other in added[zeros.target])
                and all(_meet_never(index, other, counters) for other in before)
            ):
                s.accumulate = False
            before.append(index)
    copies = {s.target: s for s in walk(program.body) if isinstance(s, Assign) and s.name == "copy"}
    for block in all_blocks(program.body):
        for cleared in [s for s in block if _clears(s, different)]:
            again = _puts_back(cleared, block, parts, copies, memory)
            if again is not None:
                block.remove(cleared)
                block.remove(again)
        for cleared, first in _refilled(block, parts, memory, different, counters):
            block.remove(cleared)
            first.accumulate = False
    return program


def first_writes(block: Block) -> Iterator[tuple[Assign, Store]]:
    """Statements that make an array of zeros, each with the write of something else that is the first to touch it."""
    for zeros, writes in _written(block, {}):
        yield zeros, writes[0]


def _written(block: Block, parts: dict[Var, Assign]) -> Iterator[tuple[Assign, list[Store]]]:
    """Statements that make an array of zeros, each with the writes to it before anything else touches it."""
    for position, stmt in enumerate(block):
        for inner in blocks(stmt):
            yield from _written(inner, parts)
        if not isinstance(stmt, Assign) or stmt.name not in ZEROS or not stmt.target.is_array:
            continue
        if writes := list(_writes(block[position + 1 :], stmt.target, parts)):
            yield stmt, writes


def _writes(block: Block, array: Var, parts: dict[Var, Assign]) -> Iterator[Store]:
    for s in block:
        if not _touches(s, array) or (isinstance(s, Assign) and s.targets[0] in parts and is_view(s)):
            continue
        if not (isinstance(s, Store) and _place(s, parts)[0] is array):
            return
        if any(v.is_array and v.root is array for v in variables((s.index, s.value))):
            return
        yield s


def _refilled(
    block: Block,
    parts: dict[Var, Assign],
    memory: Memory,
    different: set[Var],
    counters: Mapping[Var, Range],
) -> Iterator[tuple[Store, Store]]:
    """Statements that clear a part, each with the one that adds to that part before anything else has to do with it."""
    for stmt in [s for s in block if _clears(s, different)]:
        place = _place(stmt, parts)
        for s in _additions(stmt, block, memory):
            array, index = _place(s, parts)
            if (array, index) == place:
                yield stmt, s
            if array is not place[0] or not _meet_never(index, place[1], counters):
                break


def _additions(cleared: Store, block: Block, memory: Memory) -> Iterator[Store]:
    """What adds to an array what it has from elsewhere, after a part was cleared and before all else done with it."""
    mine = memory.of(cleared.array)
    for s in block[block.index(cleared) + 1 :]:
        if not _works_on(s, mine, memory):
            continue
        if not (isinstance(s, Store) and s.accumulate and memory.of(s.array) is mine):
            return
        if isinstance(s.value, Var) and memory.of(s.value) is mine:
            return
        yield s


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
    place = _place(cleared, parts)
    for s in _additions(cleared, block, memory):
        copy = copies.get(s.value) if isinstance(s.value, Var) else None
        part = parts.get(copy.args[0]) if copy is not None else None
        if copy is not None and part is not None and copy in block and part.args == place == _place(s, parts):
            taken, gone, again = (block.index(x) for x in (copy, cleared, s))
            between = {memory.of(w.array) for w in _stores(block[taken + 1 : gone])}
            after = {memory.of(w.array) for w in _stores(block[gone + 1 : again])} - {
                memory.of(cleared.array)
            }
            kept = {memory.of(v) for v in (cleared.array, copy.target, *variables(place[1]))}
            return s if kept.isdisjoint(between | after) else None
    return None


def _stores(block: Block) -> Iterator[Store]:
    return (s for s in walk(block) if isinstance(s, Store))


def _meet_never(a: Index, b: Index, counters: Mapping[Var, Range]) -> bool:
    """Whether two parts of an array have no element in common, at one time."""
    return never_meet_at_once(a, b) or never_meet(a, b, counters.keys(), counters)


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
