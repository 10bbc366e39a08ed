"""Say beside single precision which numbers are Python's and which are NumPy's, where the text would not.

    scale = float(x[0])                    product = float(x[0]) * y
    product = scale * y           ->       (of float32, as the function has it)

    scale = np.where(a > b, a, 2.0)        scale = a if a > b else 2.0
    product = scale * y           ->       product = np.float64(scale) * y

A number of Python's takes the dtype of what it meets; the element that it was made of, and what NumPy's functions
give, are of NumPy's double precision, beside which the product would be double, too. Loops that are written for
compiled code have their dtypes written down: this is for the text that Python runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Const, Operand, Program, Stmt, Var, change_blocks, walk
from adc.compiler.ir.types import Scalar
from adc.compiler.transforms.singles import meets_single
from adc.rules.operation import Operation

OF_SINGLES = ("float32", "complex64")
DOUBLE = ("float64", "complex128")
_OPERATORS = {
    "add",
    "subtract",
    "multiply",
    "divide",
    "negative",
    "positive",
    "absolute",
    "power",
    "remainder",
}


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the numbers converted that are wider than the result they are operands of."""
    made = (v for s in walk(program.body) if isinstance(s, Assign) for v in s.targets)
    if not any(map(_is_single, (*program.params, *made))):
        return program
    pythons = _given(program)
    chosen: set[Var] = set()  # numbers that are Python's where the text chooses a constant

    def statement(stmt: Stmt) -> None:
        change_blocks(stmt, lambda block: evaluator.rebuilt(block, statement))
        if isinstance(stmt, Assign) and isinstance(stmt.op, Operation):
            args = stmt.args
            if not is_elementwise(stmt.op):
                args = tuple(_with_dtype(a, OF_SINGLES, chosen, evaluator) for a in args)
            elif _is_single(stmt.target) or meets_single(stmt.op, args, stmt.target.type):
                args = tuple(_plain(a, pythons, evaluator) for a in args)
            elif stmt.target.type.dtype in DOUBLE and any(isinstance(a, Var) and _is_single(a) for a in args):
                args = tuple(_with_dtype(a, DOUBLE, pythons | chosen, evaluator) for a in args)
            _note(stmt, pythons, chosen)
            if args != stmt.args:
                stmt = Assign(stmt.targets, stmt.op, args, stmt.origin)
        evaluator.block.append(stmt)

    program.body = evaluator.rebuilt(program.body, statement)
    with evaluator.at(program.body):  # a pullback is given what is kept for it
        program.results = [_plain(r, pythons, evaluator) if _is_weak(r) else r for r in program.results]
    return program


def _given(program: Program) -> set[Var]:
    """The parameters that are given as Python's (`backend.compile.quiet`)."""
    if not any(p.is_array and p.type.dtype in OF_SINGLES for p in program.params):
        return set()
    return {p for p in program.params if isinstance(p.type, Scalar) and p.type.weak}


def _is_weak(result: Atom) -> bool:
    return isinstance(result, Var) and isinstance(result.type, Scalar) and result.type.weak is True


def _is_single(target: Var) -> bool:
    return target.type.dtype in OF_SINGLES


def _is_pythons(operand: Operand, pythons: set[Var]) -> bool:
    if isinstance(operand, Const):
        return not isinstance(operand.value, np.generic)
    return operand in pythons


def _note(stmt: Assign, pythons: set[Var], chosen: set[Var]) -> None:
    """Whether what a statement of the text gives is a number of Python's, always or on one path."""
    if stmt.name in _OPERATORS and not _is_single(stmt.target):
        if all(_is_pythons(a, pythons) for a in stmt.args):
            pythons.update(stmt.targets)
    elif stmt.name == "where" and not stmt.target.is_array:
        arms = [_is_pythons(a, pythons | chosen) for a in stmt.args[1:]]
        if any(arms):
            chosen.update(stmt.targets)


def _with_dtype(operand: Any, dtypes: tuple[str, ...], numbers: set[Var], evaluator: Evaluator) -> Any:
    """A number that has one of the dtypes in NumPy, where the text may have one of Python's."""
    if not isinstance(operand, Var) or operand not in numbers or operand.type.dtype not in dtypes:
        return operand
    return evaluator.assign("cast", (operand, Const(operand.type.dtype)), Scalar(operand.type.dtype))


def _plain(operand: Any, pythons: set[Var], evaluator: Evaluator) -> Any:
    """A number of NumPy's in double precision as one of Python's."""
    if not isinstance(operand, Var) or operand.is_array or operand in pythons:
        return operand
    if operand.type.dtype not in DOUBLE:
        return operand
    return evaluator.assign("cast", (operand, Const(operand.type.dtype)), Scalar(operand.type.dtype, True))
