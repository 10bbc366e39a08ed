"""Multiply, factorise and invert the matrices of a stack one after the other: BLAS and LAPACK know one matrix.

NumPy broadcasts the leading axes of its linear algebra; compiled code writes the loop over them.
"""

from __future__ import annotations

from typing import Any

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    Program,
    Stmt,
    Var,
    change_blocks,
    walk,
)
from adc.compiler.ir.types import REALS, Array, Scalar
from adc.rules import registry
from adc.rules.dims import Dim

INDEX_NAMES = "ijklmn"


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with a loop in place of every operation on a stack of matrices.

    Products of two stacks stay: they are one call of the runtime. Unless the matrices are vectors: these are sums of
    products of elements, which need neither copies nor a call for each.

    z = inv(a)  # float64[n, 3, 3]

    becomes

    z = empty((n, 3, 3))
    for i in range(n):
        matrix = a[i, :, :]
        inverse = inv(matrix)
        z[i, :, :] = inverse
    """
    program.body = unstacked(program.body, evaluator)
    return program


def unstacked(block: Block, evaluator: Evaluator) -> Block:
    return _Unstacker(evaluator, block).block(block)


class _Unstacker:
    def __init__(self, evaluator: Evaluator, block: Block) -> None:
        self.ev = evaluator
        transpositions = [s for s in walk(block) if isinstance(s, Assign) and s.name == "transpose"]
        self.transposed = {
            s.target: s.args[0] for s in transpositions if swaps_last(s.args[1], s.target.type.ndim)
        }
        self.axes = {s.target: (s.args[0], axes) for s in transpositions if (axes := _axes(s)) is not None}

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign) and stmt.name == "matmul" and _of_vectors(stmt):
            self._by_elements(stmt)
            return
        if isinstance(stmt, Assign) and stmt.name == "matmul" and _by_one_matrix(stmt):
            self._flattened(stmt)
            return
        if isinstance(stmt, Assign) and _is_stack(stmt, self.ev):
            self._unstacked(stmt)
            return
        change_blocks(stmt, self.block)
        self.ev.block.append(stmt)

    def _unstacked(self, stmt: Assign) -> None:
        ev = self.ev
        assert not isinstance(stmt.op, str)
        rank = _leading(stmt)
        # Every result has the leading axes of the stack in front.
        leading = stmt.targets[0].type.shape[:rank]
        targets = [self._allocated(t) for t in stmt.targets]
        counters = []
        block = ev.block
        for k, length in enumerate(leading):
            counter = Var(INDEX_NAMES[k], Scalar("int64", True))
            counter.dim = Dim.symbol("value", counter)
            counters.append(counter)
            with ev.at(block):
                stop = ev.atom(ev.dim_value(length))
            loop = For(counter, Const(0), stop, Const(1), [], [], ev.origin)
            block.append(loop)
            block = loop.body
        with ev.at(block):
            parts = [self._matrix(a, counters) for a in stmt.args]
            found = ev.op(stmt.op, *parts)
            for target, value in zip(targets, found if isinstance(found, tuple) else (found,), strict=True):
                ev.store(target, (*counters, *(FULL,) * (target.type.ndim - rank)), value)

    def _flattened(self, stmt: Assign) -> None:
        """All rows of a stack of matrices by one matrix: a product of two matrices."""
        ev = self.ev
        a, b = stmt.args
        *leading, k = a.type.shape
        count = leading[0]
        for d in leading[1:]:
            count = count * d
        rows = ev.op("reshape", a, ev.shape_values((count, k)))
        product = ev.op("matmul", rows, b)
        lengths = tuple(map(ev.operand, ev.shape_values(stmt.target.type.shape)))
        reshape = registry.named("reshape")
        target = stmt.target
        target.view_of, target.root = product, product.root
        ev.block.append(Assign((target,), reshape, (product, lengths), stmt.origin))

    def _by_elements(self, stmt: Assign) -> None:
        """A product of rows by matrices, of matrices by columns, or of columns by rows.

        Elements are read as they lie in memory: of what was transposed the rows are its columns.
        """
        ev = self.ev
        a, b = stmt.args
        axis, keepdims = -1, True
        if a.type.shape[-1].known != 1:
            if stmt.target.type.shape[-1].known == 1 and a in self.transposed:
                a = ev.getitem(self.transposed[a], (*(FULL,) * a.type.ndim, Const(None)))
                b = ev.getitem(b, (*(FULL,) * (b.type.ndim - 1), Const(None), FULL))
                axis, keepdims = -3, False
            elif stmt.target.type.shape[-1].known == 1:
                b = ev.op("transpose", b, _swapped(b.type.ndim))
            elif stmt.target.type.shape[-2].known == 1 and b in self.transposed:
                a = ev.getitem(a, (*(FULL,) * (a.type.ndim - 1), Const(None), FULL))
                b = ev.getitem(self.transposed[b], (*(FULL,) * (b.type.ndim - 2), Const(None), FULL, FULL))
                keepdims = False
            else:
                a, axis = ev.op("transpose", a, _swapped(a.type.ndim)), -2
        made = ev.op("multiply", a, b)
        if a.type.shape[-1].known != 1 or axis != -1:
            made = ev.op("sum", made, axis=axis, keepdims=keepdims)
        made = ev.cast(made, stmt.target.type.dtype)
        last = ev.block.pop()
        assert isinstance(last, Assign) and last.target is made
        ev.block.append(Assign((stmt.target,), last.op, last.args, stmt.origin))

    def _allocated(self, target: Var) -> Var:
        """The array of a result, to be filled matrix by matrix."""
        lengths = self.ev.shape_values(target.type.shape)
        target.type = Array(target.type.dtype, target.type.shape)
        made = self.ev.op("empty", lengths, dtype=target.type.dtype)
        assign = self.ev.block[-1]
        assert isinstance(assign, Assign) and assign.target is made
        assign.targets = (target,)
        return target

    def _matrix(self, operand: Any, counters: list[Var]) -> Any:
        """One matrix of an operand, whose leading axes broadcast against those of the result."""
        if not (isinstance(operand, Var) and operand.is_array and operand.type.ndim > 2):
            return operand.value if isinstance(operand, Const) else operand
        lengths = operand.type.shape[:-2]
        own = counters[len(counters) - len(lengths) :]
        index = [Const(0) if d.known == 1 else c for d, c in zip(lengths, own, strict=True)]
        # BLAS takes a matrix as it lies in the array that was transposed, or its transpose: there is no need of a copy.
        items = (*index, FULL, FULL)
        order = list(range(len(items)))
        while operand in self.axes:
            operand, axes = self.axes[operand]
            places = {axis: k for k, axis in enumerate(axes)}
            items = tuple(items[places[axis]] for axis in range(len(axes)))
            order = [order[places[axis]] for axis in range(len(axes))]
        matrix = self.ev.getitem(operand, items)
        return (
            self.ev.op("transpose", matrix)
            if order.index(len(order) - 1) < order.index(len(order) - 2)
            else matrix
        )


def _of_vectors(stmt: Assign) -> bool:
    """Whether a stack of products has one row or one column of each matrix, or one of both to multiply."""
    a, b = stmt.args
    if _leading(stmt) == 0 or min(a.type.ndim, b.type.ndim) < 2 or _by_one_matrix(stmt):
        return False
    lengths = a.type.shape[-1], stmt.target.type.shape[-2], stmt.target.type.shape[-1]
    return any(n.known == 1 for n in lengths)


def _by_one_matrix(stmt: Assign) -> bool:
    """Whether all matrices of a stack, one behind the other, are multiplied by the same one: that is one product."""
    a, b = stmt.args
    return bool(a.type.ndim > 2 and a.type.layout == "C" and b.type.ndim == 2 and b.type.shape[1].known != 1)


def _axes(stmt: Assign) -> list[int] | None:
    """Which axis of its operand each axis of a transposition is, if that is known."""
    ndim = stmt.target.type.ndim
    if not isinstance(stmt.args[1], tuple) or ndim < 3 or not all(isinstance(a, Const) for a in stmt.args[1]):
        return None
    return [int(a.value) % ndim for a in stmt.args[1]]


def _swapped(rank: int) -> tuple[int, ...]:
    """The axes with the last two exchanged."""
    return (*range(rank - 2), rank - 1, rank - 2)


def _leading(stmt: Assign) -> int:
    """How many axes of a statement's operands count matrices."""
    return max((a.type.ndim - 2 for a in stmt.args if isinstance(a, Var) and a.is_array), default=0)


def swaps_last(axes: Any, ndim: int) -> bool:
    """Whether a transposition exchanges the last two axes of a stack, and nothing else."""
    if ndim < 3 or not isinstance(axes, tuple):
        return False
    wanted = (*range(ndim - 2), ndim - 1, ndim - 2)
    return all(isinstance(a, Const) and a.value % ndim == k for a, k in zip(axes, wanted, strict=True))


def _is_stack(stmt: Assign, ev: Evaluator) -> bool:
    stacked = not isinstance(stmt.op, str) and bool(stmt.op.extra.get("stacked")) and _leading(stmt) > 0
    return stacked and not is_pairwise(stmt, ev)


def is_pairwise(stmt: Assign, ev: Evaluator) -> bool:
    """Whether a statement multiplies the matrices of two stacks, of one float dtype and as many: one call does it."""
    if stmt.name != "matmul" or len(stmt.targets) != 1:
        return False
    kinds = [
        a.type for a in stmt.args if isinstance(a, Var) and isinstance(a.type, Array) and a.type.ndim == 3
    ]
    if len(kinds) != 2 or kinds[0].dtype != kinds[1].dtype or kinds[0].dtype not in REALS:
        return False
    lengths = [t.shape[0] for t in (*kinds, stmt.target.type)]
    return ev.equal.same(lengths[0], lengths[1]) and ev.equal.same(lengths[0], lengths[2])
