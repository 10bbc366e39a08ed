"""Make choices of numbers of the branches in inner loops, so that the loops vectorise.

    for i in range(n):                              for i in range(n):
        if x[i] > 0.0:                                  x_i = x[i]
            s += x[i] ** 2                  ->          s += x_i ** 2 if x_i > 0.0 else 0.1 * x_i
        else:
            s += 0.1 * x[i]

Both sides are worked out in every trip, and one is taken: that is done where they are a few operations on numbers that
cannot fail, and read and add to elements that are there in any case (analysis/inside), and where nothing else keeps the
loop from vectorising. A loop that goes through its trips in order keeps its branches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.inside import Inside
from adc.compiler.analysis.touches import part
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Block, Const, For, If, Program, Stmt, Store, Var, blocks, uses
from adc.compiler.ir.types import Scalar
from adc.compiler.transforms.vectorise import in_order
from adc.rules import registry
from adc.rules.operation import Operation

# What the sides of a branch may cost: an exponential and some products each; or so many times what a trip does anyway.
MOST = 120
TIMES_THE_REST = 4
SUMS = ("add", "subtract")


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with straight inner loops where branches had only chosen numbers."""
    _visit(program.body, Inside(program), Memory(evaluator.joined_roots))
    return program


def _visit(block: Block, known: Inside, memory: Memory) -> None:
    for s in block:
        known.passed(s)
        for inner in blocks(s):  # what one side of a branch has checked says nothing of the other
            with known.inside(s):
                _visit(inner, known, memory)
        if isinstance(s, For) and any(isinstance(t, If) for t in s.body):
            with known.inside(s):
                straight = without_branches(s, known, memory)
            if straight is not None and not in_order(straight):
                s.body = straight.body


def without_branches(loop: For, known: Inside | None = None, memory: Memory | None = None) -> For | None:
    """A loop with choices in place of its branches; None where a branch does more than choose numbers.

    Branches may read and add to elements of which it is `known` that they are there.
    """
    body = _Chooser(loop, known, memory).body()
    if body is None:
        return None
    return For(loop.index, loop.start, loop.stop, loop.step, loop.carried, body, loop.origin, loop.note)


class _NotOfNumbers(Exception):
    """A branch does more than choose numbers."""


@dataclass(eq=False)
class _Chooser:
    loop: For
    known: Inside | None
    memory: Memory | None
    cost: int = 0
    most: int = MOST
    running: set[Var] = field(default_factory=set)  # sums on their way through the trip

    def body(self) -> Block | None:
        """The statements of the loop without branches, or None."""
        self.running = {c.phi for c in self.loop.carried}
        rest = sum(s.op.cost for s in self.loop.body if isinstance(s, Assign) and isinstance(s.op, Operation))
        self.most = max(MOST, TIMES_THE_REST * rest)
        try:
            return [self._noted(t) for s in self.loop.body for t in self._straight(s)]
        except _NotOfNumbers:
            return None

    def _noted(self, s: Stmt) -> Stmt:
        if isinstance(s, Assign) and s.name in SUMS and any(a in self.running for a in s.args):
            self.running.add(s.targets[0])
        return s

    def _straight(self, s: Stmt) -> Block:
        return self._chosen(s) if isinstance(s, If) else [s]

    def _chosen(self, s: If) -> Block:
        then, orelse = ([t for u in side for t in self._straight(u)] for side in (s.then, s.orelse))
        self._refuse_stores_before_loads((*then, *orelse))
        stores = self._stores(s.test, then, orelse)
        for t in (*then, *orelse):
            self._harmless(t)
        used = Counter(v for t in (*then, *orelse, *stores, s) for v in uses(t))
        made: Block = [*then, *orelse, *stores]
        for m in s.merges:
            if m.result.is_array:
                raise _NotOfNumbers
            first, second = (
                _Sum.of(v, side, self.running, used) for v, side in ((m.then, then), (m.orelse, orelse))
            )
            if first is not None and second is not None and self._is_one(first, second):
                terms = [x.total(made, m.result) for x in (first, second)]
                _on_lines_of_their_own(terms)
                part = Var("part", m.result.type, named=False)
                made.append(Assign((part,), registry.named("where"), (s.test, *terms), s.origin))
                made.append(Assign((m.result,), registry.named("add"), (first.base, part), s.origin))
                made = [t for t in made if t not in first.steps and t not in second.steps]
            else:
                made.append(
                    Assign((m.result,), registry.named("where"), (s.test, m.then, m.orelse), s.origin)
                )
        return made

    def _is_one(self, a: _Sum, b: _Sum) -> bool:
        """Whether both sides go on with one sum, which at least one of them adds to."""
        floats = np.dtype(a.base.type.dtype).kind == "f"
        return floats and a.base is b.base and a.base in self.running and bool(a.steps or b.steps)

    def _harmless(self, s: Stmt) -> None:
        """Refuse what may fail, touch memory or take long where the branch would not run it."""
        if isinstance(s, Assign) and s.name == "getitem" and not s.target.is_array:
            if self._is_there(s):
                self.cost += 1
                return
            raise _NotOfNumbers
        if not isinstance(s, Assign) or not isinstance(s.op, Operation) or len(s.targets) != 1:
            raise _NotOfNumbers
        arrays = s.target.is_array or any(isinstance(a, Var) and a.is_array for a in s.args)
        whole = np.dtype(s.target.type.dtype).kind in "iu" and s.name not in (*SUMS, "where")
        if arrays or whole or not is_elementwise(s.op):
            raise _NotOfNumbers
        self.cost += s.op.cost
        if self.cost > self.most:
            raise _NotOfNumbers

    def _stores(self, test: Atom, then: Block, orelse: Block) -> Block:
        """The writes of both sides, taken out of them: of the value of one, to an element that is there in any case.

        What sets an element and what else is written there keep their order on each side.
        """
        first, second = ([t for t in side if isinstance(t, Store)] for side in (then, orelse))
        then[:], orelse[:] = ([t for t in side if not isinstance(t, Store)] for side in (then, orelse))
        made: Block = []
        for s in first:
            twin = next((t for t in second if _same_place(s, t)), None)
            if twin is None:
                made += self._alone(test, s, True)
                continue
            for t in self._in_front(twin, second):
                made += self._alone(test, t, False)
                second.remove(t)
            made += self._chosen_store(test, s, s.value, twin.value)
            second.remove(twin)
        for t in second:
            made += self._alone(test, t, False)
        return made

    def _in_front(self, twin: Store, stores: list[Store]) -> list[Store]:
        """The writes that have to stay in front of another, in their order."""
        held = [twin]
        for t in reversed(stores[: stores.index(twin)]):
            if any(self._may_meet(t, other) for other in held):
                held.insert(0, t)
        return held[:-1]

    def _alone(self, test: Atom, s: Store, holds: bool) -> Block:
        """What only one side adds, or zero."""
        if not (s.accumulate and self._is_touched(s)):
            raise _NotOfNumbers
        zero = Const(np.dtype(s.array.type.dtype).type(0.0).item())
        return self._chosen_store(test, s, *((s.value, zero) if holds else (zero, s.value)))

    def _chosen_store(self, test: Atom, s: Store, *value: Atom) -> Block:
        if any(isinstance(v, Var) and v.is_array for v in value):
            raise _NotOfNumbers
        _on_lines_of_their_own(value)
        part = Var("part", Scalar(s.array.type.dtype), named=False)
        return [
            Assign((part,), registry.named("where"), (test, *value), s.origin),
            Store(s.array, s.index, part, s.accumulate, s.origin, s.role),
        ]

    def _may_meet(self, a: Store, b: Store) -> bool:
        """Whether two writes, which do not both add, may be to one element."""
        if a.accumulate and b.accumulate:
            return False
        if self.memory is None or self.known is None:
            return True
        if self.memory.of(a.array) is not self.memory.of(b.array):
            return False
        counters = self.known.counters
        return a.array is not b.array or not never_meet(a.index, b.index, counters.keys(), counters)

    def _is_touched(self, s: Store) -> bool:
        """Whether every trip reads or writes the element anyway."""
        return any(part(t) == part(s) for t in self.loop.body) or self._is_there(s)

    def _is_there(self, s: Stmt) -> bool:
        """Whether it is known that there is the element that a statement touches."""
        touch = part(s)
        return touch is not None and self.known is not None and self.known.is_there(*touch)

    def _refuse_stores_before_loads(self, sides: tuple[Stmt, ...]) -> None:
        """Stores go behind both sides, where neither reads what they write to."""
        loads = [s for s in sides if isinstance(s, Assign) and s.name == "getitem"]
        if not loads:
            return
        memory = self.memory
        if memory is None:
            raise _NotOfNumbers
        written = {memory.of(s.array) for s in sides if isinstance(s, Store)}
        if any(memory.of(s.args[0]) in written for s in loads):
            raise _NotOfNumbers


@dataclass(eq=False)
class _Sum:
    """A sum on its way, and what a side of a branch adds to it or takes off."""

    base: Var
    steps: list[Assign]
    terms: list[tuple[Atom, bool]]

    @staticmethod
    def of(value: Atom, side: Block, running: set[Var], used: Counter[Var]) -> _Sum | None:
        if not isinstance(value, Var) or value in running:
            return _Sum(value, [], []) if isinstance(value, Var) else None
        made = next((s for s in side if isinstance(s, Assign) and s.targets[0] is value), None)
        if made is None or made.name not in SUMS or used[value] != 1:
            return None
        for k, a in enumerate(made.args[: 2 if made.name == "add" else 1]):
            found = _Sum.of(a, side, running, used)
            if found is not None and (found.steps or a in running):
                term = (made.args[1 - k], made.name == "add")
                return _Sum(found.base, [*found.steps, made], [*found.terms, term])
        return None

    def total(self, made: Block, result: Var) -> Atom:
        """What is added, by statements that are put behind `made`."""
        total: Atom = Const(np.dtype(result.type.dtype).type(0.0).item())
        for k, (term, added) in enumerate(self.terms):
            if k == 0 and added:
                total = term
                continue
            target = Var("part", result.type, named=False)
            name, args = ("negative", (term,)) if k == 0 else ("add" if added else "subtract", (total, term))
            made.append(Assign((target,), registry.named(name), args, self.steps[k].origin))
            total = target
        return total


def _on_lines_of_their_own(terms: Iterable[Atom]) -> None:
    """Give the terms of a choice names: Python would work them out in branches again, and LLVM write in each."""
    for term in terms:
        if isinstance(term, Var) and not term.named:
            term.name, term.named = term.name or "part", True


def _same_place(a: Store, b: Store) -> bool:
    return a.array is b.array and a.index == b.index and a.accumulate == b.accumulate
