"""What is made of adjoints that one side of a branch leaves at zero goes into the other side.

    if t < best:                                    if t < best:
        t_bar, best_bar = best_bar, 0.0                 t_bar = best_bar
    else:                                    ->         x_bar[k] += t_bar * dt
        t_bar = 0.0                                     best_bar = 0.0
    x_bar[k] += t_bar * dt

A search finds few of what it looks at: the pull of all others is zeros, added to elements. As elsewhere (`nothing`),
what is made of a zero adjoint alone is zero, also beside infinite numbers. It is done behind `selects`, of what are
still branches.

A statement may go into one side if on the other side it does nothing. What it adds to elements is zero there; what it
makes is a number that is there without it: zero, the summand of a sum with zero, or what the other side leaves. What
only such statements read goes along, unless the other side needs it as a summand. And all of it must be able to change
places with what stays between it and the branch.
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
    defined,
    is_of_numbers,
    is_view,
    length_variables,
    may_raise,
    times_read,
    uses,
    walk,
)
from adc.compiler.transforms.rewrite import substitute

# Statements that a branch takes in: for fewer it is a jump more that the processor may guess wrongly.
LEAST = 4

ZERO = Const(0.0)


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with pulls in the branches that they belong to, where loops then do less."""
    _Sinker(program, evaluator, LEAST).block(program.body, in_loop=False)
    return program


def for_reading(program: Program, evaluator: Evaluator) -> Program:
    """The program with every pull in the branch that it belongs to."""
    _Sinker(program, evaluator, 1).block(program.body, in_loop=True)
    return program


class _Sinker:
    def __init__(self, program: Program, evaluator: Evaluator, least: int) -> None:
        self.least = least
        self.memory = Memory(evaluator.joined_roots)
        self.adjoints = evaluator.branch_adjoints  # zeros of the user's own times infinity are NaN
        self.times = times_read(program)
        self.times.update(v for s in walk(program.body) for t in defined(s) for v in length_variables(t))

    def block(self, block: Block, in_loop: bool) -> None:
        for stmt in list(block):
            if in_loop and isinstance(stmt, If):
                for side in (True, False):
                    self._sink(stmt, side, block)
            for inner in blocks(stmt):
                self.block(inner, in_loop or isinstance(stmt, (For, While)))

    def _sink(self, branch: If, side: bool, block: Block) -> None:
        """Move into one side of a branch what is nothing on the other."""
        other: dict[Var, Atom] = {m.result: m.orelse if side else m.then for m in branch.merges}
        zeros = {v for v in other if v in self.adjoints and _is_zero(other[v])}
        if not zeros:
            return
        behind = block[block.index(branch) + 1 :]
        nothing = _nothing(behind, zeros, other)
        taken = set(nothing)
        while True:  # what cannot go keeps what it reads, and what reads that
            taken = self._with_operands(behind, taken & nothing, other)
            left = self._that_can(behind, taken) - self._arrays_read_elsewhere(taken)
            if left == taken:
                break
            taken = left
        if len(taken) >= self.least and (self.least == 1 or any(isinstance(s, Store) for s in taken)):
            self._move(branch, side, block, [s for s in behind if s in taken], other)
            self.memory.forget(branch)

    def _with_operands(self, behind: Block, nothing: set[Stmt], other: dict[Var, Atom]) -> set[Stmt]:
        """Statements that are nothing on the other side, and what is made for them on this side alone."""
        taken = set(nothing)
        reads = Counter(v for s in taken for v in uses(s))
        for s in taken:
            if isinstance(s, Assign) and isinstance(needed := other[s.target], Var):
                reads[needed] -= 1
        for s in reversed(behind):
            if s in taken or not (_makes_number(s) or _takes_part(s)):
                continue
            if reads[s.target] == self.times[s.target] > 0:
                taken.add(s)
                reads.update(uses(s))
        return taken

    def _arrays_read_elsewhere(self, taken: set[Stmt]) -> set[Stmt]:
        """Statements that make arrays which are not there without them, and which others read, too."""
        reads = Counter(v for s in taken for v in uses(s))
        return {
            s
            for s in taken
            if isinstance(s, Assign) and s.target.is_array and reads[s.target] != self.times[s.target]
        }

    def _that_can(self, behind: Block, taken: set[Stmt]) -> set[Stmt]:
        """Those that may go in front of all that stays before them."""
        left: set[Stmt] = set()
        stays: Block = []
        for s in behind:
            if s in taken and not any(self.memory.conflict(s, before) for before in stays):
                left.add(s)
            elif not isinstance(s, Mark):
                stays.append(s)
        return left

    def _move(self, branch: If, side: bool, block: Block, taken: Block, other: dict[Var, Atom]) -> None:
        own: dict[Var, Atom] = {m.result: m.then if side else m.orelse for m in branch.merges}
        self.times.subtract(v for s in taken for v in uses(s))
        moved = set(taken)
        block[:] = [s for s in block if s not in moved]
        for s in taken:
            if isinstance(s, Assign) and self.times[s.target]:  # read behind the branch as well
                made = Var(s.target.name, s.target.type, named=s.target.named)
                made.derived = s.target.derived
                there = other[s.target]
                branch.merges.append(Merge(s.target, made, there) if side else Merge(s.target, there, made))
                self.times.update(v for v in (made, there) if isinstance(v, Var))
                if _is_zero(there):
                    self.adjoints.add(s.target)
                own[s.target] = made
                s.targets = (made,)
        inside = substitute(taken, own)
        self.times.update(v for s in inside for v in uses(s))
        (branch.then if side else branch.orelse).extend(inside)
        for m in [m for m in branch.merges if not self.times[m.result]]:
            branch.merges.remove(m)
            self.times.subtract(v for v in (m.then, m.orelse) if isinstance(v, Var))


def _nothing(behind: Block, zeros: set[Var], other: dict[Var, Atom]) -> set[Stmt]:
    """The statements that do nothing where some numbers are zero; what they make is there goes to `other`."""
    found: set[Stmt] = set()
    for s in behind:
        if isinstance(s, Store):
            if s.accumulate and isinstance(s.value, Var) and _is_zero(other.get(s.value, s.value)):
                found.add(s)
        elif (_makes_number(s) or _makes_product(s)) and (there := _there(s, zeros, other)) is not None:
            other[s.target] = there
            if _is_zero(there):
                zeros.add(s.target)
            found.add(s)
    return found


def _makes_number(s: Stmt) -> TypeGuard[Assign]:
    """Whether a statement makes a number and does nothing else."""
    return isinstance(s, Assign) and len(s.targets) == 1 and is_of_numbers(s)


def _takes_part(s: Stmt) -> TypeGuard[Assign]:
    """Whether a statement only says which part of an array is meant."""
    return isinstance(s, Assign) and is_view(s) and not may_raise(s)


def _makes_product(s: Stmt) -> TypeGuard[Assign]:
    """Whether a statement makes an array that is zero where a factor is, `t_bar * x[i]`."""
    return isinstance(s, Assign) and s.name in ("multiply", "negative") and s.target.is_array


def _is_zero(x: Atom) -> bool:
    return isinstance(x, Const) and type(x.value) is float and x.value == 0.0


def _there(s: Assign, zeros: set[Var], other: dict[Var, Atom]) -> Atom | None:
    """What a number is where some others are zero, if that is there without the statement."""
    if s.target.type.dtype not in ("float64", "float32") or zeros.isdisjoint(uses(s)):
        return None
    zero = [a in zeros or _is_zero(a) for a in s.args]
    match s.name:
        case "multiply":
            return ZERO
        case "divide":
            return ZERO if zero[0] else None
        case "where":
            return ZERO if zero[1] and zero[2] else None
        case "negative":
            return ZERO
        case "add" | "subtract" if all(zero):
            return ZERO
        case "add" | "subtract" if zero[1]:
            summand: Atom = s.args[0]
        case "add":
            summand = s.args[1]
        case _:
            return None
    if isinstance(summand, Var):
        return other.get(summand, summand) if summand.type == s.target.type else None
    return summand
