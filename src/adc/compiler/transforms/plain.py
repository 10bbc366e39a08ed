"""Make a derivative program an ordinary one, which can be differentiated again, or stand inside another.

Kept values with known trip counts lie in arrays, values that cross from a branch of the forward sweep into the same
branch of the reverse sweep are merged out of the branch (views are made again there), and no marks are left. Stacks
(of loops whose number of trips is not known) are made in front of the branch and stay: the tangent transform mirrors
them, and a second reverse sweep refuses them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Const,
    For,
    If,
    Keep,
    Mark,
    Merge,
    NewBuffer,
    Program,
    Restore,
    Stmt,
    Var,
    While,
    blocks,
    bound_inside,
    change_blocks,
    defined,
    variables,
    walk,
)
from adc.compiler.transforms import remeasure, scopes, views_again
from adc.compiler.transforms.rewrite import operand, substitute


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without marks, indexed buffers, and reads from one branch into another."""
    program.body = _Plain(evaluator).block(program.body)
    _stacks_before_branches(program, evaluator)
    return merged_across_branches(views_again.run(program, evaluator), evaluator)


class _Plain:
    def __init__(self, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.arrays: dict[Buffer, Var] = {}

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        match stmt:
            case Mark():
                return
            case NewBuffer() if stmt.buffer.trips is not None:
                self._allocate(stmt.buffer)
            case Keep() if stmt.index is not None:
                array = self.arrays[stmt.buffer]
                self.ev.store(array, (*stmt.index, *(FULL,) * len(stmt.buffer.shape)), stmt.value)
            case Restore() if stmt.index is not None:
                self._restore(stmt, (*stmt.index, *(FULL,) * len(stmt.buffer.shape)))
            case _:
                change_blocks(stmt, self.block)
                self.ev.block.append(stmt)

    def _allocate(self, buffer: Buffer) -> None:
        assert buffer.trips is not None
        lengths = tuple(a.value if isinstance(a, Const) else a for a in (*buffer.trips, *buffer.lengths))
        array = self.ev.op("empty", lengths, dtype=np.dtype(buffer.dtype))
        array.name, array.named = buffer.name, True
        self.arrays[buffer] = array

    def _restore(self, stmt: Restore, index: tuple[object, ...]) -> None:
        """The target keeps its identity: it is read by statements that exist already."""
        array = self.arrays[stmt.buffer]
        target = stmt.target
        if target.is_array:
            # A copy: the sweep may undo writes in it.
            view = self.ev.getitem(array, index)
            self.ev.op("copy", view)
            definition = self.ev.block.pop()
            assert isinstance(definition, Assign)
            self.ev.block.append(Assign((target,), definition.op, definition.args, stmt.origin))
        else:
            self.ev.block.append(Assign((target,), "getitem", (array, index), stmt.origin))


# --- branches ---------------------------------------------------------------------------------------------------


def _stacks_before_branches(program: Program, evaluator: Evaluator) -> None:
    """A stack that one branch makes and fills, and a later branch on the same test empties, is made before both."""
    while escaped := _escaping_stacks(program.body, set()):
        _move_stacks(program, escaped, evaluator)  # out of one branch, perhaps into the branch around it


def _move_stacks(program: Program, escaped: set[Buffer], evaluator: Evaluator) -> None:
    before = {s: there for s, _, there in scopes.visited(program.body, program.params) if isinstance(s, If)}
    pushed: dict[Buffer, tuple[Atom, ...]] = {}  # the lengths of items that are not known before the branch

    def statement(stmt: Stmt) -> None:
        if isinstance(stmt, If):
            for block in (stmt.then, stmt.orelse):
                made = [s for s in block if isinstance(s, NewBuffer) and s.buffer in escaped]
                block[:] = [s for s in block if s not in made]
                for s in made:
                    lengths = _known_lengths(s.buffer, before[stmt], evaluator)
                    if lengths is None:
                        pushed[s.buffer], lengths = s.buffer.lengths, ()
                        s.buffer.shape = ()
                    s.buffer.lengths = lengths
                    evaluator.block.append(s)
        change_blocks(stmt, lambda block: evaluator.rebuilt(block, statement))
        evaluator.block.append(stmt)

    program.body = evaluator.rebuilt(program.body, statement)
    for s in walk(program.body):
        if isinstance(s, (Keep, Restore)) and s.buffer in pushed:
            s.lengths = pushed[s.buffer]


def _escaping_stacks(block: Block, there: set[Buffer]) -> set[Buffer]:
    """Stacks that are used where the block that makes them has ended."""
    found: set[Buffer] = set()
    for stmt in block:
        if isinstance(stmt, NewBuffer):
            there.add(stmt.buffer)
        elif isinstance(stmt, (Keep, Restore)) and stmt.buffer not in there:
            found.add(stmt.buffer)
        for inner in blocks(stmt):
            found |= _escaping_stacks(inner, set(there))
    return found


def _known_lengths(buffer: Buffer, there: set[Var], evaluator: Evaluator) -> tuple[Atom, ...] | None:
    """The lengths of an item of a stack, by what is there; None where one is not known there."""
    known = remeasure.known_in(there, None)
    dims = [evaluator.length(n) for n in buffer.lengths]
    if not all(d is not None and known(d) for d in dims):
        return None
    return tuple(evaluator.atom(evaluator.dim_value(d)) for d in dims if d is not None)


def merged_across_branches(program: Program, evaluator: Evaluator) -> Program:
    """What one branch defines and a later branch on the same test reads comes out of the first as a merge."""
    while _merge_once(program, evaluator):
        pass  # out of one branch, perhaps into the branch around it
    remeasure.in_scope(program.params, program.body, evaluator, gone=scopes.bound(program.body))
    return program


def _merge_once(program: Program, evaluator: Evaluator) -> bool:
    inside: dict[Var, tuple[If, int]] = {}
    _collect(program.body, (), inside)
    escaped: dict[Var, None] = {}
    if inside:
        _escapes(program.body, program.params, escaped)
    before = {s: there for s, _, there in scopes.visited(program.body, program.params) if isinstance(s, If)}
    own = scopes.bound(program.body)
    table: dict[Var, Atom] = {}
    for v in escaped:
        region, side = inside[v]
        result = Var(v.name, v.type, named=v.named, dim=v.dim)
        with evaluator.at(region.orelse if side == 0 else region.then):
            filler = _filler(v, result, remeasure.known_in(before[region], own), evaluator)
        if isinstance(filler, Var) and v.is_array:
            evaluator.joined_roots[result] = {v.root, filler}
        region.merges.append(Merge(result, v, filler) if side == 0 else Merge(result, filler, v))
        table[v] = result
    if table:
        program.body = _outside(program.body, table, inside)
        program.results = [operand(r, table) for r in program.results]
    return bool(table)


def _collect(block: Block, path: tuple[tuple[If, int], ...], inside: dict[Var, tuple[If, int]]) -> None:
    """For what branches define, the innermost branch."""
    for stmt in block:
        if path:
            for v in (*defined(stmt), *bound_inside(stmt)):
                inside[v] = path[-1]
        if isinstance(stmt, If):
            _collect(stmt.then, (*path, (stmt, 0)), inside)
            _collect(stmt.orelse, (*path, (stmt, 1)), inside)
        else:
            for inner in blocks(stmt):
                _collect(inner, path, inside)


def _escapes(block: Block, params: Sequence[Var], escaped: dict[Var, None]) -> None:
    """Variables that are read where their scope has ended."""
    own = scopes.bound(block)
    for _, operands, there in scopes.visited(block, params):
        for v in variables(operands):
            if v in own and v not in there:
                escaped.setdefault(v)


def _filler(v: Var, result: Var, known: remeasure.Known, evaluator: Evaluator) -> Atom:
    """What stands for a value on the path that never reads it: of its lengths where they are known there, too.

    The lengths of the merge are its own otherwise: nobody may take it for an array as long as another.
    """
    if v.is_array:
        as_long = all(map(known, v.type.shape))
        if as_long:
            filler = evaluator.op("empty", evaluator.shape_values(v.type.shape), dtype=np.dtype(v.type.dtype))
        else:
            remeasure.apart(result)
            filler = evaluator.op("zeros", (0,) * v.type.ndim, dtype=np.dtype(v.type.dtype))
        assert isinstance(filler, Var)
        return filler
    if v.dim is not None and known(v.dim):
        return evaluator.atom(evaluator.dim_value(v.dim))
    remeasure.apart(result)
    return Const(np.dtype(v.type.dtype).type(0).item())


def _outside(block: Block, table: dict[Var, Atom], inside: dict[Var, tuple[If, int]]) -> Block:
    """Replace reads outside the branch that defines a variable; inside it, the variable itself is read."""
    result: Block = []
    for stmt in block:
        if isinstance(stmt, If):
            own_then = {v for v in table if inside[v] == (stmt, 0)}
            own_else = {v for v in table if inside[v] == (stmt, 1)}
            then = _outside(stmt.then, {k: a for k, a in table.items() if k not in own_then}, inside)
            orelse = _outside(stmt.orelse, {k: a for k, a in table.items() if k not in own_else}, inside)
            test = operand(stmt.test, table)
            merges = [
                m
                if m.result in table.values()
                else Merge(
                    m.result,
                    m.then if m.then in own_then else operand(m.then, table),
                    m.orelse if m.orelse in own_else else operand(m.orelse, table),
                )
                for m in stmt.merges
            ]
            result.append(If(test, then, orelse, merges, stmt.origin))
        elif isinstance(stmt, For):
            (head,) = substitute(
                [For(stmt.index, stmt.start, stmt.stop, stmt.step, stmt.carried, [], stmt.origin, stmt.note)],
                table,
            )
            assert isinstance(head, For)
            head.body = _outside(stmt.body, table, inside)
            result.append(head)
        elif isinstance(stmt, While):
            (head,) = substitute([While(stmt.carried, [], stmt.test, [], stmt.origin)], table)
            assert isinstance(head, While)
            head.test_block, head.body = (
                _outside(stmt.test_block, table, inside),
                _outside(stmt.body, table, inside),
            )
            result.append(head)
        else:
            result.extend(substitute([stmt], table))
    return result
