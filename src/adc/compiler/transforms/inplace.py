"""Update in place the arrays that a loop carries, where a trip reads each old element before it writes the new one.

    for t in range(steps):                      for t in range(steps):
        new = np.empty(n)                           for j in range(n):
        for j in range(n):                              y[j] += h * slope[j]
            new[j] = y[j] + h * slope[j]
        y = new

One array serves all trips: no trip allocates, and the loops that read the state and the one that writes it work on one
array, at one index, so that they may be merged.
"""

from __future__ import annotations

from adc.compiler.analysis.equalities import Equalities
from adc.compiler.analysis.handover import copies, same_element
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
    uses,
    walk,
)
from adc.compiler.transforms import rotate
from adc.compiler.transforms.owned import CarriedArrays, carries_arrays, rename, touches
from adc.compiler.transforms.rewrite import operand, substitute


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with fewer arrays made in loops."""
    if not carries_arrays(program):
        return program
    updater = _Updater(program, evaluator)
    program.body = updater.block(program.body)
    if updater.table:
        program.body = substitute(program.body, updater.table)
        program.results = [operand(r, updater.table) for r in program.results]
        rename(evaluator.joined_roots, updater.table)
    return program


class _Updater:
    """`table[v]` is the array that a carried one is in all trips."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.carried = CarriedArrays(program, evaluator)
        self.known = Equalities(program)
        self.table: dict[Var, Atom] = {}

    def block(self, block: Block) -> Block:
        """A block with its loops' carried arrays in place, those of the innermost loops first."""
        result: Block = []
        for s in list(block):
            self.known.passed(s)
            for inner in blocks(s):
                with self.known.inside(s):
                    inner[:] = self.block(inner)
            if isinstance(s, (For, While)):
                made = {d.target: d for d in s.body if isinstance(d, Assign) and d.name == "empty"}
                # Of a loop without a trip, whose lengths are not checked, the states stay what they were.
                with self.known.inside(s):
                    for c in list(s.carried):
                        if isinstance(c.out, Var) and c.out in made and self._in_place(s, c):
                            self._update(s, c, made[c.out], result)
            result.append(s)
        return result

    def _in_place(self, loop: For | While, c: Carried) -> bool:
        """Whether the array that a trip leaves may have the memory of the one that it was given."""
        old, new = c.phi, c.out
        assert isinstance(new, Var)
        if old.type.dtype != new.type.dtype or not self.known.same_shape(old, new):
            return False
        if not (self.carried.is_local(loop, old, 0) and self.carried.is_local(loop, new, 1)):
            return False
        if rotate.taken_over(loop, c, self.carried, self.known.equal) is not None:
            return False
        reading = [k for k, s in enumerate(loop.body) if touches(s, old)]
        writing = [k for k, s in enumerate(loop.body) if touches(s, new) and not _makes(s, new)]
        if not writing:
            return False
        first = loop.body[writing[0]]
        if len(writing) == 1 and _read_at_a_distance(loop, old) and rotate.may_have_a_spare(loop, new):
            return False
        if copies(first, old, new):  # until the new array is written to again, it is the old one
            changed = [k for k in writing[1:] if _changes(loop.body[k], new)]
            return not changed or all(k < changed[0] for k in reading)
        if reading and reading[-1] > writing[0]:
            return False
        return (
            not reading
            or reading[-1] < writing[0]
            or (isinstance(first, For) and same_element(first, old, new))
        )

    def _update(self, loop: For | While, c: Carried, allocation: Assign, before: Block) -> None:
        old, new = c.phi, c.out
        assert isinstance(new, Var)
        kept = self.carried.owned(c, loop, before)
        first = next((s for s in loop.body if copies(s, old, new)), None)
        loop.body[:] = [s for s in loop.body if s is not allocation and s is not first]
        loop.carried.remove(c)
        if old.named:
            kept.name, kept.named = old.name, True
        for v in (old, new, c.result):
            self.table[v] = kept
        if c.result in self.carried.returned:
            self.carried.returned.add(kept)


def _read_at_a_distance(loop: For | While, array: Var) -> bool:
    """Whether nests over an array read elements of it before or behind those that they stand at."""

    def reads(block: Block, counters: tuple[Var, ...]) -> bool:
        return any(
            (
                isinstance(s, Assign)
                and s.name == "getitem"
                and s.args[0] is array
                and any(isinstance(i, Var) and i not in counters for i in s.args[1])
            )
            or (isinstance(s, For) and reads(s.body, (*counters, s.index)))
            for s in block
        )

    return reads(loop.body, ())


def _changes(stmt: Stmt, array: Var) -> bool:
    """Whether a statement, or one in it, does more to an array than read elements of it."""
    return any(
        array in uses(s) and not (isinstance(s, Assign) and s.name in ("dim", "getitem"))
        for s in walk([stmt])
    )


def _makes(stmt: Stmt, array: Var) -> bool:
    return isinstance(stmt, Assign) and array in stmt.targets
