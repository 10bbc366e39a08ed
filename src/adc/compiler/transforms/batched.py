"""One operation on what all trips of a loop give it: the operation along one more axis.

Where each trip computes `z = f(x)`, the arrays of all x and of all z have an axis for the trips, which stands where the
elements of a trip lie apart in memory. A product of a matrix with the vector of each trip is one product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adc.compiler.frontend import infer
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import Assign, Const, Operand, Slice, Var, variables
from adc.rules.dims import Dim
from adc.rules.shapes import normalize_axes

__all__ = ["Batched", "CannotBatch", "aligned", "batched", "moved"]

REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod"})
PRODUCTS = frozenset({"matmul", "dot"})
SOLVERS = frozenset({"solve"})


class CannotBatch(Exception):
    """An operation that has no form along one more axis, or none that is worth having."""


@dataclass(frozen=True)
class Batched:
    """What a variable of a loop's body is in all trips: an array whose axis `axis` counts the trips."""

    array: Var
    axis: int

    @property
    def behind(self) -> int:
        """How many axes come behind that of the trips."""
        return int(self.array.type.ndim) - 1 - self.axis

    @property
    def ndim(self) -> int:
        """The number of axes in one trip."""
        return int(self.array.type.ndim) - 1


def batched(stmt: Assign, known: Mapping[Var, Batched], behind: int, ev: Evaluator) -> Batched:
    """The result of a statement in all trips.

    `behind` is where the axis of the trips goes in what is made of numbers and of arrays that all trips share.
    Raises CannotBatch.
    """
    if isinstance(stmt.op, str):
        match stmt.op:
            case "getitem":
                return _part(stmt, known, ev)
            case "cast":
                x = known[stmt.args[0]]
                return Batched(_of(ev.cast(x.array, stmt.args[1].value)), x.axis)
        raise CannotBatch
    if infer.is_elementwise(stmt.op):
        return _elementwise(stmt, known, behind, ev)
    if stmt.name == "copy":
        x = known[stmt.args[0]]
        return Batched(_of(ev.op("copy", x.array)), x.axis)
    if stmt.name in REDUCTIONS:
        return _reduced(stmt, known, ev)
    if stmt.name in PRODUCTS:
        return _product(stmt, known, ev)
    if stmt.name in SOLVERS:
        return _solution(stmt, known, ev)
    if stmt.name == "roll":
        return _rolled(stmt, known, ev)
    raise CannotBatch


# --- where the axis stands --------------------------------------------------------------------------------------


def moved(x: Batched, axis: int, ev: Evaluator) -> Batched:
    """With the axis of the trips at another place."""
    if x.axis == axis:
        return x
    order = [k for k in range(x.array.type.ndim) if k != x.axis]
    order.insert(axis, x.axis)
    plain = order == list(range(len(order)))[::-1]
    return Batched(_of(ev.op("transpose", x.array, None if plain else tuple(order))), axis)


def aligned(x: Batched | Value, behind: int, ev: Evaluator) -> Value:
    """An operand so that it broadcasts with others whose axis of the trips has `behind` axes behind it."""
    if isinstance(x, Batched):
        x = moved(x, x.ndim - min(behind, x.ndim), ev)
        missing = behind - x.behind
        index = (*(FULL,) * (x.axis + 1), *(Const(None),) * missing, *(FULL,) * x.behind)
        return ev.getitem(x.array, index) if missing else x.array
    if isinstance(x, Var) and x.is_array and x.type.ndim > behind:
        return ev.getitem(x, (*(FULL,) * (x.type.ndim - behind), Const(None), *(FULL,) * behind))
    return x


# --- the operations ---------------------------------------------------------------------------------------------


def _elementwise(stmt: Assign, known: Mapping[Var, Batched], behind: int, ev: Evaluator) -> Batched:
    operands = [_value(a, known) for a in stmt.args]
    rank = int(stmt.target.type.ndim)
    arrays = [x for x in operands if isinstance(x, Batched) and x.ndim]
    t = max(arrays, key=lambda x: x.ndim).behind if arrays else min(behind, rank)
    result = _of(ev.op(stmt.op, *(aligned(x, t, ev) for x in operands)))
    if result.type.ndim != rank + 1:
        raise CannotBatch
    return Batched(result, rank - t)


def _reduced(stmt: Assign, known: Mapping[Var, Batched], ev: Evaluator) -> Batched:
    x = known[stmt.args[0]]
    axes, keepdims = plain_value(stmt.args[1]), plain_value(stmt.args[2])
    if not isinstance(keepdims, bool) or variables(stmt.args[1:]):
        raise CannotBatch
    reduced = normalize_axes(axes, x.ndim)
    mine = tuple(k + (k >= x.axis) for k in reduced)
    axis = x.axis if keepdims else x.axis - sum(k < x.axis for k in reduced)
    if not mine:
        return x
    found = ev.op(stmt.op, x.array, axis=mine if len(mine) > 1 else mine[0], keepdims=keepdims)
    return Batched(_of(found), axis)


def _product(stmt: Assign, known: Mapping[Var, Batched], ev: Evaluator) -> Batched:
    """Products of vectors and matrices, one of them, or both, another one in each trip."""
    a, b = (_value(x, known) for x in stmt.args)
    if not all(isinstance(x, Batched) or (isinstance(x, Var) and x.is_array) for x in (a, b)):
        raise CannotBatch
    ranks = _rank(a), _rank(b)
    if not all(r in (1, 2) for r in ranks):
        raise CannotBatch
    multiply: Callable[..., Value] = lambda x, y: _of(ev.op("matmul", x, y))  # noqa: E731
    turned: Callable[[Var], Value] = lambda x: ev.op("transpose", x)  # noqa: E731
    if isinstance(a, Batched) and isinstance(b, Batched):
        if ranks != (1, 1):
            raise CannotBatch
        x, y = a.array, aligned(b, a.behind, ev)
        return Batched(_of(ev.op("sum", ev.op("multiply", x, y), axis=1 - a.axis)), 0)
    if isinstance(a, Batched):
        if ranks[0] == 1:  # rows by a matrix, or by a vector
            rows_first = a.axis == 0
            if ranks[1] == 1:
                return Batched(multiply(a.array, b) if rows_first else multiply(b, a.array), 0)
            return (
                Batched(multiply(a.array, b), 0)
                if rows_first
                else Batched(multiply(turned(_of(b)), a.array), 1)
            )
        return Batched(multiply(moved(a, 0, ev).array, b), 0)
    assert isinstance(b, Batched)
    if ranks[1] != 1:
        raise CannotBatch
    rows_first = b.axis == 0
    if ranks[0] == 1:
        return Batched(multiply(b.array, a) if rows_first else multiply(a, b.array), 0)
    return Batched(multiply(b.array, turned(_of(a))), 0) if rows_first else Batched(multiply(a, b.array), 1)


def _solution(stmt: Assign, known: Mapping[Var, Batched], ev: Evaluator) -> Batched:
    """Systems with one matrix: the right sides of the trips are columns."""
    matrix, side = (_value(x, known) for x in stmt.args)
    if not isinstance(side, Batched) or side.ndim != 1 or isinstance(matrix, Batched) or _rank(matrix) != 2:
        raise CannotBatch
    return Batched(_of(ev.op(stmt.op, matrix, moved(side, 1, ev).array)), 1)


def _rolled(stmt: Assign, known: Mapping[Var, Batched], ev: Evaluator) -> Batched:
    x = known.get(stmt.args[0])
    shift, axis = (plain_value(a) for a in stmt.args[1:])
    if x is None or not isinstance(axis, int) or variables(stmt.args[1:]):
        raise CannotBatch
    axis %= x.ndim
    return Batched(_of(ev.op(stmt.op, x.array, shift, axis + (axis >= x.axis))), x.axis)


def _part(stmt: Assign, known: Mapping[Var, Batched], ev: Evaluator) -> Batched:
    """A part of what each trip has, the same part in all of them."""
    x, index = stmt.args
    if x not in known or any(v in known or v.is_array for v in variables(index)):
        raise CannotBatch
    whole = known[x]
    items: list[Any] = []
    axis = place = 0  # of the operand, of the result
    found = None
    for item in (*index, *(FULL,) * (whole.ndim - sum(i != Const(None) for i in index)), None):
        if axis == whole.axis and found is None:
            items.append(FULL)
            found = place
            axis, place = axis + 1, place + 1
        if item is None:
            break
        items.append(item)
        axis += item != Const(None)
        place += isinstance(item, Slice) or item == Const(None)
    assert found is not None
    return Batched(ev.getitem(whole.array, tuple(items)), found)


# --- operands ---------------------------------------------------------------------------------------------------


def _value(x: Operand, known: Mapping[Var, Batched]) -> Batched | Value:
    return known.get(x, x) if isinstance(x, Var) else plain_value(x)


def _rank(x: Batched | Value) -> int:
    return x.ndim if isinstance(x, Batched) else int(x.type.ndim)


def _of(x: Value) -> Var:
    if not isinstance(x, Var):
        raise CannotBatch
    return x


def known_short(stmt: Assign, limit: int) -> bool:
    """Whether a product is of vectors and matrices whose lengths are all known, and at most `limit`."""
    shapes: Sequence[tuple[Dim, ...]] = [a.type.shape for a in stmt.args if isinstance(a, Var)]
    return all(d.known is not None and d.known <= limit for shape in shapes for d in shape)
