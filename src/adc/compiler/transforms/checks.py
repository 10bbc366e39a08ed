"""Drop the checks that others, made at the same place, imply: of `0 < n`, `1 < n` and `2 < n` the last is enough.

    if not 0 < n: raise IndexError(...)
    if not 1 < n: raise IndexError(...)         if not 1 < n: raise IndexError(...)

Only checks that raise the same error are dropped for one another, and those behind a check of the exact length.
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
    walk,
)


def run(program: Program) -> Program:
    """The program with fewer checks."""
    definition = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
    program.body = _block(program.body, definition)
    return program


@dataclass(frozen=True)
class _Limit:
    """A check that a length exceeds a number, or equals it, unless `guard` holds."""

    length: Var
    guard: Atom | None
    number: int
    exact: bool


def _block(block: Block, definition: dict[Var, Assign]) -> Block:
    needless: set[Stmt] = set()
    together: list[tuple[Check, _Limit]] = []
    for s in block:
        change_blocks(s, lambda inner: _block(inner, definition))
        limit = _limit(s, definition) if isinstance(s, Check) else None
        if isinstance(s, Check) and limit is not None:
            for earlier, other in together:
                if (other.length, other.guard) != (limit.length, limit.guard) or limit.exact:
                    continue
                same_error = (earlier.error, earlier.message) == (s.error, s.message)
                if other.exact and limit.number < other.number:
                    needless.add(s)
                elif not other.exact and same_error:
                    needless.add(s if limit.number <= other.number else earlier)
            together.append((s, limit))
        elif not isinstance(s, Check) and not _makes_numbers(s):
            together = []  # what comes between may be seen, or relies on the checks before it
    return [s for s in block if s not in needless]


def _limit(check: Check, definition: dict[Var, Assign]) -> _Limit | None:
    if check.user or not isinstance(check.test, Var):
        return None
    test, guard = definition.get(check.test), None
    if test is not None and test.name == "logical_or":
        first, guard = test.args
        test = definition.get(first) if isinstance(first, Var) else None
    if test is None or test.name not in ("less", "equal"):
        return None
    a, b = test.args
    if test.name == "equal" and isinstance(b, Const):
        a, b = b, a
    if isinstance(a, Const) and isinstance(a.value, int) and isinstance(b, Var) and not b.is_array:
        return _Limit(b, guard, a.value, test.name == "equal")
    return None


def _makes_numbers(s: Stmt) -> bool:
    return isinstance(s, Assign) and not any(t.is_array for t in s.targets)
