"""Which names of a printed function are read behind a place, and which are bound on every way to it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable


class Names:
    """The names that a function binds, and what its statements do with them.

    `arrays` are names that only arrays have: `a += b` writes to one, and binds nothing.
    """

    def __init__(self, function: ast.FunctionDef, arrays: Collection[str]) -> None:
        stored = {
            n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        self.local = stored | {a.arg for a in function.args.args}
        self.arrays = frozenset(arrays)
        # Of nodes that were asked about: a loop in a loop is gone through again and again.
        self._reads: dict[ast.AST, frozenset[str]] = {}
        self._binds: dict[ast.stmt, frozenset[str]] = {}

    def live_before_each(self, block: list[ast.stmt], after: frozenset[str]) -> list[frozenset[str]]:
        """The names that are read at or behind each statement of a block before they are bound again.

        `after` are those behind the block.
        """
        out: list[frozenset[str]] = []
        for stmt in reversed(block):
            after = self._live_before(stmt, after)
            out.append(after)
        return out[::-1]

    def bound_in(self, block: Iterable[ast.stmt]) -> frozenset[str]:
        """The names that statements may bind."""
        return frozenset().union(*map(self._bound_in, block))

    def _bound_in(self, stmt: ast.stmt) -> frozenset[str]:
        if stmt not in self._binds:
            nodes = list(ast.walk(stmt))
            in_place = {
                n.target
                for n in nodes
                if isinstance(n, ast.AugAssign)
                and isinstance(n.target, ast.Name)
                and n.target.id in self.arrays
            }
            self._binds[stmt] = frozenset(
                n.id
                for n in nodes
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n not in in_place
            )
        return self._binds[stmt]

    def bound_by(self, target: ast.expr) -> frozenset[str]:
        """The names in the target of an assignment or a loop."""
        return frozenset(
            n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        )

    def surely_bound(self, stmt: ast.stmt) -> frozenset[str]:
        """The names that a statement binds whichever way it takes."""
        match stmt:
            case ast.Assign():
                return frozenset().union(*map(self.bound_by, stmt.targets))
            case ast.If():
                then, orelse = (
                    frozenset().union(*map(self.surely_bound, branch)) for branch in (stmt.body, stmt.orelse)
                )
                if _ends(stmt.body) or _ends(stmt.orelse):
                    return orelse if _ends(stmt.body) else then
                return then & orelse
            case ast.While(test=ast.Constant(value=True)):
                return frozenset().union(*map(self.surely_bound, _before_a_break(stmt.body)))
            case _:
                return frozenset()

    def _live_before(self, stmt: ast.stmt, after: frozenset[str]) -> frozenset[str]:
        match stmt:
            case ast.Assign():
                bound = frozenset().union(*map(self.bound_by, stmt.targets))
                return (after - bound) | self._read(stmt)
            case ast.If():
                then, orelse = (
                    self.live_before_each(b, after)[0] if b else after for b in (stmt.body, stmt.orelse)
                )
                return then | orelse | self._read(stmt.test)
            case ast.For():
                head = after
                while True:
                    body = self.live_before_each(stmt.body, head)[0] - self.bound_by(stmt.target)
                    if body <= head:
                        return head | self._read(stmt.iter)
                    head |= body
            case ast.While():
                head = after | self._read(stmt.test)
                while True:
                    body = self.live_before_each(stmt.body, head)[0]
                    if body <= head:
                        return head
                    head |= body
            case ast.AugAssign(target=ast.Name()):
                return after | self._read(stmt) | self.bound_by(stmt.target)
            case _:
                return after | self._read(stmt)

    def _read(self, node: ast.AST) -> frozenset[str]:
        if node not in self._reads:
            self._reads[node] = frozenset(
                n.id
                for n in ast.walk(node)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in self.local
            )
        return self._reads[node]


def _ends(block: list[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], (ast.Raise, ast.Return))


def _before_a_break(block: list[ast.stmt]) -> Iterable[ast.stmt]:
    """The statements that run before the first that may leave a loop."""
    for stmt in block:
        if any(isinstance(n, (ast.Break, ast.Continue)) for n in ast.walk(stmt)):
            return
        yield stmt
