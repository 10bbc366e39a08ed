"""Python raises where machine integers go on: int() of NaN and of infinity, a division of integers by zero, an array
of fewer than no elements.

    k = int(x[i] * n) % m           if not abs(x[i] * n) < 9.2e18: raise ValueError(...)
                                    if not m != 0: raise ZeroDivisionError(...)
                                    k = int(x[i] * n) % m

NumPy's own integers go on as machine integers do. A check of what no trip changes is made in front of it (cse.py). What
the reverse sweep makes again of what the forward sweep makes is not checked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adc.compiler.analysis import counters
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Block, Check, Const, Program, Stmt, Var, change_blocks, walk
from adc.compiler.ir.types import is_float, is_plain_integer
from adc.compiler.transforms.overflow import NEAR_LIMIT

_DIVISIONS = {"floor_divide", "remainder"}
_CREATIONS = {"zeros", "ones", "empty", "full"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with a check in front of each operation that may raise."""
    ranges = counters.ranges(program.body)
    found = {s for s in walk(program.body) if may_raise(s, ranges)}
    made = {t for s in found if isinstance(s, Assign) for t in s.targets}
    found -= {s for s in found if isinstance(s, Assign) and not made.isdisjoint(evaluator.earlier(s.target))}
    if found:
        program.body = _checked(program.body, evaluator, ranges, found)
    return program


def may_raise(s: Stmt, ranges: Mapping[Var, counters.Range]) -> bool:
    """Whether an operation of Python's integers, or with one for a length, is one that raises for some operands."""
    if not isinstance(s, Assign) or len(s.targets) != 1:
        return False
    if s.name in _CREATIONS:
        return any(_lengths(s, ranges))
    if not is_plain_integer(s.target.type):
        return False
    if s.name == "cast":
        return isinstance(s.args[0], Var) and is_float(s.args[0].type)
    return s.name in _DIVISIONS and not _is_positive(s.args[1], ranges)


def _lengths(s: Assign, ranges: Mapping[Var, counters.Range]) -> Iterator[Var]:
    """The integers that an array is made of the lengths of, and that may be negative."""
    given = s.args[0]
    for n in given if isinstance(given, tuple) else (given,):
        if isinstance(n, Var) and not counters.never_negative(n.dim, ranges):
            yield n


def _is_positive(x: Atom, ranges: Mapping[Var, counters.Range]) -> bool:
    if isinstance(x, Const):
        return bool(x.value != 0)
    return x.dim is not None and counters.never_negative(x.dim - 1, ranges)


def _checked(block: Block, ev: Evaluator, ranges: Mapping[Var, counters.Range], found: set[Stmt]) -> Block:
    """A block with a check in front of each of the statements that were found."""

    def statement(s: Stmt) -> None:
        if s in found:
            require(s, ev, ranges)
        change_blocks(s, lambda inner: _checked(inner, ev, ranges, found))
        ev.block.append(s)

    return ev.rebuilt(block, statement)


def require(s: Stmt, ev: Evaluator, ranges: Mapping[Var, counters.Range]) -> None:
    """Check that an operation which may raise does not."""
    assert isinstance(s, Assign)
    if s.name in _CREATIONS:
        for n in _lengths(s, ranges):
            some = ev.atom(ev.op("greater_equal", n, 0))
            ev.block.append(
                Check(some, "ValueError", (Const("negative dimensions are not allowed"),), s.origin)
            )
        return
    if s.name == "cast":
        test = ev.op("less", ev.op("absolute", s.args[0]), NEAR_LIMIT)
        error, message = (
            "ValueError",
            "cannot convert infinity, NaN or a number of more than 64 bits to an integer",
        )
    else:
        test = ev.op("not_equal", s.args[1], 0)
        error, message = "ZeroDivisionError", "integer division or modulo by zero"
    ev.block.append(Check(ev.atom(test), error, (Const(message),), s.origin))
