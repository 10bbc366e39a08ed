"""Nests of loops that multiply matrices, and the products that stand for them (`whole`).

    for i in range(n):                              hidden = np.tanh(x @ w.T + b)
        for h in range(m):
            s = b[h]
            for k in range(d):
                s += w[h, k] * x[i, k]
            hidden[i, h] = np.tanh(s)

A loop that adds up products of elements is a product of two vectors; the loop around it makes that one of a matrix and
a vector, and the next one a product of matrices, several times faster by BLAS than by loops, in both sweeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Stmt,
    Store,
    Var,
    defined,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import is_float
from adc.compiler.transforms.batched import PRODUCTS

DEPTH = 3  # loops in each other: over the rows, the columns, and what is added up
SHORT = 8  # sums of up to so many terms, as is known, stay loops: they are written out


def may_multiply(loop: For) -> bool:
    """Whether in a nest of loops over numbers an innermost one adds up products."""
    inside = walk([loop])
    numbers = all(
        is_float(c.phi.type) and not c.phi.is_array for s in inside if isinstance(s, For) for c in s.carried
    )
    return numbers and _depth(loop) >= DEPTH and any(_adds_products(s) for s in inside)


def _depth(loop: For) -> int:
    """How many loops are in each other; what adds up the elements of a vector counts for one."""
    inner = (_depth(s) if isinstance(s, For) else _is_total(s) for s in loop.body)
    return 1 + max(inner, default=0)


def _is_total(s: Stmt) -> bool:
    return isinstance(s, Assign) and s.name in {*PRODUCTS, "sum"} and not s.target.is_array


def _adds_products(s: Stmt) -> bool:
    if not isinstance(s, For):
        return _is_total(s)
    products: set[Var] = set()
    for t in s.body:
        if isinstance(t, Assign) and (
            t.name == "multiply" or (t.name == "negative" and t.args[0] in products)
        ):
            products.add(t.target)
    return any(v in products for t in s.body if _is_sum(t) for v in uses(t))


def _is_sum(s: Stmt) -> bool:
    return s.accumulate if isinstance(s, Store) else isinstance(s, Assign) and s.name in ("add", "subtract")


def multiplies(block: Block, nest: For) -> bool:
    """Whether statements multiply matrices, and make nothing that has more axes than what they read."""
    statements = walk(block)
    made = [v for s in statements for v in defined(s) if v.is_array]
    read = [v for s in walk([nest]) for v in uses(s) if v.is_array]
    most = max((v.type.ndim for v in read), default=0)  # of single numbers there is nothing to multiply
    return all(v.type.ndim <= most for v in made) and any(_is_of_matrices(s) for s in statements)


def _is_of_matrices(s: Stmt) -> bool:
    if not isinstance(s, Assign) or s.name not in PRODUCTS:
        return False
    left, right = (a.type for a in s.args)
    terms = left.shape[-1].known
    return min(left.ndim, right.ndim) > 1 and (terms is None or terms > SHORT)


def without_unread(block: Block, results: Iterable[Atom]) -> Block:
    """The statements that something reads, and the lengths, which are read by the types of others."""
    read = {v for r in results for v in variables(r)}
    kept: Block = []
    for s in reversed(block):
        if not isinstance(s, Assign) or any(t in read or not t.is_array for t in s.targets):
            kept.append(s)
            read.update(v for t in walk([s]) for v in uses(t))
    return kept[::-1]


def product(term: Var, axis: int, block: Block, ev: Evaluator) -> Value | None:
    """The sum of what a block has made, along an axis, as a product of two vectors or matrices; None if it is none."""
    definition = {s.target: s for s in block if isinstance(s, Assign) and len(s.targets) == 1}
    numbers, signs, term = _without_numbers(term, definition)
    made = definition.get(term)
    if made is None or made.name != "multiply":
        return None
    factors = []
    for x in made.args:
        own, negatives, array = _without_numbers(x, definition)
        numbers, signs = numbers + own, signs + negatives
        factor = _factor(array, term, definition, ev)
        if factor is None or axis not in factor.axes or len(factor.axes) > 2:
            return None
        factors.append(factor)
    others = [k for k in range(term.type.ndim) if k != axis]
    left, right = ([k for k in f.axes if k != axis] for f in factors)
    if sorted(left + right) != others:
        return None
    if others[:1] == right[:1]:
        factors.reverse()
    result = ev.op("matmul", factors[0].laid(axis, -1, ev), factors[1].laid(axis, 0, ev))
    for number in numbers:
        result = ev.op("multiply", number, result)
    return ev.op("negative", result) if signs % 2 else result


@dataclass(frozen=True)
class _Factor:
    """A factor of a term without the axes of one element that let it broadcast; which axes of the term its own are."""

    array: Var
    axes: tuple[int, ...]

    def laid(self, axis: int, place: int, ev: Evaluator) -> Value:
        """The factor with an axis of the term as its first or its last."""
        return self.array if self.axes[place] == axis else ev.op("transpose", self.array)


def _without_numbers(x: Var, definition: Mapping[Var, Assign]) -> tuple[list[Value], int, Var]:
    """The numbers by which an array is multiplied, how often it changes its sign, and the array."""
    numbers: list[Value] = []
    signs = 0
    while (made := definition.get(x)) is not None and made.name in ("multiply", "negative"):
        arrays = [a for a in made.args if isinstance(a, Var) and a.is_array]
        if len(arrays) != 1:
            break
        signs += made.name == "negative"
        numbers += [plain_value(a) for a in made.args if a is not arrays[0]]
        (x,) = arrays
    return numbers, signs, x


def _factor(x: Var, term: Var, definition: Mapping[Var, Assign], ev: Evaluator) -> _Factor | None:
    if x.type.dtype != term.type.dtype:
        return None
    axes = list(range(term.type.ndim - x.type.ndim, term.type.ndim))
    view = definition.get(x)
    if view is not None and view.op == "getitem" and Const(None) in view.args[1]:
        x, index = view.args
        index = (*index, *(FULL,) * (x.type.ndim - sum(i != Const(None) for i in index)))
        if any(i not in (FULL, Const(None)) for i in index):
            return None
        axes = [k for k, i in zip(axes, index, strict=True) if i == FULL]
    if not all(ev.equal.same(d, term.type.shape[k]) for d, k in zip(x.type.shape, axes, strict=True)):
        return None
    return _Factor(x, tuple(axes))


def totals_as_products(block: Block, ev: Evaluator) -> Block:
    """With products of two vectors in place of sums over the product of their elements."""
    found: Block = []
    for s in block:
        if isinstance(s, Assign) and s.name == "sum" and s.args[0].type.ndim == 1 and not s.target.is_array:
            made: Block = []
            with ev.at(made), ev.origin_at(s.origin):
                total = product(s.args[0], 0, found, ev)
            if isinstance(total, Var) and total.type == s.target.type:
                last = made.pop()
                assert isinstance(last, Assign)
                found += [*made, Assign(s.targets, last.op, last.args, s.origin)]
                continue
        found.append(s)
    return found
