"""Let an array be written where another, read for the last time in the same loop, has its memory.

Fresh memory is dear: a new 8 MB array costs more in page faults than the arithmetic that fills it. When the first
loop that writes B is the last that reads A, element by element at one index and reads before it writes, B takes A's
place. Where both have names, the text says so, `x_bar = y`, and goes on with the new one.
"""

from __future__ import annotations

from collections import Counter

from adc.compiler.analysis.equalities import Equalities, range_of
from adc.compiler.analysis.handover import alike, copies, same_element
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    For,
    Mark,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    blocks,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.hoist import escaping_roots
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules import registry
from adc.rules.dims import Dim


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
        self.top = program.body
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
        equal = self.known.before_each(block)
        touched: dict[Var, list[int]] = {
            a: [] for a in allocated
        }  # the positions of the statements that use it
        for k, s in enumerate(block):
            roots = {v.root for inner in walk([s]) for v in uses(inner) if v.is_array}
            for a in roots & allocated.keys():
                if s is not allocated[a]:
                    touched[a].append(k)
        gone: set[Stmt] = set()
        takeovers: dict[int, list[Assign]] = {}  # by the position that they stand in front of
        copied: set[int] = set()
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
                    same = alike(old, new, equal[places[0]])
                    if (same or self._alike_if_run(block, places[0], old, new)) and same_element(
                        loop, old, new
                    ):
                        if copies(loop, old, new):
                            copied.add(places[0])
                        gone.add(allocated[new])
                        if not same or (
                            block is self.top and old.named and new.named and old.name != new.name
                        ):
                            taken = self._renamed(block, old, allocated[new], same, touched, here)
                            takeovers.setdefault(places[0], []).append(taken)
                            allocated[taken.target] = taken
                        else:
                            self._replace(block, old, new, touched, here)
                        again = True
                        break
                if again:
                    break
        block[:] = [
            s
            for k, stmt in enumerate(block)
            for s in (*takeovers.get(k, ()), *(() if k in copied or stmt in gone else (stmt,)))
            if not (gone and _only_reads(s))
        ]

    def _alike_if_run(self, block: Block, at: int, old: Var, new: Var) -> bool:
        """Whether two arrays have a row for each trip of a loop, and rows of one length if there is a trip."""
        loop = block[at]
        trips = range_of(loop) if isinstance(loop, For) else None
        one, other = old.type, new.type
        if (
            trips is None
            or not (isinstance(one, Array) and isinstance(other, Array))
            or block is not self.top
        ):
            return False
        if trips[0] != Dim(0) or not len(one.shape) == len(other.shape) > 1 or one.dtype != other.dtype:
            return False
        with self.known.inside(Mark("")):
            for s in block[:at]:
                self.known.passed(s)
            if not all(self.known.equal.same(trips[1], x.shape[0]) for x in (one, other)):
                return False
            with self.known.inside(loop):
                return self.known.same_shape(old, new)

    def _replace(
        self, block: Block, old: Var, new: Var, touched: dict[Var, list[int]], here: Counter[Var]
    ) -> None:
        self.table[new] = old
        if new.named:
            old.name, old.named = new.name, True
        for k in touched[new]:
            block[k] = substitute([block[k]], {new: old})[0]
        _leave_as_they_are(block[touched[new][0]], old)
        touched[old] = sorted({*touched[old], *touched.pop(new)})
        for count in (here, self.everywhere):
            count[old] += count[new]
        if new in self.escaping:
            self.escaping.add(old)

    def _renamed(
        self,
        block: Block,
        old: Var,
        making: Assign,
        same: bool,
        touched: dict[Var, list[int]],
        here: Counter[Var],
    ) -> Assign:
        """The same, with a statement that gives the memory the new name, and shape, from there on."""
        new = making.target
        again = Var(new.name, new.type, root=old.root, view_of=old)
        self.table[new] = again
        places = touched.pop(new)
        del touched[old]  # it is the new one's from here on
        block[places[0]] = substitute([block[places[0]]], {old: again})[0]
        for k in places:
            block[k] = substitute([block[k]], {new: again})[0]
        _leave_as_they_are(block[places[0]], again)
        touched[again] = places
        for count in (here, self.everywhere):
            count[again] = count[new]
        if new in self.escaping:
            self.escaping |= {again, old}
        if not same:
            lengths = making.args[0]
            return Assign((again,), registry.named("reshape"), (old, lengths), making.origin)
        return Assign((again,), "alias", (old,))


def _leave_as_they_are(loop: Stmt, array: Var) -> None:
    """Leave out the first write of elements that are what they were: one array was a copy of the other."""
    for inner in all_blocks([loop]):
        held = {
            s.target for s in inner if isinstance(s, Assign) and s.name == "getitem" and s.args[0] is array
        }
        first = next((s for s in inner if isinstance(s, Store) and s.array is array), None)
        if first is not None and first.value in held:
            inner.remove(first)


def _only_reads(loop: Stmt) -> bool:
    """Whether all that loops made has been left out: they copied several arrays, and each was its own copy."""
    return (
        isinstance(loop, For)
        and not loop.carried
        and all(
            _only_reads(s) if isinstance(s, For) else isinstance(s, Assign) and s.name == "getitem"
            for s in loop.body
        )
    )


def _times_used(block: Block) -> Counter[Var]:
    return Counter(v.root for s in walk(block) for v in uses(s) if v.is_array)
