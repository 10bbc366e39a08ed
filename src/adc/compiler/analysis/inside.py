"""Which elements are certainly there in every trip of the loops around, by the checks in front of them.

if not (n - 1 < m or 0 >= n): raise ...
for i in range(n):
    if x[i] > 0:
        total += a[i]               a has m elements, and this is one of them in any trip
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from adc.compiler.analysis.apart import ends
from adc.compiler.analysis.conditions import ANY_OF, OPPOSITE, compared
from adc.compiler.analysis.counters import never_negative, ranges
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, Atom, Check, For, Index, Program, Stmt, Var, walk
from adc.rules.dims import Dim

_Facts = list[Dim]  # what is zero or more


class Inside:
    """What is known where a pass stands; it goes down the program and says what it passes."""

    def __init__(self, program: Program) -> None:
        self.counters = ranges(program.body)
        self._made = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
        self._checked: list[list[_Facts]] = []  # of each check one of these holds
        self._trips: _Facts = []

    def passed(self, stmt: Stmt) -> None:
        """The program has run a statement."""
        found = self._ways_to_hold(stmt.test) if isinstance(stmt, Check) else None
        if found:
            self._checked.append(found)

    @contextmanager
    def inside(self, stmt: Stmt) -> Iterator[None]:
        """A block of a statement: what is found in it is forgotten behind it."""
        checked, trips = len(self._checked), len(self._trips)
        low, high = self.counters.get(stmt.index, (None, None)) if isinstance(stmt, For) else (None, None)
        if low is not None and high is not None:
            self._trips.append(high - low)
        try:
            yield
        finally:
            del self._checked[checked:], self._trips[trips:]

    def is_there(self, array: Var, index: Index) -> bool:
        """Whether an element, of which all subscripts are given, is one of its array in every trip."""
        if len(index) != array.type.ndim:
            return False
        facts = [f for ways in self._checked for f in self._certain(ways)]
        for item, length in zip(index, array.type.shape, strict=True):
            _, high = ends(item, (), self.counters)
            if high is None or not never_negative(length_of(item), self.counters):
                return False
            left = length - 1 - high
            if not any(never_negative(left - f, self.counters) for f in (Dim(0), *facts)):
                return False
        return True

    def _certain(self, ways: list[_Facts]) -> _Facts:
        """What a check says where the loops around have a trip."""
        possible = [facts for facts in ways if not any(map(self._is_negative, facts))]
        return possible[0] if len(possible) == 1 else []

    def _is_negative(self, d: Dim) -> bool:
        return any(never_negative(-d - 1 - t, self.counters) for t in (Dim(0), *self._trips))

    def _ways_to_hold(self, test: Atom) -> list[_Facts]:
        """What each way for a test to hold says; nothing where one of them says nothing of integers."""
        found: list[_Facts] = []
        waiting = [test]
        while waiting:
            part = waiting.pop()
            made = self._made.get(part) if isinstance(part, Var) else None
            if made is not None and made.name in ANY_OF:
                waiting += made.args
                continue
            a, b = map(length_of, made.args) if made is not None and made.name in OPPOSITE else (None, None)
            if made is None or a is None or b is None:
                return []
            found.append([d for d, apart in compared(made.name, a - b) if not apart])
        return found
