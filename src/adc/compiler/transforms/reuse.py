"""Let an array be written where another, read for the last time in the same loop, has its memory.

Fresh memory is dear: a new 8 MB array costs more in page faults than the arithmetic that fills it. When the first
loop that writes B is the last that reads A, element by element at one index and reads before it writes, B takes A's
place.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from adc.compiler.analysis.equalities import Checks, Equalities
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    For,
    Program,
    Store,
    Var,
    all_blocks,
    blocks,
    uses,
    variables,
    walk,
)
from adc.compiler.transforms.hoist import escaping_roots
from adc.compiler.transforms.rewrite import operand, substitute


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with fewer allocations."""
    table = _Reuse(program, evaluator).table
    program.body = substitute(program.body, table)
    program.results = [operand(r, table) for r in program.results]
    return program


class _Reuse:
    """`table[b]` is the array whose memory `b` takes."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.table: dict[Var, Atom] = {}
        self.known = Equalities(program)
        self.escaping = escaping_roots(program, evaluator)
        self.everywhere = _times_used(program.body)
        self._block(program.body)

    def _block(self, block: Block) -> None:
        # Memory that nobody else has: what is allocated to be filled, and what products of stacks are returned in. A
        # product of two matrices stays apart: a loop that writes what it reads is no kernel, and it has no more to do.
        allocated = {
            s.target: s
            for s in block
            if isinstance(s, Assign) and (s.name == "empty" or (s.op == "rt.dot" and s.target.type.ndim == 3))
        }
        if len(allocated) > 1:
            self._join_in(block, allocated)
        for s in block:
            self.known.passed(s)
            for inner in blocks(s):
                with self.known.inside(s):
                    self._block(inner)

    def _join_in(self, block: Block, allocated: dict[Var, Assign]) -> None:
        here = _times_used(block)
        checks = Checks(self.known)
        for s in block:
            checks.passed(s)
        equal = [checks.before(s) for s in block]
        touched: dict[Var, list[int]] = {
            a: [] for a in allocated
        }  # the positions of the statements that use it
        for k, s in enumerate(block):
            roots = {v.root for inner in walk([s]) for v in uses(inner) if v.is_array}
            for a in roots & allocated.keys():
                if s is not allocated[a]:
                    touched[a].append(k)
        gone: set[Assign] = set()
        again = True
        while again:
            again = False
            ending: dict[int, list[Var]] = {}  # the arrays that are used for the last time there
            for a, places in touched.items():
                if places and (places[0] != places[-1] or allocated[a].name != "empty"):
                    ending.setdefault(places[-1], []).append(a)
            for new in list(touched):
                places = touched[new]
                loop = block[places[0]] if places else None
                if not isinstance(loop, For) or allocated[new].name != "empty":
                    continue
                for old in ending.get(places[0], ()):
                    # A branch with the same test, in the reverse sweep, may read it, too.
                    if old is new or here[old] != self.everywhere[old] or old in self.escaping:
                        continue
                    if _alike(old, new, equal[places[0]]) and _replaces(loop, old, new):
                        self._replace(block, old, new, touched, here)
                        gone.add(allocated[new])
                        again = True
                        break
                if again:
                    break
        block[:] = [s for s in block if s not in gone]

    def _replace(
        self, block: Block, old: Var, new: Var, touched: dict[Var, list[int]], here: Counter[Var]
    ) -> None:
        self.table[new] = old
        if new.named:
            old.name, old.named = new.name, True
        for k in touched[new]:
            block[k] = substitute([block[k]], {new: old})[0]
        touched[old] = sorted({*touched[old], *touched.pop(new)})
        for count in (here, self.everywhere):
            count[old] += count[new]
        if new in self.escaping:
            self.escaping.add(old)


def _times_used(block: Block) -> Counter[Var]:
    return Counter(v.root for s in walk(block) for v in uses(s) if v.is_array)


def _alike(a: Var, b: Var, equal: EqualLengths) -> bool:
    return a.type.dtype == b.type.dtype and equal.same_shape(a.type.shape, b.type.shape)


def _replaces(loop: For, old: Var, new: Var) -> bool:
    """Whether every element of `old` is read, for the last time, in the block that then writes it in `new`."""
    homes: list[tuple[Block, int, bool, Any]] = []  # block, position, is a write of new, index
    if any(
        v.is_array and v.root in (old, new) and v not in (old, new) for s in walk([loop]) for v in uses(s)
    ):
        return False  # a view reads or writes elements that this would have to follow
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
