"""Which arrays can be made where they are kept: in their row of the buffer.

    for trip in range(steps):                   for trip in range(steps):
        slope[j] = ...                              slope_kept[trip, j] = ...
        y[j] += h * slope[j]                        y[j] += h * slope_kept[trip, j]
        slope_kept[trip, j] = slope[j]

An array that a trip makes and keeps for the reverse sweep needs no memory of its own, and no copy.
"""

from __future__ import annotations

from collections import Counter

from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Buffer,
    Const,
    For,
    Keep,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    walk,
)
from adc.compiler.transforms.hoist import escaping_roots
from adc.compiler.transforms.scalarise.nests import FILLS
from adc.rules.operation import Operation

_ALLOCATED = {"empty", "empty_like", "full", "full_like", "copy", "cast", "concatenate", "stack", *FILLS}


def of(program: Program, evaluator: Evaluator) -> dict[Buffer, tuple[Var, tuple[Atom, ...]]]:
    """For each buffer whose rows are arrays made in the same trip: the array, and the index of the row."""
    counters = {s.index for s in walk(program.body) if isinstance(s, For)}
    keeps = Counter(s.buffer for s in walk(program.body) if isinstance(s, Keep))
    escaping = escaping_roots(program, evaluator)
    found: dict[Buffer, tuple[Var, tuple[Atom, ...]]] = {}
    taken: set[Var] = set()
    for block in all_blocks(program.body):
        made = {s.target: s for s in block if isinstance(s, Assign) and _has_own_memory(s)}
        for position, s in enumerate(block):
            if not isinstance(s, Keep) or not isinstance(s.value, Var) or s.value not in made:
                continue
            index, value = s.index, s.value
            if (
                index is None
                or keeps[s.buffer] != 1
                or not all(isinstance(i, Const) or i in counters for i in index)
                or s.buffer.shape != value.type.shape
                or s.buffer.dtype != value.type.dtype
                or value in escaping
                or value in taken
                or any(_writes(after, value) for after in block[position + 1 :])
            ):
                continue
            found[s.buffer] = value, index
            taken.add(value)
    return found


def _has_own_memory(s: Assign) -> bool:
    """Whether a statement makes an array by loops that fill it."""
    if len(s.targets) != 1 or not s.target.is_array or s.target.root is not s.target:
        return False
    return s.name in _ALLOCATED or (isinstance(s.op, Operation) and is_elementwise(s.op))


def _writes(stmt: Stmt, array: Var) -> bool:
    return any(isinstance(s, Store) and s.array.root is array for s in walk([stmt]))
