"""Add up in a register what a loop adds to one element of an array.

`for j in range(m): b[i] += e` becomes a sum that the loop carries, and one addition to `b[i]` after it: the loop no
longer writes memory for it, and its sum may be reordered, so that it vectorises.
"""

from __future__ import annotations

import numpy as np

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    If,
    Program,
    Stmt,
    Store,
    Var,
    While,
    bound_inside,
    change_blocks,
    defined,
    variables,
    walk,
)
from adc.compiler.ir.types import Scalar
from adc.rules import registry


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with accumulations into an element that stays the same carried by the loop."""
    program.body = _block(program.body, Memory(evaluator.joined_roots))
    return program


def _block(block: Block, memory: Memory) -> Block:
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _block(inner, memory))
        result.append(stmt)
        if isinstance(stmt, For):
            result.extend(_carried(stmt, memory))
    return result


def _carried(loop: For, memory: Memory) -> list[Stmt]:
    """Turn accumulations of a straight innermost loop into carried sums; the additions to make after it."""
    if any(isinstance(s, (For, While, If)) for s in loop.body):
        return []
    inside = {v for s in walk([loop]) for v in (*defined(s), *bound_inside(s))}
    accesses = memory.effects(loop).accesses
    memory.forget(loop)
    after: list[Stmt] = []
    body: Block = []
    for s in loop.body:
        if not (
            isinstance(s, Store)
            and s.accumulate
            and s.array.type.dtype in ("float64", "float32")
            and not any(v in inside for v in variables(s.index))
            and all(a.accumulate for a in accesses[memory.of(s.array)])
        ):
            body.append(s)
            continue
        kind = Scalar(s.array.type.dtype)
        name = f"{s.array.name}_sum"
        phi, out, total = Var(name, kind), Var(name, kind), Var(name, kind)
        body.append(Assign((out,), registry.named("add"), (phi, s.value), s.origin))
        zero = 0.0 if kind.dtype == "float64" else np.float32(0)
        loop.carried.append(Carried(phi, Const(zero), out, total))
        after.append(Store(s.array, s.index, total, True, s.origin, s.role))
    loop.body = body
    return after
