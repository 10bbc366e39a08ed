"""Return arrays that may be written to: what np.broadcast_to gives is read-only, one element for many.

x_bar = np.broadcast_to(s, (n,)) becomes x_bar = np.full((n,), s)
"""

from __future__ import annotations

import numpy as np

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Const, Program, Var, defined, walk


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with arrays of their own in place of results that are spread over their memory."""
    definition = {v: s for s in walk(program.body) if isinstance(s, Assign) for v in defined(s)}
    with evaluator.at(program.body):
        program.results = [_owned(r, definition, evaluator) for r in program.results]
    return program


def _owned(result: Atom, definition: dict[Var, Assign], evaluator: Evaluator) -> Atom:
    if not isinstance(result, Var) or not result.is_array:
        return result
    made = result
    while made.view_of is not None and not _is_spread(made, definition):
        made = made.view_of
    if not _is_spread(made, definition):
        return result
    value = definition[made].args[0]
    if made is result and not (isinstance(value, Var) and value.is_array):
        number = value.value if isinstance(value, Const) else value
        lengths = evaluator.shape_values(result.type.shape)
        copy = evaluator.op("full", lengths, number, dtype=np.dtype(result.type.dtype))
    else:
        copy = evaluator.op("copy", result)
    copy.name, copy.named = result.name, result.named
    return evaluator.atom(copy)


def _is_spread(v: Var, definition: dict[Var, Assign]) -> bool:
    return v in definition and definition[v].name == "broadcast_to"
