"""What the program computes and nobody reads still raises where Python and NumPy do.

    x[10]                           if not 10 < n: raise IndexError(...)
    return np.sum(x * x)            return np.sum(x * x)

The statement itself goes (dead.py); what is left of it are checks of what is not proven. The reverse sweep reads less
than the function does: `c[k]` of a sum has no part in its gradient.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adc.compiler.analysis import counters
from adc.compiler.analysis.activity import Activity
from adc.compiler.frontend.caught import OF_SOME
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Check,
    Const,
    Program,
    Stmt,
    Store,
    Var,
    change_blocks,
    may_raise,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import bounds, dead, integers
from adc.rules import shapes
from adc.rules.operation import Operation

# Whether a matrix is positive definite, or has an inverse, is seen when it is factorised; whether bins are in order,
# when they are used.
_TELLING = {np.linalg.cholesky, np.linalg.inv, np.linalg.solve, np.digitize}


def run(program: Program, ev: Evaluator) -> Program:
    """The program with checks in front of what may raise and is not read; where only to do it tells, it is done."""
    waste = dead.unread(program, ev.joined_roots)
    for s in walk(program.body):
        if not isinstance(s, Assign) or not isinstance(s.op, Operation):
            continue
        if _taken_for_real(s.op, s.targets) or (s in waste and s.op.function in _TELLING):
            s.op = replace(s.op, extra={**s.op.extra, "raises": True})
    if any(may_raise(s) for s in waste):
        waste = dead.unread(program, ev.joined_roots)
    return _with_checks(program, ev, {s for s in waste if _may_raise(s)})


def after_reverse(program: Program, ev: Evaluator, passive: set[Var]) -> Program:
    """The same for the statements that make `passive` values, where the reverse sweep does not make them again."""
    waste = dead.unread(program, ev.joined_roots)
    again = {(s.name, s.origin) for s in walk(program.body) if isinstance(s, Assign) and s not in waste}
    return _with_checks(
        program,
        ev,
        {
            s
            for s in waste
            if isinstance(s, Assign) and not passive.isdisjoint(s.targets) and (s.name, s.origin) not in again
        },
    )


def _with_checks(program: Program, ev: Evaluator, waste: set[Stmt]) -> Program:
    if waste:
        program.body = _checked(program.body, ev, waste, counters.ranges(program.body))
        bounds.run(program, ev, only=waste)
    return program


def passive(program: Program, wrt: list[Var]) -> set[Var]:
    """What the program makes, may raise, and has no derivative: the reverse sweep does not repeat it."""
    activity = Activity(program.body, wrt, program.results[:1])
    return {
        t
        for s in walk(program.body)
        if isinstance(s, Assign) and _may_raise(s)
        for t in s.targets
        if not activity.active(t)
    }


def _taken_for_real(operation: Operation, results: tuple[Var, ...]) -> bool:
    """Whether only doing it tells that a result is real: its imaginary part, read or not, was taken for zero."""
    return bool(operation.extra.get("may_be_complex")) and any("complex" not in r.type.dtype for r in results)


def _may_raise(s: Stmt) -> bool:
    """Whether a statement may be one that raises; which one is seen when the check is made."""
    if isinstance(s, Store):
        return True
    return isinstance(s, Assign) and (
        s.name in ("getitem", "reshape", "take_along_axis") or s.name in OF_SOME or integers.may_raise(s, {})
    )


def _checked(block: Block, ev: Evaluator, waste: set[Stmt], ranges: dict[Var, counters.Range]) -> Block:
    def statement(s: Stmt) -> None:
        change_blocks(s, lambda inner: _checked(inner, ev, waste, ranges))
        if s in waste and isinstance(s, Assign):
            if integers.may_raise(s, ranges):
                integers.require(s, ev, ranges)
            elif s.name == "reshape":
                _require_size(s, ev)
            elif s.name in OF_SOME:
                _require_some(s, ev)
        ev.block.append(s)

    return ev.rebuilt(block, statement)


def _require_size(s: Assign, ev: Evaluator) -> None:
    if isinstance(s.target.type, Array) and isinstance(s.args[0].type, Array):
        before, after = shapes.size(s.args[0].type.shape), shapes.size(s.target.type.shape)
        if before != after:
            ev.require_equal(before, after, "cannot reshape an array into a shape of another size")


def _require_some(s: Assign, ev: Evaluator) -> None:
    reduced = s.args[0].type
    count = shapes.size(reduced.shape) if isinstance(reduced, Array) else None
    if count is not None and s.args[1] == Const(None) and not count.known:
        some = ev.op("greater", ev.dim_value(count), 0)
        message = "a reduction of no elements that has no identity"
        ev.block.append(Check(ev.atom(some), "ValueError", (Const(message),), s.origin))
