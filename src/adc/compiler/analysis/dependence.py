"""How far apart the trips of two nested loops are that touch one element.

    for i in range(1, n):
        for j in range(1, m - 1):
            a[i, j] = a[i - 1, j + 1] + a[i, j - 1]

The element that row i writes in trip j is read by row i + 1 in trip j - 1: a distance of (1, -1). What row i itself
reads of what it wrote has the distance (0, 1), and is why its trips go one after the other. (M. Wolfe, High Performance
Compilers for Parallel Computing, 1996, chapters 5 and 9.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.conditions import Conditions
from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.touches import pace, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import (
    Atom,
    Block,
    Const,
    For,
    If,
    Stmt,
    Var,
    bound_inside,
    defined,
    owners,
    walk,
)
from adc.rules.dims import Dim

__all__ = ["Nest", "Unknown"]


class Unknown(Exception):
    """Nothing is known of which trips touch one element."""


Path = tuple[tuple[Atom, bool], ...]


@dataclass(frozen=True)
class _Touch:
    access: Access
    from_the_front: bool  # no subscript counts from the other end of the array


@dataclass(frozen=True)
class _Place:
    """A subscript: `rows` times the outer counter, `steps` times the inner one, and the same in all trips."""

    rows: int
    steps: int
    rest: Dim


class Nest:
    """Two loops, one directly in the other, whose steps are 1 or -1."""

    def __init__(
        self, outer: For, inner: For, memory: Memory, counters: Mapping[Var, Range], conditions: Conditions
    ) -> None:
        assert isinstance(outer.step, Const)
        assert isinstance(inner.step, Const)
        self.outer, self.inner = outer, inner
        self.memory = memory
        self.counters = counters
        self.conditions = conditions
        self.directions: tuple[int, int] = outer.step.value, inner.step.value
        self.own = {v for s in walk(outer.body) for v in (*defined(s), *bound_inside(s))} | {outer.index}
        place = outer.body.index(inner)
        self.parts: tuple[Block, Block, Block] = outer.body[:place], inner.body, outer.body[place + 1 :]

    def lags(self, rows: int) -> list[int]:
        """Numbers of trips that a row has to be behind the one before at least, for `rows` rows abreast.

        Raises `Unknown` where no number of trips is enough.
        """
        return [
            -(distance // row)
            for row in range(1, rows)
            for distance in self._between(row, self.inner.body, self.inner.body)
        ]

    def moves_out(self, rows: int) -> bool:
        """Whether what stands before the inner loop may be done first for all rows, and last what stands behind it.

        What both only add to may be added to in either order.
        """
        before, inside, behind = self.parts
        pairs = [(inside, before), (behind, before), (behind, inside)]
        try:
            return not any(
                list(self._between(row, x, y, sums=False)) for row in range(1, rows) for x, y in pairs
            )
        except Unknown:
            return False

    def is_recurrence(self) -> bool:
        """Whether a trip of the inner loop reads from memory what one before it has written."""
        touched = self._touched(self.inner.body)
        return any(self._follows(x, y) for found in touched.values() for x, y in product(found, found))

    def _follows(self, x: _Touch, y: _Touch) -> bool:
        """Whether y reads, some trips later, what x writes. Additions to one element may change places."""
        if not x.access.write or (y.access.write and (x.access.accumulate or not y.access.accumulate)):
            return False
        try:
            trips = self._distance(x.access, y.access, 0)
        except Unknown:
            return False
        return trips is not None and trips > 0

    def _between(self, row: int, first: Block, then: Block, sums: bool = True) -> Iterator[int]:
        """The trips from where `first` touches an element to where `then` does, `row` rows later, where one writes.

        Also where both add to it, with `sums`.
        """
        again = self._touched(then)
        for memory, found in self._touched(first).items():
            for x, y in product(found, again.get(memory, ())):
                if not (x.access.write or y.access.write):
                    continue
                if not sums and x.access.accumulate and y.access.accumulate:
                    continue
                trips = self._distance(x.access, y.access, row)
                if trips is None:
                    continue
                if not (x.from_the_front and y.from_the_front):
                    raise Unknown(memory)
                yield trips

    def _touched(self, block: Block) -> dict[Var, list[_Touch]]:
        """What statements do with elements, by the memory that they lie in."""
        found: dict[Var, list[_Touch]] = {}
        for s, path in _paths(block, ()):
            for memory, accesses in self.memory.effects(s).accesses.items():
                known = found.setdefault(memory, [])
                known += [_Touch(a, self._is_from_the_front(a, path)) for a in accesses]
        return found

    def _distance(self, x: Access, y: Access, row: int) -> int | None:
        """Trips from x to y, `row` rows later, if they touch one element; None if they never do."""
        if x.index is None or y.index is None or x.array is not y.array or len(x.index) != len(y.index):
            raise Unknown(x.array)
        known: set[int] = set()
        for one, other in zip(x.index, y.index, strict=True):
            p, q = self._place(one), self._place(other)
            if p is None or q is None or (p.rows, p.steps) != (q.rows, q.steps):
                continue
            between = (p.rest - q.rest).known
            if between is None:
                continue
            # p.rows * i + p.steps * j + p.rest = p.rows * i' + p.steps * j' + q.rest
            left = between - p.rows * row * self.directions[0]
            if p.steps == 0:
                if left != 0:
                    return None
            elif left % p.steps:
                return None
            else:
                known.add(left // p.steps * self.directions[1])
        if len(known) > 1:
            return None
        if not known:
            if never_meet(x.index, y.index, (), self.counters, self.own):
                return None
            raise Unknown(x.array)
        return known.pop()

    def _place(self, item: Any) -> _Place | None:
        value = length_of(item)
        if value is None:
            return None
        rest = value
        for loop in (self.outer, self.inner):
            rest = with_counter_at(rest, loop.index, Dim(0))
        paces = pace(value, self.outer.index), pace(value, self.inner.index)
        return None if any(v in self.own for v in owners(rest)) else _Place(*paces, rest)

    def _is_from_the_front(self, access: Access, path: Path) -> bool:
        """Whether no subscript counts from the other end of the array."""
        if access.index is None:
            return False
        values = [length_of(i) for i in access.index if isinstance(i, (Var, Const))]
        if all(never_negative(v, self.counters) for v in values):
            return True
        facts = [Dim(0), *self._facts(path)]
        return all(v is not None and any(never_negative(v - f, self.counters) for f in facts) for v in values)

    def _facts(self, path: Path) -> Iterator[Dim]:
        """What branches say: integers that are not negative where they run."""
        for fact, apart in self.conditions.facts(path):
            if not apart:
                yield fact
            else:
                yield from (d - 1 for d in (fact, -fact) if never_negative(d, self.counters))


def _paths(block: Block, path: Path) -> Iterator[tuple[Stmt, Path]]:
    """The statements of a block and of the branches in it, with the tests that hold, or do not, where they run."""
    for s in block:
        if isinstance(s, If):
            yield from _paths(s.then, (*path, (s.test, True)))
            yield from _paths(s.orelse, (*path, (s.test, False)))
        else:
            yield s, path
