"""Rebuild statements with variables replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Check,
    Const,
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

Mapping_ = Mapping[Var, Atom]


def operand(x: Operand, table: Mapping_) -> Operand:
    if type(x) is Var:
        if x not in table:  # most: this is asked of every operand of a program, by every stage
            return x
        seen: Atom = table[x]
        # Chains arise when a replacement is itself replaced.
        while isinstance(seen, Var) and seen in table and table[seen] is not seen:
            seen = table[seen]
        return seen
    if type(x) is Const:
        return x
    if isinstance(x, tuple):
        return tuple(
            [i if type(i) is Const or (type(i) is Var and i not in table) else operand(i, table) for i in x]
        )
    if isinstance(x, Slice):
        return Slice(*(None if p is None else operand(p, table) for p in (x.start, x.stop, x.step)))
    return x


def substitute(block: Block, table: Mapping_, params: Iterable[Var] = ()) -> Block:
    """The block with every read of a variable in `table` replaced. Targets stay.

    `params` are those of its program, whose lengths may be told by what is replaced: directions are as long as results.
    """
    if not table:
        return block
    lengths = {
        Symbol("value", (v,)): _length(a) for v, a in table.items() if np.dtype(v.type.dtype).kind in "iu"
    }
    for v in table:
        array = operand(v, table)
        if isinstance(v.type, Array) and isinstance(array, Var) and isinstance(array.type, Array):
            for k, d in enumerate(array.type.shape):
                lengths[Symbol("shape", (v, k))] = d
    if lengths:
        for v in params:
            _relength(v, lengths)
        for stmt in walk(block):
            for t in (*defined(stmt), *bound_inside(stmt)):
                _relength(t, lengths)
    return [_statement(stmt, table) for stmt in block]


def _length(x: Atom) -> Dim:
    if isinstance(x, Const):
        return Dim(int(x.value))
    return x.dim if x.dim is not None else Dim.symbol("value", x)


def _relength(v: Var, lengths: Mapping[Symbol, Dim]) -> None:
    """What is known of a value's lengths, in terms of the variables that are read from now on."""
    if v.dim is not None:
        v.dim = _replaced(v.dim, lengths)
    if isinstance(v.type, Array):
        v.type = Array(v.type.dtype, tuple(_replaced(d, lengths) for d in v.type.shape), v.type.layout)


def _replaced(d: Dim, lengths: Mapping[Symbol, Dim]) -> Dim:
    if not any(s in lengths for s in d.symbols()):
        return d
    result = Dim(d.const)
    for symbol, coefficient in d.terms:
        result = result + _replaced_symbol(symbol, lengths) * coefficient
    return result


def _replaced_symbol(symbol: Symbol, lengths: Mapping[Symbol, Dim]) -> Dim:
    """A symbol by what it stands for now; one that is a function of lengths is made of the new ones."""
    if symbol in lengths:
        return lengths[symbol]
    payload = tuple(_replaced(p, lengths) if isinstance(p, Dim) else p for p in symbol.payload)
    return Dim(0, ((Symbol(symbol.kind, payload), 1),))


def _var(x: Atom) -> Var:
    assert isinstance(x, Var), x
    return x


def _statement(s: Stmt, table: Mapping_) -> Stmt:
    if type(s) is Assign:  # most are
        for t in s.targets:
            if t.view_of is not None:
                base = operand(t.view_of, table)
                if isinstance(base, Var):
                    t.view_of, t.root = base, base.root
        return Assign(s.targets, s.op, operand(s.args, table), s.origin)

    def f(x: Operand) -> Operand:
        return operand(x, table)

    def inner(block: Block) -> Block:
        return [_statement(i, table) for i in block]

    def carried(cs: list[Carried]) -> list[Carried]:
        return [Carried(c.phi, f(c.init), f(c.out), c.result) for c in cs]

    match s:
        case Store():
            return Store(_var(f(s.array)), f(s.index), f(s.value), s.accumulate, s.origin, s.role)
        case For():
            return For(
                s.index, f(s.start), f(s.stop), f(s.step), carried(s.carried), inner(s.body), s.origin, s.note
            )
        case While():
            return While(carried(s.carried), inner(s.test_block), f(s.test), inner(s.body), s.origin)
        case If():
            return If(
                f(s.test),
                inner(s.then),
                inner(s.orelse),
                [Merge(m.result, f(m.then), f(m.orelse)) for m in s.merges],
                s.origin,
            )
        case Check():
            return Check(f(s.test), s.error, f(s.message), s.origin, s.user)
        case Print():
            return Print(s.text, f(s.args), s.kinds, s.flush, s.origin)
        case NewBuffer():
            b = s.buffer
            b.trips = None if b.trips is None else list(f(tuple(b.trips)))
            b.lengths = f(b.lengths)
            return s
        case Keep():
            return Keep(s.buffer, None if s.index is None else f(s.index), f(s.value), s.origin, f(s.lengths))
        case Restore():
            return Restore(
                s.target, s.buffer, None if s.index is None else f(s.index), s.origin, f(s.lengths)
            )
        case Mark():
            return s
    raise AssertionError(f"unknown statement {s!r}")
