"""Allocate scratch arrays once, before the loops that use them in every trip.

An array made in a loop body moves out when its lengths are known outside, and nothing of one trip can be seen in the
next: it is neither carried round the loop nor returned, and only its elements are used, or whole-array calls read it.
"""

from __future__ import annotations

from typing import TypeGuard

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    If,
    Program,
    Stmt,
    Var,
    While,
    bound_inside,
    change_blocks,
    defined,
    variables,
    walk,
)
from adc.compiler.ir.types import Array

LENGTHS = {"maximum", "add", "subtract"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with its scratch arrays made outside the loops."""
    escaping = escaping_roots(program, evaluator)
    program.body = _block(program.body, escaping)
    return program


def escaping_roots(program: Program, evaluator: Evaluator) -> set[Var]:
    """Roots of arrays that are carried, merged or returned: each trip needs its own."""
    found: set[Var] = {r.root for r in program.results if isinstance(r, Var)}
    for s in walk(program.body):
        if isinstance(s, (For, While)):
            found.update(v.root for c in s.carried for v in variables((c.init, c.out)))
        elif isinstance(s, If):
            found.update(v.root for m in s.merges for v in variables((m.then, m.orelse)))
    for v, roots in evaluator.joined_roots.items():
        found.add(v)
        found.update(roots)
    return found


def _is_scratch(s: Stmt, escaping: set[Var]) -> TypeGuard[Assign]:
    """Whether a statement allocates what no trip leaves to another."""
    return isinstance(s, Assign) and s.name == "empty" and s.target not in escaping


def _is_length(s: Stmt) -> TypeGuard[Assign]:
    """Whether a statement makes a length, or a part of one: `max(n - 1, 0)`."""
    return (
        isinstance(s, Assign)
        and s.name in LENGTHS
        and not s.target.is_array
        and s.target.type.dtype == "int64"
    )


def _block(block: Block, escaping: set[Var]) -> Block:
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _block(inner, escaping))
        if isinstance(stmt, (For, While)):
            moved = _moved(stmt, escaping)
            if moved:
                stmt.body = _without(stmt.body, set(moved))
                result.extend(moved)
        result.append(stmt)
    return result


def _moved(loop: For | While, escaping: set[Var]) -> Block:
    """The allocations in the trips of a loop, in branches too, that may as well stand in front of it."""
    inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
    moved: Block = []
    made: dict[Var, Assign] = {}  # the lengths that are the same in all trips

    def visit(block: Block, always: bool) -> None:
        for s in block:
            if isinstance(s, If):
                visit(s.then, always=False)
                visit(s.orelse, always=False)
            elif (_is_scratch(s, escaping) or _is_length(s)) and inside.isdisjoint(variables(s.args)):
                if _is_length(s):
                    inside.discard(s.target)
                    made[s.target] = s
                elif always or _may_be_made(s):
                    inside.discard(s.target)
                    take(s)

    def take(s: Assign) -> None:
        for v in variables(s.args):
            if v in made:
                take(made.pop(v))
        moved.append(s)

    visit(loop.body, always=True)
    return moved


def _may_be_made(s: Assign) -> bool:
    """Whether an array may be made where the branch is not taken that it is made in: its lengths are such anywhere."""
    assert isinstance(s.target.type, Array)
    return all(d.nonnegative for d in s.target.type.shape)


def _without(block: Block, moved: set[Stmt]) -> Block:
    for s in block:
        if isinstance(s, If):
            s.then, s.orelse = _without(s.then, moved), _without(s.orelse, moved)
    return [s for s in block if s not in moved]
