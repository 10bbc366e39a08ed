"""Matrix products: of floats they are calls, of integers and truth values loops, as BLAS has none of these.

So are those of a few floats in a loop, of the matrices of a stack, and of many points with one small matrix: a call
costs more than the nine products of a rotation. So is what adds many points up in a few products, `points.T @ weights`,
with what makes the points or the weights. And those of two vectors in a loop: what is picked for one,
`values[row] @ x[columns[row]]`, is then read where it lies, and the loop that made one makes the sum.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Assign, Carried, Const, Var
from adc.compiler.ir.types import Scalar
from adc.compiler.sizes import FEW
from adc.compiler.transforms.scalarise import layouts
from adc.compiler.transforms.scalarise.nests import Nests
from adc.rules.dims import Dim

MOST = 12  # sums that a loop adds up side by side: they have to stay in registers


def product(nests: Nests, stmt: Assign) -> None:
    target = stmt.targets[0]
    in_loop = nests.depth > 0 or target.type.ndim > 2  # that over the matrices of a stack is one, too
    if _is_over_points(stmt):
        _added_up(nests, stmt)
        return
    is_loop = _is_of_points(stmt) or (in_loop and _is_loop(stmt))
    if np.dtype(target.type.dtype).kind in "fc" and not is_loop:
        operands = tuple(layouts.for_blas(nests, x, target.type.dtype) for x in stmt.args)
        nests.ev.block.append(Assign(stmt.targets, "rt.dot", operands, stmt.origin))
    elif target.is_array:
        nests.nest(target, lambda index: _element(nests, stmt, index))
    else:
        nests.define(target, _element(nests, stmt, []))


def _is_loop(stmt: Assign) -> bool:
    """Whether a product of one dtype is of two vectors, or of matrices whose lengths are known, and those of points."""
    a, b = (x.type.shape for x in stmt.args)
    if any(x.type.dtype != stmt.target.type.dtype for x in stmt.args):
        return False
    if len(a) == len(b) == 1:
        return True
    lengths = (*a[-2:][:-1], _length(stmt), *b[-2:][1:])
    return all(n.known is not None and n.known <= FEW for n in lengths)


def _is_of_points(stmt: Assign) -> bool:
    """Whether each of many rows of two to four numbers is multiplied by one small matrix, or vector."""
    a, b = (x.type.shape for x in stmt.args)
    if len(a) < 2 or len(b) > 2 or any(x.type.dtype != stmt.target.type.dtype for x in stmt.args):
        return False
    many = any(n.known is None or n.known > FEW for n in a[:-1])
    return many and all(n.known is not None and n.known <= FEW for n in (_length(stmt), *b[-2:][1:]))


def _is_over_points(stmt: Assign) -> bool:
    """Whether many points, of two to four numbers each, are added up in a few products: `points.T @ weights`."""
    shapes = [x.type.shape for x in stmt.args]
    if any(len(s) > 2 for s in shapes) or any(x.type.dtype != stmt.target.type.dtype for x in stmt.args):
        return False
    length, kept = _length(stmt), stmt.target.type.shape if stmt.target.is_array else ()
    many = length.known is None or length.known > FEW
    return many and len(kept) > 0 and math.prod(n.known or MOST + 1 for n in kept) <= MOST


def _added_up(nests: Nests, stmt: Assign) -> None:
    """A product of few elements as one loop that adds to all of them, which what makes the points may join."""
    target = stmt.target
    a, b = stmt.args
    zero = np.dtype(target.type.dtype).type(0).item()
    nests.nest(target, lambda index: zero)
    rows = a.type.ndim - 1

    def add(index: list[Any]) -> None:
        point, *at = index
        factors = nests.aligned(a, [*at[:rows], point]), nests.aligned(b, [point, *at[rows:]])
        nests.put(target, at, nests.ev.op("multiply", *factors), accumulate=True)

    nests.loops((_length(stmt), *target.type.shape), add)


def _length(stmt: Assign) -> Dim:
    """How many products an element is the sum of, as a number if either operand knows it."""
    a, b = (x.type.shape for x in stmt.args)
    of_rows, of_columns = Dim.of(a[-1]), Dim.of(b[-2:][0])
    return of_rows if of_rows.known is not None else of_columns


def _element(nests: Nests, stmt: Assign, index: list[Any]) -> Any:
    """One element of a product: a loop with the sum so far, of 64 bits if it is not of floats."""
    ev, dtype = nests.ev, stmt.target.type.dtype
    a, b = stmt.args
    kind = np.dtype(dtype).kind
    of = dtype if kind in "bfc" else "uint64" if kind == "u" else "int64"
    times, plus = ("logical_and", "logical_or") if of == "bool" else ("multiply", "add")
    rows, columns = (1 if x.type.ndim > 1 else 0 for x in (a, b))
    stack = index[: len(index) - rows - columns]
    row, column = index[len(stack) : len(stack) + rows], index[len(stack) + rows :]
    counter = nests.counter(len(index))
    total, result = Var("total", Scalar(of), named=False), Var("total", Scalar(of), named=False)
    loop = nests.over(counter, _length(stmt))

    def factor(x: Var, place: list[Any]) -> Any:
        value = nests.aligned(x, [*stack, *place])
        return value if of == "bool" else ev.cast(value, of)

    with ev.at(loop.body):
        out = ev.op(plus, total, ev.op(times, factor(a, [*row, counter]), factor(b, [counter, *column])))
    start = Const(np.dtype(of).type(0).item())
    loop.carried.append(Carried(total, start, ev.atom(out), result))
    ev.block.append(loop)
    return ev.cast(result, dtype)
