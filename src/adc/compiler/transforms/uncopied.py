"""Read a part of an adjoint where it lies, rather than a copy of it.

    y_bar = x_bar[1:-1].copy()                            x_bar[:-2] += x_bar[1:-1] * h
    p_bar = y_bar * h                          ->
    x_bar[:-2] += p_bar

The pull of a write copies what stands there, for what is added to the array meanwhile. Where all that reads the copy
does so before anything is written to the array, and makes something else of it, it is not needed. Nor is it where
another is added to all of it first: `x_bar = y_bar.copy(); x_bar -= g` is `x_bar = y_bar - g`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    is_view,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.parts import reverse_sweep
from adc.compiler.transforms.rewrite import substitute
from adc.rules import registry
from adc.rules.operation import Operation

# What gives elements other places, or sums products of them, in memory of its own.
_MAKING = frozenset(
    {"roll", "concatenate", "stack", "repeat", "tile", "sum", "mean", "matmul", "dot", "outer"}
)


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program whose reverse sweep copies no more than it has to."""
    memory = Memory(evaluator.joined_roots)
    sweep = reverse_sweep(program.body)
    readers: dict[Var, list[Stmt]] = {}
    for s in walk(sweep):
        for v in uses(s):
            readers.setdefault(v, []).append(s)
    definition = {s.targets[0]: s for s in walk(program.body) if isinstance(s, Assign)}
    returned = {r for r in program.results if isinstance(r, Var)}
    table: dict[Var, Atom] = {}
    for block in all_blocks(sweep):
        for copy in list(block):
            if not (isinstance(copy, Assign) and copy.name == "copy" and copy.target not in returned):
                continue
            part = definition.get(copy.args[0]) if isinstance(copy.args[0], Var) else None
            if (
                part is not None
                and _lies_in_rows(part)
                and _only_makes(readers.get(copy.target, []), copy, block, memory)
            ):
                is_whole = all(item == FULL for item in part.args[1])
                table[copy.target] = part.args[0] if is_whole else part.target
                block.remove(copy)
    program.body = substitute(program.body, table, program.params)
    instead: dict[Stmt, Block] = {}
    for block in all_blocks(reverse_sweep(program.body)):
        for copy, store in _added_to(block, memory, evaluator):
            total = Assign(copy.targets, registry.named("add"), (copy.args[0], store.value), store.origin)
            if (negative := _negative(store, block, memory)) is not None:
                total.op, total.args = registry.named("subtract"), (copy.args[0], negative.args[0])
            instead |= {copy: [], store: [total]}
    for block in all_blocks(program.body):
        block[:] = [new for s in block for new in instead.get(s, [s])]
    return program


def _lies_in_rows(part: Assign) -> bool:
    """Whether what is made of a part has the order in memory that it has of a copy."""
    array = part.args[0]
    return (
        part.name == "getitem"
        and is_view(part)
        and isinstance(array.type, Array)
        and (part.target.type.ndim == 1 or array.type.layout == "C")
    )


def _only_makes(readers: list[Stmt], copy: Assign, block: Block, memory: Memory) -> bool:
    """Whether statements of a block make something else of a copy, before what it is of is written to."""
    root = memory.of(copy.args[0])
    if not readers or not all(s in block and _makes(s, root, memory) for s in readers):
        return False
    first, last = block.index(copy), max(block.index(s) for s in readers)
    return not any(root in memory.effects(s).writes for s in block[first:last])


def _makes(s: Stmt, root: Var, memory: Memory) -> bool:
    """Whether a statement makes a new array, or writes to another one."""
    if isinstance(s, Store):
        return memory.of(s.array) is not root and not any(v.is_array for v in variables(s.index))
    if not isinstance(s, Assign) or not isinstance(s.op, Operation) or is_view(s):
        return False
    return is_elementwise(s.op) or s.name in _MAKING


def _added_to(block: Block, memory: Memory, evaluator: Evaluator) -> Iterator[tuple[Assign, Store]]:
    """The copies of a block, each with the statement that adds to all of it before anything else is done with it."""
    for copy in [s for s in block if isinstance(s, Assign) and s.name == "copy" and s.target.is_array]:
        array, source = copy.target, memory.of(copy.args[0])
        for s in block[block.index(copy) + 1 :]:
            if any(v.root is array for inner in walk([s]) for v in uses(inner) if v.is_array):
                if _adds_to_all(s, array, evaluator):
                    yield copy, s
                break
            if source in memory.effects(s).writes:
                break


def _adds_to_all(s: Stmt, array: Var, evaluator: Evaluator) -> TypeGuard[Store]:
    """Whether a statement adds an array of the same dtype and shape, which is another one."""
    if not (isinstance(s, Store) and s.accumulate and s.array is array and all(i == FULL for i in s.index)):
        return False
    if not isinstance(s.value, Var) or s.value.root is array:
        return False
    mine, other = array.type, s.value.type
    return (
        isinstance(mine, Array)
        and isinstance(other, Array)
        and mine.dtype == other.dtype
        and evaluator.equal.same_shape(mine.shape, other.shape)
    )


def _negative(store: Store, block: Block, memory: Memory) -> Assign | None:
    """The statement that makes what is added, if it is the negative of what nothing has been written to since."""
    made = next((s for s in block if isinstance(s, Assign) and s.targets[0] is store.value), None)
    if made is None or made.name != "negative" or not isinstance(made.args[0], Var):
        return None
    between = block[block.index(made) : block.index(store)]
    return made if all(memory.of(made.args[0]) not in memory.effects(s).writes for s in between) else None
