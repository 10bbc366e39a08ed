"""Which lengths are equal at a place of a program: those that were checked on every way to it.

A check inside a branch says nothing about the other branch, and nothing about what ran before it. A check that was
moved in front of a loop, and need only hold where the loop has a trip, holds inside that loop and inside every loop
that runs as often.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adc.compiler.frontend.lengths import EqualLengths, length_of
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Check,
    Const,
    For,
    Mark,
    Operand,
    Print,
    Program,
    Stmt,
    Var,
    defined,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.rules.dims import Dim

Pair = tuple[Dim, Dim]
Guarded = tuple[list[Pair], Pair, Check]  # ranges, what is equal if each of them has a trip, and what says so
LENGTH_OPERATIONS = {"dim", "add", "subtract", "multiply", "maximum", "minimum", "floor_divide", "negative"}
COMPARISONS = {"equal", "greater_equal", "less_equal", "logical_or"}


class Equalities:
    """What is known where a pass stands; it goes down the program and says what it passes."""

    def __init__(self, program: Program) -> None:
        self.equal = EqualLengths()
        self._definition = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
        # What holds if each of some ranges has a trip, and the check that says so.
        self._if_trips: list[Guarded] = []

    def passed(self, stmt: Stmt) -> None:
        """The program has run a statement."""
        if isinstance(stmt, Check):
            fact = self.fact(stmt)
            if fact is None:
                return
            pair, ranges = fact
            if ranges:
                self._if_trips.append((ranges, pair, stmt))
            else:
                self.equal.union(*pair)

    def snapshot(self) -> tuple[dict[Dim, Dim], list[Guarded]]:
        """What is known here, for `restore`."""
        return self.equal.snapshot(), list(self._if_trips)

    def restore(self, snapshot: tuple[dict[Dim, Dim], list[Guarded]]) -> None:
        """Forget what was found since."""
        lengths, guarded = snapshot
        self.equal.restore(lengths)
        self._if_trips = list(guarded)

    def same_shape(self, a: Operand, b: Operand) -> bool:
        """Whether two operands are arrays of one shape, as far as is known here."""
        if not (
            isinstance(a, Var)
            and isinstance(a.type, Array)
            and isinstance(b, Var)
            and isinstance(b.type, Array)
        ):
            return False
        return self.equal.same_shape(a.type.shape, b.type.shape)

    def before_each(self, block: Block) -> list[EqualLengths]:
        """What is known before each statement of a block that begins here."""
        checks = Checks(self)
        for stmt in block:
            checks.passed(stmt)
        return [checks.before(stmt) for stmt in block]

    @contextmanager
    def inside(self, stmt: Stmt) -> Iterator[None]:
        """A block of a statement: what is found in it is forgotten behind it."""
        before = self.snapshot()
        trips = range_of(stmt) if isinstance(stmt, For) else None
        if trips is not None:
            for ranges, pair, check in before[1]:
                left = [r for r in ranges if not self._same(r, trips)]
                if not left:
                    self.equal.union(*pair)
                elif len(left) < len(ranges):
                    self._if_trips.append((left, pair, check))
        try:
            yield
        finally:
            self.restore(before)

    def if_trips(self, loop: For) -> list[tuple[Pair, Check]]:
        """What holds inside a loop since it has a trip there, and the checks that say so in front of it."""
        trips = range_of(loop)
        if trips is None:
            return []
        return [(pair, c) for ranges, pair, c in self._if_trips if all(self._same(r, trips) for r in ranges)]

    def insist(self, check: Check) -> None:
        """Let a check of lengths also hold where no loop has a trip."""
        waiting: list[Any] = [check.test]
        while waiting:
            stmt = self._definition[waiting.pop()]
            if stmt.name == "equal":
                check.test = stmt.target
            elif stmt.name == "logical_or":
                waiting.extend(stmt.args)

    def _same(self, a: Pair, b: Pair) -> bool:
        return self.equal.same(a[0], b[0]) and self.equal.same(a[1], b[1])

    def fact(self, check: Check) -> tuple[Pair, list[Pair]] | None:
        """The lengths that a check finds equal, and the ranges that must each have a trip for it."""
        ranges: list[Pair] = []
        pairs: list[Pair] = []
        waiting: list[Any] = [check.test]
        while waiting:
            stmt = self._definition.get(waiting.pop())
            if stmt is None:
                return None
            if stmt.name == "logical_or":
                waiting.extend(stmt.args)
                continue
            if stmt.name not in ("equal", "greater_equal", "less_equal"):
                return None
            a, b = (length_of(x) for x in stmt.args)
            if a is None or b is None:
                return None
            if stmt.name == "equal":
                pairs.append((a, b))
            else:  # no trip: of a range upwards, or of one downwards
                ranges.append((a, b) if stmt.name == "greater_equal" else (b + 1, a + 1))
        return (pairs[0], ranges) if len(pairs) == 1 else None

    def early(self, block: Block) -> Block:
        """A block with its checks of lengths as far in front as what they read allows: they only fail sooner.

        They stay behind the user's own checks, whose errors come first.
        """
        level: dict[Var, int] = {}
        barrier = -1
        front: list[list[Stmt]] = [[]]
        rest: list[Stmt] = []
        for stmt in block:
            if self._is_of_lengths(stmt):
                k = max([barrier, *(level.get(v, -1) for v in uses(stmt))])
                front[k + 1].append(stmt)
            else:
                k = len(rest)
                rest.append(stmt)
                front.append([])
                if _speaks(stmt) or (isinstance(stmt, Mark) and stmt.text == "forward"):
                    barrier = k
            level.update(dict.fromkeys(defined(stmt), k))
        return [*front[0], *(s for k, stmt in enumerate(rest) for s in (stmt, *front[k + 1]))]

    def _is_of_lengths(self, stmt: Stmt) -> bool:
        if isinstance(stmt, Check):
            return not stmt.user and self.fact(stmt) is not None
        if not isinstance(stmt, Assign) or len(stmt.targets) != 1 or stmt.target.is_array:
            return False
        return stmt.name in LENGTH_OPERATIONS | COMPARISONS and all(
            isinstance(a, Const) or (isinstance(a, Var) and (a.is_array or a.type.dtype in ("int64", "bool")))
            for a in stmt.args
        )


class Checks:
    """The lengths that are known to be equal before each statement of a block."""

    def __init__(self, known: Equalities) -> None:
        self._known = known
        self._states = [known.equal]
        self._before: dict[Stmt, int] = {}

    def passed(self, stmt: Stmt) -> None:
        """The next statement of the block."""
        self._before[stmt] = len(self._states) - 1
        fact = self._known.fact(stmt) if isinstance(stmt, Check) else None
        if fact is not None and not fact[1]:
            state = EqualLengths()
            state.restore(self._states[-1].snapshot())
            state.union(*fact[0])
            self._states.append(state)

    def stands_for(self, stmt: Stmt, other: Stmt) -> None:
        """A statement has taken the place of another."""
        self._before[stmt] = self._before[other]

    def before(self, stmt: Stmt) -> EqualLengths:
        """What holds where a statement begins."""
        return self._states[self._before[stmt]]


def range_of(loop: For) -> Pair | None:
    """The half-open range of a loop's counter, upwards, where its step is one."""
    start, stop = length_of(loop.start), length_of(loop.stop)
    if start is None or stop is None:
        return None
    if loop.step == Const(1):
        return start, stop
    return (stop + 1, start + 1) if loop.step == Const(-1) else None


def _speaks(stmt: Stmt) -> bool:
    """Whether a statement may print, or raise an error that the user wrote."""
    return any(isinstance(s, Print) or (isinstance(s, Check) and s.user) for s in walk([stmt]))
