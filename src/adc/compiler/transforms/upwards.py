"""Let reverse loops run forwards, where their trips may run in any order.

    for k in range(n - 1, -1, -1):                  for k in range(n):
        x_bar[k] += 2.0 * x[k] * y_bar      ->          x_bar[k] += 2.0 * x[k] * y_bar

So they merge with the loops that run forwards, and LLVM sees that their counters are not negative. Sums may round
otherwise.
"""

from __future__ import annotations

from adc.compiler.analysis.alignment import aligned
from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.sums import is_sum
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Check,
    Const,
    For,
    Print,
    Program,
    While,
    bound_inside,
    change_blocks,
    defined,
    owners,
    walk,
)


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with independent reverse loops turned round."""
    program.body = _Turner(program, evaluator).block(program.body)
    return program


class _Turner:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)

    def block(self, block: Block) -> Block:
        out: Block = []
        for stmt in block:
            change_blocks(stmt, self.block)
            if isinstance(stmt, For) and stmt.step == Const(-1) and self._independent(stmt):
                stmt = self._turned(stmt, out)
            out.append(stmt)
        return out

    def _turned(self, loop: For, out: Block) -> For:
        first, last = self.ev.length(loop.stop), self.ev.length(loop.start)
        if first is None or last is None:
            return loop
        with self.ev.at(out):
            start, stop = self.ev.dim_value(first + 1), self.ev.dim_value(last + 1)
        return For(
            loop.index,
            self.ev.atom(start),
            self.ev.atom(stop),
            Const(1),
            loop.carried,
            loop.body,
            loop.origin,
            loop.note,
        )

    def _independent(self, loop: For) -> bool:
        """Whether the trips of a loop may run in any order, but for the rounding of sums."""
        if not all(is_sum(c, loop) for c in loop.carried):
            return False
        e = self.memory.effects(loop)
        if e.stacks or any(isinstance(s, (Check, Print, While)) for s in walk(loop.body)):
            return False
        own = {t for s in walk(loop.body) if isinstance(s, Assign) and s.name == "empty" for t in s.targets}
        return all(
            all(a.accumulate for a in found)
            or all(a.array.root in own for a in found)
            or self._in_step(found, loop)
            for root, found in e.accesses.items()
            if root in e.writes
        )

    def _in_step(self, found: list[Access], loop: For) -> bool:
        """Whether no trip writes to what another one finds, but where both only add to it."""
        if aligned(found, loop.index, found, loop.index, self.counters):
            return True
        if len({a.array for a in found}) != 1 or any(a.index is None for a in found):
            return False
        inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
        known = inside & self.counters.keys()
        for a in found:
            for item in a.index or ():
                value = length_of(item)
                if value is None or not inside.isdisjoint(set(owners(value)) - known):
                    return False
        others = self.counters.keys() - known
        return all(
            aligned([a, b], loop.index, [a, b], loop.index, self.counters)
            or never_meet(a.index or (), b.index or (), others, self.counters)
            for a in found
            if a.write
            for b in found
            if not (a.accumulate and b.accumulate)
        )
