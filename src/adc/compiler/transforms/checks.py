"""Make one check of a length stand for all: of `0 < n`, `1 < n` and `2 < n` the last, made first, is enough.

    if not 0 < n: raise IndexError(...)         if not 1 < n: raise IndexError(...)
    a = x[0]                                    a = x[0]
    if not 1 < n: raise IndexError(...)         b = x[1]
    b = x[1]

Only checks that raise the same error stand for one another, and only as far as nothing between them may be seen or fail
in another way; behind a check of the exact length no other is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Check,
    Const,
    Program,
    Stmt,
    Var,
    change_blocks,
    may_raise,
    walk,
)


def run(program: Program) -> Program:
    """The program with fewer checks."""
    definition = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
    program.body = _block(program.body, definition)
    return program


@dataclass(eq=False)
class _Limit:
    """A check that a length exceeds a number, or equals it, unless one of `guards` holds."""

    check: Check
    length: Var
    guards: frozenset[Atom]
    number: int
    exact: bool
    computed_by: list[Assign]

    def implies(self, other: _Limit) -> bool:
        """Whether the other check cannot fail behind this one."""
        if self.exact:
            return other.number < self.number
        return other.number <= self.number and self.raises_what(other)

    def raises_what(self, other: _Limit) -> bool:
        """Whether both raise the same error."""
        return (self.check.error, self.check.message) == (other.check.error, other.check.message)


def _block(block: Block, definition: dict[Var, Assign]) -> Block:
    passed: list[_Limit] = []
    passable = 0  # what comes before `passed[passable]` is separated by what may be seen, or fail
    gone: set[Stmt] = set()
    instead: dict[Check, _Limit] = {}  # by the check in whose place it is made
    for s in block:
        change_blocks(s, lambda inner: _block(inner, definition))
        limit = _limit(s, definition) if isinstance(s, Check) else None
        if limit is None:
            if not _passable(s):
                passable = len(passed)
            continue
        for k, earlier in enumerate(passed):
            if (earlier.length, earlier.guards) != (limit.length, limit.guards) or limit.exact:
                continue
            stronger = instead.get(earlier.check, earlier)
            if stronger.implies(limit):
                gone.add(limit.check)
                break
            if k >= passable and not stronger.exact and stronger.raises_what(limit):
                instead[earlier.check] = limit
                gone.add(limit.check)
                break
        else:
            passed.append(limit)
    return _rebuilt(block, gone, instead)


def _rebuilt(block: Block, gone: set[Stmt], instead: dict[Check, _Limit]) -> Block:
    position = {s: k for k, s in enumerate(block)}
    moved = {
        s
        for check, limit in instead.items()
        for s in limit.computed_by
        if position.get(s, -1) > position[check]
    }
    result: Block = []
    for s in block:
        if isinstance(s, Check) and s in instead:
            limit = instead[s]
            result.extend(a for a in limit.computed_by if a in moved and a not in result)
            result.append(Check(limit.check.test, s.error, s.message, s.origin))
        elif s not in gone and s not in moved:
            result.append(s)
    return result


def _limit(check: Check, definition: dict[Var, Assign]) -> _Limit | None:
    if check.user or not isinstance(check.test, Var):
        return None
    computed_by: list[Assign] = []
    comparisons: list[Assign] = []
    guards: list[Atom] = []
    waiting: list[Atom] = [check.test]
    while waiting:
        part = waiting.pop()
        made = definition.get(part) if isinstance(part, Var) else None
        if made is not None and made.name == "logical_or":
            computed_by.insert(0, made)
            waiting += made.args
        elif made is not None and _compared(made) is not None:
            comparisons.append(made)
        else:
            guards.append(part)
    if len(comparisons) != 1:
        return None
    number, length = _compared(comparisons[0]) or (0, None)
    assert length is not None
    exact = comparisons[0].name == "equal"
    return _Limit(check, length, frozenset(guards), number, exact, [*comparisons, *computed_by])


def _compared(test: Assign) -> tuple[int, Var] | None:
    """The number that a length must exceed, or equal, and the length."""
    if test.name not in ("less", "equal"):
        return None
    a, b = test.args
    if test.name == "equal" and isinstance(b, Const):
        a, b = b, a
    if isinstance(a, Const) and isinstance(a.value, int) and isinstance(b, Var) and not b.is_array:
        return a.value, b
    return None


def _passable(s: Stmt) -> bool:
    """Whether a check may as well be made before a statement: a number is made, or another fault is told of."""
    if isinstance(s, Check):
        return not s.user
    return isinstance(s, Assign) and not any(t.is_array for t in s.targets) and not may_raise(s)
