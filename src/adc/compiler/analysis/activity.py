"""Decide which values are active: they depend on a differentiated input, and the result depends on them.

Forward for "varied", backward for "useful", both to a fixed point over the loops (Griewank & Walther, section 6.2).
An array that is written in place is judged by its root, whatever view the write went through.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    For,
    If,
    Keep,
    Operand,
    Restore,
    Store,
    Var,
    While,
    variables,
    walk,
)
from adc.compiler.ir.types import is_float
from adc.errors import UnsupportedError
from adc.rules.operation import Operation

# Primitives of the compiler through which derivatives pass, with the position of the operand that carries them.
PASSING = {"getitem": 0, "cast": 0, "alias": 0}


def differentiable_operands(stmt: Assign) -> list[Operand]:
    """The operands in whose values the targets are differentiable."""
    if isinstance(stmt.op, str):
        return [stmt.args[PASSING[stmt.op]]] if stmt.op in PASSING else []
    operation: Operation = stmt.op
    if operation.kind == "constant":
        return []
    names = [p.name for p in operation.parameters]
    return [stmt.args[names.index(w)] for w in operation.wrt]


class Activity:
    """Answers `active(var)` for one program."""

    def __init__(
        self, block: Block, inputs: Iterable[Var], outputs: Iterable[Atom], constants: Iterable[Var] = ()
    ) -> None:
        """`constants`: values to be taken as inactive, whatever they depend on."""
        self.constants = set(constants)
        self.varied: set[Var] = set(inputs)
        self.useful: set[Var] = {v for v in outputs if isinstance(v, Var)}
        self.useful |= {v.root for v in self.useful}
        self.kept_varied: set[Buffer] = set()
        self.kept_useful: set[Buffer] = set()
        statements = walk(block)
        self._to_fixed_point(statements, self._spread_varied, self.varied)
        self._to_fixed_point(statements[::-1], self._spread_useful, self.useful)
        for stmt in statements:
            self._refuse_lost(stmt)

    def _refuse_lost(self, stmt: object) -> None:
        """Stop where a derivative would be dropped: in a parameter for which the operation has none in closed form."""
        if (
            not isinstance(stmt, Assign)
            or isinstance(stmt.op, str)
            or not any(map(self.is_useful, stmt.targets))
        ):
            return
        refused = stmt.op.extra.get("refuses", ())
        for parameter, operand in zip(stmt.op.parameters, stmt.args, strict=True):
            if parameter.name in refused and any(
                is_float(v.type) and self.is_varied(v) for v in variables(operand)
            ):
                raise UnsupportedError(
                    f"{stmt.op.spelling} has no derivative with respect to `{parameter.name}`",
                    stmt.origin,
                    "None is known in closed form.",
                    "Do not differentiate with respect to it, or register a rule (docs/adding_a_rule.md).",
                )

    def active(self, v: Operand) -> bool:
        """Whether a value carries a derivative from the inputs to the outputs."""
        return isinstance(v, Var) and is_float(v.type) and self.is_varied(v) and self.is_useful(v)

    def is_varied(self, v: Var) -> bool:
        return v in self.varied or v.root in self.varied

    def is_kept(self, buffer: Buffer) -> bool:
        """Whether a buffer of an earlier reverse sweep holds active values."""
        return buffer in self.kept_varied and buffer in self.kept_useful

    def is_useful(self, v: Var) -> bool:
        return v in self.useful or v.root in self.useful

    @staticmethod
    def _to_fixed_point(statements, spread, found: set[Var]) -> None:  # type: ignore[no-untyped-def]
        size = -1
        while size != len(found):
            size = len(found)
            for stmt in statements:
                spread(stmt)

    def _any_varied(self, operands: Iterable[Operand]) -> bool:
        return any(self.is_varied(v) for operand in operands for v in variables(operand))

    def _spread_varied(self, stmt: object) -> None:
        if isinstance(stmt, Assign):
            if stmt.targets[0] not in self.constants and self._any_varied(differentiable_operands(stmt)):
                self.varied.update(t for t in stmt.targets if is_float(t.type))
        elif isinstance(stmt, Store):
            if self._any_varied([stmt.value]) and is_float(stmt.array.type):
                self.varied.add(stmt.array.root)
        elif isinstance(stmt, (For, While)):
            for c in stmt.carried:
                if (
                    is_float(c.phi.type)
                    and c.result not in self.constants
                    and self._any_varied([c.init, c.out])
                ):
                    self.varied.update((c.phi, c.result))
        elif isinstance(stmt, If):
            for m in stmt.merges:
                if (
                    is_float(m.result.type)
                    and m.result not in self.constants
                    and self._any_varied([m.then, m.orelse])
                ):
                    self.varied.add(m.result)
        elif isinstance(stmt, Keep):
            if self._any_varied([stmt.value]) and np.dtype(stmt.buffer.dtype).kind in "fc":
                self.kept_varied.add(stmt.buffer)
        elif isinstance(stmt, Restore) and stmt.buffer in self.kept_varied:
            self.varied.add(stmt.target)

    def _want(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            for v in variables(operand):
                if is_float(v.type):
                    self.useful.update((v, v.root))

    def _spread_useful(self, stmt: object) -> None:
        if isinstance(stmt, Assign):
            if stmt.targets[0] not in self.constants and any(self.is_useful(t) for t in stmt.targets):
                self._want(differentiable_operands(stmt))
        elif isinstance(stmt, Store):
            if stmt.array.root in self.useful:
                self._want([stmt.value])
        elif isinstance(stmt, (For, While)):
            for c in stmt.carried:
                if c.result not in self.constants and (self.is_useful(c.result) or self.is_useful(c.phi)):
                    self._want([c.init, c.out])
                    self.useful.update((c.phi, c.result))
        elif isinstance(stmt, If):
            for m in stmt.merges:
                if m.result not in self.constants and self.is_useful(m.result):
                    self._want([m.then, m.orelse])
        elif isinstance(stmt, Restore):
            if self.is_useful(stmt.target):
                self.kept_useful.add(stmt.buffer)
        elif isinstance(stmt, Keep) and stmt.buffer in self.kept_useful:
            self._want([stmt.value])
