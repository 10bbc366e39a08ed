"""Strike the writes of the reverse sweep whose memory it never reads again: restoring and clearing ones.

The to-be-recorded analysis (Hascoet, Naumann & Pascual, *"To be recorded" analysis in reverse-mode automatic
differentiation*, 2005) on the finished sweep: a restored element matters only if a later statement of the sweep may
read it, and so does an adjoint that is cleared because the primal had overwritten its element. Memory that each trip of
a loop makes anew carries nothing to the next. Inside loops that both the write and the read share, affine subscripts
decide: with the write at `u[t + 1]` and the read at `u[t]`, the earlier trips, which the sweep comes to later, never
read what is restored. What is written over before it is read was not needed either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from adc.compiler.analysis.apart import ends, lies_behind, never_meet
from adc.compiler.analysis.conditions import Conditions
from adc.compiler.analysis.counters import Range, never_negative, ranges
from adc.compiler.analysis.roots import behind
from adc.compiler.analysis.touches import offset, pace, with_counter_at
from adc.compiler.frontend.indexing import FULL
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Index,
    Keep,
    Mark,
    Program,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    change_blocks,
    defined,
    owners,
    reads_memory,
    variables,
    walk,
)
from adc.compiler.transforms.scopes import bound
from adc.rules.dims import Dim


@dataclass(eq=False)
class _Place:
    stmt: Stmt
    position: int
    loops: tuple[For | While, ...]
    regions: tuple[int, ...] = ()  # the blocks around it
    sides: tuple[tuple[If, bool], ...] = ()  # those of the branches around it
    facts: tuple[Dim, ...] = ()  # what these say is zero or more
    after: bool = False  # behind the blocks of the statement, in its last trip


_Read = tuple[_Place, Var, Index | None]
_Inside = Callable[[For | While], set[Var]]  # what a loop binds: another number in each trip


def run(program: Program, joined_roots: dict[Var, set[Var]]) -> Program:
    """The program without restoring and clearing writes that nothing reads."""
    start = next((k for k, s in enumerate(program.body) if isinstance(s, Mark) and s.text == "reverse"), None)
    if start is None:
        return program
    counters = ranges(program.body)
    places = _Places(program, counters).of(program.body[start:])
    taken = {s.target: s.args for s in walk(program.body) if isinstance(s, Assign) and _takes_part(s)}
    readers = [r for place in places for r in _reads(place, taken)]
    writes = [p for p in places if isinstance(p.stmt, Store) and p.stmt.role and not p.after]
    home = {v: place.loops for place in places for v in defined(place.stmt)}
    end = _Place(program.body[-1], 1 << 60, ())
    readers.extend((end, r, None) for r in program.results if isinstance(r, Var) and r.is_array)
    may_be = {array.root: behind([array.root], joined_roots) for _, array, _ in readers}
    readers_of: dict[Var, list[_Read]] = {}
    for reader in readers:
        for root in may_be[reader[1].root]:
            readers_of.setdefault(root, []).append(reader)
    setting: dict[Var, list[_Place]] = {}
    for place in places:
        if isinstance(place.stmt, Store) and not place.stmt.accumulate:
            setting.setdefault(place.stmt.array.root, []).append(place)
    over = {w: _written_over(w, setting) for w in writes}
    inside: _Inside = cache(lambda loop: bound([loop]))
    dead = {
        w.stmt
        for w in writes
        if not any(
            not _too_late(w, r[0], over[w]) and _matters(w, *r, home, counters, inside)
            for r in readers_of.get(_root(w), ())
        )
    }
    program.body = _without(program.body, dead)
    return program


class _Places:
    """Where the statements of a block stand."""

    def __init__(self, program: Program, counters: Mapping[Var, Range]) -> None:
        self.found: list[_Place] = []
        self.conditions = Conditions(program)
        self.counters = counters
        self.path: list[tuple[Atom, bool]] = []

    def of(self, block: Block) -> list[_Place]:
        self._collect(block, _Place(block[0], 0, ()))
        return self.found

    def _collect(self, block: Block, around: _Place) -> None:
        regions = (*around.regions, id(block))
        for stmt in block:
            self.found.append(replace(around, stmt=stmt, position=len(self.found), regions=regions))
            inner = replace(self.found[-1], after=True)
            if isinstance(stmt, (For, While)):
                inner.loops = (*around.loops, stmt)
            if isinstance(stmt, If):
                for side, holds in ((stmt.then, True), (stmt.orelse, False)):
                    self.path.append((stmt.test, holds))
                    sides = (*around.sides, (stmt, holds))
                    self._collect(side, replace(inner, after=False, sides=sides, facts=self._facts()))
                    self.path.pop()
            else:
                for b in blocks(stmt):
                    self._collect(b, replace(inner, after=False))
            if isinstance(stmt, (For, While, If)):
                self.found.append(replace(inner, position=len(self.found)))

    def _facts(self) -> tuple[Dim, ...]:
        facts: list[Dim] = []
        for d, apart in self.conditions.facts(self.path):
            if not apart:
                facts.append(d)
            else:
                facts += [e - 1 for e in (d, -d) if never_negative(e, self.counters)]
        return tuple(facts)


def _root(write: _Place) -> Var:
    """The memory that a write goes to."""
    assert isinstance(write.stmt, Store)
    return write.stmt.array.root


def _written_over(write: _Place, setting: dict[Var, list[_Place]]) -> _Place | None:
    """The first write behind another one that writes over all of it, in the same block or in one around it.

    `setting` are, by memory, the writes that add to nothing.
    """
    store = write.stmt
    assert isinstance(store, Store)
    for place in setting.get(store.array.root, ()):
        other = place.stmt
        if (
            isinstance(other, Store)
            and place.position > write.position
            and write.regions[: len(place.regions)] == place.regions
            and (
                (other.array is store.array.root and all(i == FULL for i in other.index))
                or (
                    other.array is store.array
                    and other.index == store.index
                    and place.regions == write.regions
                )
            )
        ):
            return place
    return None


def _too_late(write: _Place, reader: _Place, over: _Place | None) -> bool:
    """Whether all that is read there has been written over since the write."""
    if over is None or write.position < reader.position <= over.position:  # it may read what it writes over
        return False
    shared = sum(a is b for a, b in zip(write.loops, reader.loops))  # noqa: B905  (the shorter nest ends it)
    return shared <= len(over.loops)


def _takes_part(stmt: Assign) -> bool:
    """Whether a statement takes a view of a part of an array that is no view."""
    return bool(
        stmt.op == "getitem" and stmt.target.view_of is not None and stmt.args[0].root is stmt.args[0]
    )


def _reads(place: _Place, taken: dict[Var, Any]) -> Iterator[_Read]:
    """The arrays whose elements are read at a place, with the index of the element, or of the part that is `taken`."""
    stmt = place.stmt
    values: list[Any] = []
    if isinstance(stmt, Assign):
        if stmt.op == "getitem" and not stmt.target.is_array:
            yield place, stmt.args[0], stmt.args[1]
            return
        values = variables(stmt.args) if reads_memory(stmt) else []
    elif isinstance(stmt, Store):
        values = [stmt.value, *variables(stmt.index)]
        if stmt.accumulate and stmt.array in taken and all(i == FULL for i in stmt.index):
            yield place, *taken[stmt.array]
        elif stmt.accumulate:
            yield place, stmt.array, stmt.index
    elif isinstance(stmt, Keep):
        values = [stmt.value]
    elif isinstance(stmt, (For, While)):
        values = [c.out if place.after else c.init for c in stmt.carried]
    elif isinstance(stmt, If) and place.after:
        values = [v for m in stmt.merges for v in (m.then, m.orelse)]
    for v in values:
        if isinstance(v, Var) and v.is_array:
            array, index = taken.get(v, (v, None))
            yield place, array, index


def _matters(
    write: _Place,
    reader: _Place,
    array: Var,
    index: tuple[object, ...] | None,
    home: dict[Var, tuple[For | While, ...]],
    counters: Mapping[Var, Range],
    inside: _Inside,
) -> bool:
    store = write.stmt
    assert isinstance(store, Store)
    common = [a for a, b in zip(write.loops, reader.loops) if a is b]  # noqa: B905  (the shorter nest ends it)
    if array.root is store.array.root:  # memory that each trip makes anew carries nothing to the next
        common = [loop for loop in common if loop not in home.get(array.root, ())]
    comes_later = reader.position > write.position and not _on_other_side(write, reader)
    if not common and not comes_later:
        return False
    if index is not None and array is store.array:
        if any(_apart(a, b) for a, b in zip(store.index, index, strict=False)):
            return False
        if never_meet(store.index, index, (), counters, inside(common[0]) if common else ()):
            return False
        shared: list[Var] = []  # counters that are the same where both touch one element
        for loop in common:
            if isinstance(loop, For):
                if _always_apart(loop, shared, store.index, index, counters, inside):
                    return False
                shared.append(loop.index)
                order = _order(loop, write, reader, store.index, index, counters, inside)
                if order == "later":
                    return False
                if order == "same":
                    continue
            return True
        return comes_later
    return bool(common) or comes_later


def _on_other_side(a: _Place, b: _Place) -> bool:
    """Whether one of two statements is not run where a branch around both runs the other."""
    return any((branch, not holds) in b.sides for branch, holds in a.sides)


def _apart(a: object, b: object) -> bool:
    """Whether a slice and a number in an index never meet, by constants alone."""
    if isinstance(b, Slice):
        a, b = b, a
    if not (isinstance(b, Const) and isinstance(b.value, int) and b.value >= 0):
        return False
    if not isinstance(a, Slice) or a.step is not None:
        return False
    start, stop = a.start, a.stop
    return (isinstance(start, Const) and isinstance(start.value, int) and start.value > b.value) or (
        isinstance(stop, Const) and isinstance(stop.value, int) and 0 <= stop.value <= b.value
    )


def _always_apart(
    loop: For,
    shared: list[Var],
    written: Index,
    read: Index,
    counters: Mapping[Var, Range],
    inside: _Inside,
) -> bool:
    """Whether what is read in this and all later trips of a reverse loop lies before what is written now, or behind it.

    Elimination writes rows behind row k in step k, and reads row k. The sweep comes to the steps before, and reads rows
    before it.
    """
    if not isinstance(loop.step, Const):
        return False
    fixed = {*shared, loop.index}
    for w, r in zip(written, read, strict=False):
        (first, last), (first_read, last_read) = (ends(item, fixed, counters) for item in (w, r))
        if not (never_negative(first, counters) and never_negative(first_read, counters)):
            continue
        for least, greatest, there, sign in (
            (first, last_read, last_read, 1),
            (first_read, last, first_read, -1),
        ):
            if there is None:
                continue
            rest = with_counter_at(there, loop.index, Dim(0))
            # What is read is no nearer in the later trips of the sweep.
            follows = pace(there, loop.index) * loop.step.value * sign <= 0
            farther = follows and inside(loop).isdisjoint(owners(rest))
            if farther and lies_behind(least, greatest, counters):
                return True
    return False


def _order(
    loop: For,
    write: _Place,
    reader: _Place,
    written: tuple[object, ...],
    read: tuple[object, ...],
    counters: Mapping[Var, Range],
    inside: _Inside,
) -> str:
    """Where, among the trips of a reverse loop, an element restored now could be read: "same" trip only, "later" in
    program order only (which the sweep has already passed), or "unknown"."""
    if len(written) != len(read):
        return "unknown"
    same = False
    for w, r in zip(written, read, strict=True):
        offsets = offset(loop.index, w), offset(loop.index, r)
        if offsets[0] is None or offsets[1] is None:
            continue
        others = {v for c in offsets if c is not None for v in owners(c)}
        if others and not others.isdisjoint(inside(loop)):
            continue  # `i + j`, where j is another one at the read than at the write
        if not all(
            _from_front(loop, c, p.facts, counters) for c, p in zip(offsets, (write, reader), strict=True)
        ):
            continue
        # The read of trip i' hits the write of trip i at i' = i + distance.
        distance = (offsets[0] - offsets[1]).known
        if distance is None:
            continue
        step = loop.step.value if isinstance(loop.step, Const) else 0
        # The sweep runs against the primal: a reverse step of -1 is a primal step of +1.
        primal = distance * (-1 if step > 0 else 1)
        if primal > 0:
            return "later"
        if primal == 0:
            same = True
    return "same" if same else "unknown"


def _from_front(
    loop: For, distance: Dim | None, facts: tuple[Dim, ...], counters: Mapping[Var, Range]
) -> bool:
    """Whether `index + distance` is never negative, and so never counted from the other end."""
    if distance is None:
        return False
    item = Dim.symbol("value", loop.index) + distance
    return any(never_negative(item - fact, counters) for fact in (Dim(0), *facts))


def _without(block: Block, dead: set[Stmt]) -> Block:
    kept: Block = []
    for stmt in block:
        if stmt in dead:
            continue
        change_blocks(stmt, lambda inner: _without(inner, dead))
        kept.append(stmt)
    return kept
