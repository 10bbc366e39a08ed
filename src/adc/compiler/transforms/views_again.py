"""Make a view again where a later branch on the same test reads it, if the array is there that it is a view of.

    if c:                       if c:
        rows = v[:2]                rows = v[:2]
        y = rows @ x                y = rows @ x
    v[2] = 0                    v[2] = 0
    if c:                       if c:
        x_bar = rows.T @ y_bar      rows_2 = v[:2]
                                    x_bar = rows_2.T @ y_bar

Merged out of the first branch it would be an array of which nobody knows whether the write reaches it.
"""

from __future__ import annotations

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
    defined,
    is_view,
    uses,
    variables,
    walk,
)
from adc.compiler.transforms import remeasure, scopes
from adc.compiler.transforms.rewrite import operand, substitute


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with reads of views from one branch into another where only a merge can carry them."""
    again = _Again(program, evaluator)
    if again.views:
        program.body, _ = again.block(program.body, set(program.params), {})
    return program


class _Again:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.own = scopes.bound(program.body)
        branches = (s for s in walk(program.body) if isinstance(s, If))
        self.views: dict[Var, Assign] = {
            s.target: s
            for branch in branches
            for side in (branch.then, branch.orelse)
            for s in walk(side)
            if isinstance(s, Assign) and is_view(s)
        }

    def block(self, block: Block, there: set[Var], table: dict[Var, Var]) -> tuple[Block, set[Var]]:
        """A block that reads views of its own, and what can be read at its end."""
        there, table = set(there), dict(table)
        result: Block = []
        for stmt in block:
            inner = there | set(bound_inside(stmt))
            if isinstance(stmt, If):
                stmt.then, _ = self.block(stmt.then, inner, table)
                stmt.orelse, _ = self.block(stmt.orelse, inner, table)
                result.append(stmt)
            elif isinstance(stmt, (For, While)):
                if isinstance(stmt, While):
                    stmt.test_block, inner = self.block(stmt.test_block, inner, table)
                stmt.body, _ = self.block(stmt.body, inner, table)
                result.append(stmt)
            else:
                result.extend(self._statement(stmt, there, table))
            there |= set(defined(stmt))
        return result, there

    def _statement(self, stmt: Stmt, there: set[Var], table: dict[Var, Var]) -> Block:
        made: Block = []
        for v in uses(stmt):
            if self._is_gone(v, there):
                self._make(v, there, table, made)
        return [*made, *substitute([stmt], table)]

    def _is_gone(self, v: Var, there: set[Var]) -> bool:
        return v in self.own and v not in there

    def _make(self, v: Var, there: set[Var], table: dict[Var, Var], made: Block) -> bool:
        """Whether a view can be made of what is there; then `made` does so, and `table` says under which name."""
        if v in table:
            return True
        old = self.views.get(v)
        if old is None or v.view_of is None:
            return False
        read = dict.fromkeys((v.view_of, *variables(old.args)))
        if not all(self._make(u, there, table, made) for u in read if self._is_gone(u, there)):
            return False
        if v.is_array and not all(map(remeasure.known_in(there, self.own), v.type.shape)):
            return False
        target = Var(v.name, v.type, named=v.named, dim=v.dim)
        base = table.get(v.view_of, v.view_of)
        target.view_of, target.root = base, base.root
        self.ev.again[target] = v
        made.append(Assign((target,), old.op, operand(old.args, table), old.origin))
        table[v] = target
        return True
