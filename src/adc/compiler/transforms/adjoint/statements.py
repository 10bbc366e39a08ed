"""The reverse of one statement: of an operation by its rule, of a write to memory."""

from __future__ import annotations

import numpy as np

from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    Store,
    Var,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import partials
from adc.compiler.transforms.adjoint.accumulation import Accumulation
from adc.compiler.transforms.adjoint.operands import added_axes, value_of
from adc.compiler.transforms.needs import Frame
from adc.rules.movement import unless_zero
from adc.rules.operation import Operation


class Statements(Accumulation):
    """Reverses assignments and writes."""

    def _reverse_assign(self, stmt: Assign, frame: Frame) -> None:
        if not any(self.active(t) for t in stmt.targets):
            return
        if isinstance(stmt.op, Operation) and stmt.op.kind == "constant":
            for t in stmt.targets:
                self._take(t)  # fresh memory that is written later: what was there before has no derivative
            return
        target = stmt.targets[0]
        if target in self.parts or (target.view_of is not None and target.root in self.ev.mutated):
            self.bar.pop(target, None)  # its adjoint is a view of the shadow, which already has everything
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
            axes = added_axes(stmt)
            if axes and array.root not in self.ev.mutated:
                whole = self.ev.op("broadcast_to", z_bar, self.ev.shape_values(stmt.target.type.shape))
                self._accumulate(
                    array, self.ev.op("squeeze", whole, axes if len(axes) > 1 else axes[0]), z_bar
                )
            else:
                self._accumulate_part(array, index, z_bar)
        elif stmt.op in ("cast", "alias"):
            self._accumulate(stmt.args[0], z_bar, z_bar)
        else:
            raise AssertionError(f"{stmt.op} carries no derivative")

    def _reverse_operation(self, stmt: Assign, operation: Operation, z_bars: list[Value]) -> None:
        args = [value_of(a) for a in stmt.args]
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
            found = partials.of_rule(self.ev, operation, [z, *args])
            sums: dict[Var, Value] = {}
            for x, partial in zip(wanted, found, strict=True):
                if self.active(x) and partial is not None:
                    g = self._times(stmt, operation, z_bar, partial)
                    if g is not None:
                        sums[x] = self.ev.op("add", sums[x], g) if x in sums else g
            for x, g in sums.items():
                self._accumulate(x, g, z_bar)
            return
        if "unless_zero" in operation.extra:
            if isinstance(z_bar, Var):
                self.masked.add(z_bar)
            self._accumulate(stmt.args[1], z_bar, z_bar)
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

    def _times(self, stmt: Assign, operation: Operation, z_bar: Value, partial: Value) -> Value:
        """What an operand with this partial is given, None for a partial that is zero."""
        if isinstance(partial, (int, float)) and partial == 0:
            return None
        product = partials.product(self.ev, z_bar, partial)
        if (
            operation.singular
            and isinstance(z_bar, Var)
            and (z_bar in self.masked or z_bar.root in self.masked)
            and (isinstance(partial, Var) or not np.isfinite(partial))
            and not self.away_from_zero.is_regular(stmt)
        ):
            # A zero adjoint contributes zero, even where the partial is infinite.
            number = partials.before_spreading(self.ev, z_bar)
            product = self.ev.op(unless_zero, self.ev.op("not_equal", number, 0.0), product, 0.0)
        return product

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


def _name(x: Atom) -> str:
    return x.name if isinstance(x, Var) else "value"


def _several(value: Value, names: tuple[str, ...]) -> tuple[Value, ...]:
    return (value,) if len(names) == 1 else value
