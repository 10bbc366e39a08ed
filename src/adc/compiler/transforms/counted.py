"""Make a `for` of a `while` that counts: its trips are known before it begins.

    i = 0                               for i in range(n):
    while i < n:                            total += x[i]
        total += x[i]           ->      i = max(0, n)
        i += 1

Nothing then has to be kept on a stack that grows, and the loop is one like others. The bound is what no trip changes;
a `while` that asks for anything else stays one, and what it counts is counted again in reverse (`needs`).
"""

from __future__ import annotations

from collections import Counter

from adc.compiler.analysis.inductions import steps
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Program,
    Stmt,
    Var,
    While,
    change_blocks,
    defined,
    is_of_numbers,
    reads_memory,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import is_integer
from adc.compiler.transforms.adjoint.operands import value_of
from adc.rules.dims import Dim

# The comparison of what is counted with its bound, by the sign of a step, and how far beyond the bound counting stops.
UPWARDS = {"less": 0, "less_equal": 1}
DOWNWARDS = {"greater": 0, "greater_equal": -1}
TURNED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with `for` loops where `while` loops count."""
    if any(isinstance(s, While) for s in walk(program.body)):
        program.body = _Counted(program, evaluator).block(program.body)
    return program


class _Counted:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.read = Counter(v for s in walk(program.body) for v in uses(s))

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        change_blocks(stmt, self.block)
        if not isinstance(stmt, While) or (found := self._counting(stmt)) is None:
            self.ev.block.append(stmt)
        else:
            self._for(stmt, *found)

    def _counting(self, loop: While) -> tuple[Carried, int, Atom, int] | None:
        """What a loop counts, by which step, its bound, and how far beyond the bound it stops."""
        asked = [s for s in loop.test_block if isinstance(s, Assign) and _is_alike(s)]
        test = next((s for s in asked if s.targets[0] is loop.test), None)
        if (
            test is None
            or len(test.args) != 2
            or len(asked) < len(loop.test_block)
            or self.read[test.target] > 1
        ):
            return None
        changing = {c.phi for c in loop.carried}
        if any(not changing.isdisjoint(variables(s.args)) for s in asked if s is not test):
            return None
        for c, step in steps(loop).items():
            first, second = test.args
            name = test.name
            if second is c.phi:
                first, second, name = second, first, TURNED.get(name, "")
            allowed = UPWARDS if step > 0 else DOWNWARDS
            if first is c.phi and name in allowed and second not in changing and _is_whole(second):
                return c, step, second, allowed[name]
        return None

    def _for(self, loop: While, c: Carried, step: int, bound: Atom, beyond: int) -> None:
        ev = self.ev
        ev.block.extend(s for s in loop.test_block if loop.test not in defined(s))
        start, stop = value_of(c.init), ev.op("add", value_of(bound), beyond)
        index = c.phi
        index.dim = Dim.symbol("value", index)
        rest = [other for other in loop.carried if other is not c]
        ev.block.append(For(index, ev.atom(start), ev.atom(stop), Const(step), rest, loop.body, loop.origin))
        last = self._last(start, stop, step)
        ev.block.append(Assign((c.result,), "alias", (ev.atom(last),), loop.origin))

    def _last(self, start: Value, stop: Value, step: int) -> Value:
        """What is counted once the loop has ended."""
        ev = self.ev
        if abs(step) == 1:
            return ev.op("maximum" if step > 0 else "minimum", start, stop)
        way = ev.op("subtract", *((stop, start) if step > 0 else (start, stop)))
        trips = ev.op("floor_divide", ev.op("add", way, abs(step) - 1), abs(step))
        return ev.op("add", start, ev.op("multiply", ev.op("maximum", trips, 0), step))


def _is_alike(s: Assign) -> bool:
    """Whether a statement of numbers makes the same in every trip: not if it reads elements, which one may write to."""
    elements = any(v.is_array for v in variables(s.args)) and reads_memory(s)
    return is_of_numbers(s) and not elements


def _is_whole(x: object) -> bool:
    if isinstance(x, Const):
        return type(x.value) is int
    return isinstance(x, Var) and not x.is_array and is_integer(x.type)
