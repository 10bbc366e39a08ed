"""Find the functions whose loops step over the rows of an array, from one row to the next.

    for i in range(n):
        total += np.exp(p[i, 0]) * p[i, 1]

LLVM does not know how long a row is. It supposes that a row has one element, vectorises the loop for that case, and
runs all others one by one. Told not to, it vectorises the loop as it is.
"""

from __future__ import annotations

from adc.compiler.analysis.touches import element
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, Block, For, Program, Var, blocks, owners, variables
from adc.compiler.ir.types import Array


def run(program: Program) -> Program:
    """The program with `meta["strided"]` said of it and of its kernels."""
    for function in (program, *program.meta.get("kernels", ())):
        function.meta["strided"] = _has_steps(function.body)
    return program


def _has_steps(block: Block) -> bool:
    """Whether an innermost loop takes one place of each row."""
    return any(
        _steps(s)
        if isinstance(s, For) and not any(isinstance(inner, For) for inner in s.body)
        else any(_has_steps(inner) for inner in blocks(s))
        for s in block
    )


def _steps(loop: For) -> bool:
    counted = {loop.index}  # what is worked out from the counter
    for s in loop.body:
        touch = element(s)
        if touch is None:
            if isinstance(s, Assign) and not counted.isdisjoint(variables(s.args)):
                counted.update(s.targets)
            continue
        array, (*rows, place) = touch
        assert isinstance(array.type, Array)
        if (
            array.type.layout == "C"
            and len(rows) + 1 == array.type.ndim
            and counted.isdisjoint(_behind(place))
            and not counted.isdisjoint(v for row in rows for v in _behind(row))
        ):
            return True
    return False


def _behind(subscript: object) -> set[Var]:
    """The variables that a subscript is, and those that its value is known to be worked out from."""
    value = length_of(subscript)
    return {*variables((subscript,)), *(() if value is None else owners(value))}
