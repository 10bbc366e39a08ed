"""Integers that are positions on an axis, whatever the data are: what arange, argsort and argmax give."""

from __future__ import annotations

from adc.compiler.ir.nodes import Assign, Const, Program, Var, walk
from adc.compiler.ir.types import Array
from adc.rules import shapes
from adc.rules.dims import Dim

_PLACE_OF_AXIS = {"argmax": 1, "argmin": 1, "argpartition": 2, "argsort": 1}


def positions(program: Program, written: set[Var]) -> dict[Var, Dim]:
    """The numbers, and arrays that are not `written` to, that are 0 or more and less than a length; and that length."""
    found: dict[Var, Dim] = {}
    for s in walk(program.body):
        length = _length(s) if isinstance(s, Assign) else None
        if length is not None and s.target.root not in written:  # type: ignore[union-attr]
            found[s.target] = length  # type: ignore[union-attr]
    return found


def _length(s: Assign) -> Dim | None:
    if s.name == "arange" and s.target.type.dtype == "int64":
        counts = (s.args[1] == Const(None) or s.args[0] == Const(0)) and s.args[2] in (Const(None), Const(1))
        return s.target.type.shape[0] if counts else None
    if s.name not in _PLACE_OF_AXIS:
        return None
    reduced, axis = s.args[0].type, s.args[_PLACE_OF_AXIS[s.name]].value
    if not isinstance(reduced, Array):
        return None
    if axis is None:
        return shapes.size(reduced.shape)
    return reduced.shape[axis] if isinstance(axis, int) else None
