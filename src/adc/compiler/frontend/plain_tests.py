"""Tests that need not wait for the one before them: `j == 0` of `i == 0 and j == 0`.

Numbers that have names are compared without any effect and without a fault, so both tests are made and joined by one
operation: no branch, and the reverse sweep makes it again where a branch's result would be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.ir.nodes import Var

if TYPE_CHECKING:
    from adc.compiler.frontend.operators import Operators

_COMPARED = (gast.Eq, gast.NotEq, gast.Lt, gast.LtE, gast.Gt, gast.GtE)


def is_plain(lowering: Operators, node: Any) -> bool:
    """Whether a test compares numbers that have names, or sums of such integers."""
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        return is_plain(lowering, node.operand)
    if isinstance(node, gast.BoolOp):
        return all(is_plain(lowering, n) for n in node.values)
    return (
        isinstance(node, gast.Compare)
        and all(isinstance(op, _COMPARED) for op in node.ops)
        and all(is_number(lowering, n) for n in (node.left, *node.comparators))
    )


def is_number(lowering: Operators, node: Any, kinds: str = "iuf") -> bool:
    """Whether an expression is a number with a name, or a sum of such integers."""
    if isinstance(node, gast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Add, gast.Sub)):
        return is_number(lowering, node.left, "iu") and is_number(lowering, node.right, "iu")
    if not isinstance(node, gast.Name):
        return False
    value = lowering.frame.named(node.id)
    if isinstance(value, Var):
        return not value.is_array and np.dtype(value.type.dtype).kind in kinds
    return type(value) is int or (type(value) is float and "f" in kinds)
