"""The statements of a block that go through the elements together, with what has to stand before them and behind."""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.analysis.effects import Effects, Memory, clash
from adc.compiler.analysis.touches import part
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    For,
    Index,
    Mark,
    Program,
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
from adc.compiler.transforms.tiles.lanes import Lanes
from adc.compiler.transforms.tiles.states import goes_on


@dataclass(frozen=True)
class Private:
    """Arrays that only the statements of a tile know, what makes them, and their axes of elements."""

    made: list[Assign]
    axes: dict[Var, int]


class Region:
    """Loops of a block over elements, and around such loops, that may run one behind the other for some elements.

    What stands between them in the text comes before all of them or behind.
    """

    def __init__(self, block: Block, lanes: Lanes, memory: Memory) -> None:
        self.lanes = lanes
        self.memory = memory
        self.statements: list[For] = []
        self.totals: list[Carried] = []  # of all the statements
        self.before: Block = []
        self.behind: Block = []
        self._all, self._late = Effects(), Effects()
        self._touched: dict[Var, list[_Access]] = {}  # by memory
        self._axes: dict[Var, int] = {}  # along which each element has its own part of what is written
        for s in block:
            self._take(s)

    def is_worth_it(self) -> bool:
        """Whether a loop goes through the elements in each of its trips, as many in all, and they change on the way."""
        return self._all.defs.isdisjoint(owners(self.lanes.length)) and any(
            goes_on(s, self._axes, self.memory) for s in self.statements if not self.lanes.go(s)
        )

    def _take(self, s: Stmt) -> None:
        effects = self.memory.effects(s)
        late = clash(self._late, effects)
        if not late and self._joins(s):
            self._all.include(effects)
        elif isinstance(s, Mark) and self.statements:
            pass  # both sweeps are in the tile
        elif (not late and not clash(self._all, effects)) or self._is_new(s):
            self.before.append(s)
        else:
            self.behind.append(s)
            self._late.include(effects)

    def _is_new(self, s: Stmt) -> bool:
        """Whether a statement makes an array, of lengths that are known before: loops hand it round with others."""
        if not isinstance(s, Assign) or s.name != "empty":
            return False
        return (self._all.defs | self._late.defs).isdisjoint(uses(s))

    def _joins(self, s: Stmt) -> bool:
        """Whether a statement goes through the elements, and each keeps to its own part of what is written."""
        totals = self.lanes.totals(s)
        if totals is None or not isinstance(s, For):
            return False
        made = {c.result for c in self.totals}
        if any(u in made for t in walk([s]) for u in uses(t)):
            return False
        touched: dict[Var, list[_Access]] = {}
        for access in _accesses(s, len(self.statements), self.lanes):
            touched.setdefault(self.memory.of(access.array), []).append(access)
        axes: dict[Var, int] = {}
        for memory, accesses in touched.items():
            accesses[:0] = self._touched.get(memory, ())
            if any(a.is_write for a in accesses) and not _is_the_same_for_all(accesses):
                axis = _axis(accesses)
                if axis is None:
                    return False
                axes[memory] = axis
        self._touched |= touched
        self._axes |= axes
        self.statements.append(s)
        self.totals += totals
        return True

    def private(self, block: Block, program: Program) -> Private:
        """The arrays made in a block that only the statements know."""
        inside = {s for top in self.statements for s in walk([top])}
        made = {s: self.memory.of(s.target) for s in block if isinstance(s, Assign) and s.name == "empty"}
        known = {self.memory.of(v) for v in (*program.params, *variables(tuple(program.results)))}
        names: dict[Var, int] = {}
        for s in walk(program.body):
            if s in made:
                continue
            for v in (*uses(s), *defined(s), *bound_inside(s)):
                if v.is_array:
                    memory = self.memory.of(v)
                    if s not in inside:
                        known.add(memory)
                    elif memory in self._axes:
                        names[v] = self._axes[memory]
        return Private(
            [s for s, memory in made.items() if memory in self._axes and memory not in known],
            {v: axis for v, axis in names.items() if self.memory.of(v) not in known},
        )

    def is_closed(self, program: Program) -> bool:
        """Whether nothing outside reads what the statements leave, but sums and elements.

        Without elements no tile runs.
        """
        inside = {s for top in self.statements for s in walk([top])}
        left = {v for s in self.statements for v in defined(s)} - {c.result for c in self.totals}
        read = {v for s in walk(program.body) if s not in inside for v in uses(s)}
        read.update(program.params, variables(tuple(program.results)))
        written = {m for m, accesses in self._touched.items() if any(a.is_write for a in accesses)}
        repeated = written - self._axes.keys()
        return left.isdisjoint(read) and repeated.isdisjoint(self.memory.of(v) for v in read if v.is_array)


@dataclass(frozen=True)
class _Access:
    """What one of the statements does with an array: an element of it, or (None) anything else."""

    array: Var
    index: Index | None
    counter: Var | None  # of the loop over the elements that it stands in
    place: int  # of the statement
    is_write: bool


def _accesses(top: For, place: int, lanes: Lanes) -> list[_Access]:
    found: list[_Access] = []
    counters = {s: nest.index for nest in lanes.nests([top]) for s in walk(nest.body)}
    for s in walk([top]):
        others = uses(s)
        touch = part(s)
        if touch is not None:
            found.append(_Access(*touch, counters.get(s), place, isinstance(s, Store)))
            if isinstance(s, Store) and s.accumulate and s not in counters:
                found.append(_Access(s.array, None, None, place, True))  # once for each tile
            others = variables((s.index, s.value) if isinstance(s, Store) else touch[1])
        elif isinstance(s, For):
            others = variables((s.start, s.stop))
        found += [_Access(v, None, None, place, False) for v in others if v.is_array]
    return found


def _axis(accesses: list[_Access]) -> int | None:
    """The one subscript that is the counter of the elements wherever the arrays of one memory are touched.

    None where one element may touch the part of another.
    """
    if any(a.array.view_of is not None or a.index is None or a.counter is None for a in accesses):
        return None
    lengths = {len(a.index) for a in accesses if a.index is not None}
    if len(lengths) != 1 or any(a.array.type.ndim not in lengths for a in accesses):
        return None
    axes = range(lengths.pop())
    return next(
        (k for k in axes if all(a.index is not None and a.index[k] is a.counter for a in accesses)), None
    )


def _is_the_same_for_all(accesses: list[_Access]) -> bool:
    """Whether an array is written by one statement, outside the loops over the elements, and read behind that.

    Each tile writes it again, the same.
    """
    write, *more = [a for a in accesses if a.is_write]
    if more or write.counter is not None or write.index is None or write.array.view_of is not None:
        return False
    return all(a is write or (a.place > write.place and a.index is not None) for a in accesses)
