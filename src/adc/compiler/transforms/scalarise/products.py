"""Matrix products: of floats they are calls, of integers and truth values loops, as BLAS has none of these."""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Assign, Carried, Const, Var
from adc.compiler.ir.types import Scalar
from adc.compiler.transforms.scalarise import layouts
from adc.compiler.transforms.scalarise.nests import Nests


def product(nests: Nests, stmt: Assign) -> None:
    target = stmt.targets[0]
    if np.dtype(target.type.dtype).kind in "fc":
        operands = tuple(layouts.for_blas(nests, x, target.type.dtype) for x in stmt.args)
        nests.ev.block.append(Assign(stmt.targets, "rt.dot", operands, stmt.origin))
    elif target.is_array:
        nests.nest(target, lambda index: _element(nests, stmt, index))
    else:
        nests.define(target, _element(nests, stmt, []))


def _element(nests: Nests, stmt: Assign, index: list[Any]) -> Any:
    """One element of a product of integers or truth values: a loop with the sum so far, of 64 bits."""
    ev, dtype = nests.ev, stmt.target.type.dtype
    a, b = stmt.args
    of = "bool" if dtype == "bool" else "uint64" if np.dtype(dtype).kind == "u" else "int64"
    times, plus = ("logical_and", "logical_or") if of == "bool" else ("multiply", "add")
    rows, columns = (1 if x.type.ndim > 1 else 0 for x in (a, b))
    stack = index[: len(index) - rows - columns]
    row, column = index[len(stack) : len(stack) + rows], index[len(stack) + rows :]
    counter = nests.counter(len(index))
    total, result = Var("total", Scalar(of), named=False), Var("total", Scalar(of), named=False)
    loop = nests.over(counter, a.type.shape[-1])

    def factor(x: Var, place: list[Any]) -> Any:
        value = nests.aligned(x, [*stack, *place])
        return value if of == "bool" else ev.cast(value, of)

    with ev.at(loop.body):
        out = ev.op(plus, total, ev.op(times, factor(a, [*row, counter]), factor(b, [counter, *column])))
    start = Const(np.dtype(of).type(0).item())
    loop.carried.append(Carried(total, start, ev.atom(out), result))
    ev.block.append(loop)
    return ev.cast(result, dtype)
