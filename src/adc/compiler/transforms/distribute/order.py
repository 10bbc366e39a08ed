"""Which statements of a loop may be done for many trips at once: before those that go in order, and behind them.

    for i in range(n):
        e = exp(-x[i])          no trip waits for another: first, for many trips        (level 0)
        s = s * e + x[i]        each trip waits for the one before                      (level 1)
        total += log(s)         adds to what nothing else reads: behind, for many       (level 2)

What depends on itself in a circle, through what trips hand on or write, goes in order; the rest is put as late as what
reads it allows. (Loop distribution: Kennedy & Allen, *Optimizing Compilers for Modern Architectures*, 2001, chapter 5.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement, pairwise
from typing import Literal

from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.recurrences import Recurrence
from adc.compiler.analysis.touches import pace, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    Stmt,
    Store,
    Var,
    bound_inside,
    defined,
    owners,
    uses,
    variables,
    walk,
)
from adc.compiler.transforms.vectorise import accumulation
from adc.rules.dims import Dim

Node = Stmt | Carried  # a statement, or a number that trips hand on


@dataclass(eq=False)
class Part:
    """Statements that are done for many trips before the next part is; those of an odd level trip by trip."""

    level: int
    body: Block
    carried: list[Carried]
    recurrence: Recurrence | None = None  # that it is, and nothing else

    @property
    def in_order(self) -> bool:
        return self.level % 2 == 1


class Order:
    """The statements of a loop, and which of them wait for which."""

    def __init__(self, loop: For, memory: Memory, counters: Mapping[Var, Range], strict: bool) -> None:
        self.loop = loop
        self.memory = memory
        self.counters = counters
        self.own = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
        in_loops = {v for s in loop.body if isinstance(s, For) for v in _read(s)}
        chains = {c: accumulation(c, loop, strict) for c in loop.carried}
        self.sums = {
            c: chain
            for c, chain in chains.items()
            if chain and in_loops.isdisjoint([c.phi, *(s.target for s in chain)])
        }
        self.handed_on = [c for c in loop.carried if c not in self.sums]
        self.nodes: list[Node] = [*self.handed_on, *loop.body]
        self.after: dict[Node, dict[Node, None]] = {n: {} for n in self.nodes}
        self.in_later_trips: set[tuple[Node, Node]] = set()  # of those, where another trip waits
        self.in_circle: set[Node] = set(self.handed_on)
        self._numbers()
        self._elements()

    def parts(self) -> list[Part]:
        """The parts, in the order in which they are done."""
        groups = _strongly_connected(self.nodes, self.after)
        of = {n: k for k, group in enumerate(groups) for n in group}
        then = [{of[m] for n in group for m in self.after[n]} - {k} for k, group in enumerate(groups)]
        odd = [self._goes_in_order(group) for group in groups]
        apart = {(of[n], of[m]) for n, m in self.in_later_trips}

        def between(k: int, m: int) -> int:
            """By how many levels m is behind k at least: trips of one that is not in order may be in any."""
            return 1 if odd[k] != odd[m] else 2 if not odd[k] and (k, m) in apart else 0

        level = [int(o) for o in odd]
        first_to_last = range(len(groups) - 1, -1, -1)
        for k in first_to_last:
            for m in then[k]:
                level[m] = max(level[m], level[k] + between(k, m))
        for k in reversed(first_to_last):
            if not odd[k] and then[k]:
                level[k] = min(level[m] - between(k, m) for m in then[k])
        parts = [Part(n, [], []) for n in range(max(level, default=0) + 1)]
        for s in self.loop.body:
            parts[level[of[s]]].body.append(s)
        for c in self.loop.carried:
            node: Node = self.sums[c][0] if c in self.sums else c
            parts[level[of[node]]].carried.append(c)
        return [p for p in parts if p.body or p.carried]

    def _goes_in_order(self, group: list[Node]) -> bool:
        if any(n in self.in_circle for n in group):
            return True
        return len(group) > 1 and not any(set(group) <= set(chain) for chain in self.sums.values())

    # --- what waits for what ------------------------------------------------------------------------------------

    def _numbers(self) -> None:
        maker: dict[Var, Node] = {c.phi: c for c in self.handed_on}
        for s in self.loop.body:
            maker.update(dict.fromkeys(defined(s), s))
            if not isinstance(s, (Assign, Store)):
                self.in_circle.add(s)
        for s in self.loop.body:
            for v in _read(s):
                if v in maker and maker[v] is not s:
                    self.after[maker[v]][s] = None
        for c in self.handed_on:
            if isinstance(c.out, Var) and c.out in maker:
                self.after[maker[c.out]][c] = None
        for chain in self.sums.values():  # the additions to one sum stay together
            for one, other in pairwise(chain):
                self.after[other][one] = None

    def _elements(self) -> None:
        touched: dict[Var, list[tuple[Stmt, Access]]] = {}
        for s in self.loop.body:
            for root, accesses in self.memory.effects(s).accesses.items():
                touched.setdefault(root, []).extend((s, a) for a in accesses)
        for found in touched.values():
            for (s, one), (t, other) in combinations_with_replacement(found, 2):
                if not (one.write or other.write) or (one.accumulate and other.accumulate and s is not t):
                    continue
                trips = self._trips(one, other)
                if trips is None or (s is t and trips == 0):
                    continue
                if s is t:
                    # Additions to one element, the same in all trips, are a sum.
                    if not (one.accumulate and other.accumulate and self._is_fixed(one)):
                        self.in_circle.add(s)
                    continue
                if isinstance(trips, str):
                    self.after[s][t] = self.after[t][s] = None
                    self.in_circle.update((s, t))
                else:
                    first, second = (s, t) if trips >= 0 else (t, s)
                    self.after[first][second] = None
                    if trips != 0:
                        self.in_later_trips.add((first, second))

    def _is_fixed(self, a: Access) -> bool:
        return a.index is not None and self.own.isdisjoint(variables(a.index))

    def _trips(self, one: Access, other: Access) -> int | Literal["any"] | None:
        """How many trips after the one `other` touches the same element: a number, "any", or None for never."""
        if one.index is None or other.index is None or one.array is not other.array:
            return "any"
        if len(one.index) != len(other.index) or not all(map(self._is_from_the_front, (one, other))):
            return "any"
        counter, found = self.loop.index, set()
        for a, b in zip(one.index, other.index, strict=True):
            p, q = length_of(a), length_of(b)
            assert p is not None
            assert q is not None
            step = pace(p, counter)
            rest = with_counter_at(p, counter, Dim(0)) - with_counter_at(q, counter, Dim(0))
            if pace(q, counter) != step or any(v in self.own for v in owners(rest)):
                continue
            if rest.known is None:
                continue
            if step == 0:
                if rest.known != 0 and not self._varies(p):
                    return None
            elif self._varies(with_counter_at(p, counter, Dim(0))):
                continue
            elif rest.known % step:
                return None
            else:
                assert isinstance(self.loop.step, Const)
                found.add(rest.known // step * self.loop.step.value)
        if len(found) > 1:
            return None
        return found.pop() if found else "any"

    def _varies(self, place: Dim) -> bool:
        """Whether a subscript is made of more than the counter and what all trips share."""
        return any(v in self.own for v in owners(place))

    def _is_from_the_front(self, a: Access) -> bool:
        assert a.index is not None
        values = [length_of(i) for i in a.index]
        return all(v is not None and never_negative(v, self.counters) for v in values)


def _read(s: Stmt) -> list[Var]:
    return [v for t in walk([s]) for v in uses(t)]


def _strongly_connected(nodes: list[Node], after: Mapping[Node, Mapping[Node, None]]) -> list[list[Node]]:
    """The circles, those that others wait for last.

    (R. Tarjan, *Depth-first search and linear graph algorithms*, 1972.)
    """
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    waiting: set[Node] = set()
    found: list[list[Node]] = []
    for root in nodes:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        stack.append(root)
        waiting.add(root)
        path = [(root, iter(after[root]))]
        while path:
            node, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    place = stack.index(node)
                    group = stack[place:]
                    del stack[place:]
                    waiting.difference_update(group)
                    found.append(group)
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                waiting.add(following)
                path.append((following, iter(after[following])))
            elif following in waiting:
                low[node] = min(low[node], number[following])
    return found
