"""What stays a library call when arrays become loops, and by what name it is called.

LAPACK's callers come from `adc.runtime.linalg`, where they are compiled once and kept on disk. A system whose matrix is
a Cholesky factor, or its transpose, is solved by substitution. Many values are searched for side by side, and put in
order by their digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Assign, Const, Var, may_raise
from adc.compiler.ir.types import Array
from adc.rules.operation import Operation

COMPILED_ONCE: dict[Callable[..., Any], str] = {
    np.linalg.solve: "solve",
    np.linalg.inv: "inv",
    np.linalg.det: "det",
    np.linalg.slogdet: "slogdet",
    np.linalg.cholesky: "cholesky",
    np.linalg.eigh: "eigh",
    np.linalg.qr: "qr",
    np.linalg.pinv: "pinv",
}
# Numba lacks them, and integers of its own would wrap.
OF_INTEGERS: dict[Callable[..., Any], str] = {
    math.comb: "comb",
    math.factorial: "factorial",
    math.isqrt: "isqrt",
    math.lcm: "lcm",
    math.perm: "perm",
}
PLAIN_OPTIONS = (None, False, "L", "reduced")  # what these functions do when nothing is said


def named(stmt: Assign, definition: Mapping[Var, Assign | None], written: Mapping[Var, Any]) -> Assign:
    """The statement, with the call by the name that compiled code uses for it.

    `definition` says what made a variable, `written` holds the arrays that something writes to.
    """
    function = stmt.op.function if isinstance(stmt.op, Operation) else None
    if function is np.searchsorted and _of_vectors(stmt):
        return Assign(
            stmt.targets,
            "rt.searchsorted",
            (*stmt.args[:2], Const(stmt.args[2] == Const("right"))),
            stmt.origin,
        )
    if function is np.argsort and _of_numbers(stmt):
        return Assign(stmt.targets, "rt.argsort", stmt.args[:2], stmt.origin)
    if function is np.argpartition and _of_numbers(replace(stmt, args=(stmt.args[0], *stmt.args[2:]))):
        return Assign(stmt.targets, "rt.argpartition", stmt.args[:3], stmt.origin)
    if function is np.transpose and isinstance(stmt.args[1], tuple):
        return _transposed(stmt)
    if function is np.linalg.svd and not may_raise(stmt) and _of_matrices(replace(stmt, args=stmt.args[:1])):
        (matrix, full) = stmt.args[:2]
        return Assign(
            stmt.targets, "rt.svd" if full == Const(True) else "rt.thin_svd", (matrix,), stmt.origin
        )
    name = COMPILED_ONCE.get(function) if function is not None else None
    if name is None or not _of_matrices(stmt):
        return stmt
    factor = triangular(stmt, definition, written)
    if factor is not None:
        way = "rt.solve_transposed" if factor is not stmt.args[0] else "rt.solve_lower"
        return Assign(stmt.targets, way, (factor, stmt.args[1]), stmt.origin)
    if may_raise(stmt):
        assert isinstance(
            stmt.op, Operation
        )  # it stays one: of what only has a name nobody knows that it stays
        return Assign(stmt.targets, replace(stmt.op, spelling=f"rt.{name}"), stmt.args, stmt.origin)
    return Assign(stmt.targets, f"rt.{name}", tuple(a for a in stmt.args if isinstance(a, Var)), stmt.origin)


def of_numbers(stmt: Assign) -> Assign:
    """A statement of numbers alone, with the call by the name that compiled code uses for it."""
    name = OF_INTEGERS.get(stmt.op.function) if isinstance(stmt.op, Operation) else None
    if name is None:
        return stmt
    given = tuple(a for a in stmt.args if a != Const(None))
    if len(given) < len(stmt.args):
        name = "factorial"  # math.perm(n)
    return Assign(stmt.targets, f"rt.{name}", given, stmt.origin)


def is_by_factors(stmt: Assign) -> bool:
    """Whether a statement is of one matrix, a call that LAPACK makes of its factors."""
    function = stmt.op.function if isinstance(stmt.op, Operation) else None
    return (
        function in (np.linalg.solve, np.linalg.inv, np.linalg.det, np.linalg.slogdet)
        and not may_raise(stmt)
        and _of_matrices(stmt)
        and all(a.type.dtype == stmt.args[0].type.dtype for a in stmt.args if isinstance(a, Var))
    )


def is_transpose(stmt: Assign) -> bool:
    """Whether a statement turns all axes of an array round."""
    return stmt.name == "transpose" and stmt.args[1] == Const(None)


def triangular(
    stmt: Assign, definition: Mapping[Var, Assign | None], written: Mapping[Var, Any]
) -> Var | None:
    """The Cholesky factor that a system has as its matrix, or the transpose of which."""
    if not isinstance(stmt.op, Operation) or stmt.op.function is not np.linalg.solve:
        return None
    matrix = stmt.args[0]
    made = definition.get(matrix)
    if made is not None and is_transpose(made):
        matrix = made.args[0]
        made = definition.get(matrix)
    if made is None or not isinstance(made.op, Operation) or made.op.function is not np.linalg.cholesky:
        return None
    real = np.dtype(matrix.type.dtype).kind == "f" and stmt.args[1].type.dtype == matrix.type.dtype
    return matrix if real and matrix.root not in written else None


def _of_vectors(stmt: Assign) -> bool:
    """Whether a search is for a vector of floats in another, sorted as it stands."""
    types = [a.type for a in stmt.args[:2] if isinstance(a, Var)]
    return len(types) == 2 and all(
        isinstance(t, Array) and t.ndim == 1 and t.dtype == "float64" for t in types
    )


def _of_numbers(stmt: Assign) -> bool:
    """Whether what is put in order is an array of numbers of one word, along an axis that is known."""
    array, axis = stmt.args[:2]
    return (
        isinstance(array, Var)
        and isinstance(array.type, Array)
        and array.type.ndim > 0
        and np.dtype(array.type.dtype).kind in "fiub"
        and isinstance(axis, Const)
        and isinstance(axis.value, int)
    )


def _transposed(stmt: Assign) -> Assign:
    """A view with its axes in another order, which are counted from the front."""
    array, axes = stmt.args
    if not all(isinstance(axis, Const) for axis in axes):
        return stmt
    order = tuple(Const(axis.value % array.type.ndim) for axis in axes)
    return Assign(stmt.targets, "rt.transpose", (array, order), stmt.origin)


def _of_matrices(stmt: Assign) -> bool:
    """Whether the operands are single matrices, or vectors beside them, and the options as usual."""
    first = stmt.args[0]
    return (
        isinstance(first, Var)
        and isinstance(first.type, Array)
        and first.type.ndim == 2
        and np.dtype(first.type.dtype).kind in "fc"
        and all(
            (isinstance(a, Var) and isinstance(a.type, Array) and a.type.ndim <= 2)
            or (isinstance(a, Const) and a.value in PLAIN_OPTIONS)
            for a in stmt.args[1:]
        )
    )
