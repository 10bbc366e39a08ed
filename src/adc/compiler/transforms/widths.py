"""Integers have the width that NumPy gives them, although compiled code computes with 64 bits.

    difference = a[i] - b[i]                 (of bytes)
    difference = np.uint8(a[i] - b[i])

Numba makes any arithmetic on bytes one on 64 bits, and one on unsigned and signed 64 bits signed. Results are cut to
their own width, unless the operation only selects one of its operands. Half precision, which NumPy makes of a root of
bytes, is refused: compiled code does not have it.
"""

from __future__ import annotations

import numpy as np

from adc.compiler.frontend.infer import is_elementwise, type_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import Assign, Const, Operand, Program, Stmt, Var, change_blocks
from adc.compiler.ir.types import Scalar
from adc.errors import UnsupportedError
from adc.rules.operation import Operation

SELECT = {"where", "maximum", "minimum", "fmax", "fmin", "positive", "copy"}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the results of narrow integer arithmetic cut to their width."""

    def statement(stmt: Stmt) -> None:
        change_blocks(stmt, lambda block: evaluator.rebuilt(block, statement))
        if isinstance(stmt, Assign) and isinstance(stmt.op, Operation) and is_elementwise(stmt.op):
            _cut(stmt, stmt.op, evaluator)
        else:
            evaluator.block.append(stmt)

    program.body = evaluator.rebuilt(program.body, statement)
    return program


def _cut(stmt: Assign, operation: Operation, ev: Evaluator) -> None:
    dtype = stmt.target.type.dtype
    if dtype == "float16":
        raise UnsupportedError(
            f"{operation.spelling} of these operands is in half precision",
            location=stmt.origin,
            why="Compiled code has no float16.",
            repair="Convert the operands first, as with .astype(float).",
        )
    if stmt.target.is_array:
        ev.block.append(stmt)
        return
    kind, selects = np.dtype(dtype).kind, operation.name in SELECT
    if kind in "iu" and _otherwise(stmt, operation, ev):
        return
    args = stmt.args if selects and dtype != "uint64" else _operands(stmt.args, dtype, ev)
    if selects or kind not in "iu" or dtype == "int64":
        ev.block.append(Assign(stmt.targets, operation, args, stmt.origin) if args != stmt.args else stmt)
        return
    wide = Var(stmt.target.name, Scalar("int64"), named=False)
    ev.block.append(Assign((wide,), operation, args, stmt.origin))
    ev.block.append(Assign(stmt.targets, "cast", (wide, Const(dtype)), stmt.origin))


def _otherwise(stmt: Assign, operation: Operation, ev: Evaluator) -> bool:
    """Write an operation that is another one of integers in Numba than in NumPy by means of others, if it is one."""
    dtype = stmt.target.type.dtype
    signed = np.dtype(dtype).kind == "i"
    x, y = (*map(plain_value, stmt.args), None)[:2]
    value: Value
    if operation.name == "sign" and not signed:  # Numba takes most of them for negative
        value = ev.op("not_equal", x, 0)
    elif operation.name == "fmod":
        value = ev.op(
            "multiply", ev.op("sign", x), ev.op("remainder", ev.op("absolute", x), ev.op("absolute", y))
        )
    elif operation.name in ("left_shift", "right_shift") and _may_be_anything(y):
        within = ev.op("logical_and", ev.op("greater_equal", y, 0), ev.op("less", y, 64))
        beyond = ev.op(operation, x, 63) if signed and operation.name == "right_shift" else 0
        value = ev.op("where", within, ev.op(operation, x, y), beyond)
    else:
        return False
    ev.block.append(Assign(stmt.targets, "cast", (ev.atom(value), Const(dtype)), stmt.origin))
    return True


def _may_be_anything(shift: Value) -> bool:
    """Whether bits are moved by a number of the data; Python's own numbers are its programs' care."""
    return isinstance(shift, Var) and not (isinstance(shift.type, Scalar) and shift.type.weak)


def _operands(args: tuple[Operand, ...], dtype: str, ev: Evaluator) -> tuple[Operand, ...]:
    """Operands of which Numba and Python make what NumPy makes of them."""
    types = [t for t in map(type_of, args) if t is not None]
    kinds = {t.dtype if t.dtype == "uint64" else np.dtype(t.dtype).kind for t in types}
    if dtype == "uint64" or (dtype == "float64" and kinds == {"uint64", "i"}):
        return tuple(_as(a, dtype, "iu", ev) for a in args)  # Numba takes unsigned beside signed for signed
    strong = {t.dtype for t in types if not (isinstance(t, Scalar) and t.weak)}
    if len(strong) < len(types) and strong and dtype not in strong:
        # A counter stands for an element of an array, and makes the result wider than the other operand.
        return tuple(_as(a, dtype, {"int64": "iu", "float64": "f"}.get(dtype, ""), ev) for a in args)
    return args


def _as(operand: Operand, dtype: str, kinds: str, ev: Evaluator) -> Operand:
    """An operand of some kinds as one of that dtype."""
    known = type_of(operand)
    if known is None or known.dtype == dtype or np.dtype(known.dtype).kind not in kinds:
        return operand
    if isinstance(operand, Const):
        number = np.dtype(dtype).type(operand.value)
        return Const(number if dtype == "uint64" else number.item())
    return ev.assign("cast", (operand, Const(dtype)), Scalar(dtype))
