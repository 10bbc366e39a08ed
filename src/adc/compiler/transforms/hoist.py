"""Allocate scratch arrays once, before the loops that use them in every trip.

An array made in a loop body moves out when its lengths are known outside, and nothing of one trip can be seen in the
next: it is neither carried round the loop nor returned, and only its elements are used, or whole-array calls read it.
"""

from __future__ import annotations

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    If,
    Program,
    Var,
    While,
    bound_inside,
    change_blocks,
    defined,
    variables,
    walk,
)


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


def _is_made_once(s: Assign, escaping: set[Var]) -> bool:
    """Whether a statement allocates what no trip leaves to another, or makes a length for that: `max(n - 1, 0)`."""
    if s.name == "maximum":
        return not s.target.is_array
    return s.name == "empty" and s.target not in escaping


def _block(block: Block, escaping: set[Var]) -> Block:
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _block(inner, escaping))
        if isinstance(stmt, (For, While)):
            inside = {v for s in walk([stmt]) for v in (*defined(s), *bound_inside(s))}
            moved = []
            for s in stmt.body:
                if (
                    isinstance(s, Assign)
                    and _is_made_once(s, escaping)
                    and inside.isdisjoint(variables(s.args))
                ):
                    moved.append(s)
                    inside.discard(s.target)
            if moved:
                stmt.body = [s for s in stmt.body if s not in moved]
                result.extend(moved)
        result.append(stmt)
    return result
