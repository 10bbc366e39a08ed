"""How compiled code comes by its arrays.

    x_bar = np.empty((n, m))
    for i in range(n):                      x_bar = rt.zeros((n, m))
        for j in range(m):          ->
            x_bar[i, j] = 0.0
    y = np.empty(n)                         y = rt.empty(n)

Loops that clear arrays which have just been made are no loops: they would be most of what Numba has to compile in the
gradient of a network. Arrays are made by `adc.runtime`, as Numba compiles its own `np.empty` and `np.zeros`
anew in every process; and so are stacks.
"""

from __future__ import annotations

from math import copysign

import numpy as np

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Index,
    Keep,
    NewBuffer,
    Program,
    Settle,
    Stmt,
    Store,
    Var,
    all_blocks,
    uses,
    walk,
)
from adc.rules import registry

MADE = {"empty": "rt.empty", "zeros": "rt.zeros"}


def cleared(program: Program, evaluator: Evaluator) -> Program:
    """The program with arrays made as zeros that are made, and then cleared by loops of their own."""
    for block in all_blocks(program.body):
        made: dict[Var, Assign] = {}
        for s in list(block):
            if isinstance(s, Assign) and s.name == "empty" and isinstance(s.args[0], tuple):
                made[s.target] = s
                continue
            arrays = _cleared_by(s, made, evaluator) if isinstance(s, For) and made else set()
            for array in arrays:
                made[array].op = registry.named("zeros")
            if arrays:
                block.remove(s)
            for array in {v.root for inner in walk([s]) for v in uses(inner) if v.is_array}:
                made.pop(array, None)
    return program


def named(program: Program) -> Program:
    """The program with arrays and stacks made, and these filled, by the functions of `adc.runtime`."""
    for part in (program, *program.meta.get("kernels", ())):
        for s in walk(part.body):
            if isinstance(s, Assign) and s.name in MADE:
                made_by, shape, dtype = MADE[s.name], s.args[0], s.target.type.dtype
                s.args = (shape[0] if isinstance(shape, tuple) and len(shape) == 1 else shape,)
                s.op = made_by if dtype == "float64" else f"{made_by}_of"
                if dtype != "float64":
                    s.args += (Const(np.dtype(dtype)),)
        for block in all_blocks(part.body):
            _settle(block)
    return program


def _settle(block: Block) -> None:
    """Settle the stacks that are made in a block behind the last statement that pushes on them."""
    last = {s.buffer: k for k, s in enumerate(block) if isinstance(s, NewBuffer) and s.buffer.trips is None}
    if not last:
        return
    for k, stmt in enumerate(block):
        last.update({s.buffer: k for s in walk([stmt]) if isinstance(s, Keep) and s.buffer in last})
    for buffer, k in sorted(last.items(), key=lambda item: item[1], reverse=True):
        buffer.by_runtime = True
        block.insert(k + 1, Settle(buffer))


def _cleared_by(loop: For, made: dict[Var, Assign], evaluator: Evaluator) -> set[Var]:
    """The arrays of which loops clear all elements; none where they do anything else."""
    written: dict[Var, set[Index]] = {}
    # For each array the counters around what clears it, and where they end.
    around: dict[Var, dict[Var, Atom]] = {}
    pending: list[tuple[Stmt, dict[Var, Atom]]] = [(loop, {})]
    while pending:
        s, counters = pending.pop()
        if isinstance(s, For) and s.start == Const(0) and s.step == Const(1) and not s.carried:
            pending += [(inner, {**counters, s.index: s.stop}) for inner in s.body]
        elif isinstance(s, Store) and s.array in made and not s.accumulate and _is_zero(s.value):
            written.setdefault(s.array, set()).add(s.index)
            if around.setdefault(s.array, counters) != counters:
                return set()
        else:
            return set()
    every = all(_is_all(w, made[array].args[0], around[array], evaluator) for array, w in written.items())
    return set(written) if every else set()


def _is_zero(value: Atom) -> bool:
    """Whether a value is zero as memory has it when it is cleared: the sign of -0.0 is a bit of it."""
    return isinstance(value, Const) and value.value == 0 and _signs(value.value) == {1.0}


def _signs(value: complex) -> set[float]:
    return {copysign(1.0, value.real), copysign(1.0, value.imag)}


def _is_all(
    written: set[Index], lengths: tuple[Atom, ...], counters: dict[Var, Atom], evaluator: Evaluator
) -> bool:
    """Whether elements at these indices, over all trips, are those of an array of these lengths."""
    counted = {tuple(i for i in index if isinstance(i, Var)) for index in written}
    if len(counted) != 1 or sorted(map(id, *counted)) != sorted(map(id, counters)):
        return False
    elements = 1
    for i, length in zip(next(iter(written)), lengths, strict=True):
        if isinstance(i, Const):
            elements *= length.value if isinstance(length, Const) else 0
        elif evaluator.length(counters[i]) != evaluator.length(length):
            return False
    return len(written) == elements
