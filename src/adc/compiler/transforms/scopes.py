"""Walk a block in program order, and say what can be read at each place."""

from __future__ import annotations

from collections.abc import Generator, Iterable

from adc.compiler.ir.nodes import (
    Block,
    For,
    If,
    Operand,
    Stmt,
    Var,
    While,
    bound_inside,
    defined,
    length_variables,
    uses,
    walk,
)

Visit = tuple[Stmt | None, Operand, set[Var]]


def bound(block: Block) -> set[Var]:
    """Every variable that a block or something inside it binds."""
    return {v for s in walk(block) for v in (*defined(s), *bound_inside(s))}


def free(block: Block, known: Iterable[Var]) -> list[Var]:
    """What a block reads of the program around it but for `known`, what their lengths are made of included."""
    known = list(known)
    own = bound(block) | set(known)
    read = (*known, *(v for s in walk(block) for v in (*uses(s), *defined(s))))
    return list(dict.fromkeys(u for v in read for u in (v, *length_variables(v)) if u not in own))


def visited(block: Block, known: Iterable[Var]) -> Generator[Visit, None, set[Var]]:
    """Each statement, what it reads, and what can be read there; for the end of an inner block, None."""
    there = set(known)
    for stmt in block:
        inner = there | set(bound_inside(stmt))
        if isinstance(stmt, If):
            yield stmt, stmt.test, there
            then = yield from visited(stmt.then, inner)
            yield None, tuple(m.then for m in stmt.merges), then
            orelse = yield from visited(stmt.orelse, inner)
            yield None, tuple(m.orelse for m in stmt.merges), orelse
        elif isinstance(stmt, (For, While)):
            head = (stmt.start, stmt.stop, stmt.step) if isinstance(stmt, For) else ()
            yield stmt, (*head, *(c.init for c in stmt.carried)), there
            if isinstance(stmt, While):
                inner = yield from visited(stmt.test_block, inner)
                yield None, stmt.test, inner
            body = yield from visited(stmt.body, inner)
            yield None, tuple(c.out for c in stmt.carried), body
        else:
            yield stmt, tuple(uses(stmt)), there
        there = there | set(defined(stmt))
    return there
