"""Bring primal values to the reverse sweep: read them where they still are, recompute them, or keep them.

At the top of a function every value is still there. Inside a loop, the values of one trip are gone when the sweep
comes back to it: loop indices are recounted, cheap values are recomputed from their operands, and the rest (what the
loop carries, what cost much, what was overwritten in memory) is kept in the forward sweep, in a buffer indexed by the
loop counters where all trip counts are known before the outermost loop begins, on a stack that grows otherwise.

Memory: when the sweep reaches a statement, every write after it has been undone. So an expression that reads memory
may be recomputed exactly when no write to that memory stands between it and the statement being reversed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.counters import Range
from adc.compiler.analysis.inductions import steps
from adc.compiler.analysis.layout import Layout, Region, reads
from adc.compiler.analysis.touches import pace, with_counter_at
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Carried,
    Const,
    For,
    If,
    Keep,
    NewBuffer,
    Restore,
    Slice,
    Stmt,
    Var,
    While,
    is_view,
    owners,
    variables,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms import remeasure, slots
from adc.compiler.transforms.rewrite import operand as rewritten
from adc.rules.dims import Dim

# Recomputing costs less than a store and a load up to here (a matrix product is 100, a transcendental 4).
WORTH_KEEPING = 100
WRITTEN_OUT = 4  # products that a product of vectors is, at most, without a loop


@dataclass(eq=False)
class Frame:
    """A primal region while the sweep reverses it."""

    region: Region
    block: Block  # where the reverse statements go
    index: Var | None = None  # counts the trips of `loop` backwards
    loop: For | While | None = None
    current: Stmt | None = None  # the statement being reversed
    fetched: dict[Var, Atom] = field(default_factory=dict)


class Needs:
    """Answers `need(v)` for the statement that the sweep is reversing."""

    def __init__(self, layout: Layout, evaluator: Evaluator, counters: Mapping[Var, Range]) -> None:
        self.layout = layout
        self.ranges = counters
        self.ev = evaluator
        self.frames: list[Frame] = []
        self.force_kept: set[Var] = set()
        self.buffers: dict[Var, Buffer] = {}
        self.counters: dict[While, Var] = {}
        self._before: dict[Stmt, Block] = {}
        self._after: dict[Stmt, Block] = {}
        self._at_start: dict[int, Block] = {}
        self._at_end: dict[int, Block] = {}

    # --- fetching -----------------------------------------------------------------------------------------------

    def need(self, v: Var) -> Atom:
        """An atom with the primal value of `v`, valid where the sweep now stands."""
        region = self.layout.home[v]
        if not region.in_loop:
            return v
        frame = next((f for f in reversed(self.frames) if f.region is region), None)
        assert frame is not None, f"{v!r} is needed outside the region that defines it"
        if v not in frame.fetched:
            with self.ev.at(frame.block):
                frame.fetched[v] = self._fetch(v, frame)
        return frame.fetched[v]

    def _fetch(self, v: Var, frame: Frame) -> Atom:
        definition = self.layout.definition[v]
        if definition is None and isinstance(frame.loop, For) and v is frame.loop.index:
            assert frame.index is not None
            return frame.index
        if definition is None and isinstance(frame.loop, While) and v not in self.force_kept:
            for c, step in steps(frame.loop).items():
                if c.phi is v:
                    return self._recounted(c, step, frame)
        if isinstance(definition, Assign) and self._recomputable(v, definition, frame):
            table = {u: self.need(u) for u in variables(definition.args)}
            targets = tuple(Var(t.name, t.type, named=t.named, dim=t.dim) for t in definition.targets)
            for t, old in zip(targets, definition.targets, strict=True):
                if old.view_of is not None:
                    base = table.get(old.view_of, old.view_of)
                    assert isinstance(base, Var)
                    t.view_of, t.root = base, base.root
                t.dim = self._redimensioned(old, t)
                frame.fetched[old] = t
                self.ev.again[t] = old
            again = Assign(targets, definition.op, rewritten(definition.args, table), definition.origin)
            self.measure([again])
            frame.block.append(again)
            return frame.fetched[v]
        return self._restore(v, frame)

    def _recounted(self, c: Carried, step: int, frame: Frame) -> Atom:
        """An integer that each trip of a `while` changes by the same number, from the number of the trip."""
        assert frame.index is not None
        first = self.need(c.init) if isinstance(c.init, Var) else c.init.value
        moved = self.ev.op("multiply", frame.index, abs(step))
        value = self.ev.op("add" if step > 0 else "subtract", first, moved)
        if isinstance(value, Var) and value is not frame.index:
            value.name, value.named = c.phi.name, c.phi.named
        return self.ev.atom(value)

    def measure(self, block: Block) -> None:
        """Give the arrays that a block makes lengths in terms of what stands in the reverse sweep.

        Where the forward sweep has a length inside a loop, the reverse sweep has another variable for it.
        """
        remeasure.block(block, self.outside, self.ev)

    def _redimensioned(self, old: Var, new: Var) -> Dim | None:
        """The value of a recomputed integer as a length, in terms of the reverse loop's counters."""
        if old.dim is None:
            return None
        if old.dim == Dim.symbol("value", old):
            return Dim.symbol("value", new)
        result = Dim(old.dim.const)
        for symbol, coefficient in old.dim.terms:
            part = Dim(0, ((symbol, 1),))
            if symbol.kind == "value":
                v = symbol.payload[0]
                assert isinstance(v, Var)
                fetched = self.need(v) if v in self.layout.home else v
                if isinstance(fetched, Var):
                    part = (
                        fetched.dim
                        if fetched is not v and fetched.dim is not None
                        else Dim.symbol("value", fetched)
                    )
                    part = Dim.symbol("value", v) if fetched is v else part
            result = result + part * coefficient
        return result

    def _recomputable(self, v: Var, definition: Assign, frame: Frame) -> bool:
        if v in self.force_kept:
            return False
        if is_view(definition):
            return True
        if v.is_array and v in self.layout.stores:
            return False  # its elements are not those that its definition gave it
        if definition.name == "getitem" and not v.is_array and self._kept_for_one(definition.args[0], frame):
            return False
        return not (self._conflicts(definition, frame) or self._cost(v, frame, set()) >= WORTH_KEEPING)

    def _kept_for_one(self, array: Var, frame: Frame) -> bool:
        """Whether recomputing an element would keep all of an array, which nothing else has asked for yet."""
        owner = array.root
        if self.layout.home.get(owner) is not frame.region:
            return self._is_written_over(owner, frame.region)
        if owner in frame.fetched or owner in self.buffers:
            return False
        return self.layout.definition[owner] is None or owner in self.layout.stores

    def _is_written_over(self, array: Var, region: Region) -> bool:
        """Whether each trip writes to many elements of an array at once, which would all be put back for one."""
        return region.in_loop and any(
            self.layout.region_of[s].loops == region.loops and any(isinstance(i, Slice) for i in s.index)
            for _, s in self.layout.stores.get(array, ())
        )

    def _conflicts(self, definition: Assign, frame: Frame) -> bool:
        """Whether memory that the definition reads is written before the statement being reversed has ended."""
        begin = self.layout.start[definition]
        until = self.layout.end[frame.current] if frame.current is not None else 1 << 60
        if frame.current is None and frame.region.block:
            until = self.layout.end[frame.region.block[-1]]
        element = definition.args if definition.name == "getitem" and not definition.target.is_array else None
        fixed = [loop.index for loop in frame.region.loops if isinstance(loop, For)]
        return any(
            element is None
            or store.array is not element[0]
            or not never_meet(store.index, element[1], fixed, self.ranges)
            for root in reads(definition)
            for store in self.layout.written_between(root, begin, until)
        )

    def _cost(self, v: Var, frame: Frame, seen: set[Var]) -> int:
        """What recomputing `v` takes, down to what is there or kept anyway."""
        if v in seen or v in frame.fetched:
            return 0
        seen.add(v)
        region = self.layout.home[v]
        definition = self.layout.definition[v]
        if region is not frame.region or not isinstance(definition, Assign) or v in self.force_kept:
            return 0
        if self._conflicts(definition, frame):
            return 0
        return own_cost(definition) + sum(self._cost(u, frame, seen) for u in variables(definition.args))

    # --- keeping ------------------------------------------------------------------------------------------------

    def _restore(self, v: Var, frame: Frame) -> Atom:
        if isinstance(v.type, Array) and not all(self.outside(d) for d in v.type.shape):
            return self._restore_elements(v)
        buffer = self.buffers.get(v)
        if buffer is None:
            buffer = self.buffers[v] = self._keep(v)
        target = Var(
            v.name,
            v.type if not isinstance(v.type, Array) else Array(v.type.dtype, v.type.shape),
            named=v.named,
            dim=v.dim,
        )
        self.ev.again[target] = v
        if target.dim is not None and not self.outside(target.dim):
            # Of this trip, where the forward sweep's has the last trip's.
            target.dim = Dim.symbol("value", target)
        index = None if buffer.trips is None else tuple(self._slots(self.layout.home[v], reverse=True))
        frame.block.append(Restore(target, buffer, index, self.ev.origin))
        return target

    def _keep(self, v: Var) -> Buffer:
        """Arrange for the forward sweep to keep `v` of every trip."""
        region = self.layout.home[v]
        outermost = region.loops[0]
        setup: Block = []
        with self.ev.at(setup), self.ev.origin_at(outermost.origin):
            trips = self._trip_counts(region)
            lengths = self.ev.shape_values(v.type.shape)
            buffer = Buffer(
                f"{v.name}_kept", v.type.dtype, trips, v.type.shape, tuple(self.ev.atom(n) for n in lengths)
            )
        setup.append(NewBuffer(buffer, outermost.origin))
        self._before.setdefault(outermost, []).extend(setup)
        keeping: Block = []
        with self.ev.at(keeping):
            index = None if trips is None else tuple(self._slots(region, reverse=False))
        keeping.append(Keep(buffer, index, v, self.ev.origin))
        self._keep_at(v, keeping)
        return buffer

    def _keep_at(self, v: Var, keeping: Block) -> None:
        """Let the forward sweep run `keeping` where `v` has the value that the reverse sweep wants."""
        region = self.layout.home[v]
        definition = self.layout.definition[v]
        if v.is_array and v.root in self.layout.stores:
            # Kept as the trip leaves it: the sweep begins there, and undoes the writes on its way back.
            self._at_end.setdefault(id(region.block), []).extend(keeping)
        elif definition is None:
            self._at_start.setdefault(id(region.block), []).extend(keeping)
        else:
            self._after.setdefault(definition, []).extend(keeping)

    def _restore_elements(self, v: Var) -> Var:
        """An array whose shape is only known inside the loop: its lengths, and its elements on a stack."""
        assert isinstance(v.type, Array)
        buffer = Buffer(f"{v.name}_kept", v.type.dtype, None)
        outermost = self.layout.home[v].loops[0]
        self._before.setdefault(outermost, []).append(NewBuffer(buffer, outermost.origin))
        lengths = tuple(self.ev.atom(self.need(n)) for n in self._kept_lengths(v))
        keeping: Block = []
        with self.ev.at(keeping), self.ev.origin_at(outermost.origin):
            counts = tuple(
                self.ev.assign("dim", (v, Const(k)), Scalar("int64", True)) for k in range(v.type.ndim)
            )
            self.ev.block.append(Keep(buffer, None, v, self.ev.origin, counts))
        self._keep_at(v, keeping)
        shape = tuple(self.ev.length(n) for n in lengths)
        assert all(d is not None for d in shape)
        target = Var(v.name, Array(v.type.dtype, tuple(d for d in shape if d is not None)), named=v.named)
        self.ev.block.append(Restore(target, buffer, None, self.ev.origin, lengths))
        return target

    def _kept_lengths(self, v: Var) -> list[Var]:
        """The lengths of `v` as variables of its region, which the forward sweep keeps."""
        measuring: Block = []
        with self.ev.at(measuring):
            found = [
                self.ev.assign("dim", (v, Const(k)), Scalar("int64", True), "n") for k in range(v.type.ndim)
            ]
        region, definition = self.layout.home[v], self.layout.definition[v]
        for n in found:
            self.layout.home[n], self.layout.definition[n] = region, definition
            self.force_kept.add(n)
        if definition is None:
            self._at_start.setdefault(id(region.block), []).extend(measuring)
        else:
            self._after.setdefault(definition, []).extend(measuring)
        return found

    def _trip_counts(self, region: Region) -> list[Atom] | None:
        """How often each loop around a region runs at most, by values known before the outermost begins, or None.

        Where `j` begins or ends at another loop's counter, a buffer has as many places for it as in the longest trip.
        """
        counts: list[Atom] = []
        for loop in region.loops:
            if isinstance(loop, While):
                return None
            length = slots.trips(loop, self.ev)
            for around in region.loops[::-1]:
                if length is not None and not self.outside(length) and isinstance(around, For):
                    length = self._at_most(length, around)
            if length is None or not self.outside(length):
                return None
            counts.append(self.ev.atom(self.ev.dim_value(length.clamped())))
        return counts

    def _at_most(self, length: Dim, loop: For) -> Dim | None:
        """What a number of trips is at most in all trips of a loop around."""
        growth = pace(length, loop.index)
        if growth == 0:
            return length
        end = self.ranges.get(loop.index, (None, None))[1 if growth > 0 else 0]
        return None if end is None else with_counter_at(length, loop.index, end)

    def outside(self, d: Dim) -> bool:
        """Whether a length only depends on values of the function's top level."""
        return all(v in self.layout.home and not self.layout.home[v].in_loop for v in owners(d))

    def _slots(self, region: Region, reverse: bool) -> list[Atom]:
        """The position of the current trip in a buffer: one counter from zero per loop around the region."""
        found: list[Atom] = []
        for loop in region.loops:
            assert isinstance(loop, For)
            index: Value = loop.index
            start: Value = loop.start.value if isinstance(loop.start, Const) else loop.start
            if reverse:
                index = self.need(loop.index)
                start = self.need(start) if isinstance(start, Var) else start
            found.append(slots.slot(loop, self.ev, index, start))
        return found

    # --- changes to the forward sweep ---------------------------------------------------------------------------

    def trip_counter(self, loop: While) -> Value:
        """The number of trips that a `while` made, counted by the forward sweep."""
        if loop not in self.counters:
            phi = Var("trips", Scalar("int64", True))
            result = Var("trips", Scalar("int64", True))
            result.dim = Dim.symbol("value", result)
            phi.dim = Dim.symbol("value", phi)
            block: Block = []
            with self.ev.at(block):
                out = self.ev.op("add", phi, 1)
            out.name, out.named = "trips", True
            loop.carried.append(Carried(phi, Const(0), out, result))
            self._after.setdefault(loop.body[-1], []).extend(block) if loop.body else loop.body.extend(block)
            self.counters[loop] = result
            self.layout.home[result] = self.layout.region_of[loop]
            self.layout.definition[result] = loop
        return self.counters[loop]

    def insert_before(self, stmt: Stmt, block: Block) -> None:
        self._before.setdefault(stmt, []).extend(block)

    def with_insertions(self, block: Block) -> Block:
        """The forward sweep with everything that keeps values."""
        result: Block = list(self._at_start.get(id(block), []))
        for stmt in block:
            for early in self._before.get(stmt, []):
                result.append(early)
                result.extend(self._after.get(early, []))
            if isinstance(stmt, For):
                stmt = self._same(
                    stmt,
                    For(
                        stmt.index,
                        stmt.start,
                        stmt.stop,
                        stmt.step,
                        stmt.carried,
                        self.with_insertions(stmt.body),
                        stmt.origin,
                        stmt.note,
                    ),
                )
            elif isinstance(stmt, While):
                stmt = self._same(
                    stmt,
                    While(
                        stmt.carried,
                        self.with_insertions(stmt.test_block),
                        stmt.test,
                        self.with_insertions(stmt.body),
                        stmt.origin,
                    ),
                )
            elif isinstance(stmt, If):
                stmt = self._same(
                    stmt,
                    If(
                        stmt.test,
                        self.with_insertions(stmt.then),
                        self.with_insertions(stmt.orelse),
                        stmt.merges,
                        stmt.origin,
                    ),
                )
            result.append(stmt)
            result.extend(self._after.get(stmt, []))
        result.extend(self._at_end.get(id(block), []))
        return result

    def _same(self, old: Stmt, new: Stmt) -> Stmt:
        """Insertions after the old statement belong to the new one."""
        if old in self._after:
            self._after[new] = self._after[old]
        return new


def own_cost(definition: Assign) -> int:
    """What an operation takes for one element of its result; a product of short vectors is written out."""
    if isinstance(definition.op, str):
        return 0
    a = definition.args[0] if definition.args else None
    of_vectors = definition.name in ("matmul", "dot") and not definition.target.is_array
    if of_vectors and isinstance(a, Var) and isinstance(a.type, Array):
        inner = a.type.shape[-1].known
        if inner is not None and inner <= WRITTEN_OUT:
            return 2 * inner
    return definition.op.cost
