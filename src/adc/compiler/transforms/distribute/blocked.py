"""Write a loop as one over blocks of trips, in which each of its parts goes through all trips of a block."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.touches import move, pace, part
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Operand,
    Stmt,
    Store,
    Var,
    defined,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms import clone
from adc.compiler.transforms.distribute.order import Part
from adc.compiler.transforms.distribute.windows import Window
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.vectorise import is_vector_call
from adc.rules import registry
from adc.rules.dims import Dim

WHOLE = Scalar("int64", True)
BLOCK = 512  # trips: a few arrays of them stay in the first cache


class Blocks:
    """A loop in parts, and the numbers that one part leaves to another."""

    def __init__(
        self,
        loop: For,
        parts: list[Part],
        windows: list[Window],
        memory: Memory,
        counters: Mapping[Var, Range],
    ) -> None:
        self.loop = loop
        self.windows = windows
        self.counters = counters
        self.maker: dict[Var, Stmt] = {v: s for s in loop.body for v in defined(s)}
        self.place = {s: k for k, s in enumerate(loop.body)}
        written = set().union(*(memory.effects(s).writes for s in loop.body))
        self.again: dict[Stmt, bool] = {
            s: written.isdisjoint(memory.effects(s).accesses)
            and (s.name == "getitem" or all(np.dtype(t.type.dtype).kind in "iu" for t in s.targets))
            for s in loop.body
            if isinstance(s, Assign)
        }
        for p in parts:
            if p.recurrence is not None:
                # What it hands on, others make of what it was handed: one array is less than two.
                self.again.update(dict.fromkeys(p.body, True))
                p.recurrence.sum.target.derived = True
        self.home = {v: p for p in parts for s in p.body for v in defined(s)}
        self.home.update({c.phi: p for p in parts for c in p.carried})
        self.repeated: dict[Part, Block] = {}  # what a part computes again
        self.passed: dict[Var, Part] = {}  # what is left to others, by whom
        self.got: dict[Part, list[Var]] = {}
        for p in parts:
            self._look_at(p)
        self.parts = [p for p in parts if self._is_left(p)]
        self.at_the_front = {s: self._at_the_front(s) for s in loop.body}

    def _is_left(self, p: Part) -> bool:
        """Whether a part has anything to do once others make again what they read of it."""
        read = {v for v, home in self.passed.items() if home is p} | {c.out for c in p.carried}
        left: Block = []
        for s in reversed(p.body):
            if not isinstance(s, Assign) or not read.isdisjoint(s.targets):
                left.insert(0, s)
                read.update(v for t in walk([s]) for v in uses(t))
        p.body = left
        return bool(p.body or p.carried)

    def _look_at(self, p: Part) -> None:
        """What a part reads of others: made again where that is a load, a negative, or a sum of integers."""
        again: dict[Stmt, None] = {}
        got: dict[Var, None] = {}
        waiting = [v for s in walk(p.body) for v in uses(s)] + [
            c.out for c in p.carried if isinstance(c.out, Var)
        ]
        while waiting:
            v = waiting.pop()
            if self.home.get(v, p) is p or v in got:
                continue
            maker = self.maker.get(v)
            turned = v not in self.passed and _is_negative(maker, p)
            if maker is not None and (turned or self.again.get(maker, False)):
                if maker not in again:
                    again[maker] = None
                    waiting += uses(maker)
            else:
                got[v] = None
                self.passed[v] = self.home[v]
        self.repeated[p] = sorted(again, key=self.place.__getitem__)
        self.got[p] = sorted(got, key=lambda v: v.order)

    def _at_the_front(self, s: Stmt) -> tuple[bool, ...]:
        """Which subscripts follow the counter and are not negative."""
        touch = part(s)
        values = () if touch is None else map(length_of, touch[1])
        return tuple(pace(v, self.loop.index) != 0 and never_negative(v, self.counters) for v in values)

    def calls(self) -> list[Stmt]:
        """The functions that vectorise, for numbers that wait for no other trip."""
        return [s for p in self.parts if not p.in_order for s in p.body if is_vector_call(s)]

    def looks_ahead(self) -> bool:
        """Whether a part is a linear recurrence, which goes some trips at a time."""
        return any(p.recurrence is not None for p in self.parts)

    def as_loop(self, p: Part) -> For:
        """A part as a loop over all trips."""
        loop = self.loop
        return For(loop.index, loop.start, loop.stop, loop.step, p.carried, p.body, loop.origin)


def _is_negative(maker: Stmt | None, reader: Part) -> bool:
    """Whether a part may as well turn the sign itself; a recurrence has its factors in arrays."""
    return isinstance(maker, Assign) and maker.name == "negative" and reader.recurrence is None


class Writer:
    """The parts of a loop, each over the trips of a block, and that over all blocks."""

    def __init__(self, blocks: Blocks, ev: Evaluator) -> None:
        self.blocks = blocks
        self.loop = blocks.loop
        self.origin = blocks.loop.origin
        self.ev = ev
        index = self.loop.index
        assert isinstance(self.loop.step, Const)
        self.step: int = self.loop.step.value
        self.first, self.lowest = (
            Var(f"{index.name.strip('_') or 'trip'}_{name}", index.type, named=True)
            for name in ("first", "lowest")
        )
        self.count, self.last = (Var(name, WHOLE, named=True) for name in ("count", "last"))
        self.rooms: dict[Var, Var] = {}
        self.elements = {phi for w in blocks.windows for phi in w.handed_on.values()}
        # Made before any part is written, which changes what is known of its variables.
        self.repeated = {p: self._copy(p) for p in blocks.parts}
        self.begun: dict[Var, Atom] = {}
        self.ended = {c.phi: like(c.phi) for c in self.loop.carried}

    def block(self) -> Block:
        """The arrays for what is passed on, and the loop over blocks."""
        loop = self.loop
        out: Block = []
        for v in self.blocks.passed:
            room = self.rooms[v] = _room(v)
            dtype = Const(np.dtype(v.type.dtype))
            out.append(self._assign(room, "empty", (Const(BLOCK),), dtype))
            self.ev.laid_out.add(room)
        begun = {c.phi: like(c.phi) for c in loop.carried if c.phi not in self.elements}
        self.begun.update(begun)
        body = self._ends()
        with self.ev.at(body), self.ev.origin_at(self.origin):
            self._load(self.first)
            self.ev.block += map(self._part, self.blocks.parts)
            if any(w.unsaved() for w in self.blocks.windows):
                self._save(self.ev.op("add", self.lowest, self.last) if self.step > 0 else self.lowest)
        carried = [
            Carried(begun[c.phi], c.init, self.ended[c.phi], c.result) for c in loop.carried if c.phi in begun
        ]
        step = Const(self.step * BLOCK)
        return [*out, For(self.first, loop.start, loop.stop, step, carried, body, self.origin)]

    def _ends(self) -> Block:
        """How many trips a block has, and the least counter in it."""
        left = Var("left", WHOLE, named=False)
        one, other = (self.loop.stop, self.first) if self.step > 0 else (self.first, self.loop.stop)
        if isinstance(other, Const):
            name, ahead = ("subtract", other.value) if other.value > 0 else ("add", -other.value)
            difference = (
                self._assign(left, name, one, Const(ahead)) if ahead else self._assign(left, "alias", one)
            )
        else:
            difference = self._assign(left, "subtract", one, other)
        block: Block = [
            difference,
            self._assign(self.count, "minimum", left, Const(BLOCK)),
        ]
        if self.step > 0:
            block.append(self._assign(self.lowest, "alias", self.first))
        if self.step < 0 or any(w.unsaved() for w in self.blocks.windows):
            block.append(self._assign(self.last, "subtract", self.count, Const(1)))
        if self.step < 0:
            block.append(self._assign(self.lowest, "subtract", self.first, self.last))
        return block

    def _load(self, first: Value) -> None:
        """The elements that the first trip has of the one before."""
        for window in self.blocks.windows:
            for age, phi in window.handed_on.items():
                index = window.element(first, age, self.ev)
                self.begun[phi] = element = like(phi)
                self.ev.block.append(Assign((element,), "getitem", (window.array, index), self.origin))

    def _save(self, last: Value) -> None:
        """The elements that were written, and would have been stored by later trips than the last."""
        for window in self.blocks.windows:
            for age in window.unsaved():
                index = window.element(last, age - 1, self.ev)
                self.ev.store(window.array, index, self.ended[window.handed_on[age]])

    def _copy(self, p: Part) -> tuple[Block, dict[Var, Atom]]:
        """What a part computes again, and what it calls the variables of that."""
        repeated = self.blocks.repeated[p]
        own = [v for s in repeated for v in defined(s)]
        _, again, copies = clone.run([], repeated, own, self.ev, inside=True)
        return again, dict(zip(own, copies, strict=True))

    def _part(self, p: Part) -> For:
        """The loop over the trips of a block that does one part; where order does not matter, upwards."""
        k, counter, counted = self._counted(p)
        again, table = self.repeated[p]
        table[self.loop.index] = counter
        got: Block = []
        for v in self.blocks.got[p]:
            number = table[v] = like(v)
            got.append(Assign((number,), "getitem", (self.rooms[v], (k,))))
        inside = substitute([*again, *p.body], table)
        if (counted is not None and not p.in_order) or p.recurrence is not None:
            known = [self.blocks.at_the_front[s] for s in (*self.blocks.repeated[p], *p.body)]
            inside = _unsigned(inside, known)
        if counted is not None and any(counter in uses(s) for s in walk(inside)):
            got.insert(0, counted)
        left = [v for v, home in self.blocks.passed.items() if home is p]
        given = [v for v in left if any(c.phi is v for c in p.carried)]
        stores = {v: Store(self.rooms[v], (k,), v) for v in left}
        body = [
            *(stores[v] for v in given),
            *got,
            *inside,
            *(stores[v] for v in left if v not in given),
        ]
        carried = [
            Carried(c.phi, self.begun[c.phi], operand(c.out, table), self.ended[c.phi]) for c in p.carried
        ]
        start, stop, step = self._over_trips(p)
        return For(k, start, stop, step, carried, body, self.origin)

    def _counted(self, p: Part) -> tuple[Var, Var, Assign | None]:
        """The place of a trip in the arrays, the counter, and the statement that makes it of the place."""
        k, counter = Var("k", WHOLE, named=False), like(self.loop.index)
        return k, counter, self._assign(counter, "add", self.lowest, k)

    def _over_trips(self, p: Part) -> tuple[Atom, Atom, Const]:
        """The ends and the step of the loop over the places."""
        if p.in_order and self.step < 0:
            return self.last, Const(-1), Const(-1)
        return Const(0), self.count, Const(1)

    def _assign(self, target: Var, name: str, *args: Operand) -> Assign:
        op = name if name == "alias" else registry.named(name)
        return Assign((target,), op, args, self.origin)


def _unsigned(block: Block, at_the_front: list[tuple[bool, ...]]) -> Block:
    """The statements with subscripts that Numba does not ask for their sign: what a block begins at, it cannot tell."""
    out: Block = []
    unsigned: dict[Var, Var] = {}

    def marked(item: Operand) -> Operand:
        if item not in unsigned:
            unsigned[item] = Var("place", Scalar("uint64"), named=False)
            out.append(Assign((unsigned[item],), "cast", (item, Const("uint64"))))
        return unsigned[item]

    for s, known in zip(block, at_the_front, strict=True):
        touch = part(s)
        if touch is not None and any(known):
            array, index = touch
            move(s, (array, tuple(marked(i) if front else i for i, front in zip(index, known, strict=True))))
        out.append(s)
    return out


def _room(v: Var) -> Var:
    """The array for a number of each trip of a block."""
    return Var(f"{v.name}_each", Array(v.type.dtype, (Dim(BLOCK),), "C"), named=v.named)


def like(v: Var) -> Var:
    return Var(v.name, v.type, named=v.named)
