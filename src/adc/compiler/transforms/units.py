"""A product with a unit vector is a row or a column: nothing is multiplied with zeros.

The columns of a Jacobian are pushes of unit vectors, its rows pulls of them. A block that begins with one often
multiplies it with a vector, element by element, and then with a matrix: what comes out is a multiple of one of the
matrix's columns.

    z_dot = x @ w_dot              (w_dot is one at `direction`)
    z_dot = x[:, direction]
"""

from __future__ import annotations

from typing import Any

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Block, Stmt, Store, Var, walk
from adc.compiler.ir.types import Array
from adc.rules import registry

__all__ = ["run"]


def run(block: Block, unit: Var, index: Var, evaluator: Evaluator) -> Block:
    """The block, in which `unit` is a vector that is one at `index` and zero elsewhere."""
    written = {s.array.root for s in walk(block) if isinstance(s, Store)}
    if unit.type.ndim != 1 or unit in written:
        return block
    return _Units(unit, index, written, evaluator).block(block)


class _Units:
    def __init__(self, unit: Var, index: Var, written: set[Var], evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.index = index
        self.written = written
        # Multiples of the unit vector, each as the vectors and numbers whose product at `index` is the factor.
        self.factors: dict[Var, tuple[Value, ...]] = {unit: ()}

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        if not self._rewritten(stmt):
            self.ev.block.append(stmt)

    def _rewritten(self, stmt: Stmt) -> bool:
        if not isinstance(stmt, Assign) or len(stmt.targets) != 1:
            return False
        match stmt.name, *stmt.args:
            case "multiply", x, y:
                self._note(stmt, x, y)
                self._note(stmt, y, x)
            case "negative", Var() as x if x in self.factors:
                self.factors[stmt.target] = (*self.factors[x], -1.0)
            case "matmul" | "dot", Var() as a, Var() as x if x in self.factors and _is_matrix(a):
                self._line(stmt, a, (FULL, self.index), x)
                return True
            case "matmul" | "dot", Var() as x, Var() as a if x in self.factors and _is_matrix(a):
                self._line(stmt, a, (self.index, FULL), x)
                return True
        return False

    def _note(self, stmt: Assign, x: Any, y: Any) -> None:
        """The product of a multiple with a number or with a vector of its length is a multiple again."""
        if not isinstance(x, Var) or x not in self.factors or (isinstance(y, Var) and y in self.factors):
            return
        vector = isinstance(y, Var) and y.is_array
        if vector and (y.root in self.written or not self.ev.equal.same_shape(y.type.shape, x.type.shape)):
            return
        if stmt.target.root not in self.written:
            self.factors[stmt.target] = (*self.factors[x], y)

    def _line(self, stmt: Assign, matrix: Var, where: tuple[Any, ...], x: Var) -> None:
        """The target is a row or column of the matrix times the factor of `x`."""
        line: Value = self.ev.getitem(matrix, where)
        scale: Value = None
        for factor in self.factors[x]:
            part = (
                self.ev.getitem(factor, (self.index,))
                if isinstance(factor, Var) and factor.is_array
                else factor
            )
            scale = part if scale is None else self.ev.op("multiply", scale, part)
        if scale is None:
            made = Assign(stmt.targets, registry.named("copy"), self._copied(line), stmt.origin)
        else:
            operands = self.ev.operand((line, scale))
            made = Assign(stmt.targets, registry.named("multiply"), tuple(operands), stmt.origin)
        self.ev.block.append(made)

    def _copied(self, line: Value) -> tuple[Any, ...]:
        self.ev.op("copy", line)
        definition = self.ev.block.pop()
        assert isinstance(definition, Assign)
        return definition.args


def _is_matrix(a: Var) -> bool:
    return isinstance(a.type, Array) and a.type.ndim == 2
