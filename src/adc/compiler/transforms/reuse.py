"""Let an array be written where another, read for the last time in the same loop, has its memory.

Fresh memory is dear: a new 8 MB array costs more in page faults than the arithmetic that fills it. When the first
loop that writes B is the last that reads A, element by element at one index and reads before it writes, B takes A's
place.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Block, For, Program, Store, Var, blocks, uses, variables, walk
from adc.compiler.transforms.hoist import escaping_roots
from adc.compiler.transforms.rewrite import operand, substitute


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with fewer allocations."""
    while True:
        found = _find(program, evaluator)
        if found is None:
            return program
        old, new, allocation = found
        if new.named:
            old.name, old.named = new.name, True
        for block in _all_blocks(program.body):
            if allocation in block:
                block.remove(allocation)
        program.body = substitute(program.body, {new: old})
        program.results = [operand(r, {new: old}) for r in program.results]


def _all_blocks(body: Block) -> list[Block]:
    return [body, *(b for s in walk(body) for b in blocks(s))]


def _find(program: Program, evaluator: Evaluator) -> tuple[Var, Var, Assign] | None:
    escaping = escaping_roots(program, evaluator)
    everywhere = _times_used(program.body)
    for block in _all_blocks(program.body):
        allocated = {s.target: s for s in block if isinstance(s, Assign) and s.name == "empty"}
        if len(allocated) < 2:
            continue
        roots = {
            s: {v.root for inner in walk([s]) for v in uses(inner) if v.is_array and v.root in allocated}
            for s in block
        }
        here = _times_used(block)
        touched = {a: [s for s in block if s is not made and a in roots[s]] for a, made in allocated.items()}
        for new, allocation in allocated.items():
            users = touched[new]
            if not users or not isinstance(users[0], For):
                continue
            loop = users[0]
            for old in allocated:
                if here[old] != everywhere[old]:
                    continue  # a branch with the same test, in the reverse sweep, reads it too
                if old is new or old in escaping or not touched[old] or touched[old][-1] is not loop:
                    continue
                if touched[old][0] is loop or not _alike(old, new, evaluator):
                    continue
                if _replaces(loop, old, new):
                    return old, new, allocation
    return None


def _times_used(block: Block) -> Counter[Var]:
    return Counter(v.root for s in walk(block) for v in uses(s) if v.is_array)


def _alike(a: Var, b: Var, evaluator: Evaluator) -> bool:
    return a.type.dtype == b.type.dtype and evaluator.equal.same_shape(a.type.shape, b.type.shape)


def _replaces(loop: For, old: Var, new: Var) -> bool:
    """Whether every element of `old` is read, for the last time, in the block that then writes it in `new`."""
    homes: list[tuple[Block, int, bool, Any]] = []  # block, position, is a write of new, index
    if any(
        v.is_array and v.root in (old, new) and v not in (old, new) for s in walk([loop]) for v in uses(s)
    ):
        return False  # a view reads or writes elements that this would have to follow
    for block in _all_blocks([loop]):
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
