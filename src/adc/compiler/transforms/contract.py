"""Shrink buffers that live within one trip of a loop: by an axis, to a row that all trips share, or to a scalar.

Array contraction (Sarkar & Gao, *Optimization of array accesses by collective loop transformations*, 1991): when every
access to a fresh array stands in one loop and has that loop's counter at the same position of its index, that axis
carries nothing from trip to trip. An array whose every index is constant becomes one scalar per element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    If,
    Merge,
    Program,
    Stmt,
    Store,
    Var,
    While,
    all_blocks,
    blocks,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, Scalar, Type
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules import registry

MAX_CELLS = 64  # elements of a small array that become scalars


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with buffers contracted as far as they go."""
    contractor = _Contractor(program, evaluator)
    while contractor.step():
        pass
    contractor.bring_out()
    return program


class _Contractor:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        # Allocations, and where they were: before which loop.
        self.brought_in: dict[Assign, tuple[Block, For]] = {}

    def step(self) -> bool:
        """Contract what the program holds now; True when something changed."""
        accesses = _accesses(self.program)
        changed = False
        table: dict[Var, Atom] = {}
        smaller: set[Var] = set()  # what is known of their accesses holds no longer
        for block in all_blocks(self.program.body):
            users = _users(block)
            inside: set[Stmt] | None = None
            for stmt in list(block):
                if not isinstance(stmt, Assign) or stmt.name != "empty" or not stmt.target.is_array:
                    continue
                if stmt.target in smaller:
                    continue
                indices = [index for _, index in accesses.get(stmt.target, ())]
                if not indices or any(index is None for index in indices):
                    continue
                elements = [index for index in indices if index is not None]
                axis = self._contractible(stmt.target, users[stmt.target], elements)
                if axis is not None:
                    self._drop_axis(stmt.target, axis, stmt, [s for s, _ in accesses[stmt.target]])
                    self._bring_in(stmt, block, users[stmt.target][0])
                    smaller.add(stmt.target)
                    changed = True
                elif self._constant_cells(stmt.target, elements):
                    inside = set(walk(block)) if inside is None else inside
                    if {s for s, _ in accesses[stmt.target]} <= inside:  # no other branch looks at it
                        self._to_scalars(stmt.target, stmt, block, elements, table)
                        changed = True
        if table:
            self.program.body = substitute(self.program.body, table)
            self.program.results = [operand(r, table) for r in self.program.results]
        return changed

    def _bring_in(self, allocation: Assign, block: Block, loop: Stmt) -> None:
        """Allocate in the loop what lives within a trip: a loop inside it may contract the array further."""
        assert isinstance(loop, For)
        block.remove(allocation)
        loop.body.insert(0, allocation)
        self.brought_in.setdefault(allocation, (block, loop))
        self.ev.within_trips.setdefault(allocation.target, set()).add(loop.index)

    def bring_out(self) -> None:
        """Allocate in front of the loops again what is still an array."""
        inside = {s: block for block in all_blocks(self.program.body) for s in block if s in self.brought_in}
        for allocation, (block, loop) in self.brought_in.items():
            if allocation in inside:
                inside[allocation].remove(allocation)
                block.insert(block.index(loop), allocation)

    def _contractible(self, array: Var, users: list[Stmt], indices: list[tuple[Any, ...]]) -> int | None:
        """An axis whose index is always the counter of the one loop that touches the array."""
        if len(users) != 1 or not isinstance(users[0], For):
            return None
        counter = users[0].index
        for p in range(array.type.ndim):
            if all(i[p] is counter for i in indices):
                return p
        return None

    def _drop_axis(self, array: Var, axis: int, allocation: Assign, accesses: list[Stmt]) -> None:
        assert isinstance(array.type, Array)
        shape = array.type.shape[:axis] + array.type.shape[axis + 1 :]
        array.type = Array(array.type.dtype, shape, "C")
        lengths, dtype = allocation.args
        if not isinstance(lengths, tuple):
            lengths = (lengths,)
        allocation.args = (lengths[:axis] + lengths[axis + 1 :], dtype)
        for s in accesses:
            if isinstance(s, Store) and s.array is array:
                s.index = s.index[:axis] + s.index[axis + 1 :]
            elif isinstance(s, Assign) and s.name == "getitem" and s.args[0] is array:
                s.args = (array, s.args[1][:axis] + s.args[1][axis + 1 :])

    def _constant_cells(self, array: Var, indices: list[tuple[Any, ...]]) -> bool:
        return (
            all(isinstance(i, Const) and i.value >= 0 for index in indices for i in index)
            and len({tuple(i.value for i in index) for index in indices}) <= MAX_CELLS
        )

    def _to_scalars(
        self,
        array: Var,
        allocation: Assign,
        block: Block,
        elements: list[tuple[Any, ...]],
        table: dict[Var, Atom],
    ) -> None:
        cells = sorted({tuple(i.value for i in index) for index in elements})
        block.remove(allocation)
        for k, cell in enumerate(cells):
            name = array.name if len(cells) == 1 else f"{array.name}_{'_'.join(map(str, cell))}"
            _Promotion(self.ev, array, cell, name, array.named or len(cells) > 1 or k > 0, table).run(block)


class _Promotion:
    """Rewrite one element of an array as an SSA value."""

    def __init__(
        self, ev: Evaluator, array: Var, cell: tuple[int, ...], name: str, named: bool, table: dict[Var, Atom]
    ) -> None:
        self.ev = ev
        self.array = array
        self.cell = cell
        self.name = name
        self.named = named
        self.type: Type = Scalar(array.type.dtype)
        self.table = table

    def run(self, block: Block) -> None:
        self._block(block, Const(np.dtype(self.type.dtype).type(0).item()))

    def _mine(self, index: tuple[Any, ...]) -> bool:
        return tuple(i.value for i in index) == self.cell

    def _block(self, block: Block, current: Atom) -> Atom:
        """Rewrite a block in place; the value of the element at its end."""
        out: Block = []
        for stmt in block:
            if (
                isinstance(stmt, Assign)
                and stmt.name == "getitem"
                and stmt.args[0] is self.array
                and self._mine(stmt.args[1])
            ):
                self.table[stmt.target] = current
                continue
            if isinstance(stmt, Store) and stmt.array is self.array and self._mine(stmt.index):
                value = operand(stmt.value, self.table)
                if stmt.accumulate:
                    total = Var(self.name, self.type, named=self.named)
                    out.append(Assign((total,), registry.named("add"), (current, value), stmt.origin))
                    value = total
                elif isinstance(value, Var) and not value.named and self.named:
                    value.name, value.named = self.name, True
                current = value
                continue
            if isinstance(stmt, (For, While)):
                current = self._loop(stmt, current)
            elif isinstance(stmt, If):
                current = self._branch(stmt, current)
            out.append(stmt)
        block[:] = out
        return current

    def _touches(self, stmt: Stmt) -> bool:
        return any(
            isinstance(s, Store) and s.array is self.array and self._mine(s.index) for s in walk([stmt])
        )

    def _loop(self, stmt: For | While, current: Atom) -> Atom:
        if not self._touches(stmt):
            for inner in blocks(stmt):
                self._block(inner, current)
            return current
        phi, result = Var(self.name, self.type, named=self.named), Var(self.name, self.type, named=self.named)
        if isinstance(stmt, While):
            self._block(stmt.test_block, phi)
        out = self._block(stmt.body, phi)
        stmt.carried.append(Carried(phi, current, out, result))
        return result

    def _branch(self, stmt: If, current: Atom) -> Atom:
        a, b = self._block(stmt.then, current), self._block(stmt.orelse, current)
        if a is b:
            return a
        result = Var(self.name, self.type, named=self.named)
        stmt.merges.append(Merge(result, a, b))
        return result


def _users(block: Block) -> dict[Var, list[Stmt]]:
    """Per array that a block allocates, the statements of the block that use it, or hold one that does."""
    found: dict[Var, list[Stmt]] = {
        s.target: [] for s in block if isinstance(s, Assign) and s.name == "empty" and s.target.is_array
    }
    if found:
        for s in block:
            for v in {v for x in walk([s]) for v in uses(x)} & found.keys():
                found[v].append(s)
    return found


def _accesses(program: Program) -> dict[Var, list[tuple[Stmt, tuple[Any, ...] | None]]]:
    """Every use of every array: with the index for single elements, None for anything else."""
    found: dict[Var, list[tuple[Stmt, tuple[Any, ...] | None]]] = {}
    for s in walk(program.body):
        if isinstance(s, Store) and s.array.is_array:
            found.setdefault(s.array, []).append((s, s.index if _is_element(s.index) else None))
            for v in variables((s.index, s.value)):
                if v.is_array:
                    found.setdefault(v, []).append((s, None))
        elif (
            isinstance(s, Assign) and s.name == "getitem" and _is_element(s.args[1]) and not s.target.is_array
        ):
            found.setdefault(s.args[0], []).append((s, s.args[1]))
        elif isinstance(s, Assign) and s.name == "dim":
            found.setdefault(s.args[0], []).append((s, None))
        else:
            for v in uses(s):
                if v.is_array:
                    found.setdefault(v, []).append((s, None))
    for r in program.results:
        if isinstance(r, Var) and r.is_array:
            found.setdefault(r, []).append((program.body[-1], None))
    return found


def _is_element(index: tuple[Any, ...]) -> bool:
    return all(
        (isinstance(i, Const) and isinstance(i.value, (int, np.integer)))
        or (isinstance(i, Var) and not i.is_array)
        for i in index
    )
