"""What stays a library call when arrays become loops, and by what name it is called.

LAPACK's callers come from `adc.runtime.linalg`, where they are compiled once and kept on disk. A system whose matrix is
a Cholesky factor, or its transpose, is solved by substitution. Many values are searched for side by side, and put in
order by their digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Assign, Const, Var
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
    if function is np.transpose and isinstance(stmt.args[1], tuple):
        return _transposed(stmt)
    name = COMPILED_ONCE.get(function) if function is not None else None
    if name is None or not _of_matrices(stmt):
        return stmt
    arrays = tuple(a for a in stmt.args if isinstance(a, Var))
    if name == "solve":
        factor, transposed = _factor(arrays[0], definition)
        if factor is not None and factor.root not in written and arrays[1].type.dtype == factor.type.dtype:
            way = "rt.solve_transposed" if transposed else "rt.solve_lower"
            return Assign(stmt.targets, way, (factor, arrays[1]), stmt.origin)
    return Assign(stmt.targets, f"rt.{name}", arrays, stmt.origin)


def _of_vectors(stmt: Assign) -> bool:
    """Whether a search is for a vector of floats in another, sorted as it stands."""
    types = [a.type for a in stmt.args[:2] if isinstance(a, Var)]
    return (
        len(types) == 2
        and stmt.args[3] == Const(None)
        and all(isinstance(t, Array) and t.ndim == 1 and t.dtype == "float64" for t in types)
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


def _factor(matrix: Var, definition: Mapping[Var, Assign | None]) -> tuple[Var | None, bool]:
    """The Cholesky factor that a matrix is, and whether transposed; None for any other matrix."""
    made = definition.get(matrix)
    transposed = made is not None and made.name == "transpose" and made.args[1] == Const(None)
    if made is not None and transposed:
        assert isinstance(made.args[0], Var)
        matrix = made.args[0]
        made = definition.get(matrix)
    real = np.dtype(matrix.type.dtype).kind == "f"
    is_factor = made is not None and isinstance(made.op, Operation) and made.op.function is np.linalg.cholesky
    return (matrix, transposed) if is_factor and real else (None, False)
