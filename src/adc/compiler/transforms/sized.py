"""Make zeros of lengths that are at hand, where the array whose lengths they have is there for nothing else.

    logp = logits - np.log(total)
    logp_bar = np.zeros_like(logp)            ->      logp_bar = np.zeros_like(logits)

An adjoint begins as zeros like its primal, which the reverse sweep may read for nothing else.
"""

from __future__ import annotations

import numpy as np

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Block, Const, Program, Var, owners, times_read, variables
from adc.compiler.ir.types import Array
from adc.rules.operation import Operation


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with zeros outside loops and branches that need no array to have been made for them."""
    count = times_read(program)
    made: dict[Var, Assign] = {}
    body: Block = []
    for s in program.body:
        if isinstance(s, Assign) and s.name == "zeros_like" and s.args[1] == Const(None):
            of = s.args[0]
            if of in made and count[of] == 1 and all(v is not of for d in of.type.shape for v in owners(d)):
                with evaluator.at(body), evaluator.origin_at(s.origin):
                    _measure(s, made[of], count, evaluator)
        elif isinstance(s, Assign) and isinstance(s.op, Operation) and len(s.targets) == 1:
            made[s.target] = s
        body.append(s)
    program.body = body
    return program


def _measure(zeros: Assign, of: Assign, count: dict[Var, int], evaluator: Evaluator) -> None:
    """Take the lengths from an operand of what makes the array, or as numbers."""
    kind = of.target.type
    assert isinstance(kind, Array)
    alike = next((v for v in variables(of.args) if count[v] > 1 and v.type == kind), None)
    if alike is not None and kind.layout == "C":
        zeros.args = (alike, Const(None))
        return
    take_lengths(zeros, evaluator)


def take_lengths(zeros: Assign, evaluator: Evaluator) -> None:
    """Make `zeros_like(x)` zeros of its lengths, which are read where the evaluator stands."""
    kind = zeros.target.type
    assert isinstance(kind, Array)
    lengths = evaluator.shape_values(kind.shape)
    making: Block = []
    with evaluator.at(making):
        evaluator.op("zeros", lengths, dtype=np.dtype(kind.dtype))
    made = making[-1]
    assert isinstance(made, Assign)
    zeros.op, zeros.args = made.op, made.args
