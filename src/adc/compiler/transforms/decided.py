"""Statements without the tests that are known to hold, or not to hold, where they run.

Between the borders of an array, with `0 < i` and `i < n - 1`:

    below = u[i - 1] if i > 0 else u[i]             below = u[i - 1]
    k = min(i + 1, n - 1)                   ->      above = u[i + 1]
    above = u[k]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adc.compiler.analysis.conditions import ALL_OF, ANY_OF, OPPOSITE, certain, compared
from adc.compiler.analysis.touches import pace, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Block, Check, Const, If, Stmt, Var, change_blocks
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.dims import Dim

NOTHING = Dim(0)


@dataclass(frozen=True)
class Known:
    """A number that is zero or more, and the counter of a loop with the least and the greatest value that it takes."""

    rest: Dim
    counter: Var | None = None
    low: Dim = NOTHING
    high: Dim = NOTHING

    def proves(self, d: Dim) -> bool:
        """Whether an integer is certainly zero or more."""
        if self.counter is not None:
            d = with_counter_at(d, self.counter, self.low if pace(d, self.counter) > 0 else self.high)
        return d.nonnegative or (d - self.rest).nonnegative

    def verdict(self, comparison: str, difference: Dim) -> bool | None:
        """Whether a comparison holds, from the difference of its sides; None where that is not known."""
        for name, holds in ((comparison, True), (OPPOSITE[comparison], False)):
            if certain(compared(name, difference), self.proves):
                return holds
        return None


def run(block: Block, known: Known, evaluator: Evaluator) -> tuple[Block, dict[Var, Atom]]:
    """A block without what is decided in it, and what stands for the numbers that were made there."""
    table: dict[Var, Atom] = {}
    while True:
        decider = _Decider(known, evaluator)
        block = decider.block(block)
        if not decider.found:
            return block, table
        block = substitute(block, decider.found)
        table = {v: operand(x, decider.found) for v, x in table.items()} | decider.found


def as_held_by(variable: Var, value: Atom, evaluator: Evaluator) -> Atom:
    """A number as the kind of number that it is in a variable."""
    dtype = np.dtype(variable.type.dtype)
    if isinstance(value, Const):
        whole = isinstance(value.value, int) and not isinstance(value.value, bool)
        return Const(dtype.type(value.value).item()) if whole and dtype.kind in "fc" else value
    return value if value.type.dtype == dtype.name else evaluator.atom(evaluator.cast(value, dtype.name))


class _Decider:
    def __init__(self, known: Known, evaluator: Evaluator) -> None:
        self.known = known
        self.ev = evaluator
        self.found: dict[Var, Atom] = {}

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, If) and isinstance(stmt.test, Const):
            self._branch(stmt, bool(stmt.test.value))
            return
        if isinstance(stmt, Check) and stmt.test == Const(True):
            return
        change_blocks(stmt, self.block)
        value = self._value(stmt) if isinstance(stmt, Assign) and len(stmt.targets) == 1 else None
        if value is None:
            self.ev.block.append(stmt)
        else:
            assert isinstance(stmt, Assign)
            self.found[stmt.target] = value

    def _branch(self, stmt: If, holds: bool) -> None:
        """One side of a branch, in place of it."""
        for s in stmt.then if holds else stmt.orelse:
            self._statement(s)
        for m in stmt.merges:
            self._stands_for(m.result, m.then if holds else m.orelse)

    def _stands_for(self, result: Var, value: Atom) -> None:
        """Let what a branch has made be read where both were merged, by the name that it had there."""
        value = as_held_by(result, value, self.ev)
        if isinstance(value, Var) and result.named and not value.named:
            value.name, value.named = result.name, True
        self.found[result] = value

    def _value(self, s: Assign) -> Atom | None:
        """What a statement makes, if that is decided."""
        if s.target.is_array:
            return None
        if s.name in (*ALL_OF, *ANY_OF):
            return _of_both(s.args[0], s.args[1], s.name in ALL_OF)
        if s.name == "logical_not" and isinstance(s.args[0], Const):
            return Const(not s.args[0].value)
        if s.name == "where" and isinstance(s.args[0], Const):
            self._stands_for(s.target, s.args[1 if s.args[0].value else 2])
            return self.found[s.target]
        if (number := length_of(s.target)) is not None and number.known is not None:
            return Const(number.known)
        a, b = map(length_of, s.args) if len(s.args) == 2 else (None, None)
        if a is None or b is None:
            return None
        if s.name in OPPOSITE:
            holds = self.known.verdict(s.name, a - b)
            return None if holds is None else Const(holds)
        if s.name in ("maximum", "minimum"):
            first = self.known.verdict("greater_equal" if s.name == "maximum" else "less_equal", a - b)
            return None if first is None else s.args[0 if first else 1]
        return self._remainder(a, b) if s.name == "remainder" else None

    def _remainder(self, a: Dim, n: Dim) -> Atom | None:
        if a.known is not None and n.known:
            return Const(a.known % n.known)
        for inside in (a, a - n, a + n):
            if self.known.proves(inside) and self.known.proves(n - 1 - inside):
                return self.ev.atom(self.ev.dim_value(inside))
        return None


def _of_both(a: Atom, b: Atom, is_and: bool) -> Atom | None:
    """`a and b`, or `a or b`, of truth values of which one is known."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const) and isinstance(one.value, bool) and _is_truth(other):
            return other if one.value is is_and else one
    return None


def _is_truth(x: Atom) -> bool:
    return isinstance(x.value, bool) if isinstance(x, Const) else x.type.dtype == "bool"
