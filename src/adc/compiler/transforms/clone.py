"""A second copy of a block, on variables of its own: what one program's stages do to it, the other does not see."""

from __future__ import annotations

from collections.abc import Sequence

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Carried,
    Check,
    For,
    If,
    Keep,
    Mark,
    Merge,
    NewBuffer,
    Operand,
    Print,
    Restore,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    bound_inside,
    defined,
    walk,
)
from adc.compiler.ir.types import Array
from adc.rules.dims import Dim, Symbol

__all__ = ["run"]


def run(
    params: Sequence[Var],
    block: Block,
    results: Sequence[Atom],
    evaluator: Evaluator,
    *,
    inside: bool = False,
) -> tuple[list[Var], Block, list[Atom]]:
    """Parameters, block and results with every variable replaced by a new one of the same name and type.

    `inside`: for the same program, so that views of arrays of the rest of it remain that.
    """
    clone = _Clone(evaluator, inside)
    own = [*params, *(v for s in walk(block) for v in (*defined(s), *bound_inside(s)))]
    for v in own:
        clone.table[v] = Var(v.name, v.type, named=v.named)
    for v in own:
        clone.complete(v)
    return (
        [clone.var(p) for p in params],
        [clone.statement(s) for s in block],
        [clone.operand(r) for r in results],
    )


class _Clone:
    def __init__(self, evaluator: Evaluator, inside: bool) -> None:
        self.ev = evaluator
        self.inside = inside
        self.table: dict[Var, Var] = {}
        self.buffers: dict[Buffer, Buffer] = {}

    def var(self, v: Var) -> Var:
        return self.table.get(v, v)

    def complete(self, v: Var) -> None:
        """What is known of a variable, in terms of the new ones."""
        new = self.table[v]
        if isinstance(v.type, Array):
            new.type = Array(v.type.dtype, tuple(map(self._dim, v.type.shape)), v.type.layout)
        new.dim = None if v.dim is None else self._dim(v.dim)
        # A view of something that stays behind, in another program, owns what it is given.
        new.root = self.table.get(v.root, v.root if self.inside else new)
        new.view_of = v.view_of and self.table.get(v.view_of, v.view_of if self.inside else None)
        new.element_of = v.element_of and self.var(v.element_of)
        new.derived = v.derived
        source = self.ev.shape_source.get(v)
        if source is not None and (self.inside or source in self.table):
            self.ev.shape_source[new] = self.var(source)
        if v in self.ev.joined_roots:
            self.ev.joined_roots[new] = {self.var(r) for r in self.ev.joined_roots[v]}
        if v in self.ev.mutated:
            self.ev.mutated[new] = self.ev.mutated[v]

    def _dim(self, d: Dim) -> Dim:
        result = Dim(d.const)
        for symbol, coefficient in d.terms:
            payload = tuple(
                self._dim(p) if isinstance(p, Dim) else self.var(p) if isinstance(p, Var) else p
                for p in symbol.payload
            )
            result = result + Dim(0, ((Symbol(symbol.kind, payload), 1),)) * coefficient
        return result

    def operand(self, x: Operand) -> Operand:
        if isinstance(x, Var):
            return self.var(x)
        if isinstance(x, tuple):
            return tuple(self.operand(i) for i in x)
        if isinstance(x, Slice):
            return Slice(*(None if p is None else self.operand(p) for p in (x.start, x.stop, x.step)))
        return x

    def _buffer(self, b: Buffer) -> Buffer:
        if b not in self.buffers:
            trips = None if b.trips is None else [self.operand(t) for t in b.trips]
            self.buffers[b] = Buffer(
                b.name, b.dtype, trips, tuple(map(self._dim, b.shape)), self.operand(b.lengths)
            )
        return self.buffers[b]

    def _carried(self, carried: list[Carried]) -> list[Carried]:
        f = self.operand
        return [Carried(self.var(c.phi), f(c.init), f(c.out), self.var(c.result)) for c in carried]

    def _inner(self, block: Block) -> Block:
        return [self.statement(s) for s in block]

    def statement(self, s: Stmt) -> Stmt:
        f, var = self.operand, self.var
        match s:
            case Assign():
                return Assign(tuple(map(var, s.targets)), s.op, f(s.args), s.origin)
            case Store():
                return Store(var(s.array), f(s.index), f(s.value), s.accumulate, s.origin, s.role)
            case For():
                return For(
                    var(s.index),
                    f(s.start),
                    f(s.stop),
                    f(s.step),
                    self._carried(s.carried),
                    self._inner(s.body),
                    s.origin,
                    s.note,
                )
            case While():
                return While(
                    self._carried(s.carried),
                    self._inner(s.test_block),
                    f(s.test),
                    self._inner(s.body),
                    s.origin,
                )
            case If():
                merges = [Merge(var(m.result), f(m.then), f(m.orelse)) for m in s.merges]
                return If(f(s.test), self._inner(s.then), self._inner(s.orelse), merges, s.origin)
            case Check():
                return Check(f(s.test), s.error, f(s.message), s.origin, s.user)
            case Print():
                return Print(s.text, f(s.args), s.kinds, s.flush, s.origin)
            case NewBuffer():
                return NewBuffer(self._buffer(s.buffer), s.origin)
            case Keep():
                index = None if s.index is None else f(s.index)
                return Keep(self._buffer(s.buffer), index, f(s.value), s.origin, f(s.lengths))
            case Restore():
                index = None if s.index is None else f(s.index)
                return Restore(var(s.target), self._buffer(s.buffer), index, s.origin, f(s.lengths))
            case Mark():
                return s
        raise AssertionError(f"unknown statement {s!r}")
