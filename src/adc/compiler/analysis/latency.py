"""How long a trip of a loop waits for the one before it, beside how long its operations take.

The processor runs operations of several trips at once where they do not wait for each other. Of a trip whose chain of
dependent operations is shorter than its work nothing is gained by more of that.
"""

from __future__ import annotations

import numpy as np

from adc.compiler.analysis.touches import offset
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Index,
    Operand,
    Stmt,
    Store,
    Var,
    bound_inside,
    defined,
    owners,
    variables,
    walk,
)

LOADED = 5.0  # cycles until what was stored is there again
CYCLES = {
    "divide": 13.0,
    "sqrt": 18.0,
    "root": 18.0,
    "where": 2.0,
    "absolute": 1.0,
    "negative": 1.0,
    "alias": 0.0,
    "cast": 4.0,
}
ARITHMETIC = 4.0  # an addition, a multiplication, an extreme of floats
COMPARED = 2.0
CALLED = 60.0  # a function of the C library
AT_ONCE = 3.0  # operations that begin in one cycle
SIMPLE = {
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "square",
    "less",
    "greater",
    "less_equal",
    "greater_equal",
    "equal",
    "not_equal",
}


_Since = dict[Var, float]


def waits(loop: For) -> bool:
    """Whether a trip waits longer for the one before it than it works, and for more than one operation."""
    return chain(loop) > max(work(loop.body), LOADED)


def chain(loop: For) -> float:
    """Cycles that a trip waits for the one before it."""
    return _Chain(loop).longest()


def reads_back(loop: For) -> bool:
    """Whether a trip makes an element of one that an earlier trip has written."""
    return any(v.is_array for v in _Chain(loop).round_trips())


def work(block: Block) -> float:
    """Cycles of the operations of a trip, were none to wait for another."""
    operations, busy = _operations(block)
    return operations / AT_ONCE + busy


def busy(block: Block) -> float:
    """Those of the cycles of a trip in which quotients and roots let no other of their kind begin."""
    return _operations(block)[1]


def _operations(block: Block) -> tuple[int, float]:
    """How many operations there are, and the cycles in which those that take long let no other of their kind begin."""
    count, busy = 0, 0.0
    for s in block:
        if isinstance(s, If):
            sides = max(map(_operations, (s.then, s.orelse)))
            count, busy = count + 1 + sides[0], busy + sides[1]
        elif isinstance(s, (Assign, Store)) and not _is_of_integers(s):
            count, busy = count + 1, busy + max(0.0, cycles(s) - LOADED) / 2
    return count, busy


def cycles(s: Stmt) -> float:
    """Cycles until the result of an operation on numbers is there."""
    if not isinstance(s, Assign) or s.name == "getitem" or _is_of_integers(s):
        return 0.0
    if s.name == "power":
        return CALLED if isinstance(s.args[1], Var) else 2 * ARITHMETIC
    if s.name in CYCLES:
        return CYCLES[s.name]
    if len(s.targets) != 1:
        return CALLED
    if s.target.type.dtype == "bool":
        return COMPARED
    return ARITHMETIC if s.name in SIMPLE else CALLED


def _is_of_integers(s: Stmt) -> bool:
    return isinstance(s, Assign) and all(np.dtype(t.type.dtype).kind in "iu" for t in s.targets)


class _Chain:
    """The cycles from what a trip has of earlier ones, numbers and arrays, to what it hands on."""

    def __init__(self, loop: For) -> None:
        self.loop = loop
        self.inside = {loop.index, *(v for s in walk(loop.body) for v in (*defined(s), *bound_inside(s)))}
        self.stored: dict[Var, set[Index]] = {}
        for s in walk(loop.body):
            if isinstance(s, Store):
                self.stored.setdefault(s.array, set()).add(s.index)
        # What a number is made of: how long after that was there.
        self.since: dict[Var, _Since] = {c.phi: {c.phi: 0.0} for c in loop.carried}
        self.handed_on: dict[Var, _Since] = {}

    def longest(self) -> float:
        """From one trip to the next, or to the one behind that, half as much."""
        return max(self.round_trips().values(), default=0.0)

    def round_trips(self) -> _Since:
        """The same for each number, or array, that depends on itself."""
        self._block(self.loop.body)
        for c in self.loop.carried:
            self.handed_on[c.phi] = self._of(c.out)
        found: _Since = {}
        for one, since in self.handed_on.items():
            for other, cycles_there in since.items():
                back = self.handed_on.get(other, {}).get(one)
                if back is not None:
                    found[one] = max(found.get(one, 0.0), (cycles_there + back) / 2)
        return found

    def _block(self, block: Block) -> None:
        for s in block:
            if isinstance(s, Assign):
                self._assign(s)
            elif isinstance(s, Store):
                added = ARITHMETIC + LOADED if s.accumulate else 0.0
                value = {v: n + added for v, n in self._of(s.value).items()}
                self.handed_on[s.array] = _latest([self.handed_on.get(s.array, {}), value])
            elif isinstance(s, If):
                self._block(s.then)
                self._block(s.orelse)
                for m in s.merges:
                    self.since[m.result] = self._of((m.then, m.orelse, s.test))

    def _assign(self, s: Assign) -> None:
        since = self._of(s.args)
        if s.name == "getitem" and any(self._follows(i, s.args[1]) for i in self.stored.get(s.args[0], ())):
            since = _latest([since, {s.args[0]: LOADED}])
        for t in s.targets:
            self.since[t] = {v: n + cycles(s) for v, n in since.items()}

    def _follows(self, stored: Index, loaded: Index) -> bool:
        """Whether a later trip than that which stores an element may load it."""
        for one, other in zip(stored, loaded, strict=False):
            if self._are_apart(one, other):
                return False
            ahead, behind = offset(self.loop.index, one), offset(self.loop.index, other)
            if ahead is None or behind is None:
                continue
            trips = (ahead - behind).known
            if trips is not None and isinstance(self.loop.step, Const):
                return bool(trips * self.loop.step.value > 0)
        return True

    def _are_apart(self, one: object, other: object) -> bool:
        """Whether two subscripts are different numbers in all trips, the row of this state and that of the next."""
        first, second = length_of(one), length_of(other)
        if first is None or second is None or not (first - second).known:
            return False
        return self.inside.isdisjoint((*owners(first), *owners(second)))

    def _of(self, x: Operand | Atom) -> _Since:
        return _latest([self.since[v] for v in variables(x) if v in self.since])


def _latest(known: list[_Since]) -> _Since:
    found: _Since = {}
    for since in known:
        for v, n in since.items():
            found[v] = max(n, found.get(v, 0.0))
    return found
