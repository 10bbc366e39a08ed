"""Load in front of a loop the element that all its trips read alike, where they write to others of its array.

    for k in range(j):                              element = a_bar[i, j]
        product_bar = -a_bar[i, j]                  for k in range(j):
        a_bar[i, k] += product_bar * a[j, k]   ->       product_bar = -element
                                                        a_bar[i, k] += product_bar * a[j, k]

LLVM takes any write to an array for one to the element. Where the loop may have no trip, and nobody knows that there
is such an element, it is loaded if there is a trip.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.counters import Range, is_there, ranges
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.touches import element
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    If,
    Index,
    Merge,
    Program,
    Store,
    Var,
    bound_inside,
    change_blocks,
    defined,
    variables,
    walk,
)
from adc.compiler.transforms import cse


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with elements that the trips of innermost loops read alike loaded in front of these."""
    program.body = _Loader(program, evaluator).block(program.body)
    return program


def meets_none(
    array: Var, index: Index, accesses: Iterable[Access], counters: Mapping[Var, Range], loop: For
) -> bool:
    """Whether no trip of a loop finds an element of an array among others that it reads or writes."""
    others = counters.keys() - {loop.index}
    return all(
        a.array is array and a.index is not None and never_meet(index, a.index, others, counters)
        for a in accesses
    )


class _Loader:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            change_blocks(s, self.block)
            if isinstance(s, For) and all(isinstance(x, (Assign, Store)) for x in s.body):
                for load in self._steady(s):
                    s.body.remove(load)
                    with self.ev.at(out), self.ev.origin_at(load.origin):
                        self._load(load, s)
                self.memory.forget(s)
            out.append(s)
        return out

    def _steady(self, loop: For) -> list[Assign]:
        """The loads of elements that stay the same, of arrays that the loop writes to."""
        effects = self.memory.effects(loop)
        inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
        found: list[Assign] = []
        for s in loop.body:
            if not isinstance(s, Assign) or element(s) is None:
                continue
            array, index = s.args
            root = self.memory.of(array)
            if root not in effects.writes or not inside.isdisjoint(variables(s.args)):
                continue
            writes = [a for a in effects.accesses[root] if a.write]
            if meets_none(array, index, writes, self.counters, loop):
                found.append(s)
        return found

    def _load(self, load: Assign, loop: For) -> None:
        """Load an element where the loop has a trip or the element is there in any case."""
        touched = load.args[0], load.args[1]
        if is_there(*touched, self.counters) or any(element(s) == touched for s in self.ev.block):
            self.ev.block.append(load)
            return
        no_trip = self.ev.atom(cse.has_no_trip(loop, self.ev))
        loaded = Var(load.target.name, load.target.type, named=load.target.named)
        orelse: Block = [Assign((loaded,), load.op, load.args, load.origin)]
        self.ev.block.append(If(no_trip, [], orelse, [Merge(load.target, Const(0.0), loaded)], load.origin))
