"""A neighbour that is found round the end of an axis is a remainder.

    right = i + 1 if i < n - 1 else 0                   right = (i + 1) % n
    left = i - 1                                ->      left = (i - 1) % n
    if left < 0:
        left = n - 1

That is one integer in all trips over the axis: what is read there is a rolled array (`whole`).
"""

from __future__ import annotations

from adc.compiler.analysis.conditions import OPPOSITE
from adc.compiler.analysis.equalities import range_of
from adc.compiler.analysis.touches import with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Block, For, If, Merge, Program, Stmt, Var, change_blocks, walk
from adc.compiler.transforms.decided import NOTHING, Known
from adc.compiler.transforms.places import is_of_whole_numbers
from adc.rules import registry
from adc.rules.dims import Dim


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with remainders for neighbours round the ends."""
    program.body = _Wraps(program, evaluator).block(program.body)
    return program


class _Wraps:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.made = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
        self.around: list[
            tuple[Var, Dim]
        ] = []  # the counters of the loops around that begin at 0, and their ends

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        trips = range_of(stmt) if isinstance(stmt, For) else None
        if isinstance(stmt, For) and trips is not None and trips[0].known == 0:
            self.around.append((stmt.index, trips[1]))
            change_blocks(stmt, self.block)
            self.around.pop()
        else:
            change_blocks(stmt, self.block)
        if not isinstance(stmt, If) or not self._remainders(stmt):
            self.ev.block.append(stmt)

    def _remainders(self, stmt: If) -> bool:
        """Whether remainders could be appended in place of a branch."""
        test = self.made.get(stmt.test) if isinstance(stmt.test, Var) else None
        sides = [*stmt.then, *stmt.orelse]
        if (
            test is None
            or test.name not in OPPOSITE
            or not stmt.merges
            or not all(map(is_of_whole_numbers, sides))
        ):
            return False
        a, b = map(length_of, test.args)
        if a is None or b is None:
            return False
        for counter, stop in reversed(self.around):
            for edge, low, high, step in ((Dim(0), Dim(1), stop - 1, -1), (stop - 1, Dim(0), stop - 2, 1)):
                there = Known(NOTHING, counter, edge, edge).verdict(test.name, a - b)
                elsewhere = Known(NOTHING, counter, low, high).verdict(test.name, a - b)
                if there is None or elsewhere is None or there == elsewhere:
                    continue
                if all(_wraps(m, elsewhere, counter, edge, step, stop) for m in stmt.merges):
                    self._append(stmt, counter, step, stop)
                    return True
        return False

    def _append(self, stmt: If, counter: Var, step: int, stop: Dim) -> None:
        ev = self.ev
        for m in stmt.merges:
            args = ev.atom(ev.op("add" if step > 0 else "subtract", counter, 1)), ev.atom(ev.dim_value(stop))
            ev.block.append(Assign((m.result,), registry.named("remainder"), args, stmt.origin))


def _wraps(m: Merge, holds: bool, counter: Var, edge: Dim, step: int, stop: Dim) -> bool:
    """Whether an integer is the counter's neighbour, but at the edge what is there round the end."""
    inside, outside = map(length_of, (m.then, m.orelse) if holds else (m.orelse, m.then))
    if inside is None or outside is None or inside != Dim.symbol("value", counter) + step:
        return False
    return with_counter_at(outside, counter, edge) == (Dim(0) if step > 0 else stop - 1)
