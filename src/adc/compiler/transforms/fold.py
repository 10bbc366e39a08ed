"""Fold what became trivial: factors of one, sums with zero, what is negated, transposed or copied twice, constants."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    If,
    Keep,
    Mark,
    Program,
    Stmt,
    Store,
    Var,
    While,
    change_blocks,
    defined,
    is_view,
    walk,
)
from adc.compiler.ir.types import Array, is_float
from adc.compiler.transforms.owned import rename
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.terms import PRODUCTS, Terms, is_converted, is_real
from adc.rules.operation import Operation

_KNOWN = {"cast", "where", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
_NEVER_TAKEN = {"maximum": -np.inf, "minimum": np.inf}
_WHOLE = {"floor", "ceil", "trunc", "rint"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with trivial arithmetic folded away."""
    folder = _Folder(program, evaluator)
    body = folder.block(program.body)
    program.body = substitute(body, folder.table)
    program.results = [operand(r, folder.table) for r in program.results]
    rename(evaluator.joined_roots, folder.table)
    return program


class _Folder(Terms):
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        super().__init__(program, written_roots(walk(program.body), evaluator.joined_roots))
        self.ev = evaluator
        self.table: dict[Var, Atom] = {}
        self.gathered: set[Var] = set()  # elements read by their positions: no view
        self.left_behind: dict[Var, Carried] = {}  # by loops that hand it on under no other name
        self.results = {r for r in program.results if isinstance(r, Var)}
        self.viewed = {v.view_of for s in walk(program.body) for v in defined(s)}
        self.joined: set[Var] = set().union(*evaluator.joined_roots.values())

    def block(self, block: Block) -> Block:
        kept: Block = []
        for stmt in block:
            if isinstance(stmt, Mark):
                self.in_reverse = stmt.text == "reverse"
            elif isinstance(stmt, (For, While, If)):
                change_blocks(stmt, self.block)
                if isinstance(stmt, For):
                    outs = Counter(c.out for c in stmt.carried)
                    self.left_behind.update({c.result: c for c in stmt.carried if outs[c.out] == 1})
            elif (
                isinstance(stmt, Assign)
                and stmt.name == "getitem"
                and stmt.target.is_array
                and not is_view(stmt)
            ):
                self.gathered.add(stmt.target)
            elif isinstance(stmt, Assign) and len(stmt.targets) == 1 and isinstance(stmt.op, Operation):
                if (product := self._only_turned(stmt, kept)) is not None:
                    kept.remove(product)
                    stmt = self._turned_factors(product, stmt, kept)
                stmt = self._assign(stmt)
                if stmt.targets[0] in self.table:
                    continue
            elif isinstance(stmt, Keep) and stmt.index is not None and kept:
                stmt = _copied_once(stmt, kept[-1])
            elif isinstance(stmt, Store) and self.in_reverse:
                if kept and _is_same_sum(kept[-1], stmt):
                    kept.pop()
                    stmt = replace(stmt, value=self._twice(stmt, kept))
                with self.ev.at(kept), self.ev.origin_at(stmt.origin):
                    value = operand(stmt.value, self.table)
                    number = self._spread(value)
                    if number is None and stmt.accumulate and self.loses_negative(self.still(value)):
                        number = self.ev.op("negative", value)
                stmt = stmt if number is None else replace(stmt, value=self.ev.atom(number))
            kept.append(stmt)
        return kept

    def _assign(self, stmt: Assign) -> Assign:
        target = stmt.target
        args = operand(stmt.args, self.table)
        assert isinstance(stmt.op, Operation)
        if any(a is not b for a, b in zip(args, stmt.args, strict=True)):
            stmt = Assign(stmt.targets, stmt.op, args, stmt.origin)
        self.definition[target] = stmt
        name = stmt.name
        if not target.is_array and name in _KNOWN and isinstance(args[0], Const):
            known = self._known(name, args)
            if known is not None:
                return self._becomes(target, known, stmt)
        if name in ("multiply", "add", "subtract", "divide", "negative"):
            simple = self._arithmetic(name, args, target)
            if simple is not None:
                return simple if isinstance(simple, Assign) else self._becomes(target, simple, stmt)
        if name in _NEVER_TAKEN and (only := _only_choice(name, args)) is not None:
            return self._becomes(target, only, stmt)
        if name in _WHOLE and not target.is_array and isinstance(args[0], Var):
            inner = self.definition.get(args[0])
            if inner is not None and inner.name in _WHOLE:
                return self._becomes(target, args[0], stmt)
        if name == "copy" and self._is_only_copied(args[0], target):
            self.table[target] = args[0]
            if target.named and not args[0].named:
                args[0].name, args[0].named = target.name, True
        if name == "squeeze" and (total := self._summed(args, target)) is not None:
            return self.new("sum", total, _own(target, "total") if target.is_array else target)
        if name == "transpose":
            inner = self.still(args[0])
            if (
                inner is not None
                and inner.name == "transpose"
                and _undone(inner.args[1], args[1], target.type.ndim)
            ):
                return self._becomes(target, inner.args[0], stmt)
        return stmt

    def _twice(self, store: Store, block: Block) -> Atom:
        """Two times what a statement adds, made at the end of a block."""
        new: Block = []
        with self.ev.at(new), self.ev.origin_at(store.origin):
            doubled = self.ev.atom(self.ev.op("multiply", 2.0, store.value))
        block.extend(self.block(new))
        return operand(doubled, self.table)  # type: ignore[no-any-return]

    def _spread(self, x: Atom) -> Value | None:
        """The number that every element of an array is, where it was broadcast."""
        made = self.still(x)
        if made is None or not made.target.is_array:
            return None
        if made.name == "broadcast_to":
            of = made.args[0]
            return None if isinstance(of, Var) and of.is_array else plain_value(of)
        number = self._spread(made.args[0]) if made.name == "negative" else None
        return None if number is None else self.ev.op("negative", number)

    def _is_only_copied(self, x: Atom, copy: Var) -> bool:
        """Whether an array is a new one, or what a loop makes anew in each trip, that nothing but its copy reads."""
        if not isinstance(x, Var) or self.readers[x] != 1 or {x, copy} & self.written:
            return False
        c = self.left_behind.get(x)
        return self._is_new(x) or (
            c is not None
            and isinstance(c.init, Var)
            and self.readers[c.init] == 1
            and self._is_new(c.init)
            and self._is_new(c.out)
        )

    def _is_new(self, x: Atom) -> bool:
        """Whether an array is a product or sum, or elements read by positions."""
        made = self.definition.get(x) if isinstance(x, Var) and x not in self.table else None
        return x in self.gathered or (
            made is not None
            and (
                made.name in (*PRODUCTS, "sum", "copy")
                or (isinstance(made.op, Operation) and is_elementwise(made.op))
            )
        )

    def _summed(self, args: tuple[Any, ...], target: Var) -> tuple[Atom, ...] | None:
        """The sum over axes that an array has lost, for one that kept them with a length of one."""
        made = self.still(args[0])
        if made is None or made.name != "sum" or made.args[2] != Const(True):
            return None
        if target in self.viewed or made.target in self.joined:
            return None
        rank = args[0].type.ndim
        lost, summed = _axes(args[1], rank), _axes(made.args[1], rank)
        return (*made.args[:2], Const(False)) if lost == summed else None

    def _only_turned(self, stmt: Assign, block: Block) -> Assign | None:
        """The product of two matrices, or of two vectors, that a block has made for a statement that transposes it."""
        made = self.definition.get(stmt.args[0]) if stmt.name == "transpose" else None
        if (
            made is None
            or made.name not in (*PRODUCTS, "outer")
            or self.readers[made.target] != 1
            or made.target in self.results
            or stmt.target in self.viewed
            or made.target in self.joined
        ):
            return None
        factors = made.args[:2]
        ndim = 1 if made.name == "outer" else 2
        if not all(isinstance(a, Var) and a.is_array and a.type.ndim == ndim for a in factors):
            return None
        if block and made is block[-1]:
            return made
        still = not any(v.root in self.written for v in (made.target, *factors))
        return made if still and made in block else None

    def _turned_factors(self, product: Assign, turn: Assign, kept: Block) -> Assign:
        """`b.T @ a.T` in place of `(a @ b).T`, and for vectors `outer(b, a)`."""
        a, b = product.args[:2]
        if product.name != "outer":
            a, b = (self._turned(x, turn, kept) for x in (a, b))
        return Assign((_own(turn.target, "product"),), product.op, (b, a, *product.args[2:]), product.origin)

    def _turned(self, x: Var, turn: Assign, kept: Block) -> Var:
        made = self.definition.get(x)
        if made is not None and made.name == "transpose" and isinstance(made.args[0], Var):
            return made.args[0]
        with self.ev.at(kept), self.ev.origin_at(turn.origin):
            turned = self.ev.op("transpose", x)
        assert isinstance(turned, Var)
        return turned

    def _known(self, name: str, args: tuple[Atom, ...]) -> Atom | None:
        """What an operation of constants gives, or a choice by one."""
        values = [a.value for a in args if isinstance(a, Const)]
        if name == "where":
            return args[1] if values[0] else args[2]
        if len(values) < len(args):
            return None
        if name == "cast":
            kinds = {"float64": float, "complex128": np.complex128}
            return Const(kinds[values[1]](values[0])) if values[1] in kinds else None
        return self.ev.atom(self.ev.op(name, *values))

    def _becomes(self, target: Var, value: Atom, stmt: Assign) -> Assign:
        """Read `value` in place of `target`; where the target needs memory of its own, copy it."""
        if isinstance(value, Var) and (
            value.type.dtype != target.type.dtype or value.type.ndim != target.type.ndim
        ):
            return stmt
        if isinstance(value, Var) and value.is_array and value.root in self.written:
            return stmt
        if target.is_array and (target.root in self.written or target in self.results):
            elementwise = stmt.name != "transpose" and isinstance(value, Var)
            return self.new("copy", (value,), target) if elementwise else stmt
        if isinstance(value, Const) and target.is_array:
            return stmt
        dtype = np.dtype(target.type.dtype)
        if isinstance(value, Const) and dtype.kind in "iu" and dtype.itemsize < 8:
            value = Const(np.asarray(value.value).astype(dtype).item())  # narrow integers wrap
        self.table[target] = value
        return stmt

    def _arithmetic(self, name: str, args: tuple[Atom, ...], target: Var) -> Assign | Atom | None:
        if all(isinstance(a, Const) for a in args) and not target.is_array:
            value = self.ev.op(name, *(a.value for a in args))  # type: ignore[union-attr]
            return self.ev.atom(value)
        x = args[0]
        if name == "negative":
            return self.negative_of(x, target)
        y = args[1]
        if target.type.dtype == "int64" and not target.is_array and name in ("add", "subtract"):
            return self._offset(name, x, y, target)
        if (not is_float(target.type) and name != "subtract") or is_converted(args, target):
            return None
        if name == "multiply":
            for a, b in ((x, y), (y, x)):
                if a == Const(1.0):
                    return b
                if a == Const(-1.0):
                    return self.negative_of(b, target) or self.new("negative", (b,), target)
            if isinstance(x, Const) and (scaled := self.scaled(x.value, y, target)) is not None:
                return scaled
        if name == "divide" and y == Const(1.0):
            return x
        if name == "divide" and self.in_reverse and self.is_reciprocal(x, y):
            return self.new("multiply", (x, self.definition[x].args[0]), target)  # type: ignore[index]
        if name in ("add", "subtract") and y == Const(0.0):
            return x
        if name == "add" and x == Const(0.0):
            return y
        if name == "add" and self.in_reverse and isinstance(y, Const) and is_real(y.value) and y.value < 0:
            return self.new("subtract", (x, Const(-y.value)), target)
        if name == "subtract" and x == Const(0.0):
            return self.negative_of(y, target) or self.new("negative", (y,), target)
        if name == "add":
            return self.sum_of(x, y, target)
        return None

    def _offset(self, name: str, x: Atom, y: Atom, target: Var) -> Assign | Atom | None:
        """`n - 1 - 1` as `n - 2`, `1 + i` as `i + 1`."""
        if name == "add" and isinstance(x, Const) and isinstance(y, Var):
            x, y = y, x
        if not isinstance(x, Var) or not isinstance(y, Const) or not isinstance(y.value, int):
            return None
        total = y.value if name == "add" else -y.value
        base: Atom = x
        inner = self.definition.get(x)
        if (
            inner is not None
            and not x.named
            and inner.name in ("add", "subtract")
            and isinstance(inner.args[1], Const)
            and isinstance(inner.args[1].value, int)
            and isinstance(inner.args[0], Var)
        ):
            base = inner.args[0]
            total += inner.args[1].value if inner.name == "add" else -inner.args[1].value
        if total == 0:
            return base
        return self.new("add" if total > 0 else "subtract", (base, Const(abs(total))), target)


def _is_same_sum(before: Stmt, store: Store) -> bool:
    """Whether a statement adds what the one before has added there."""
    return (
        isinstance(before, Store)
        and before.accumulate
        and store.accumulate
        and before.array is store.array
        and before.index == store.index
        and before.value is store.value
        and isinstance(store.value, Var)
        and store.value.root is not store.array.root
    )


def _copied_once(keep: Keep, before: Stmt) -> Keep:
    """To keep an array is to copy it: what is kept need not be a copy made for it."""
    if (
        isinstance(before, Assign)
        and before.name == "copy"
        and keep.value is before.target
        and before.target.is_array
    ):
        return replace(keep, value=before.args[0])
    return keep


def _own(view: Var, name: str) -> Var:
    """What was a view, as an array of its own, called so if the user has no name for it."""
    view.view_of, view.root = None, view
    if not view.named:
        view.name = name
    assert isinstance(view.type, Array)
    view.type = replace(view.type, layout="C")
    return view


def _axes(axes: Any, rank: int) -> set[int] | None:
    """The axes that an argument names; None for those that are to be found out."""
    given = plain_value(axes)
    if given is None:
        return None
    return {k % rank for k in (given if isinstance(given, tuple) else (given,))}


def _undone(first: Any, second: Any, rank: int) -> bool:
    """Whether one permutation of the axes takes back another."""

    def order(axes: Any) -> list[int]:
        return list(range(rank))[::-1] if axes == Const(None) else [a.value % rank for a in axes]

    a, b = order(first), order(second)
    return [a[k] for k in b] == list(range(rank))


def _only_choice(name: str, args: tuple[Atom, ...]) -> Var | None:
    """The number that the larger or smaller of two is in any case, NaN as well."""
    x, y = args
    if x == Const(_NEVER_TAKEN[name]) or x is y:
        return y if isinstance(y, Var) else None
    return x if y == Const(_NEVER_TAKEN[name]) and isinstance(x, Var) else None
