"""Write a loop over rows as one over strips of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from adc.compiler.analysis.touches import Touch, move, part
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Index,
    Mark,
    Stmt,
    Store,
    Var,
    blocks,
    defined,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.strips.rows import Rows, sums
from adc.compiler.transforms.strips.turned import Turned, turned
from adc.errors import Location
from adc.rules import registry
from adc.rules.dims import Dim

STRIP = 32  # rows
TURNED = 24  # with parts of arrays of their own: three vectors of eight numbers, six of four
WIDE = 64  # where no trip waits for another one, and nothing is copied


@dataclass(eq=False)
class _Segment:
    """Statements between loops, of all rows of a strip; what they leave for others when they are through."""

    is_inner: bool  # in a loop
    body: Block = field(default_factory=list)
    left: list[tuple[Var, Atom]] = field(default_factory=list)  # the array of a number, and the number

    def read(self) -> set[Var]:
        return {v for s in walk(self.body) for v in uses(s)} | {v for _, v in self.left if isinstance(v, Var)}

    def made(self) -> set[Var]:
        return {v for s in self.body for v in defined(s)}


class Strip:
    """Writes a loop over rows as one over strips of them."""

    def __init__(self, rows: Rows, evaluator: Evaluator) -> None:
        self.rows = rows
        self.ev = evaluator
        self.size = TURNED if rows.call_functions() else STRIP if rows.wait else WIDE
        self.turned: dict[Var, Turned] = {}
        self.loop = rows.loop
        self.origin: Location | None = rows.loop.origin
        assert isinstance(rows.loop.step, Const)
        self.step: int = rows.loop.step.value
        self.first = Var(f"{rows.loop.index.name}_first", rows.loop.index.type, named=True)
        self.count = Var("count", Scalar("int64", True), named=True)
        self.again = _places_of_rows(rows)
        self.places: dict[Var, Var] = {}  # of numbers that outlive a segment: the array with one for each row
        self.segments: dict[Mark, _Segment] = {}  # what stands in the text for a segment until all are known

    def block(self) -> Block:
        """The statements in place of the loop."""
        loop = self.loop
        totals = [(c, self._place(*sums(c.phi, c.out, loop.body))) for c in loop.carried]
        out: Block = []
        if self.size == TURNED:
            with self.ev.at(out), self.ev.origin_at(self.origin):
                self.turned = {t.array: t for t in turned(self.rows, self.size, self.ev)}
        body = self._laid(loop.body, [(place, c.out) for c, place in totals], inner=False)
        self._hand_over()
        with self.ev.at(out), self.ev.origin_at(self.origin):
            self._make_room(out)
        left = Var("left", Scalar("int64", True), named=False)
        ends = (loop.stop, self.first) if self.step > 0 else (self.first, loop.stop)
        strip: Block = [
            Assign((left,), registry.named("subtract"), ends, self.origin),
            Assign((self.count,), registry.named("minimum"), (left, Const(self.size)), self.origin),
            *self._copies([t for t in self.turned.values() if not t.is_made], back=False),
            *self._cleared(totals),
            *self._written(body),
            *self._copies([t for t in self.turned.values() if t.is_written], back=True),
        ]
        carried = [self._added_up(c, place, strip) for c, place in totals]
        step = Const(self.step * self.size)
        return [*out, For(self.first, loop.start, loop.stop, step, carried, strip, self.origin)]

    # --- the text, with marks for segments --------------------------------------------------------------------------

    def _laid(self, block: Block, last: list[tuple[Var, Atom]], inner: bool) -> Block:
        out: Block = []
        segment = _Segment(inner)

        def closed() -> _Segment:
            if segment.body or segment.left:
                mark = Mark("segment", self.origin)
                self.segments[mark] = segment
                out.append(mark)
            return _Segment(inner)

        for s in block:
            if isinstance(s, For):
                states = [(c, self.places.get(c.phi) or self._state(c, s)) for c in s.carried]
                segment.left += [(place, c.init) for c, place in states]
                segment = closed()
                s.body = self._laid(s.body, [(place, c.out) for c, place in states], inner=True)
                s.carried = []
                out.append(s)
            elif isinstance(s, Mark):
                continue
            elif self.rows.varying.isdisjoint(defined(s)) and isinstance(s, Assign):
                out.append(s)  # the same for all rows
            else:
                segment.body.append(s)
        segment.left += last
        closed()
        return out

    def _place(self, *numbers: Var) -> Var:
        """The array for a number of each row of a strip, under all its names."""
        v = numbers[0]
        place = Var(f"{v.name}_strip", Array(v.type.dtype, (Dim(self.size),), "C"), named=v.named)
        self.places.update(dict.fromkeys(numbers, place))
        return place

    def _state(self, c: Carried, loop: For) -> Var:
        """The array for what a loop carries: sums that go through loops inside lie in one."""
        return self._place(*(sums(c.phi, c.out, loop.body) or [c.phi]), c.result)

    def _hand_over(self) -> None:
        """Let segments leave the numbers that others read, and no others."""
        maker = {v: segment for segment in self.segments.values() for v in segment.made()}
        for segment in self.segments.values():
            for v in sorted(segment.read() - segment.made() - self.again.keys(), key=lambda v: v.order):
                if v in maker:
                    maker[v].left.append((self.places.get(v) or self._place(v), v))
        for segment in self.segments.values():
            made = segment.made()
            # Where it lies already it stays.
            segment.left = [
                (place, v)
                for place, v in dict.fromkeys(segment.left)
                if v in made or not isinstance(v, Var) or self.places.get(v) is not place
            ]

    # --- the text ---------------------------------------------------------------------------------------------------

    def _written(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            if isinstance(s, Mark):
                segment = self.segments[s]
                out += [self._over_rows(segment)] if segment.body or segment.left else []
                continue
            for inner in blocks(s):
                inner[:] = self._written(inner)
            out.append(s)
        return out

    def _over_rows(self, segment: _Segment) -> For:
        """The loop over the rows of a strip that does what a segment says."""
        k = Var("k", Scalar("int64", True), named=False)
        table: dict[Var, Atom] = {}
        body: Block = []
        # Rows that are not there any more do no harm in what belongs to the strip alone.
        apart = [self._is_in_strip(s, k) for s in walk(segment.body)]
        full = segment.is_inner and all(apart)
        read = segment.read() - segment.made()
        again = sorted(read & self.again.keys(), key=lambda v: v.order)
        if again or any(self.loop.index in uses(s) for s in walk(segment.body)):
            full = False
            table[self.loop.index] = self._row(k, body)
        for v in again:
            self._make_again(v, body, table)
        for v in sorted(read & self.places.keys(), key=lambda v: v.order):
            number = Var(v.name, v.type, named=v.named)
            body.append(Assign((number,), "getitem", (self.places[v], (k,)), self.origin))
            table[v] = number
        body += substitute(segment.body, table)
        for place, left in segment.left:
            body.append(Store(place, (k,), operand(left, table), False, self.origin))
        return For(k, Const(0), Const(self.size) if full else self.count, Const(1), [], body, self.origin)

    def _make_again(self, v: Var, body: Block, table: dict[Var, Atom]) -> None:
        """Compute what a segment reads of another one's integers."""
        if v in table:
            return
        made, length = self.again[v]
        for u in uses(made):
            if u in self.again:
                self._make_again(u, body, table)
        new = Var(v.name, v.type, named=v.named)
        new.dim = length
        body += substitute([Assign((new,), made.op, made.args, made.origin)], table)
        table[v] = new

    def _row(self, k: Var, body: Block) -> Var:
        row = Var(self.loop.index.name, self.loop.index.type, named=self.loop.index.named)
        k.dim = Dim.symbol("value", k)
        row.dim = Dim.symbol("value", self.first) + k.dim * (1 if self.step > 0 else -1)
        op = registry.named("add" if self.step > 0 else "subtract")
        body.append(Assign((row,), op, (self.first, k), self.origin))
        return row

    def _is_in_strip(self, s: Stmt, k: Var) -> bool:
        """Let a statement use what a strip has of an array; whether it uses nothing else."""
        touch = part(s)
        if touch is None:
            return True
        found = self._part(*touch, k)
        if found is not None:
            move(s, found)
        return found is not None

    def _part(self, array: Var, index: Index, k: Var) -> Touch | None:
        """Where an element lies in what a strip has of an array."""
        if array in self.rows.made:
            return array, (*index, k)
        if array in self.turned:
            return self.turned[array].part, self.turned[array].element(index, k)
        return None

    # --- what stands around it --------------------------------------------------------------------------------------

    def _copies(self, arrays: list[Turned], back: bool) -> Block:
        """The loop that copies the strip's part of arrays, or brings back what was written."""
        if not arrays:
            return []
        k = Var("k", Scalar("int64", True), named=False)
        body: Block = []
        row = self._row(k, body)
        for t in arrays:
            body += t.copied(row, k, back)
        return [For(k, Const(0), self.count, Const(1), [], body, self.origin)]

    def _make_room(self, out: Block) -> None:
        """The arrays that rows have for themselves, with one axis more; those of numbers, and parts of others.

        Where rows that are not there are gone through, they have zeros to go on with.
        """
        for array, made in self.rows.made.items():
            assert isinstance(array.type, Array)
            array.type = Array(array.type.dtype, (*array.type.shape, Dim(self.size)), "C")
            lengths, dtype = made.args
            made.args = ((*(lengths if isinstance(lengths, tuple) else (lengths,)), Const(self.size)), dtype)
        made_by = registry.named("zeros" if self.turned else "empty")
        for v in (*dict.fromkeys(self.places.values()), *(t.part for t in self.turned.values())):
            shape = tuple(self.ev.atom(self.ev.dim_value(d)) for d in v.type.shape)
            out.append(Assign((v,), made_by, (shape, Const(np.dtype(v.type.dtype))), self.origin))
            self.ev.laid_out.add(v)

    def _cleared(self, totals: list[tuple[Carried, Var]]) -> Block:
        if not totals:
            return []
        k = Var("k", Scalar("int64", True), named=False)
        body: Block = [Store(place, (k,), _zero(place.type.dtype), False, self.origin) for _, place in totals]
        return [For(k, Const(0), Const(self.size), Const(1), [], body, self.origin)]

    def _added_up(self, c: Carried, place: Var, strip: Block) -> Carried:
        """Add the sums of the rows of a strip to that of all."""
        k = Var("k", Scalar("int64", True), named=False)
        before, phi, out, after = (Var(c.phi.name, c.phi.type, named=c.phi.named) for _ in range(4))
        part = Var("part", c.phi.type, named=False)
        body: Block = [
            Assign((part,), "getitem", (place, (k,)), self.origin),
            Assign((out,), registry.named("add"), (phi, part), self.origin),
        ]
        carried = [Carried(phi, before, out, after)]
        strip.append(For(k, Const(0), self.count, Const(1), carried, body, self.origin))
        return Carried(before, c.init, after, c.result)


def _places_of_rows(rows: Rows) -> dict[Var, tuple[Assign, Dim | None]]:
    """Integers that say where a row lies, and are computed again rather than kept: what makes them, and their value."""
    found: dict[Var, tuple[Assign, Dim | None]] = {}
    for s in rows.statements:
        if (
            isinstance(s, Assign)
            and s.name in ("add", "subtract", "multiply", "negative")
            and s.target.type.dtype == "int64"
            and s.target in rows.varying
            and all(v is rows.loop.index or v in found or v not in rows.varying for v in uses(s))
        ):
            found[s.target] = s, s.target.dim
    return found


def _zero(dtype: str) -> Const:
    return Const(np.dtype(dtype).type(0).item())
