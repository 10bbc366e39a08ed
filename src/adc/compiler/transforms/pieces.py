"""Go through a loop in pieces where it reads at positions that are one sum up to some trip, another from there on.

    for k in range(n):                                  first = 0
        at = k + (n - s) if k < s else k - s            for piece in range(2):
        total += x[k] * x[at]                  ->           less = first < s
                                                            last = min(n, s if less else n)
                                                            at = first + (n - s if less else -s)
                                                            for i in range(last - first):
                                                                total += x[np.uint64(first + i)] * x[np.uint64(at + i)]
                                                            first = last

So a row that is rolled is read where it lies: each piece vectorises, and nothing is copied. Periodic neighbours along
both axes of a grid of 80 x 80 take 0.6 of the time that copies of rolled rows took.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from adc.compiler.analysis.counters import Range, never_negative, ranges
from adc.compiler.analysis.touches import move, offset, pace, part, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    Program,
    Var,
    change_blocks,
    defined,
    owners,
)
from adc.compiler.ir.types import Scalar
from adc.compiler.transforms.vectorise import vectorisable
from adc.rules import registry
from adc.rules.dims import Dim

MOST = 6  # places where a loop is cut


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with loops in pieces where they read at positions that are chosen by their counters."""
    program.body = _Cutter(evaluator, ranges(program.body)).block(program.body)
    return program


@dataclass(frozen=True)
class _Choice:
    """A position that is one sum in the trips up to one, `trip`, and another from there on."""

    made: Assign
    trip: Dim
    found: Assign  # the question whether that trip has come


class _Cutter:
    def __init__(self, evaluator: Evaluator, counters: Mapping[Var, Range]) -> None:
        self.ev = evaluator
        self.counters = counters

    def block(self, block: Block) -> Block:
        """A block with its loops in pieces, the innermost first."""
        out: Block = []
        for s in block:
            change_blocks(s, self.block)
            if isinstance(s, For) and vectorisable(s):
                choices = list(self._choices(s))
                if 0 < len({c.trip for c in choices}) <= MOST:
                    with self.ev.at(out), self.ev.origin_at(s.origin):
                        s = self._in_pieces(s, choices)
            out.append(s)
        return out

    def _choices(self, loop: For) -> Iterator[_Choice]:
        """Where a loop reads or writes as its counter has it, never in front of the array."""
        inside = {loop.index, *(c.phi for c in loop.carried), *(v for s in loop.body for v in defined(s))}
        positions = {i for s in loop.body if (touch := part(s)) is not None for i in touch[1]}
        tests = {s.target: s for s in loop.body if isinstance(s, Assign) and s.name == "less"}
        counter = Dim.symbol("value", loop.index)
        for s in loop.body:
            if not isinstance(s, Assign) or s.name != "where" or s.target not in positions:
                continue
            test = tests.get(s.args[0])
            if test is None:
                continue
            begin, end = offset(loop.index, test.args[0]), length_of(test.args[1])
            before, behind = (offset(loop.index, x) for x in s.args[1:])
            if begin is None or end is None or before is None or behind is None:
                continue
            if not inside.isdisjoint(v for d in (begin, end, before, behind) for v in owners(d)):
                continue
            trip = end - begin
            if all(never_negative(d, self.counters) for d in (counter + before, trip + behind)):
                yield _Choice(s, trip, test)

    def _in_pieces(self, loop: For, choices: list[_Choice]) -> For:
        """The loop over the pieces."""
        ev = self.ev
        trips = {
            c.trip: c.found.args[1] if c.found.args[0] is loop.index else ev.dim_value(c.trip)
            for c in choices
        }
        first, step = Var("first", Scalar("int64", True)), Var("i", Scalar("int64", True), named=False)
        made = {s.target: s for s in loop.body if isinstance(s, Assign)}

        def at_first(x: Any) -> Any:
            """A position in the first trip of a piece."""
            if x is loop.index:
                return first
            return ev.op(made[x].name, *map(at_first, made[x].args)) if x in made else x

        body: Block = []
        with ev.at(body):
            before = {trip: ev.op("less", first, at) for trip, at in trips.items()}
            last: Any = loop.stop
            for trip, at in trips.items():
                last = ev.op("minimum", last, ev.op("where", before[trip], at, loop.stop))
            starts = {
                c.made: ev.op("where", before[c.trip], *map(at_first, c.made.args[1:])) for c in choices
            }
            count = ev.atom(ev.op("subtract", last, first))
        outside: list[Carried] = []
        inside: list[Carried] = []
        for c in loop.carried:
            phi, result = _like(c.phi), _like(c.phi)
            inside.append(Carried(c.phi, phi, c.out, result))
            outside.append(Carried(phi, c.init, result, c.result))
        of_piece = _Piece(ev, loop, first, step, starts, self.counters).body()
        body.append(For(step, Const(0), count, Const(1), inside, of_piece, loop.origin, loop.note))
        outside.append(Carried(first, loop.start, ev.atom(last), _like(first)))
        piece = Var("piece", Scalar("int64", True))
        return For(piece, Const(0), Const(len(trips) + 1), Const(1), outside, body, loop.origin)


class _Piece:
    """The body of a loop in a piece: the counter is `first + trip`, a chosen position where it starts and `trip`."""

    def __init__(
        self,
        evaluator: Evaluator,
        loop: For,
        first: Var,
        trip: Var,
        starts: Mapping[Assign, Any],
        counters: Mapping[Var, Range],
    ) -> None:
        self.ev = evaluator
        self.loop = loop
        self.counter = Dim.symbol("value", first) + Dim.symbol("value", trip)
        self.first, self.trip = first, trip
        self.starts, self.counters = starts, counters
        self.places: dict[Var, Var] = {}  # by what the subscripts were
        self.out: Block = []

    def body(self) -> Block:
        with self.ev.at(self.out):
            self.out.append(Assign((self.loop.index,), registry.named("add"), (self.first, self.trip)))
            for s in self.loop.body:
                if isinstance(s, Assign) and s in self.starts:
                    self.out.append(Assign((s.target,), registry.named("add"), (self.starts[s], self.trip)))
                    start = length_of(self.starts[s])
                    assert start is not None
                    place = start + Dim.symbol("value", self.trip)
                    self.places[s.target] = self._unsigned(s.target, place)
                    continue
                touch = part(s)
                if touch is not None:
                    move(s, (touch[0], tuple(map(self._place, touch[1]))))
                self.out.append(s)
        return self.out

    def _place(self, item: Any) -> Any:
        """A subscript; one that follows the counter is told not to count from the end."""
        if isinstance(item, Var) and item not in self.places:
            value = length_of(item)
            if value is None or not pace(value, self.loop.index) or not never_negative(value, self.counters):
                return item
            self.places[item] = self._unsigned(item, with_counter_at(value, self.loop.index, self.counter))
        return self.places.get(item, item) if isinstance(item, Var) else item

    def _unsigned(self, item: Var, value: Dim) -> Var:
        place = Var("place", Scalar("uint64"), dim=value, named=False)
        self.out.append(Assign((place,), "cast", (item, Const("uint64"))))
        return place


def _like(v: Var) -> Var:
    return Var(v.name, v.type)
