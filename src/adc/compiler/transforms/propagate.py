"""Replace values that are copies of others: aliases, loop-carried values that never change, merges of equal values.

A length that has become that of another array is equal to it, and a condition that is said twice is said once.
"""

from __future__ import annotations

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Check,
    Const,
    For,
    If,
    Program,
    Var,
    While,
    change_blocks,
    walk,
)
from adc.compiler.ir.types import is_integer
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.split import rerooted


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with every copy read at its origin."""
    while True:
        table: dict[Var, Atom] = {}
        _collect(program.body, table)
        if not table:
            return program
        program.body = substitute(_without(program.body, table), table, program.params)
        program.results = [operand(r, table) for r in program.results]
        _reroot(program.body, table, evaluator)


def _reroot(block: Block, table: dict[Var, Atom], evaluator: Evaluator) -> None:
    """Views of a replaced array, and writes to it, are those of the array that it is."""
    arrays = {v: x for v in table if v.is_array and isinstance(x := operand(v, table), Var)}
    rerooted(block, arrays, evaluator)
    for v, x in arrays.items():
        if v in evaluator.mutated:
            evaluator.mutated.setdefault(x.root, evaluator.mutated[v])
    for whole, part in evaluator.broadcast_of.items():
        if isinstance(part, Var) and part in table:
            evaluator.broadcast_of[whole] = operand(part, table)


def _collect(block: Block, table: dict[Var, Atom]) -> None:
    parts: dict[Atom, set[Atom]] = {}  # of what holds where one of them does
    for stmt in walk(block):
        if isinstance(stmt, Assign) and stmt.op == "alias":
            table[stmt.target] = stmt.args[0]
        elif isinstance(stmt, Assign) and stmt.name == "logical_or" and stmt.args[0] is not stmt.args[1]:
            either, other = (operand(a, table) for a in stmt.args)
            found = [parts.get(a, {a}) for a in (either, other)]
            parts[stmt.target] = found[0] | found[1]
            if found[1] <= found[0] and either.type == stmt.target.type:
                table[stmt.target] = either
        elif isinstance(stmt, Assign) and len(stmt.args) == 2 and stmt.args[0] is stmt.args[1]:
            same = stmt.args[0]
            if stmt.name in ("logical_or", "logical_and") and same.type == stmt.target.type:
                table[stmt.target] = same
            elif (
                stmt.name == "equal" and isinstance(same, Var) and not same.is_array and is_integer(same.type)
            ):
                table[stmt.target] = Const(True)
        elif isinstance(stmt, (For, While)):
            for c in stmt.carried:
                if (
                    (c.out is c.phi or c.out == c.init)
                    and c.phi is not c.init
                    and not _retyped(c.phi, c.init)
                ):
                    table[c.phi] = table[c.result] = c.init
        elif isinstance(stmt, If):
            for m in stmt.merges:
                if (m.then is m.orelse or m.then == m.orelse) and not _retyped(m.result, m.then):
                    table[m.result] = m.then


def _retyped(v: Var, x: Atom) -> bool:
    """Whether a constant takes another dtype by being held in a variable."""
    return (not isinstance(x, Var) and isinstance(x.value, int) and v.type.dtype.startswith("float")) or (
        isinstance(x, Var) and x.type.dtype != v.type.dtype
    )


def _without(block: Block, table: dict[Var, Atom]) -> Block:
    kept: Block = []
    for stmt in block:
        if isinstance(stmt, Assign) and stmt.targets[0] in table:
            continue
        if isinstance(stmt, Check) and operand(stmt.test, table) == Const(True):
            continue
        if isinstance(stmt, (For, While)):
            stmt.carried = [c for c in stmt.carried if c.phi not in table]
        elif isinstance(stmt, If):
            stmt.merges = [m for m in stmt.merges if m.result not in table]
        change_blocks(stmt, lambda inner: _without(inner, table))
        kept.append(stmt)
    return kept
