"""Go through the rows of independent recurrences a strip at a time, all rows of a strip in each trip.

    for p in range(n):                          for p_first in range(0, n, 32):
        s = s0                                      count = min(n - p_first, 32)
        for t in range(m):                          for k in range(count):
            kept[t] = s                                 s_strip[k] = s0
            s = s * exp(z[p, t])        ->          for t in range(m):
        total += s                                      for k in range(count):
                                                            s = s_strip[k]
                                                            kept[t, k] = s
                                                            s_strip[k] = s * exp(z[p_first + k, t])
                                                    for k in range(count):
                                                        total_strip[k] += s_strip[k]

A trip waits for the one before it in its row, and calls a function for one number. Over the rows of a strip nothing is
waited for, and the loop vectorises. (Strip mining, interchange and scalar expansion: Kennedy & Allen, *Optimizing
Compilers for Modern Architectures*, 2001, chapter 5.) Sums over all rows are added up for each place of a strip first,
and these at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from adc.compiler.analysis.conditions import integer
from adc.compiler.analysis.counters import Range, never_negative, ranges
from adc.compiler.analysis.effects import Access, Memory, length_of, offset
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    If,
    Mark,
    Program,
    Stmt,
    Store,
    Var,
    blocks,
    defined,
    may_raise,
    owners,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.rewrite import substitute
from adc.compiler.transforms.vectorise import accumulation
from adc.errors import Location
from adc.rules import registry
from adc.rules.dims import Dim
from adc.rules.operation import Operation

STRIP = 32  # rows
FEWEST = 8  # rows, where that is known
MOST = 200  # statements of a row


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the rows of independent recurrences in strips."""
    memory = Memory(evaluator.joined_roots)
    counters = ranges(program.body)

    made = {s.target: s for s in walk(program.body) if isinstance(s, Assign) and s.name == "empty"}

    def visit(block: Block) -> bool:
        """Put strips in the place of loops; whether there were any."""
        found = False
        for s in list(block):
            below = [visit(inner) for inner in blocks(s)]
            if isinstance(s, For) and not any(below):
                own = {v: made[v] for v, of in evaluator.within_trips.items() if s.index in of and v in made}
                rows = _Rows(s, own, memory, counters)
                if rows.are_independent() and rows.wait():
                    place = block.index(s)
                    block[place : place + 1] = _Strip(rows).block()
                    below = [True]
            found = found or any(below)
        return found

    visit(program.body)
    return program


class _Rows:
    """The trips of a loop with others in it."""

    def __init__(
        self, loop: For, made: dict[Var, Assign], memory: Memory, counters: Mapping[Var, Range]
    ) -> None:
        self.loop = loop
        self.made = made  # arrays of a row's own
        self.memory = memory
        self.counters = counters
        self.statements = walk(loop.body)
        self.loops = [s for s in self.statements if isinstance(s, For)]
        self.varying = self._varying()

    def _varying(self) -> set[Var]:
        """What is not the same in all rows."""
        written = self.memory.effects(self.loop).writes
        varying = {self.loop.index, *(c.phi for c in self.loop.carried), *self.made}
        for s in self.statements:
            if isinstance(s, For):
                varying.update(v for c in s.carried for v in (c.phi, c.result))
            elif isinstance(s, Assign):
                reads = self.memory.effects(s).accesses.keys()
                if not varying.isdisjoint(uses(s)) or not written.isdisjoint(reads):
                    varying.update(s.targets)
            else:
                varying.update(defined(s))
        return varying

    def are_independent(self) -> bool:
        """Whether the rows may be gone through in any order, and abreast."""
        loop = self.loop
        if loop.step not in (Const(1), Const(-1)) or not self.loops or len(self.statements) > MOST:
            return False
        span = None
        start, stop = length_of(loop.start), length_of(loop.stop)
        if start is not None and stop is not None:
            span = (stop - start).known
        if span is not None and abs(span) < FEWEST:
            return False
        return (
            all(_is_plain(s) for s in self.statements)
            and all(_sums(c.phi, c.out, loop.body) for c in loop.carried)
            and not any(c.phi.is_array for s in self.loops for c in s.carried)
            and not any(
                v in self.varying
                for s in self.loops
                for end in (s.start, s.stop, s.step)
                for v in _made_of(end)
            )
            and all(self._is_apart(root) for root in self.memory.effects(loop).writes)
        )

    def _is_apart(self, root: Var) -> bool:
        """Whether no row touches what another one writes, but to add to it."""
        effects = self.memory.effects(self.loop)
        accesses = effects.accesses[root]
        if any(a.array in self.made for a in accesses):
            return all(a.array in self.made and a.index is not None for a in accesses)
        if root not in effects.plain:
            return True
        first = accesses[0]
        if any(a.index is None or a.array is not first.array for a in accesses):
            return False
        assert first.index is not None
        return any(self._is_the_row(k, accesses) for k in range(len(first.index)))

    def _is_the_row(self, k: int, accesses: list[Access]) -> bool:
        """Whether a subscript is the number of the row, or as much beside it in all places."""
        found = set()
        for a in accesses:
            assert a.index is not None
            item = a.index[k] if k < len(a.index) else None
            beside = offset(self.loop.index, item)
            if beside is None or any(v in self.varying for v in owners(beside)):
                return False
            if not never_negative(integer(item), self.counters):  # type: ignore[arg-type]
                return False
            found.add(beside)
        return len(found) == 1

    def wait(self) -> bool:
        """Whether trips of an innermost loop wait for each other."""
        return any(
            not any(isinstance(s, For) for s in walk(loop.body))
            and (any(not accumulation(c, loop) for c in loop.carried) or self._reads_back(loop))
            for loop in self.loops
        )

    def _reads_back(self, loop: For) -> bool:
        """Whether a trip reads, of what the row has for itself, elements that another trip writes."""
        stored = {(s.array, s.index) for s in loop.body if isinstance(s, Store) and s.array in self.made}
        arrays = {array for array, _ in stored}
        return any(
            isinstance(s, Assign) and s.name == "getitem" and s.args[0] in arrays and (*s.args,) not in stored
            for s in loop.body
        )


def _is_plain(s: Stmt) -> bool:
    """Whether a statement works on numbers and elements alone, and cannot fail; branches only choose numbers."""
    if isinstance(s, Assign):
        arrays = any(isinstance(a, Var) and a.is_array for a in s.args)
        return (
            not any(t.is_array for t in s.targets)
            and not may_raise(s)
            and not (isinstance(s.op, Operation) and arrays)
        )
    if isinstance(s, If):
        return not any(isinstance(t, (Store, For)) for t in walk([s]))
    return isinstance(s, (Store, Mark, For))


def _made_of(end: Atom) -> Iterator[Var]:
    if isinstance(end, Var):
        yield end
        if end.dim is not None:
            yield from owners(end.dim)


def _sums(value: Atom, out: Atom, body: Block) -> list[Var]:
    """What a number that goes round becomes, up to `out`, where it is a sum that nothing else reads; nothing else."""
    found: list[Var] = []
    while value is not out:
        readers = [s for s in walk(body) for v in uses(s) if v is value]
        if len(readers) != 1 or readers[0] not in body or not isinstance(value, Var):
            return []
        found.append(value)
        (s,) = readers
        if isinstance(s, Assign) and (s.name == "add" or (s.name == "subtract" and s.args[0] is value)):
            value = s.target
        elif isinstance(s, For):
            c = next((c for c in s.carried if c.init is value), None)
            inside = [] if c is None else _sums(c.phi, c.out, s.body)
            if c is None or not inside:
                return []
            found += inside
            value = c.result
        else:
            return []
    read = any(v is out for s in walk(body) for v in uses(s))
    return [] if read or not isinstance(out, Var) else [*found, out]


@dataclass(eq=False)
class _Segment:
    """Statements between loops, of all rows of a strip; what they leave for others when they are through."""

    body: Block = field(default_factory=list)
    left: list[tuple[Var, Atom]] = field(default_factory=list)  # the array of a number, and the number

    def read(self) -> set[Var]:
        return {v for s in walk(self.body) for v in uses(s)} | {v for _, v in self.left if isinstance(v, Var)}

    def made(self) -> set[Var]:
        return {v for s in self.body for v in defined(s)}


class _Strip:
    """Writes a loop over rows as one over strips of them."""

    def __init__(self, rows: _Rows) -> None:
        self.rows = rows
        self.loop = rows.loop
        self.origin: Location | None = rows.loop.origin
        assert isinstance(rows.loop.step, Const)
        self.step: int = rows.loop.step.value
        self.first = Var(f"{rows.loop.index.name}_first", rows.loop.index.type, named=True)
        self.count = Var("count", Scalar("int64", True), named=True)
        self.places: dict[Var, Var] = {}  # of numbers that outlive a segment: the array with one for each row
        self.segments: dict[Mark, _Segment] = {}  # what stands in the text for a segment until all are known

    def block(self) -> Block:
        """The statements in place of the loop."""
        loop = self.loop
        totals = [(c, self._place(*_sums(c.phi, c.out, loop.body))) for c in loop.carried]
        body = self._laid(loop.body, [(place, c.out) for c, place in totals])
        self._hand_over()
        strip = Const(self.step * STRIP)
        left = Var("left", Scalar("int64", True), named=False)
        ends = (loop.stop, self.first) if self.step > 0 else (self.first, loop.stop)
        counted: Block = [
            Assign((left,), registry.named("subtract"), ends, self.origin),
            Assign((self.count,), registry.named("minimum"), (left, Const(STRIP)), self.origin),
        ]
        strips = For(
            self.first, loop.start, loop.stop, strip, [], [*counted, *self._written(body)], self.origin
        )
        return [*self._widened(), *self._cleared(totals), strips, *(self._added_up(c, p) for c, p in totals)]

    # --- the text, with marks for segments --------------------------------------------------------------------------

    def _laid(self, block: Block, last: list[tuple[Var, Atom]]) -> Block:
        out: Block = []
        segment = _Segment()

        def closed() -> _Segment:
            if segment.body or segment.left:
                mark = Mark("segment", self.origin)
                self.segments[mark] = segment
                out.append(mark)
            return _Segment()

        for s in block:
            if isinstance(s, For):
                states = [(c, self.places.get(c.phi) or self._place(c.phi, c.result)) for c in s.carried]
                segment.left += [(place, c.init) for c, place in states]
                segment = closed()
                s.body = self._laid(s.body, [(place, c.out) for c, place in states])
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
        place = Var(f"{v.name}_strip", Array(v.type.dtype, (Dim(STRIP),), "C"), named=v.named)
        self.places.update(dict.fromkeys(numbers, place))
        return place

    def _hand_over(self) -> None:
        """Let segments leave the numbers that others read, and no others."""
        maker = {v: segment for segment in self.segments.values() for v in segment.made()}
        for segment in self.segments.values():
            for v in sorted(segment.read() - segment.made(), key=lambda v: v.order):
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
        read = segment.read() - segment.made()
        if self.loop.index in read:
            row = Var(self.loop.index.name, self.loop.index.type, named=self.loop.index.named)
            op = registry.named("add" if self.step > 0 else "subtract")
            body.append(Assign((row,), op, (self.first, k), self.origin))
            table[self.loop.index] = row
        for v in sorted(read & self.places.keys(), key=lambda v: v.order):
            number = Var(v.name, v.type, named=v.named)
            body.append(Assign((number,), "getitem", (self.places[v], (k,)), self.origin))
            table[v] = number
        for s in walk(segment.body):
            if isinstance(s, Store) and s.array in self.rows.made:
                s.index = (*s.index, k)
            elif isinstance(s, Assign) and s.name == "getitem" and s.args[0] in self.rows.made:
                s.args = (s.args[0], (*s.args[1], k))
        body += substitute(segment.body, table)
        for place, number in segment.left:
            value: Atom = table.get(number, number) if isinstance(number, Var) else number
            body.append(Store(place, (k,), value, False, self.origin))
        return For(k, Const(0), self.count, Const(1), [], body, self.origin)

    def _widened(self) -> Block:
        """The arrays that rows have for themselves, with one axis more, and those of their numbers."""
        out: Block = []
        for array, made in self.rows.made.items():
            assert isinstance(array.type, Array)
            array.type = Array(array.type.dtype, (*array.type.shape, Dim(STRIP)), "C")
            lengths, dtype = made.args
            made.args = ((*(lengths if isinstance(lengths, tuple) else (lengths,)), Const(STRIP)), dtype)
        for place in dict.fromkeys(self.places.values()):
            dtype = Const(np.dtype(place.type.dtype))
            out.append(Assign((place,), registry.named("empty"), ((Const(STRIP),), dtype), self.origin))
        return out

    def _cleared(self, totals: list[tuple[Carried, Var]]) -> Block:
        if not totals:
            return []
        k = Var("k", Scalar("int64", True), named=False)
        body: Block = [
            Store(place, (k,), Const(np.dtype(place.type.dtype).type(0)), False, self.origin)
            for _, place in totals
        ]
        return [For(k, Const(0), Const(STRIP), Const(1), [], body, self.origin)]

    def _added_up(self, c: Carried, place: Var) -> For:
        k = Var("k", Scalar("int64", True), named=False)
        phi, part, out = (Var(c.phi.name, c.phi.type, named=False) for _ in range(3))
        body: Block = [
            Assign((part,), "getitem", (place, (k,)), self.origin),
            Assign((out,), registry.named("add"), (phi, part), self.origin),
        ]
        carried = [Carried(phi, c.init, out, c.result)]
        return For(k, Const(0), Const(STRIP), Const(1), carried, body, self.origin)
