"""What is made of adjoints that one side of a branch leaves at zero goes into the other side.

    if t < best:                                    if t < best:
        t_bar, best_bar = best_bar, 0.0                 t_bar = best_bar
    else:                                    ->         x_bar[k] += t_bar * dt
        t_bar = 0.0                                     best_bar = 0.0
    x_bar[k] += t_bar * dt

A search finds few of what it looks at: the pull of all others is zeros, added to elements. As elsewhere (`nothing`),
what is made of a zero adjoint alone is zero, also beside infinite numbers. It is done behind `selects`, of what are
still branches.
"""

from __future__ import annotations

from collections import Counter
from typing import TypeGuard

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Mark,
    Merge,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    may_raise,
    uses,
    walk,
)
from adc.compiler.transforms.rewrite import substitute

LEAST = 4  # statements that a branch takes in: fewer are done sooner than the processor guesses a jump


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with pulls in the branches that they belong to."""
    _Sinker(Memory(evaluator.joined_roots), program).block(program.body, in_loop=False)
    return program


class _Sinker:
    def __init__(self, memory: Memory, program: Program) -> None:
        self.memory = memory
        self.times = Counter(v for s in walk(program.body) for v in uses(s))
        self.times.update(v for v in program.results if isinstance(v, Var))

    def block(self, block: Block, in_loop: bool) -> None:
        for stmt in list(block):
            if in_loop and isinstance(stmt, If):
                for side in (True, False):
                    self._sink(stmt, side, block)
            for inner in blocks(stmt):
                self.block(inner, in_loop or isinstance(stmt, (For, While)))

    def _sink(self, branch: If, side: bool, block: Block) -> None:
        """Move into one side of a branch what is nothing behind the other."""
        zeros = {m.result for m in branch.merges if _is_zero(m.orelse if side else m.then)}
        zeros -= {m.result for m in branch.merges if _is_zero(m.then if side else m.orelse)}
        if not zeros:
            return
        behind = block[block.index(branch) + 1 :]
        nothing = self._nothing(behind, zeros)
        sunk = self._that_can(behind, self._with_operands(behind, nothing), nothing)
        if len(sunk) >= LEAST and any(isinstance(s, Store) for s in sunk):
            self._move(branch, side, block, [s for s in behind if s in sunk])
            self.memory.forget(branch)

    def _nothing(self, behind: Block, zeros: set[Var]) -> set[Stmt]:
        """The statements that make zeros of zeros, and those that add them to elements."""
        found: set[Stmt] = set()
        known = set(zeros)
        for s in behind:
            if _is_number(s) and _makes_zero(s, known):
                known.add(s.target)
                found.add(s)
            elif isinstance(s, Store) and s.accumulate and s.value in known:
                found.add(s)
        return found

    def _with_operands(self, behind: Block, nothing: set[Stmt]) -> set[Stmt]:
        """Those and what is made for them alone."""
        sunk = set(nothing)
        reads = Counter(v for s in sunk for v in uses(s))
        for s in reversed(behind):
            if s not in sunk and _is_number(s) and reads[s.target] == self.times[s.target] > 0:
                sunk.add(s)
                reads.update(uses(s))
        return sunk

    def _that_can(self, behind: Block, sunk: set[Stmt], nothing: set[Stmt]) -> set[Stmt]:
        """Those that may go in front of what stays, and of the operands those that nothing that stays reads."""
        while True:
            left: set[Stmt] = set()
            stays: Block = []
            for s in behind:
                if s in sunk and not any(self.memory.conflict(s, other) for other in stays):
                    left.add(s)
                elif not isinstance(s, Mark):
                    stays.append(s)
            reads = Counter(v for s in left for v in uses(s))
            left = {
                s for s in left if s in nothing or (_is_number(s) and reads[s.target] == self.times[s.target])
            }
            if left == sunk:
                return sunk
            sunk = left

    def _move(self, branch: If, side: bool, block: Block, sunk: Block) -> None:
        own: dict[Var, Atom] = {m.result: m.then if side else m.orelse for m in branch.merges}
        inside = Counter(v for s in sunk for v in uses(s))
        self.times.subtract(inside)
        taken = set(sunk)
        block[:] = [s for s in block if s not in taken]
        for s in sunk:
            if isinstance(s, Assign) and self.times[s.target]:  # read behind the branch as well
                made = Var(s.target.name, s.target.type, named=s.target.named)
                branch.merges.append(
                    Merge(s.target, made, Const(0.0)) if side else Merge(s.target, Const(0.0), made)
                )
                self.times[made] += 1
                own[s.target] = made
                s.targets = (made,)
        moved = substitute(sunk, own)
        self.times.update(v for s in moved for v in uses(s))
        (branch.then if side else branch.orelse).extend(moved)
        for m in [m for m in branch.merges if not self.times[m.result]]:
            branch.merges.remove(m)
            self.times.subtract(v for v in (m.then, m.orelse) if isinstance(v, Var))


def _is_number(s: Stmt) -> TypeGuard[Assign]:
    """Whether a statement makes a number and nothing else."""
    return isinstance(s, Assign) and len(s.targets) == 1 and not s.target.is_array and not may_raise(s)


def _is_zero(x: Atom) -> bool:
    return isinstance(x, Const) and type(x.value) is float and x.value == 0.0


def _makes_zero(s: Assign, zeros: set[Var]) -> bool:
    """Whether a number is zero if others are."""
    known = [_is_zero(a) or a in zeros for a in s.args]
    if not any(a in zeros for a in s.args):
        return False
    match s.name:
        case "negative" | "add" | "subtract":
            return all(known)
        case "multiply":
            return True
        case "divide":
            return known[0]
        case "where":
            return known[1] and known[2]
    return False
