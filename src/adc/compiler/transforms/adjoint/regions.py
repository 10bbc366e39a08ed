"""The reverse of a block, a loop and a branch."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Check,
    Const,
    For,
    If,
    Merge,
    Print,
    Stmt,
    Store,
    Var,
    While,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms import partials
from adc.compiler.transforms.adjoint.operands import differentiably_used, own_outs, value_of
from adc.compiler.transforms.adjoint.statements import Statements
from adc.compiler.transforms.needs import Frame
from adc.compiler.transforms.rewrite import substitute
from adc.rules.dims import Dim


class Regions(Statements):
    """Reverses blocks, in the order opposite to the one in which they ran."""

    def _reverse_block(self, block: Block, frame: Frame) -> None:
        self.needs.frames.append(frame)
        for stmt in reversed(block):
            frame.current = stmt
            with self.ev.at(frame.block), self.ev.origin_at(stmt.origin):
                match stmt:
                    case Assign():
                        self._reverse_assign(stmt, frame)
                    case Store():
                        self._reverse_store(stmt, frame)
                    case For() | While():
                        self._reverse_loop(stmt, frame)
                    case If():
                        self._reverse_if(stmt, frame)
                    case Check() | Print():
                        pass
                    case _:
                        raise AssertionError(f"{stmt!r} has no reverse")
        self.needs.frames.pop()

    def _outer_scalars(self, region: Stmt, bodies: Iterable[Block]) -> list[Var]:
        """Active scalars defined outside a region whose adjoint its reverse adds to."""
        inside = {id(b) for b in bodies}
        found: dict[Var, None] = {}
        for body in bodies:
            for stmt in walk(body):
                for v in differentiably_used(stmt):
                    if not v.is_array and self.active(v) and not self._within(v, inside):
                        found.setdefault(v)
        for v in own_outs(region):
            if not v.is_array and self.active(v) and not self._within(v, inside):
                found.setdefault(v)
        return list(found)

    def _begin_shadows(self, frame: Frame, region: Stmt, bodies: Iterable[Block]) -> None:
        """Make the shadows of outer arrays that the reverse of a region adds to, before it begins."""
        inside = {id(b) for b in bodies}
        block: Block = []
        with self.ev.at(block):
            wanted: dict[Var, None] = {}
            for body in bodies:
                for stmt in walk(body):
                    for v in differentiably_used(stmt):
                        wanted.setdefault(v)
                    if isinstance(stmt, Store):
                        wanted.setdefault(stmt.array)
            for v in own_outs(region):
                wanted.setdefault(v)
            for v in wanted:
                owner = v.root if v.root in self.ev.mutated else v
                if (
                    v.is_array
                    and self.active(owner)
                    and not self._within(owner, inside)
                    and self._in_frame(owner, frame)
                ):
                    self._shadow(owner)
        self._emit(frame, block)

    def _reverse_loop(self, stmt: For | While, frame: Frame) -> None:
        carried = [c for c in stmt.carried if self.active(c.phi) or self.active(c.result)]
        seeds: list[Value] = [self._take(c.result) for c in carried]
        if all(s is None for s in seeds) and not self._touches_memory(stmt):
            return
        self._begin_shadows(frame, stmt, (stmt.body,))
        outer = self._outer_scalars(stmt, (stmt.body,))
        header: Block = []
        with self.ev.at(header):
            if isinstance(stmt, For):
                reverse = self._reversed_header(stmt)
                self.ev.again[reverse.index] = stmt.index
                if stmt.index in self.ev.ranges:
                    self.ev.ranges[reverse.index] = self.ev.ranges[stmt.index]
            else:
                trips = self.needs.trip_counter(stmt)
                reverse = For(
                    Var("trip", Scalar("int64", True), named=False),
                    self.ev.atom(self.ev.op("subtract", trips, 1)),
                    Const(-1),
                    Const(-1),
                    [],
                    [],
                    stmt.origin,
                )
            reverse.index.dim = Dim.symbol("value", reverse.index)
            inits = [
                self._zero_like(c.result) if s is None else self._in_memory(s, c.result)
                for c, s in zip(carried, seeds, strict=True)
            ]
        # The header's values are named in the loop statement, not in `header`: fetch them by substitution.
        holder: Block = [*header, reverse]
        holder_needs = dict.fromkeys(v for s in holder for v in uses(s) if v in self.layout.home)
        table = {v: self.needs.need(v) for v in holder_needs}
        self._track(header)
        rebuilt = substitute(holder, {k: v for k, v in table.items() if v is not k})
        if frame.region.in_loop:
            self.needs.measure(rebuilt[:-1])
        frame.block.extend(rebuilt[:-1])
        reverse = rebuilt[-1]  # type: ignore[assignment]
        assert isinstance(reverse, For)

        body = self.layout.region(stmt.body)
        inner = Frame(body, reverse.body, reverse.index, stmt)
        phis: list[Var] = []
        for c, init in zip(carried, inits, strict=True):
            phi = self._carried_bar(c)
            phis.append(phi)
            if isinstance(init, Var) and (init in self.masked or init.root in self.masked):
                self.masked.add(phi)
        before = {v: self.bar.get(v) for v in outer}
        outer_phis = {v: self._bar_of(v) for v in outer}
        self.bar.update(outer_phis)
        self.needs.frames.append(inner)
        inner.current = None
        with self.ev.at(inner.block), self.ev.origin_at(stmt.origin):
            block: Block = []
            with self.ev.at(block):
                for c, phi in zip(carried, phis, strict=True):
                    self._accumulate_at_end(c.out, phi, inner)
            self._emit(inner, block)
        self.needs.frames.pop()
        self._reverse_block(stmt.body, inner)
        outs: list[Value] = []
        block = []
        self.needs.frames.append(inner)
        with self.ev.at(block):
            for c in carried:
                g = self._take(c.phi)
                outs.append(self._zero_like_outside(c.phi) if g is None else g)
        self._emit_with(inner, block, outs)
        self.needs.frames.pop()
        for c, phi, init, out in zip(carried, phis, inits, outs, strict=True):
            result = self._bar_of(c.init if isinstance(c.init, Var) and c.init.is_array else c.phi)
            result.name = phi.name
            reverse.carried.append(Carried(phi, self.ev.atom(init), self.ev.atom(out), result))
            self.bar[c.phi] = result  # as the adjoint of the init, taken below
        for v, phi in outer_phis.items():
            result = Var(phi.name, phi.type)
            final = self.bar.pop(v)
            old = before[v]
            if final is phi:
                if old is not None:
                    self.bar[v] = old
                continue
            reverse.carried.append(
                Carried(phi, self.ev.atom(0.0 if old is None else old), self.ev.atom(final), result)
            )
            self.bar[v] = result
        frame.block.append(reverse)
        block = []
        with self.ev.at(block):
            for c in carried:
                self._accumulate(c.init, self.bar.pop(c.phi), None)
        self._emit(frame, block)

    def _carried_bar(self, c: Carried) -> Var:
        """The adjoint that a reverse loop carries: of the shape that the array has after a trip."""
        bar = self._bar_of(c.phi)
        if (
            isinstance(bar.type, Array)
            and isinstance(c.out, Var)
            and not self.ev.equal.same_shape(c.phi.type.shape, c.out.type.shape)
        ):
            bar.type = Array(
                bar.type.dtype, tuple(Dim.symbol("shape", bar, k) for k in range(bar.type.ndim)), "A"
            )
            for a, b in zip(bar.type.shape, c.out.type.shape, strict=True):
                self.ev.equal.union(b, a)
        return bar

    def _in_memory(self, g: Value, like: Var) -> Value:
        """An adjoint with an element for each of the array's: in later trips it has them, and Numba sees one type."""
        return g if partials.the_same_throughout(self.ev, g) is None else self._owned_copy(g, like)

    def _accumulate_at_end(self, out: Atom, phi: Var, inner: Frame) -> None:
        if isinstance(out, Var):
            self._accumulate(out, phi, phi)

    def _zero_like_outside(self, phi: Var) -> Value:
        if not phi.is_array:
            return 0.0
        return self.ev.op("zeros", self.ev.shape_values(phi.type.shape), dtype=np.dtype(phi.type.dtype))

    def _touches_memory(self, stmt: For | While) -> bool:
        """Whether the loop writes arrays, so that its reverse must run even when no carried adjoint arrives."""
        return any(isinstance(s, Store) for s in walk(stmt.body))

    def _reversed_header(self, stmt: For) -> For:
        ev = self.ev
        start, stop, step = value_of(stmt.start), value_of(stmt.stop), stmt.step.value  # type: ignore[union-attr]
        size = abs(step)
        if step > 0:
            span = ev.op("subtract", ev.op("subtract", stop, start), 1)
            last = (
                ev.op("subtract", stop, 1)
                if size == 1
                else ev.op("add", start, ev.op("multiply", ev.op("floor_divide", span, size), size))
            )
            end = ev.op("subtract", start, 1)
        else:
            span = ev.op("subtract", ev.op("subtract", start, stop), 1)
            last = (
                ev.op("add", stop, 1)
                if size == 1
                else ev.op("subtract", start, ev.op("multiply", ev.op("floor_divide", span, size), size))
            )
            end = ev.op("add", start, 1)
        index = Var(stmt.index.name, stmt.index.type, named=stmt.index.named)
        return For(index, ev.atom(last), ev.atom(end), Const(-step), [], [], stmt.origin)

    def _reverse_if(self, stmt: If, frame: Frame) -> None:
        merged = [m for m in stmt.merges if self.active(m.result)]
        seeds = [self._take(m.result) for m in merged]
        stores = any(isinstance(s, Store) for b in (stmt.then, stmt.orelse) for s in walk(b))
        if all(s is None for s in seeds) and not stores:
            return
        self._begin_shadows(frame, stmt, (stmt.then, stmt.orelse))
        test = self.needs.need(stmt.test) if isinstance(stmt.test, Var) else stmt.test
        reverse = If(test, [], [], [], stmt.origin)
        before = dict(self.bar)
        outcomes: list[dict[Var, Value]] = []
        for body, block, side in ((stmt.then, reverse.then, 0), (stmt.orelse, reverse.orelse, 1)):
            self.bar = dict(before)
            inner = Frame(self.layout.region(body), block, frame.index, frame.loop)
            self.needs.frames.append(inner)
            start: Block = []
            with self.ev.at(start), self.ev.origin_at(stmt.origin):
                for m, seed in zip(merged, seeds, strict=True):
                    self._accumulate(m.then if side == 0 else m.orelse, seed, seed)
            self._emit(inner, start)
            self.needs.frames.pop()
            self._reverse_block(body, inner)
            outcomes.append(self.bar)
        self.bar = before
        then_bars, else_bars = outcomes
        names = [
            v
            for v in {**then_bars, **else_bars}
            if self.layout.home.get(v) not in (self.layout.region(stmt.then), self.layout.region(stmt.orelse))
        ]
        for v in names:
            a, b = then_bars.get(v), else_bars.get(v)
            if a is b:
                if a is not None:
                    self.bar[v] = a
                continue
            assert not v.is_array, f"the adjoint of {v!r} differs between branches"
            result = self._bar_of(v)
            self.ev.branch_adjoints.add(result)
            reverse.merges.append(
                Merge(result, self.ev.atom(0.0 if a is None else a), self.ev.atom(0.0 if b is None else b))
            )
            self.bar[v] = result
            self.masked.add(result)
        frame.block.append(reverse)
