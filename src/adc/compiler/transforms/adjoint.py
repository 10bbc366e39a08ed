"""Append the reverse sweep: from a primal program to one that also returns the adjoints of its inputs.

Reverse-mode differentiation of structured programs (Griewank & Walther, *Evaluating Derivatives*, chapters 3 to 6;
Hascoet & Pascual, *The Tapenade automatic differentiation tool*, 2013). Each statement's reverse is its rule's body,
inlined. What a body reads is asked of `Needs`, which recomputes it, or keeps it in the forward sweep.

Scalars and arrays that are never written in place have adjoints that are values: assigned once, then added to. An
array that is written, indexed, or used inside a region deeper than its own has a shadow array, accumulated in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from adc.compiler.analysis import layout as layouts
from adc.compiler.analysis.activity import Activity, differentiable_operands
from adc.compiler.analysis.shifts import inactive_shifts
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import UNDEFINED, Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Check,
    Const,
    For,
    If,
    Mark,
    Merge,
    Operand,
    Print,
    Program,
    Stmt,
    Store,
    Var,
    While,
    length_variables,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.needs import Frame, Needs
from adc.compiler.transforms.rewrite import substitute
from adc.rules.dims import Dim
from adc.rules.operation import Operation


def run(
    program: Program, wrt: list[Var], output: Var | None, extra: list[Atom], evaluator: Evaluator
) -> Program:
    """The program that returns `[output, *extra, *adjoints of wrt]`."""
    return Adjoint(program, wrt, output, extra, evaluator).build()


class Adjoint:
    """State of one reverse sweep."""

    def __init__(
        self, program: Program, wrt: list[Var], output: Var | None, extra: list[Atom], evaluator: Evaluator
    ) -> None:
        self.program = program
        self.wrt = wrt
        self.output = output
        self.extra = extra
        self.ev = evaluator
        evaluator.equal = evaluator.ever_equal
        self.layout = layouts.of(program.body, program.params)
        program.results = [r for r in (output, *extra) if r is not None]
        self.activity = Activity(
            program.body, wrt, [output] if output is not None else [], inactive_shifts(program)
        )
        self.needs = Needs(self.layout, evaluator)
        self.shadowed = self._shadowed()
        self.bar: dict[Var, Value] = {}
        self.owned: set[Var] = set()  # adjoint arrays that nothing else refers to
        self.fresh: set[Var] = set()  # arrays that an operation of the sweep made
        self.masked: set[Var] = set()  # adjoints that may be zero because a branch was not taken
        self.saved: dict[Store, Var] = {}

    def active(self, v: Operand) -> bool:
        return self.activity.active(v)

    def _shadowed(self) -> set[Var]:
        """Arrays whose adjoint is accumulated in place."""
        found = set(self.ev.mutated)
        for stmt in walk(self.program.body):
            here = self.layout.region_of[stmt]
            if isinstance(stmt, Assign) and stmt.name == "getitem":
                found.add(stmt.args[0])
            for v in uses(stmt):
                if v.is_array and self.layout.home[v] is not here and not self._is_own(stmt, v):
                    found.add(v)
            # What a branch merges, or a loop carries round, is used inside: there its adjoint arrives.
            found.update(v for v in _own_outs(stmt) if v.is_array and not self._is_own(stmt, v))
        # A view of a written array shares its shadow.
        return found | {v for v in self.layout.home if v.root in self.ev.mutated}

    def _is_own(self, stmt: Stmt, v: Var) -> bool:
        """Whether a region's header uses a value of its own blocks (outs and merges), which is no deeper use."""
        return self.layout.home[v].owner is stmt

    # --- the whole program --------------------------------------------------------------------------------------

    def build(self) -> Program:
        self._save_overwritten()
        reverse: Block = []
        top = self.layout.region(self.program.body)
        frame = Frame(top, reverse)
        if self.output is not None and self.active(self.output):
            self.bar[self.output] = 1.0
        self._reverse_block(self.program.body, frame)
        bars = [self._final(p, reverse) for p in self.wrt]
        forward = self.needs.with_insertions(self.program.body)
        body: Block = [Mark("forward"), *forward, Mark("reverse"), *reverse]
        results = [*([self.output] if self.output is not None else []), *self.extra, *bars]
        return Program(self.program.name, self.program.params, body, results, self.program.doc)

    def _final(self, p: Var, block: Block) -> Any:
        """The adjoint of an input, as an array of its own."""
        g = self.bar.get(p)
        with self.ev.at(block):
            if not p.is_array:
                return self.ev.atom(0.0 if g is None else self._named(g, p))
            if g is None:
                return self._named(self.ev.zeros_like(p), p)
            if isinstance(g, Var) and g.is_array and (g in self.owned or g in self.fresh):
                self.owned.discard(g)
                self.fresh.discard(g)
                return self._named(g, p)
            return self._named(self._owned_copy(g, p), p)

    def _owned_copy(self, g: Value, like: Var) -> Any:
        assert isinstance(like.type, Array)
        if not isinstance(g, Var) or not g.is_array:
            result = self.ev.op(
                "full", self.ev.shape_values(like.type.shape), g, dtype=np.dtype(like.type.dtype)
            )
        else:
            result = self.ev.op("copy", g)
        return result

    def _named(self, g: Any, v: Var) -> Any:
        """Call an adjoint `<v>_bar`."""
        if isinstance(g, Var) and not g.named and g not in self.layout.home:
            g.name, g.named = f"{v.name}_bar", True
        return g

    def _save_overwritten(self) -> None:
        """Before each write, remember what it overwrites; the clean-up strikes what the reverse sweep never reads."""
        for stmt in [s for s in walk(self.program.body) if isinstance(s, Store)]:
            region = self.layout.region_of[stmt]
            before = self._already_read(stmt, region.block)
            if before is None:
                saves: Block = []
                with self.ev.at(saves), self.ev.origin_at(stmt.origin):
                    before = self.ev.getitem(stmt.array, stmt.index, f"{stmt.array.name}_old")
                    if before.is_array:
                        before = self.ev.op("copy", before)
                    before.name, before.named = f"{stmt.array.name}_old", True
                self.needs.insert_before(stmt, saves)
                for s in saves:
                    assert isinstance(s, Assign)
                    self.layout.home[s.target] = region
                    self.layout.definition[s.target] = s
                    self.layout.start[s] = self.layout.end[s] = self.layout.start[stmt] - 1
                    self.layout.region_of[s] = region
                self.needs.force_kept.add(before)
            self.saved[stmt] = before

    def _already_read(self, store: Store, block: Block) -> Var | None:
        """A scalar read of the very element that is overwritten, with no write in between."""
        for stmt in reversed(block[: block.index(store)]):
            if isinstance(stmt, Store) and stmt.array.root is store.array.root:
                return None
            if isinstance(stmt, (For, While, If)) and any(
                isinstance(s, Store) and s.array.root is store.array.root for s in walk([stmt])
            ):
                return None
            if (
                isinstance(stmt, Assign)
                and stmt.name == "getitem"
                and not stmt.target.is_array
                and stmt.args[0] is store.array
                and stmt.args[1] == store.index
            ):
                return stmt.target
        return None

    # --- statements ---------------------------------------------------------------------------------------------

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

    def _emit(self, frame: Frame, block: Block) -> None:
        """Append statements that may read primal values, after fetching those."""
        block = _without_dead(block, self._referenced())
        table: dict[Var, Atom] = {}
        local = {t for s in walk(block) if isinstance(s, Assign) for t in s.targets}
        for stmt in walk(block):
            for v in uses(stmt):
                if v not in local and v in self.layout.home and v not in table:
                    table[v] = self.needs.need(v)
        self._track(block)
        block = substitute(block, {k: v for k, v in table.items() if v is not k})
        if frame.region.in_loop:
            self.needs.measure(block)
        frame.block.extend(block)

    def _referenced(self) -> set[Var]:
        return {v for v in self.bar.values() if isinstance(v, Var)}

    def _track(self, block: Block) -> None:
        """Note which new adjoints may be masked, and which arrays are fresh."""
        for stmt in block:
            if isinstance(stmt, Assign):
                if isinstance(stmt.op, Operation):
                    self.fresh.update(t for t in stmt.targets if t.is_array and t.view_of is None)
                masks = stmt.name in ("where", "zeros_like") or any(
                    v in self.masked or v.root in self.masked for v in variables(stmt.args)
                )
                if masks:
                    self.masked.update(stmt.targets)
            elif isinstance(stmt, Store) and any(v in self.masked for v in variables(stmt.value)):
                self.masked.add(stmt.array.root)

    def _take(self, v: Var) -> Value | None:
        """The adjoint of a value whose uses have all been reversed."""
        return self.bar.pop(v, None)

    def _reverse_assign(self, stmt: Assign, frame: Frame) -> None:
        if not any(self.active(t) for t in stmt.targets):
            return
        if isinstance(stmt.op, Operation) and stmt.op.kind == "constant":
            for t in stmt.targets:
                self._take(t)  # fresh memory that is written later: what was there before has no derivative
            return
        if stmt.targets[0].view_of is not None and stmt.targets[0].root in self.ev.mutated:
            self.bar.pop(
                stmt.targets[0], None
            )  # its adjoint is a view of the shadow, which already has everything
            return
        z_bars = [self._take(t) for t in stmt.targets]
        if all(z is None for z in z_bars):
            return
        block: Block = []
        with self.ev.at(block):
            if isinstance(stmt.op, str):
                self._reverse_primitive(stmt, z_bars[0])
            else:
                self._reverse_operation(stmt, stmt.op, z_bars)
        self._emit(frame, block)

    def _reverse_primitive(self, stmt: Assign, z_bar: Value) -> None:
        if stmt.op == "getitem":
            array, index = stmt.args
            if not self.active(array):
                return
            shadow = self._shadow(array)
            self.ev.block.append(Store(shadow, index, self.ev.atom(z_bar), True, self.ev.origin))
        elif stmt.op in ("cast", "alias"):
            self._accumulate(stmt.args[0], z_bar, z_bar)
        else:
            raise AssertionError(f"{stmt.op} carries no derivative")

    def _reverse_operation(self, stmt: Assign, operation: Operation, z_bars: list[Value]) -> None:
        args = [_value(a) for a in stmt.args]
        z: Value = stmt.targets[0] if len(stmt.targets) == 1 else tuple(stmt.targets)
        if len(z_bars) == 1:
            z_bar = z_bars[0]
        elif "aside" in operation.extra:
            z_bar = tuple(z_bars)  # a rule of the user's asks which of them there are
        else:
            z_bar = tuple(
                self._zero_like(t) if b is None else b for t, b in zip(stmt.targets, z_bars, strict=True)
            )
        names = [p.name for p in operation.parameters]
        wanted = [stmt.args[names.index(w)] for w in operation.wrt]
        if operation.kind == "elementwise":
            assert operation.partials is not None
            partials = _several(self.ev.inline_rule(operation.partials, [z, *args]), operation.wrt)
            sums: dict[Var, Value] = {}
            for x, partial in zip(wanted, partials, strict=True):
                if self.active(x) and partial is not None:
                    g = self._times(operation, z_bar, partial)
                    sums[x] = g if sums.get(x) is None else self.ev.op("add", sums[x], g)
            for x, g in sums.items():
                self._accumulate(x, g, z_bar)
            return
        body = operation.transpose if operation.kind == "linear" else operation.pull
        assert body is not None, operation
        inputs = [z_bar, *args] if operation.kind == "linear" else [z_bar, z, *args]
        bars = _several(self.ev.inline_rule(body, inputs), operation.wrt)
        for x, g in zip(wanted, bars, strict=True):
            if isinstance(x, tuple):
                for item, part in zip(x, g, strict=True):
                    self._accumulate(item, part, z_bar)
            else:
                self._accumulate(x, g, z_bar)

    def _times(self, operation: Operation, z_bar: Value, partial: Value) -> Value:
        if isinstance(partial, (int, float)) and partial == 0:
            return None
        reciprocal_of = self._reciprocal_of(partial)
        product = (
            self.ev.op("multiply", z_bar, partial)
            if reciprocal_of is None
            else self.ev.op("divide", z_bar, reciprocal_of)
        )
        if (
            operation.singular
            and isinstance(z_bar, Var)
            and (z_bar in self.masked or z_bar.root in self.masked)
            and isinstance(partial, Var)
        ):
            # A zero adjoint contributes zero, even where the partial is infinite.
            product = self.ev.op("where", self.ev.op("not_equal", z_bar, 0.0), product, 0.0)
        return product

    def _reciprocal_of(self, partial: Value) -> Value | None:
        """`y` when a partial is `1.0 / y`: dividing by it is what a person writes."""
        for stmt in reversed(self.ev.block):
            if isinstance(stmt, Assign) and stmt.targets[0] is partial:
                return stmt.args[1] if stmt.name == "divide" and stmt.args[0] == Const(1.0) else None
        return None

    def _zero_like(self, v: Var) -> Value:
        return self.ev.zeros_like(v) if v.is_array else 0.0

    # --- accumulation -------------------------------------------------------------------------------------------

    def _accumulate(self, x: Operand, g: Value, source: Value) -> None:
        """Add `g`, of the broadcast shape of `x` or its own, to the adjoint of `x`. `source`: the incoming adjoint."""
        if g is None or g is UNDEFINED or not self.active(x):
            return
        assert isinstance(x, Var)
        g = self._unbroadcast(g, x)
        if not x.is_array:
            old = self.bar.get(x)
            self.bar[x] = self._named(g if old is None else self.ev.op("add", old, g), x)
            if isinstance(self.bar[x], Var) and old is not None:
                self.bar[x].name, self.bar[x].named = f"{x.name}_bar", True
            return
        if isinstance(g, Var) and g.is_array and g.root in self.ev.mutated and g.root in self.layout.home:
            g = self.ev.op("copy", g)  # the sweep undoes the writes to this array
        if x.view_of is not None and x.root in self.ev.mutated and self._is_broadcast(x):
            # One element of memory stands for many: their adjoints add up where it lies.
            whole = self.ev.op("broadcast_to", g, self.ev.shape_values(x.type.shape))
            self._accumulate(x.view_of, whole, source)
            return
        if x in self.shadowed:
            self._accumulate_in_place(x, g, source)
            return
        old = self.bar.get(x)
        if old is None:
            self.bar[x] = self._named(g, x)
            self._own_if_fresh(g, source)
        else:
            total = self.ev.op("add", old, g)
            if isinstance(total, Var) and total.is_array:
                total.name, total.named = f"{x.name}_bar", True
                self.owned.add(total)
            self.bar[x] = total

    def _is_broadcast(self, x: Var) -> bool:
        made = self.layout.definition[x]
        return isinstance(made, Assign) and made.name == "broadcast_to"

    def _own_if_fresh(self, g: Value, source: Value) -> None:
        if isinstance(g, Var) and g.is_array and g is not source and g.view_of is None and self._made_here(g):
            self.owned.add(g)
        elif isinstance(g, Var):
            self.owned.discard(g)

    def _made_here(self, g: Var) -> bool:
        """Whether `g` is memory of this block's own (what np.broadcast_to gives is not: it is read-only)."""
        return (
            any(isinstance(s, Assign) and g in s.targets and s.name != "broadcast_to" for s in self.ev.block)
            and sum(1 for b in self.bar.values() if b is g) <= 1
        )

    def _accumulate_in_place(self, x: Var, g: Value, source: Value) -> None:
        has_shadow = x in self.bar or (x.view_of is not None and x.root in self.ev.mutated)
        if not has_shadow:
            fresh = (
                isinstance(g, Var)
                and g.is_array
                and g is not source
                and g.view_of is None
                and self._made_here(g)
                and all(b is not g for b in self.bar.values())
                and self._own_frame(x)
                and self.ev.equal.same_shape(g.type.shape, x.type.shape)
            )
            if fresh:
                self.bar[x] = self._named(g, x)
                self.owned.add(g)
                return
            if self._own_frame(x):
                copy = self._owned_copy(
                    g
                    if isinstance(g, Var)
                    and g.is_array
                    and g.type.ndim == x.type.ndim
                    and self.ev.equal.same_shape(g.type.shape, x.type.shape)
                    else self.ev.op("broadcast_to", g, self.ev.shape_values(x.type.shape))
                    if isinstance(g, Var) and g.is_array
                    else g,
                    x,
                )
                copy.name, copy.named = f"{x.name}_bar", True
                self.bar[x] = copy
                self.owned.add(copy)
                return
        shadow = self._shadow(x)
        assert isinstance(x.type, Array)
        self.ev.block.append(Store(shadow, (FULL,) * x.type.ndim, self.ev.atom(g), True, self.ev.origin))

    def _own_frame(self, x: Var) -> bool:
        """Whether the sweep now stands in the region where `x` is defined, so that its shadow may begin here."""
        return self.layout.home[x] is self.needs.frames[-1].region

    def _shadow(self, x: Var) -> Var:
        """The array in which the adjoint of `x` is accumulated."""
        shadow = self.bar.get(x)
        if isinstance(shadow, Var):
            if shadow in self.owned or shadow.view_of is not None:
                return shadow
            # The adjoint so far is a value that others may refer to: accumulate into a copy.
            copy: Var = self._owned_copy(shadow, x)
        elif x.view_of is not None and x.root in self.ev.mutated:
            definition = self.layout.definition[x]
            assert isinstance(definition, Assign)
            base = self._shadow(x.view_of)
            args: tuple[Operand, ...] = (base, *definition.args[1:])
            return self.ev.assign(definition.op, args, x.type, f"{x.name}_bar", named=True, view_of=base)
        else:
            assert self._own_frame(x), f"the shadow of {x!r} begins outside the region of its array"
            copy = self.ev.zeros_like(x) if shadow is None else self._owned_copy(shadow, x)
        copy.name, copy.named = f"{x.name}_bar", True
        self.bar[x] = copy
        self.owned.add(copy)
        return copy

    def _unbroadcast(self, g: Value, x: Var) -> Value:
        """Sum `g` over the axes along which `x` was broadcast, and give it the dtype of `x`."""
        t = self.ev.type_of(g)
        assert t is not None, g
        lead = t.ndim - x.type.ndim
        if lead > 0:
            g = self.ev.op("sum", g, axis=None if x.type.ndim == 0 else tuple(range(lead)) if lead > 1 else 0)
            t = self.ev.type_of(g)
            assert t is not None
        if t.ndim == x.type.ndim:
            axes = tuple(
                k
                for k, (a, b) in enumerate(zip(t.shape, x.type.shape, strict=True))
                if b.known == 1 and a.known != 1
            )
            if axes:
                g = self.ev.op("sum", g, axis=axes if len(axes) > 1 else axes[0], keepdims=True)
            for a, b in zip(t.shape, x.type.shape, strict=True):
                if b.known != 1 and a.known != 1:
                    self.ev.require_equal(
                        b, a, "an operand was broadcast along an axis whose length is only known at run time"
                    )
        t = self.ev.type_of(g)
        assert t is not None
        if np.dtype(t.dtype).kind == "c" and np.dtype(x.type.dtype).kind == "f":
            g = self.ev.op("real", g)  # a real operand moves along the real axis only
            t = self.ev.type_of(g)
            assert t is not None
        if t.dtype != x.type.dtype and isinstance(g, Var):
            g = self.ev.cast(g, x.type.dtype)
        return g

    # --- writes -------------------------------------------------------------------------------------------------

    def _reverse_store(self, stmt: Store, frame: Frame) -> None:
        undo: Block = [Store(stmt.array, stmt.index, self.saved[stmt], False, stmt.origin, role="undo")]
        self._emit(frame, undo)
        if not self.active(stmt.array) and not self.activity.active(stmt.array.root):
            return
        if self._root_bar(stmt.array) is None:
            return  # nothing after the write used the array
        block: Block = []
        with self.ev.at(block):
            shadow = self._shadow(stmt.array)
            value_bar: Value = None
            if self.active(stmt.value):
                value_bar = self.ev.getitem(shadow, stmt.index, f"{_name(stmt.value)}_bar")
                self._equal_to_target(stmt.value, value_bar)
                if (
                    isinstance(value_bar, Var)
                    and value_bar.is_array
                    and not (stmt.accumulate and stmt.value in self.shadowed)
                ):
                    value_bar = self.ev.op("copy", value_bar)
                if (
                    any(isinstance(i, Var) and i.is_array and i.type.dtype != "bool" for i in stmt.index)
                    and not stmt.accumulate
                ):
                    value_bar = self._where_last(stmt, value_bar)
            if not stmt.accumulate:
                cleared = Store(shadow, stmt.index, Const(0.0), False, self.ev.origin, role="clear")
                self.ev.block.append(cleared)
                self.masked.add(shadow.root)
            # The value may be what is written to, or a part of it: what it passes on is added to cleared memory.
            self._accumulate(stmt.value, value_bar, None)
        self._emit(frame, block)

    def _equal_to_target(self, value: Atom, target: Var) -> None:
        """The write has checked that the value fits its target: lengths are equal where the value's is not 1."""
        for a, b in zip(
            reversed(value.type.shape if isinstance(value, Var) else ()),
            reversed(target.type.shape),
            strict=False,
        ):
            if a.known != 1:
                self.ev.equal.union(a, b)

    def _where_last(self, stmt: Store, value_bar: Value) -> Value:
        """An adjoint gathered at integer positions, zero where a later element of the same write won the position."""
        ev = self.ev
        assert isinstance(stmt.array.type, Array)
        lengths = ev.shape_values(value_bar.type.shape)
        total: Value = 1
        for n in lengths:
            total = ev.op("multiply", total, n)
        order = ev.op("reshape", ev.op("arange", total), lengths)
        winner = ev.op("zeros", ev.shape_values(stmt.array.type.shape), dtype=np.dtype("int64"))
        winner.name, winner.named = "winner", True
        ev.block.append(Store(winner, stmt.index, order, False, ev.origin))
        ev.mutated.setdefault(winner, ev.origin)
        return ev.op("where", ev.op("equal", ev.getitem(winner, stmt.index), order), value_bar, 0.0)

    def _root_bar(self, array: Var) -> Value | None:
        return self.bar.get(array.root)

    # --- regions ------------------------------------------------------------------------------------------------

    def _outer_scalars(self, region: Stmt, bodies: Iterable[Block]) -> list[Var]:
        """Active scalars defined outside a region whose adjoint its reverse adds to."""
        inside = {id(b) for b in bodies}
        found: dict[Var, None] = {}
        for body in bodies:
            for stmt in walk(body):
                for v in _differentiably_used(stmt):
                    if not v.is_array and self.active(v) and not self._within(v, inside):
                        found.setdefault(v)
        for v in _own_outs(region):
            if not v.is_array and self.active(v) and not self._within(v, inside):
                found.setdefault(v)
        return list(found)

    def _within(self, v: Var, inside: set[int]) -> bool:
        region = self.layout.home[v]
        while region is not None:
            if id(region.block) in inside:
                return True
            region = region.parent  # type: ignore[assignment]
        return False

    def _begin_shadows(self, frame: Frame, region: Stmt, bodies: Iterable[Block]) -> None:
        """Make the shadows of outer arrays that the reverse of a region adds to, before it begins."""
        inside = {id(b) for b in bodies}
        block: Block = []
        with self.ev.at(block):
            wanted: dict[Var, None] = {}
            for body in bodies:
                for stmt in walk(body):
                    for v in _differentiably_used(stmt):
                        wanted.setdefault(v)
                    if isinstance(stmt, Store):
                        wanted.setdefault(stmt.array)
            for v in _own_outs(region):
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

    def _in_frame(self, v: Var, frame: Frame) -> bool:
        return self.layout.home[v] is frame.region

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
                self._zero_like(c.result) if s is None else s for c, s in zip(carried, seeds, strict=True)
            ]
        # The header's values are named in the loop statement, not in `header`: fetch them by substitution.
        holder: Block = [*header, reverse]
        holder_needs = {v for s in holder for v in uses(s) if v in self.layout.home}
        table = {v: self.needs.need(v) for v in holder_needs}
        self._track(header)
        rebuilt = substitute(holder, {k: v for k, v in table.items() if v is not k})
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
        outer_phis = {v: Var(f"{v.name}_bar", self._bar_type(v)) for v in outer}
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
            result = Var(
                phi.name, self._bar_type(c.init if isinstance(c.init, Var) and c.init.is_array else c.phi)
            )
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
        bar = Var(f"{c.phi.name}_bar", self._bar_type(c.phi))
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

    def _accumulate_at_end(self, out: Atom, phi: Var, inner: Frame) -> None:
        if isinstance(out, Var):
            self._accumulate(out, phi, phi)

    def _bar_type(self, v: Var) -> Any:
        return (
            Array(v.type.dtype, v.type.shape, "A" if v.is_array else "C")
            if isinstance(v.type, Array)
            else Scalar(v.type.dtype)
        )

    def _zero_like_outside(self, phi: Var) -> Value:
        if not phi.is_array:
            return 0.0
        return self.ev.op("zeros", self.ev.shape_values(phi.type.shape), dtype=np.dtype(phi.type.dtype))

    def _emit_with(self, frame: Frame, block: Block, values: list[Value]) -> None:
        kept = dict(self.bar)
        for k, v in enumerate(values):
            if isinstance(v, Var):
                self.bar[Var(f"hold{k}", v.type)] = v
        self._emit(frame, block)
        self.bar = kept

    def _touches_memory(self, stmt: For | While) -> bool:
        """Whether the loop writes arrays, so that its reverse must run even when no carried adjoint arrives."""
        return any(isinstance(s, Store) for s in walk(stmt.body))

    def _reversed_header(self, stmt: For) -> For:
        ev = self.ev
        start, stop, step = _value(stmt.start), _value(stmt.stop), stmt.step.value  # type: ignore[union-attr]
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
            result = Var(f"{v.name}_bar", self._bar_type(v))
            reverse.merges.append(
                Merge(result, self.ev.atom(0.0 if a is None else a), self.ev.atom(0.0 if b is None else b))
            )
            self.bar[v] = result
            self.masked.add(result)
        frame.block.append(reverse)


def _differentiably_used(stmt: Stmt) -> Iterable[Var]:
    """The variables whose adjoint the reverse of a statement adds to."""
    if isinstance(stmt, Assign):
        yield from (v for x in differentiable_operands(stmt) for v in variables(x))
    elif isinstance(stmt, Store):
        yield from variables(stmt.value)
    elif isinstance(stmt, (For, While, If)):
        yield from _own_outs(stmt)
        if isinstance(stmt, (For, While)):
            yield from (c.init for c in stmt.carried if isinstance(c.init, Var))


def _own_outs(stmt: Stmt) -> Iterable[Var]:
    if isinstance(stmt, (For, While)):
        yield from (c.out for c in stmt.carried if isinstance(c.out, Var))
    elif isinstance(stmt, If):
        yield from (v for m in stmt.merges for v in (m.then, m.orelse) if isinstance(v, Var))


def _name(x: Atom) -> str:
    return x.name if isinstance(x, Var) else "value"


def _value(operand: Operand) -> Value:
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, tuple):
        return tuple(_value(item) for item in operand)
    return operand


def _several(value: Value, names: tuple[str, ...]) -> tuple[Value, ...]:
    return (value,) if len(names) == 1 else value


def _without_dead(block: Block, wanted: set[Var]) -> Block:
    """Drop pure assignments of a straight block that nothing reads."""
    kept: Block = []
    live = set(wanted)
    for stmt in reversed(block):
        if isinstance(stmt, Assign) and not any(t in live for t in stmt.targets):
            continue
        if isinstance(stmt, Assign):
            live.update(v for t in stmt.targets for v in length_variables(t))
        live.update(uses(stmt))
        for inner in walk([stmt]):
            live.update(uses(inner))
        kept.append(stmt)
    return kept[::-1]
