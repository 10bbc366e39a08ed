"""What the stages that let a loop reuse memory know of the arrays that the loop carries."""

from __future__ import annotations

from collections import Counter

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    For,
    Program,
    Stmt,
    Var,
    While,
    blocks,
    defined,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.rewrite import operand
from adc.compiler.transforms.scalarise.nests import Nests

Loop = For | While


class CarriedArrays:
    """Who reads the arrays of a program, and which of them nobody but one loop has."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.nests = Nests(program, evaluator)
        self.times_read = Counter(v for s in walk(program.body) for v in memory_uses(s))
        self.times_read.update(r for r in program.results if isinstance(r, Var))
        self.returned = {r.root for r in program.results if isinstance(r, Var)}
        self.viewed = {
            v.root
            for s in walk(program.body)
            for v in defined(s)
            if v.is_array and (v.view_of is not None or v.root is not v)
        }

    def is_local(self, loop: Loop, array: Var, handed_on: int) -> bool:
        """Whether an array is read in the trips of a loop alone, under no other name, and handed on so many times."""
        if array in self.viewed or array in self.returned:
            return False
        inside = sum(array is v for block in blocks(loop) for s in walk(block) for v in memory_uses(s))
        if inside + handed_on != self.times_read[array]:
            return False
        return not any(_hands_on(s, array) for s in walk(loop.body))

    def owned(self, c: Carried, loop: Loop, before: Block) -> Var:
        """The array that the first trip is given, where the loop alone goes on with it; a copy of it otherwise."""
        init = c.init
        assert isinstance(c.phi.type, Array)
        if isinstance(init, Var) and init.is_array:
            here = [v for s in walk(before) for v in memory_uses(s)]
            made = any(isinstance(s, Assign) and s.name == "empty" and s.target is init for s in before)
            handed = any(_hands_on(s, init) for s in walk(before))
            if (
                made
                and not handed
                and init.type.dtype == c.phi.type.dtype
                and init not in self.viewed | self.returned
                and here.count(init) + 1 == self.times_read[init]
            ):
                return init
        # Of one shape in all trips: that of what the first one is given. The lengths of `phi` may be its own.
        shape = init.type.shape if isinstance(init, Var) and init.is_array else c.phi.type.shape
        copy = Var(c.phi.name, Array(c.phi.type.dtype, shape, "C"), named=c.phi.named)
        with self.ev.at(before), self.ev.origin_at(loop.origin):
            self.nests.nest(copy, lambda index: self.nests.load(init, index))
        return copy


def carries_arrays(program: Program) -> bool:
    """Whether any loop carries an array from trip to trip."""
    return any(c.phi.is_array for s in walk(program.body) if isinstance(s, (For, While)) for c in s.carried)


def touches(stmt: Stmt, array: Var) -> bool:
    """Whether a statement, or one in it, uses the memory of an array."""
    return any(array in memory_uses(s) for s in walk([stmt]))


def memory_uses(s: Stmt) -> list[Var]:
    """The variables that a statement itself reads, but for an array of which it wants a length."""
    return [] if isinstance(s, Assign) and s.name == "dim" else uses(s)


def _hands_on(s: Stmt, array: Var) -> bool:
    """Whether an array gets another name: in a loop that carries it, or where branches join."""
    return array in uses(s) and bool(blocks(s))


def rename(joined_roots: dict[Var, set[Var]], table: dict[Var, Atom]) -> None:
    """What may be one array by a branch or a loop, after some of them have become one."""
    for v in [v for v in joined_roots if v in table]:
        del joined_roots[v]
    for v, roots in joined_roots.items():
        joined_roots[v] = {r for root in roots if isinstance(r := operand(root, table), Var)}
