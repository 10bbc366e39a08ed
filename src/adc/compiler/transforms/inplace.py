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

from collections.abc import Callable

from adc.compiler.analysis.equalities import Checks, Equalities
from adc.compiler.analysis.handover import copies, same_element
from adc.compiler.frontend.lengths import EqualLengths
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
    times_read,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.scalarise.nests import Nests


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with fewer arrays made in loops."""
    updater = _Updater(program, evaluator)
    program.body = updater.block(program.body)
    if updater.table:
        program.body = substitute(program.body, updater.table)
        program.results = [operand(r, updater.table) for r in program.results]
        _rename(evaluator.joined_roots, updater.table)
    return program


class _Updater:
    """`table[v]` is the array that a carried one is in all trips."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.nests = Nests(program, evaluator)
        self.known = Equalities(program)
        self.table: dict[Var, Atom] = {}
        self.times_read = times_read(program)
        self.returned = {r.root for r in program.results if isinstance(r, Var)}
        self.viewed = {
            v.root
            for s in walk(program.body)
            for v in defined(s)
            if v.is_array and (v.view_of is not None or v.root is not v)
        }

    def block(self, block: Block) -> Block:
        """A block with its loops' carried arrays in place, those of the innermost loops first."""
        checks = Checks(self.known)
        for s in block:
            checks.passed(s)
        before = {s: checks.before(s) for s in block}
        result: Block = []
        for s in block:
            self.known.passed(s)
            for inner in blocks(s):
                with self.known.inside(s):
                    inner[:] = self.block(inner)
            if isinstance(s, (For, While)):
                made = {d.target: d for d in s.body if isinstance(d, Assign) and d.name == "empty"}
                for c in list(s.carried):
                    if isinstance(c.out, Var) and c.out in made and self._in_place(s, c, before[s]):
                        self._update(s, c, made[c.out], result)
            result.append(s)
        return result

    def _in_place(self, loop: For | While, c: Carried, equal: EqualLengths) -> bool:
        """Whether the array that a trip leaves may have the memory of the one that it was given."""
        old, new = c.phi, c.out
        assert isinstance(new, Var)
        if not (isinstance(old.type, Array) and isinstance(new.type, Array)):
            return False
        if old.type.dtype != new.type.dtype or not equal.same_shape(old.type.shape, new.type.shape):
            return False
        if {old, new} & (self.viewed | self.returned):
            return False
        inside = [v for s in walk(loop.body) for v in uses(s)]
        if isinstance(loop, While):
            inside += [v for s in walk(loop.test_block) for v in uses(s)]
        # Nobody else carries them on: all reads are in the trip, but for the one that hands the new array over.
        if inside.count(old) != self.times_read[old] or inside.count(new) + 1 != self.times_read[new]:
            return False
        if any(_hands_on(s, v) for s in walk(loop.body) for v in (old, new)):
            return False
        reading = [k for k, s in enumerate(loop.body) if _touches(s, old)]
        writing = [k for k, s in enumerate(loop.body) if _touches(s, new) and not _makes(s, new)]
        if not writing:
            return False
        first = loop.body[writing[0]]
        if copies(first, old, new):  # until the new array is written to again, it is the old one
            changed = [k for k in writing[1:] if _touches(loop.body[k], new, of=_is_write)]
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
        kept = self._own(c, loop, before)
        first = next((s for s in loop.body if copies(s, old, new)), None)
        loop.body[:] = [s for s in loop.body if s is not allocation and s is not first]
        loop.carried.remove(c)
        if old.named:
            kept.name, kept.named = old.name, True
        for v in (old, new, c.result):
            self.table[v] = kept
        if c.result in self.returned:
            self.returned.add(kept)

    def _own(self, c: Carried, loop: For | While, before: Block) -> Var:
        """The array that the first trip is given, where the loop alone goes on with it; a copy of it otherwise."""
        init = c.init
        assert isinstance(c.phi.type, Array)
        if isinstance(init, Var) and init.is_array:
            here = [v for s in before for inner in walk([s]) for v in uses(inner)]
            made = any(isinstance(s, Assign) and s.name == "empty" and s.target is init for s in before)
            handed = any(_hands_on(inner, init) for s in before for inner in walk([s]))
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


def _touches(stmt: Stmt, array: Var, of: Callable[[Stmt, Var], bool] | None = None) -> bool:
    """Whether a statement, or one in it, uses the memory of an array (in the way that `of` says)."""
    return any(
        array in uses(s) and not (isinstance(s, Assign) and s.name == "dim") and (of is None or of(s, array))
        for s in walk([stmt])
    )


def _is_write(s: Stmt, array: Var) -> bool:
    return not (isinstance(s, Assign) and s.name == "getitem")


def _makes(stmt: Stmt, array: Var) -> bool:
    return isinstance(stmt, Assign) and array in stmt.targets


def _hands_on(s: Stmt, array: Var) -> bool:
    """Whether an array gets another name: in a loop that carries it, or where branches join."""
    return array in uses(s) and bool(blocks(s))


def _rename(joined_roots: dict[Var, set[Var]], table: dict[Var, Atom]) -> None:
    """What may be one array by a branch or a loop, after some of them have become one."""
    for v in [v for v in joined_roots if v in table]:
        del joined_roots[v]
    for v, roots in joined_roots.items():
        joined_roots[v] = {r for root in roots if isinstance(r := operand(root, table), Var)}
