"""How a loop hands the elements of one array over to another, which may then have its memory."""

from __future__ import annotations

from typing import Any

from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.ir.nodes import Assign, Block, For, Stmt, Store, Var, all_blocks, uses, variables, walk
from adc.compiler.ir.types import Array


def alike(one: Var, other: Var, equal: EqualLengths) -> bool:
    """Whether the memory of one array will do for another."""
    assert isinstance(one.type, Array)
    assert isinstance(other.type, Array)
    return one.type.dtype == other.type.dtype and equal.same_shape(one.type.shape, other.type.shape)


def same_element(loop: For, old: Var, new: Var) -> bool:
    """Whether every element of `old` is read, for the last time, in the block that then writes it in `new`."""
    homes: list[tuple[Block, int, bool, Any]] = []  # block, position, is a write of new, index
    # A view reads or writes elements that this would have to follow. What has its memory from another array is one.
    memory = (old.root, new.root)
    if any(v.is_array and v.root in memory and v not in (old, new) for s in walk([loop]) for v in uses(s)):
        return False
    for block in all_blocks([loop]):
        for position, s in enumerate(block):
            if isinstance(s, Store) and s.array in (old, new):
                if s.array is old or any(v in (old, new) for v in variables((s.index, s.value))):
                    return False
                homes.append((block, position, True, s.index))
                if s.accumulate:
                    return False
            elif (
                isinstance(s, Assign)
                and s.name == "getitem"
                and not s.target.is_array
                and s.args[0] in (old, new)
            ):
                if s.args[0] is new:
                    return False
                homes.append((block, position, False, s.args[1]))
            elif not isinstance(s, For) and any(v in (old, new) for v in uses(s)):
                return False
    if not homes or any(b is not homes[0][0] or i != homes[0][3] for b, _, _, i in homes):
        return False
    counters = {s.index for s in walk([loop]) if isinstance(s, For)}
    index = homes[0][3]
    if len(set(index)) != len(index) or any(i not in counters for i in index):
        return False
    # Every loop around the element counts one of its axes, so that no element is met twice.
    if len(index) != _depth(loop, homes[0][0]):
        return False
    first_write = min(p for _, p, write, _ in homes if write) if any(w for _, _, w, _ in homes) else -1
    return first_write >= 0 and all(p < first_write for _, p, write, _ in homes if not write)


def _depth(loop: For, block: Block) -> int:
    """How many loops stand around a block, counting `loop`; 0 when something else does."""
    if loop.body is block:
        return 1
    for s in loop.body:
        if isinstance(s, For):
            inner = _depth(s, block)
            if inner:
                return inner + 1
    return 0


def copies(stmt: Stmt, old: Var, new: Var) -> bool:
    """Whether a statement writes the elements of one array to another, and nothing else."""
    counters: list[Var] = []
    body: Block = [stmt]
    while len(body) == 1 and isinstance(loop := body[0], For) and not loop.carried:
        counters.append(loop.index)
        body = loop.body
    if len(body) != 2 or len(counters) != new.type.ndim:
        return False
    load, store = body
    index = tuple(counters)
    return (
        isinstance(load, Assign)
        and load.name == "getitem"
        and load.args == (old, index)
        and isinstance(store, Store)
        and not store.accumulate
        and store.array is new
        and store.index == index
        and store.value is load.target
    )
