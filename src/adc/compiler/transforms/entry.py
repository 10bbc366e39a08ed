"""Copy, on entry, the arguments that the program writes to: the caller's arrays never change.

def settle_grad(x, rate):
    x = x.copy()
    ...
"""

from __future__ import annotations

from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Const, Operand, Program, Var, walk
from adc.rules import registry


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with a copy of each written parameter made first."""
    written = written_roots(walk(program.body), evaluator.joined_roots)
    copies: list[Assign] = []
    params: list[Var] = []
    for p in program.params:
        if p.is_array and p in written:
            given = Var(p.name, p.type, named=True)
            copies.append(_copy(p, given))
            params.append(given)
            evaluator.shape_source[p] = given  # the copy is made with the lengths of what is copied
        else:
            params.append(p)
    program.params = params
    program.body = [*copies, *program.body]
    return program


def _copy(target: Var, source: Var) -> Assign:
    operation = registry.named("copy")
    _first, *rest = operation.parameters
    args: tuple[Operand, ...] = (source, *(Const(p.default) for p in rest))
    return Assign((target,), operation, args)
