"""Give products of matrices and vectors an array to be written to, which all trips of a loop share.

    for t in range(n):                          hidden = np.empty(m)
        hidden = w @ x                          for t in range(n):
        ...                          ->             dot_into(w, x, hidden)
                                                    ...

A product of ten rows costs less than the memory of its result. Where a loop carries the product round, it is written
over what the trip was given, if nobody reads that any more; otherwise the two change places:

    for t in range(n):                          spare = np.empty(m)
        x = a @ x                    ->         for t in range(n):
                                                    dot_into(a, x, spare)
                                                    x, spare = spare, x

What is copied whole to where it belongs is written there.
"""

from __future__ import annotations

from typing import TypeGuard

from adc.compiler.analysis.equalities import Equalities
from adc.compiler.analysis.handover import alike, copies
from adc.compiler.analysis.roots import behind
from adc.compiler.frontend.lengths import EqualLengths, length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    If,
    Keep,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    bound_inside,
    defined,
    is_of_numbers,
    owners,
    uses,
    walk,
)
from adc.compiler.ir.types import REALS, Array
from adc.compiler.transforms import hoist
from adc.compiler.transforms.owned import CarriedArrays, Loop, rename, touches
from adc.compiler.transforms.rewrite import operand, substitute
from adc.errors import Location
from adc.rules.dims import Dim

MADE = {"empty", "zeros"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with products in loops that make no arrays."""
    if not any(_is_product(s) for s in walk(program.body)):
        return program
    outputs = _Outputs(program, evaluator)
    outputs.block(program.body, set(program.params))
    outputs.table.update(_lengths_again(program.body, {}))
    if outputs.table:
        program.body = substitute(program.body, outputs.table)
        program.results = [operand(r, outputs.table) for r in program.results]
        rename(evaluator.joined_roots, outputs.table)
    return hoist.run(program, evaluator)


def _lengths_again(block: Block, named: dict[Dim, Var]) -> dict[Var, Atom]:
    """The lengths that a block asks for although they have a name there: by it."""
    again: dict[Var, Atom] = {}
    for s in list(block):
        if isinstance(s, Assign) and s.name == "dim" and s.target.dim is not None:
            known = named.setdefault(s.target.dim, s.target)
            if known is not s.target:
                again[s.target] = known
                block.remove(s)
        for inner in blocks(s):
            again.update(_lengths_again(inner, dict(named)))
    return again


class _Outputs:
    """`table[v]` is the array that has become of another."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.carried = CarriedArrays(program, evaluator)
        self.known = Equalities(program)
        # What grows a stack is kept as it is, not copied.
        self.apart = hoist.escaping_roots(program, evaluator) | {
            v.root for s in walk(program.body) if isinstance(s, Keep) and s.index is None for v in uses(s)
        }
        self.made = {s.target for s in walk(program.body) if isinstance(s, Assign) and s.name in MADE}
        self.table: dict[Var, Atom] = {}

    def block(self, block: Block, there: set[Var]) -> None:
        """Rewrite the products of a block, those in its inner loops first."""
        result: Block = []
        for s in list(block):
            self.known.passed(s)
            for inner in blocks(s):
                with self.known.inside(s):
                    self.block(inner, there | set(bound_inside(s)))
            if isinstance(s, For) and self._placed(s, result):
                continue
            if isinstance(s, (For, While)):
                # Of a loop without a trip, whose lengths are not checked, the states stay what they were.
                with self.known.inside(s):
                    for c in list(s.carried):
                        self._carry(s, c, result)
                self._share(s, there, result)
            result.append(s)
            there |= set(defined(s))
        block[:] = result

    def _placed(self, copy: For, before: Block) -> bool:
        """Write a product that was made just before where a statement copies it to, if nobody else reads it."""
        product = next(
            (s for s in reversed(before) if not (isinstance(s, Assign) and is_of_numbers(s))), None
        )
        if product is None or not _is_product(product):
            return False
        array = _copied_to(copy, product.target, self.known.equal)
        if array not in self.made - self.carried.viewed or product.target in self.apart:
            return False
        if self.carried.times_read[product.target] != 1 or any(self._may_be(v, array) for v in uses(product)):
            return False
        making = next((s for s in before if isinstance(s, Assign) and array in s.targets), None)
        if making is not None and not any(touches(s, array) for s in before[before.index(making) + 1 :]):
            before.remove(making)
            product.targets = (array,)
        else:
            before[before.index(product)] = _into(product, array)
        return True

    def _may_be(self, v: Var, array: Var) -> bool:
        """Whether an array may lie in the memory of another."""
        joined = self.ev.joined_roots
        return not behind([v.root], joined).isdisjoint(behind([array.root], joined))

    def _carry(self, loop: Loop, c: Carried, before: Block) -> None:
        """Write a product that a loop carries over what the trip was given, or have the two change places."""
        old, new = c.phi, c.out
        product = next((s for s in loop.body if _is_product(s) and s.target is new), None)
        if product is None or not isinstance(new, Var):
            return
        if old.type.dtype != new.type.dtype or not self.known.same_shape(old, new):
            return
        if not (self.carried.is_local(loop, old, 0) and self.carried.is_local(loop, new, 1)):
            return
        at = loop.body.index(product)
        last = max((k for k, s in enumerate(loop.body) if touches(s, old)), default=-1)
        if last < at:
            kept = self.carried.owned(c, loop, before)
            loop.body[at] = _into(product, kept)
            loop.carried.remove(c)
            if old.named:
                kept.name, kept.named = old.name, True
            self.table.update(dict.fromkeys((old, new, c.result), kept))
            if c.result in self.carried.returned:
                self.carried.returned.add(kept)
        elif isinstance(loop, For):
            c.init = self.carried.owned(c, loop, before)
            kind = Array(old.type.dtype, c.init.type.shape, "C")
            spare, phi, result = (Var("spare", kind) for _ in range(3))
            self._allocate(spare, before, loop.origin)
            loop.body[at] = _into(product, phi)
            loop.carried.append(Carried(phi, spare, old, result))
            self.table[new] = c.out = phi

    def _share(self, loop: Loop, there: set[Var], before: Block) -> None:
        """Make the arrays of what a loop multiplies in each trip before it, if their lengths are known there."""
        for block in _with_branches(loop):
            for at, s in enumerate(block):
                if not _is_product(s):
                    continue
                assert isinstance(s.target.type, Array)
                lengths = {v for d in s.target.type.shape for v in owners(d)}
                if s.target in self.apart or not lengths <= there:
                    continue
                self._allocate(s.target, before, s.origin)
                block[at] = _into(s, s.target)

    def _allocate(self, array: Var, before: Block, origin: Location | None) -> None:
        with self.ev.at(before), self.ev.origin_at(origin):
            self.carried.nests.allocate(array)


def _is_product(s: Stmt) -> TypeGuard[Assign]:
    """Whether a statement is a call for a product of matrices, or of a matrix and a vector, of real numbers."""
    return (
        isinstance(s, Assign)
        and s.op == "rt.dot"
        and s.target.is_array
        and s.target.type.dtype in REALS
        and all(x.type.ndim <= 2 and x.type.dtype == s.target.type.dtype for x in s.args)
    )


def _into(product: Assign, array: Var) -> Assign:
    return Assign((), "rt.dot_into", (*product.args, array), product.origin)


def _copied_to(stmt: Stmt, product: Var, equal: EqualLengths) -> Var | None:
    """The array, as large, that a statement copies all of a product to."""
    written = [s.array for s in walk([stmt]) if isinstance(s, Store)]
    loops = [s for s in walk([stmt]) if isinstance(s, For)]
    if len(written) != 1 or not copies(stmt, product, written[0]):
        return None
    array = written[0]
    assert isinstance(product.type, Array)
    lengths = tuple(n for loop in loops if (n := length_of(loop.stop)) is not None)
    whole = all(loop.start == Const(0) and loop.step == Const(1) for loop in loops)
    return (
        array
        if whole and alike(array, product, equal) and equal.same_shape(lengths, product.type.shape)
        else None
    )


def _with_branches(loop: Loop) -> list[Block]:
    """The body of a loop, and the branches in it."""
    found = [loop.body]
    for block in found:
        found.extend(inner for s in block if isinstance(s, If) for inner in blocks(s))
    return found
