"""Plain numbers beside single precision are of single precision.

    y = 0.5 * x[i]                           y = np.float32(0.5) * x[i]
    if x[i] <= 0.1:                          if x[i] <= np.float32(0.1):

NumPy takes a number of Python's for one of the dtype that it meets; Numba takes it for float64, and computes in double
precision, or unites the types of what a loop carries there. All stages before this one see the plain number, so that
they simplify `1.0 * x` whatever x is.
"""

from __future__ import annotations

import numpy as np

from adc.compiler.analysis.conditions import OPPOSITE as COMPARISONS
from adc.compiler.frontend.infer import is_elementwise, type_of
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Const, Operand, Program, walk
from adc.compiler.ir.types import Scalar, Type
from adc.rules.operation import Operation

SINGLE = "float32"


def run(program: Program) -> Program:
    """The program with the constants that meet numbers of single precision as such numbers."""
    for s in walk(program.body):
        if isinstance(s, Assign):
            s.args = _operands(s)
    return program


def meets_single(operation: Operation | str, args: tuple[Operand, ...], result: Type) -> bool:
    """Whether an operation on numbers is one of single precision in NumPy, whatever plain numbers are among them."""
    if isinstance(operation, Operation) and operation.name in COMPARISONS:
        types = [t for t in map(type_of, args) if t is not None and not (isinstance(t, Scalar) and t.weak)]
        return SINGLE in {t.dtype for t in types} and all(
            np.result_type(t.dtype, SINGLE) == SINGLE for t in types
        )
    return isinstance(result, Scalar) and result.dtype == SINGLE


def becomes_single(value: Value, dtype: str) -> bool:
    """Whether a value is a plain number, which what uses it will take as of single precision."""
    return dtype == SINGLE and type(value) in (int, float)


def computed_with(operation: Operation) -> list[bool]:
    """Of which operands of an elementwise operation the dtype is that of the result: neither tests nor orders."""
    whole = operation.extra.get("integers", ())
    tests = operation.parameters[:1] if operation.name == "where" else ()
    return [p.name not in whole and p not in tests for p in operation.parameters]


def single(x: Operand) -> Operand:
    """A plain number as one of single precision."""
    plain = isinstance(x, Const) and type(x.value) in (int, float)
    return Const(np.float32(x.value)) if plain else x


def _operands(s: Assign) -> tuple[Operand, ...]:
    if len(s.targets) != 1 or not meets_single(s.op, s.args, s.targets[0].type):
        return s.args
    if isinstance(s.op, Operation):
        if not is_elementwise(s.op):
            return s.args
        if s.op.name == "power" and isinstance(s.args[1], Const) and type(s.args[1].value) is int:
            return single(s.args[0]), s.args[1]  # products, also to Numba
        return tuple(single(a) if own else a for a, own in zip(s.args, computed_with(s.op), strict=True))
    if s.op == "alias" or s.op.startswith("vm."):
        return tuple(single(a) if isinstance(a, Const) and type(a.value) is float else a for a in s.args)
    return s.args
