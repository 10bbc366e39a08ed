"""Determinants of matrices of two or three rows, of their elements: loops over stacks of them vectorise."""

from __future__ import annotations

import numpy as np

from adc.compiler.ir.nodes import Assign, Var
from adc.compiler.ir.types import Array
from adc.compiler.transforms.scalarise.nests import Nests
from adc.rules.operation import Operation
from adc.runtime.vectormath import determinants


def is_small(stmt: Assign) -> bool:
    """Whether a statement is the determinant of a matrix of floats with so many rows, and that is known."""
    if not isinstance(stmt.op, Operation) or stmt.op.function is not np.linalg.det:
        return False
    matrix = stmt.args[0]
    if not isinstance(matrix, Var) or not isinstance(matrix.type, Array) or matrix.type.ndim != 2:
        return False
    rows, columns = (d.known for d in matrix.type.shape)
    return rows == columns and rows in determinants.SIZES and np.dtype(matrix.type.dtype).kind == "f"


def by_elements(nests: Nests, stmt: Assign) -> None:
    matrix = stmt.args[0]
    n = matrix.type.shape[0].known
    elements = tuple(nests.ev.atom(nests.load(matrix, [i, j])) for i in range(n) for j in range(n))
    nests.ev.block.append(Assign(stmt.targets, "vm.det", elements, stmt.origin))
