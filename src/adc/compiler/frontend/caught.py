"""What may raise when Python runs the program: generated code has no handlers.

Nor does it always raise: `math.log(x)` and `1.0 / x` give NaN and infinity there, and an element that nobody uses is
not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from adc.compiler.frontend import infer
from adc.compiler.ir.creation import CREATION
from adc.compiler.ir.nodes import Assign, Block, Const, Index, Slice, Stmt, Store, Var, walk
from adc.compiler.ir.types import Array, Scalar, is_float, is_integer
from adc.rules.dims import Shape
from adc.rules.operation import Operation

_DIVISIONS = {"divide", "floor_divide", "remainder"}
# Functions of `math` that raise where NumPy's give NaN or infinity; an operation here may be either.
# Those that raise ValueError outside their domain, and those that raise OverflowError where the result is too large.
DOMAINS = {
    "sqrt",
    "log",
    "log2",
    "log10",
    "log1p",
    "arcsin",
    "arccos",
    "arccosh",
    "arctanh",
    "sin",
    "cos",
    "tan",
}
GROWING = {"exp", "exp2", "expm1", "sinh", "cosh"}
# What takes any array that has an element along the axes that it goes over.
OF_SOME = {"max", "min", "argmax", "argmin"}
_PARTIAL = {"fmod", "special.gamma", "special.gammaln"}
_TOTAL = {
    "sum",
    "prod",
    "mean",
    "all",
    "any",
    "where",
    "transpose",
    "expand_dims",
    "ravel",
    "copy",
    "broadcast_to",
}
_TOTAL |= {
    "dot",
    "matmul",
    "vdot",
    "cumsum",
    "arange",
    "argsort",
    "flatnonzero",
    "count_nonzero",
    "searchsorted",
}
_TOTAL |= CREATION
# Lengths that do not fit are checked before.
_TOTAL |= {
    "outer",
    "concatenate",
    "stack",
    "reshape",
    "squeeze",
    "roll",
    "tril",
    "triu",
    "diag",
    "eye",
    "cumprod",
    "vander",
    "array_equal",
    "round",
}
_TOTAL |= {"positive_definite", "invertible", "without_zeros_on_its_diagonal"}


def raised(block: Block) -> Iterator[tuple[Stmt, type[BaseException]]]:
    """What the statements of a block may raise where Python runs the program."""
    for stmt in walk(block):
        for kind in _raised(stmt):
            yield stmt, kind


def _raised(stmt: Stmt) -> tuple[type[BaseException], ...]:
    if isinstance(stmt, Store):
        return () if _inside(stmt.array, stmt.index) else (IndexError,)
    if not isinstance(stmt, Assign):
        return ()
    if stmt.op == "getitem":
        array, index = stmt.args
        return () if _inside(array, index) else (IndexError,)
    if stmt.op == "cast":
        known = infer.type_of(stmt.args[0])
        whole = is_integer(stmt.target.type) and known is not None and is_float(known)
        return (ValueError, OverflowError) if whole else ()
    operation = stmt.op
    if not isinstance(operation, Operation):
        return ()
    number = isinstance(stmt.targets[0].type, Scalar)
    if number and stmt.name in DOMAINS:
        return (ValueError,)
    if number and stmt.name in GROWING:
        return (OverflowError,)
    if operation.module == "math" or (number and stmt.name in _PARTIAL):
        return (ValueError, OverflowError)
    if number and stmt.name == "power":  # it may be that of `math`
        return (ZeroDivisionError, OverflowError, ValueError)
    if number and stmt.name in _DIVISIONS:
        divisor = stmt.args[1]
        never = isinstance(divisor, Const) and divisor.value != 0
        return () if never else (ZeroDivisionError, OverflowError)
    if infer.is_elementwise(operation) or stmt.name in _TOTAL:
        return ()
    if stmt.name == "take_along_axis":
        return (IndexError,)
    if stmt.name in OF_SOME:
        return () if all(n.known for n in reduced(stmt)) else (ValueError,)
    return (np.linalg.LinAlgError,) if "linalg" in operation.spelling else (ValueError, IndexError)


def reduced(stmt: Assign) -> Shape:
    """The lengths that an extreme goes over."""
    array, axis = stmt.args[0], stmt.args[1]
    assert isinstance(array, Var) and isinstance(axis, Const)
    axes = range(len(array.type.shape)) if axis.value is None else np.atleast_1d(axis.value)
    return tuple([array.type.shape[k] for k in axes])


def is_mask(item: Any) -> bool:
    """Whether an item of an index is an array of truth values, whose lengths are checked before."""
    return isinstance(item, Var) and item.is_array and item.type.dtype == "bool"


def _inside(array: Var, index: Index) -> bool:
    """Whether an index is seen to be inside the array: a constant within a known length, slices, new axes."""
    assert isinstance(array.type, Array)
    taking = [item for item in index if not (isinstance(item, Const) and item.value is None)]
    for item, length in zip(taking, array.type.shape, strict=False):
        if isinstance(item, Slice) or is_mask(item):
            continue
        if (
            not isinstance(item, Const)
            or length.known is None
            or not -length.known <= item.value < length.known
        ):
            return False
    return True
