"""Adjoints of values: what has been added up so far, in a value or in a shadow array."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np

from adc.compiler.analysis import layout as layouts
from adc.compiler.analysis.activity import Activity
from adc.compiler.analysis.away_from_zero import AwayFromZero
from adc.compiler.analysis.cancelled import cancelled
from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.roots import laid_flat, written_roots
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import UNDEFINED, Value
from adc.compiler.ir.creation import ZEROS
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    Index,
    Operand,
    Program,
    Stmt,
    Store,
    Var,
    length_variables,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms import partials, remeasure, sized
from adc.compiler.transforms.adjoint.operands import added_axes, own_outs
from adc.compiler.transforms.adjoint.spread_parts import beneath
from adc.compiler.transforms.needs import Frame, Needs
from adc.compiler.transforms.rewrite import substitute
from adc.rules.operation import Operation

_ZEROS = {Const(0.0), Const(0), Const(0j), Const(False)}
# What gives zeros where something else was chosen: a pull that gathers starts from zeros.
_CHOOSE = ZEROS | {"tril", "triu"}


def _masks(program: Program) -> set[Var]:
    """Matrices of zeros and ones, `np.eye(n)` or `1 - np.tri(n)`: as factors they choose."""
    found: set[Var] = set()
    for stmt in walk(program.body):
        if isinstance(stmt, Assign) and (
            stmt.name in ("eye", "tri")
            or (stmt.name == "subtract" and all(isinstance(x, Const) or x in found for x in stmt.args))
        ):
            found.update(stmt.targets)
    return found


class Accumulation(ABC):
    """State of one reverse sweep, and the ways to add to an adjoint and to take it."""

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
            program.body,
            wrt,
            [output] if output is not None else [],
            cancelled(program, evaluator.joined_roots),
        )
        self.needs = Needs(self.layout, evaluator, ranges(program.body))
        self.undone = written_roots(walk(program.body), evaluator.joined_roots)
        self.shadowed = self._shadowed()
        # Their shadows lie row by row, so that these may be seen so, too.
        self.laid_flat = laid_flat(walk(program.body))
        self.bar: dict[Var, Value] = {}
        self.owned: set[Var] = set()  # adjoint arrays that nothing else refers to
        self.fresh: set[Var] = set()  # arrays that an operation of the sweep made
        self.parts: set[Var] = set()  # arrays whose adjoint is a part of another array's shadow
        # Adjoints that may be zero because a branch was not taken, and what chooses as a factor.
        self.masked = _masks(program)
        self.saved: dict[Store, Var] = {}
        self.away_from_zero = AwayFromZero(self.layout.definition, self.undone)

    def active(self, v: Operand) -> bool:
        return self.activity.active(v)

    def _shadowed(self) -> set[Var]:
        """Arrays whose adjoint is accumulated in place."""
        found = set(self.ev.mutated)
        for stmt in walk(self.program.body):
            here = self.layout.region_of[stmt]
            if isinstance(stmt, Assign) and stmt.name == "getitem" and not added_axes(stmt):
                found.add(stmt.args[0])
            for v in uses(stmt):
                if v.is_array and self.layout.home[v] is not here and not self._is_own(stmt, v):
                    found.add(v)
            # What a branch merges, or a loop carries round, is used inside: there its adjoint arrives.
            found.update(v for v in own_outs(stmt) if v.is_array and not self._is_own(stmt, v))
        # A view of a written array shares its shadow.
        return found | {v for v in self.layout.home if v.root in self.ev.mutated}

    def _lies_by_rows(self, g: Var) -> bool:
        """Whether NumPy lays an array that this block makes out row by row."""
        assert isinstance(g.type, Array)
        made = next((s for s in self.ev.block if isinstance(s, Assign) and g in s.targets), None)
        if g.type.layout != "C" or made is None or not isinstance(made.op, Operation):
            return False
        return made.op.order == "C" or (
            made.op.order == "K"
            and all(self._lies_by_rows(v) for v in variables(made.args) if v.is_array and v.type.ndim > 1)
        )

    def _is_own(self, stmt: Stmt, v: Var) -> bool:
        """Whether a region's header uses a value of its own blocks (outs and merges), which is no deeper use."""
        return self.layout.home[v].owner is stmt

    def _emit(self, frame: Frame, block: Block) -> None:
        """Append statements that may read primal values, after fetching those."""
        block = _without_dead(block, self._referenced())
        table: dict[Var, Atom] = {}
        local = {t for s in walk(block) if isinstance(s, Assign) for t in s.targets}
        for stmt in walk(block):
            if isinstance(stmt, Assign) and stmt.name == "zeros_like":
                self._measured(stmt, frame)
            for v in uses(stmt):
                if v not in local and v in self.layout.home and v not in table:
                    table[v] = self.needs.need(v)
        self._track(block)
        block = substitute(block, {k: v for k, v in table.items() if v is not k})
        if frame.region.in_loop:
            self.needs.measure(block)
        frame.block.extend(block)

    def _measured(self, stmt: Assign, frame: Frame) -> None:
        """Zeros by their shape where it is there, and the array whose shape it is would have to be kept."""
        v = stmt.args[0]
        region = self.layout.home.get(v)
        shape = stmt.target.type.shape
        if region is None or not region.in_loop or v.view_of is not None:
            return
        if any(v in f.fetched for f in self.needs.frames) or not all(self.needs.outside(d) for d in shape):
            return
        with self.ev.at(frame.block):
            sized.take_lengths(stmt, self.ev)

    def _referenced(self) -> set[Var]:
        return {v for v in self.bar.values() if isinstance(v, Var)}

    def _track(self, block: Block) -> None:
        """Note which new adjoints may be masked, and which arrays are fresh."""
        for stmt in block:
            if isinstance(stmt, Assign):
                if isinstance(stmt.op, Operation) and stmt.name != "broadcast_to":  # which is read-only
                    self.fresh.update(t for t in stmt.targets if t.is_array and t.view_of is None)
                chooses = stmt.name in _CHOOSE or (
                    stmt.name == "where"
                    and not _ZEROS.isdisjoint(a for a in stmt.args[1:] if isinstance(a, Const))
                )
                masks = chooses or any(
                    v in self.masked or v.root in self.masked for v in variables(stmt.args)
                )
                if masks:
                    self.masked.update(stmt.targets)
            elif isinstance(stmt, Store) and any(v in self.masked for v in variables(stmt.value)):
                self.masked.add(stmt.array.root)

    def _take(self, v: Var) -> Value | None:
        """The adjoint of a value whose uses have all been reversed."""
        return self.bar.pop(v, None)

    def _named(self, g: Any, v: Var) -> Any:
        """Call an adjoint `<v>_bar`."""
        if isinstance(g, Var) and not g.named and g not in self.layout.home:
            g.name, g.named = f"{v.name}_bar", True
        return g

    def _owned_copy(self, g: Value, like: Var) -> Any:
        assert isinstance(like.type, Array)
        if isinstance(g, Var):
            number = partials.the_same_throughout(self.ev, g)
            g = g if number is None else number
        if not isinstance(g, Var) or not g.is_array:
            result = self.ev.op(
                "full", self.ev.shape_values(like.type.shape), g, dtype=np.dtype(like.type.dtype)
            )
        else:
            result = self.ev.op("copy", g)
            if like.root in self.laid_flat:
                result.type = replace(result.type, layout="C")
        return result

    def _zero_like(self, v: Var) -> Value:
        if not v.is_array:
            return 0.0
        zeros = self.ev.zeros_like(v)
        self.ev.zero_adjoints.add(zeros)
        return zeros

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
        if x.root in self.ev.mutated and self._lies_in_broadcast(x):
            self._accumulate_beneath(x, self._lasting(g), source)
            return
        if x in self.shadowed:
            self._accumulate_in_place(x, g, source)
            return
        old = self.bar.get(x)
        if old is None:
            g = self._lasting(g)
            self.bar[x] = self._named(g, x)
            self._own_if_fresh(g, source)
        else:
            total = self.ev.op("add", old, g)
            if isinstance(total, Var) and total.is_array:
                total.name, total.named = f"{x.name}_bar", True
                self.owned.add(total)
            self.bar[x] = total

    def _lasting(self, g: Value) -> Value:
        """A copy of what lies in an array of the primal, if the sweep undoes the writes to it."""
        primal = isinstance(g, Var) and g.is_array and g.root in self.undone and g.root in self.layout.home
        return self.ev.op("copy", g) if primal else g

    def _is_broadcast(self, x: Var) -> bool:
        made = self.layout.definition.get(x)
        return isinstance(made, Assign) and made.name == "broadcast_to"

    def _lies_in_broadcast(self, x: Var) -> bool:
        """Whether an array is a view in whose memory one element stands for many."""
        view: Var | None = x
        while view is not None and view.view_of is not None:
            if self._is_broadcast(view):
                return True
            view = view.view_of
        return False

    def _accumulate_beneath(self, x: Var, g: Value, source: Value) -> None:
        """Add to the adjoint of what `x` is a view of: a shadow of `x` would have one place for many adjoints."""
        made = self.layout.definition[x]
        assert isinstance(made, Assign) and x.view_of is not None
        whole = self.ev.op("broadcast_to", g, self.ev.shape_values(x.type.shape))
        if self._is_broadcast(x):
            self._accumulate(x.view_of, whole, source)
        elif made.op == "getitem":
            self._accumulate_part(x.view_of, made.args[1], whole)
        else:
            assert isinstance(made.op, Operation)
            self._reverse_operation(made, made.op, [whole])

    def _accumulate_part(self, array: Var, index: Index, g: Value) -> None:
        """Add to the adjoint of `array[index]`, for an array with one element for many."""
        if not (array.root in self.ev.mutated and self._lies_in_broadcast(array)):
            self.ev.block.append(Store(self._shadow(array), index, self.ev.atom(g), True, self.ev.origin))
            return
        if self._is_broadcast(array):
            found = beneath(array, index)
            if found is not None:
                assert array.view_of is not None
                self._accumulate_part(array.view_of, found.index, found.summed(self.ev, g))
                return
        whole = self.ev.zeros_like(array)
        self.ev.block.append(Store(whole, index, self.ev.atom(g), True, self.ev.origin))
        self._accumulate(array, whole, g)

    @abstractmethod
    def _reverse_operation(self, stmt: Assign, operation: Operation, z_bars: list[Value]) -> None:
        """Add what comes of the adjoints of an operation's results to those of its operands."""

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
                and (x.root not in self.laid_flat or self._lies_by_rows(g))
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
                copy.name, copy.named, copy.derived = f"{x.name}_bar", True, True
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
            return self._part_of_shadow(x, x.view_of)
        elif shadow is None and self._is_part(x):
            assert x.view_of is not None
            self.parts.add(x)
            self.bar[x] = part = self._part_of_shadow(x, x.view_of)
            return part
        else:
            assert self._own_frame(x), f"the shadow of {x!r} begins outside the region of its array"
            copy = self.ev.zeros_like(x) if shadow is None else self._owned_copy(shadow, x)
        copy.name, copy.named, copy.derived = f"{x.name}_bar", True, True
        self.bar[x] = copy
        self.owned.add(copy)
        return copy

    def _is_part(self, x: Var) -> bool:
        """Whether an array is a part of another one, whose shadow has room for all that would be added to its own."""
        made = self.layout.definition.get(x)
        return (
            isinstance(made, Assign)
            and made.name == "getitem"
            and x.view_of is not None
            and not added_axes(made)
        )

    def _part_of_shadow(self, x: Var, base: Var) -> Var:
        """The part of the shadow of `base` that `x` is of `base`."""
        definition = self.layout.definition[x]
        assert isinstance(definition, Assign)
        shadow = self._shadow(base)
        args: tuple[Operand, ...] = (shadow, *definition.args[1:])
        return self.ev.assign(definition.op, args, x.type, f"{x.name}_bar", named=True, view_of=shadow)

    def _unbroadcast(self, g: Value, x: Var) -> Value:
        """Sum `g` over the axes along which `x` was broadcast, and give it the dtype of `x`."""
        t = self.ev.type_of(g)
        assert t is not None, g
        lead = t.ndim - x.type.ndim
        number = partials.the_same_throughout(self.ev, g)
        if number is not None and not x.is_array:
            for d in t.shape:
                number = self.ev.op("multiply", number, self.ev.dim_value(d))
            g = number
        elif lead > 0:
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
            number = partials.the_same_throughout(self.ev, g)
            if isinstance(number, Var):
                number = self.ev.cast(number, x.type.dtype)
            elif isinstance(number, (int, float)):
                number = np.dtype(x.type.dtype).type(number)
            else:
                return self.ev.cast(g, x.type.dtype)
            return self.ev.op("broadcast_to", number, self.ev.shape_values(g.type.shape))
        return g

    def _root_bar(self, array: Var) -> Value | None:
        return self.bar.get(array.root)

    def _bar_of(self, v: Var) -> Var:
        """A variable for the adjoint of `v`, its lengths in terms of what stands in the reverse sweep."""
        kind = Array(v.type.dtype, v.type.shape, "A") if isinstance(v.type, Array) else Scalar(v.type.dtype)
        bar = Var(f"{v.name}_bar", kind)
        bar.derived = True
        if bar.is_array:
            remeasure.by_itself(bar, self.needs.outside, self.ev)
        return bar

    def _within(self, v: Var, inside: set[int]) -> bool:
        region = self.layout.home[v]
        while region is not None:
            if id(region.block) in inside:
                return True
            region = region.parent  # type: ignore[assignment]
        return False

    def _in_frame(self, v: Var, frame: Frame) -> bool:
        return self.layout.home[v] is frame.region

    def _emit_with(self, frame: Frame, block: Block, values: list[Value]) -> None:
        kept = dict(self.bar)
        for k, v in enumerate(values):
            if isinstance(v, Var):
                self.bar[Var(f"hold{k}", v.type)] = v
        self._emit(frame, block)
        self.bar = kept


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
