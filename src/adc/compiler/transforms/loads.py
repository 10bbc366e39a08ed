"""Load in front of a loop the positions that every trip would load alike.

    for f in range(m):                              row = rows[k]
        row = rows[k]                               if not (row < n or 0 >= m): raise IndexError(...)
        if not row < n: raise IndexError(...)       for f in range(m):
        total += u[row, f] * v[f]       ->              total += u[row, f] * v[f]

A position that is data is checked where it is used. Loaded in front of the loop it is checked there, once (`cse` moves
the check), and the loop vectorises. Where the loop may have no trip, and the array no such element, none is loaded.
"""

from __future__ import annotations

from adc.compiler.analysis.counters import is_there, ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Check,
    Const,
    For,
    If,
    Merge,
    Program,
    Stmt,
    Var,
    bound_inside,
    change_blocks,
    defined,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import is_integer
from adc.compiler.transforms import cse


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with positions loaded, and checked, in front of the loops that do not change them."""
    mover = _Mover(program, evaluator)
    program.body = mover.block(program.body)
    return cse.run(program, evaluator) if mover.moved else program


class _Mover:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)
        self.moved = False

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            change_blocks(s, self.block)
            if isinstance(s, For):
                for load in self._invariant(s):
                    self.moved = True
                    s.body.remove(load)
                    with self.ev.at(out), self.ev.origin_at(load.origin):
                        self._load(load, s)
            out.append(s)
        return out

    def _invariant(self, loop: For) -> list[Assign]:
        """The positions that every trip loads alike, and that no check in the loop comes before but of these."""
        inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))} - set(defined(loop))
        written = self.memory.effects(loop).writes
        found: list[Assign] = []
        made: dict[Var, Stmt] = {}
        for s in loop.body:
            made.update(dict.fromkeys(defined(s), s))
            if isinstance(s, Check):
                test = made.get(s.test) if isinstance(s.test, Var) else None
                moved = {load.target for load in found}
                if test is None or moved.isdisjoint(uses(test)):
                    break  # it may be what keeps a later load inside its array
            elif not isinstance(s, Assign):
                continue
            elif (
                s.name == "getitem"
                and not s.target.is_array
                and is_integer(s.target.type)
                and inside.isdisjoint(variables(s.args))
                and self.memory.of(s.args[0]) not in written
            ):
                found.append(s)
                inside.discard(s.target)
        return found

    def _load(self, load: Assign, loop: For) -> None:
        """Load a position where the loop has a trip or the element is there in any case."""
        array, index = load.args
        if is_there(array, index, self.counters):
            self.ev.block.append(load)
            return
        no_trip = self.ev.atom(cse.has_no_trip(loop, self.ev))
        loaded = Var(load.target.name, load.target.type, named=load.target.named)
        orelse: Block = [Assign((loaded,), load.op, load.args, load.origin)]
        self.ev.block.append(If(no_trip, [], orelse, [Merge(load.target, Const(0), loaded)], load.origin))
