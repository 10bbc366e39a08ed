"""Give arrays of short rows, as points of three coordinates, to inner loops as columns.

    for i in range(n):                               for i in range(n):
        for j in range(n):                               for j in range(n):
            d = x[i, 0] - x[j, 0]         ->                 d = columns[0, i] - columns[0, j]
            e = x[i, 1] - x[j, 1]                            e = columns[1, i] - columns[1, j]

A loop that follows the rows reads and writes every second or third number, which no vector instruction does: in
columns they lie side by side (a structure of arrays instead of an array of structures). What a program makes for itself
it makes in columns at once. Another array is copied before a loop that reads all of its rows in each trip.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adc.compiler.analysis.effects import Memory, distance
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    Index,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    blocks,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.rules import registry
from adc.rules.dims import Dim

FEW = range(2, 5)  # numbers of a row


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with short rows laid out as columns where inner loops follow them."""
    columns = _Columns(program, evaluator)
    columns.of_own()
    program.body = columns.block(program.body)
    return program


class _Columns:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.known = Equalities(program)

    # --- arrays of the program's own ------------------------------------------------------------------------------

    def of_own(self) -> None:
        """Arrays that are made here and used element by element alone are made in columns."""
        made: dict[Var, Assign] = {}
        for s in walk(self.program.body):
            if isinstance(s, Assign) and s.name == "empty" and _has_short_rows(s.target):
                made[s.target] = s
        joined = {v for key, roots in self.ev.joined_roots.items() for v in (key, *roots)}
        kept = {r for r in self.program.results if isinstance(r, Var)} | joined
        for s in walk(self.program.body):
            element = _element(s)
            whole = [v for v in uses(s) if v in made]
            if element is not None and whole.count(element[0]) == 1:
                whole.remove(element[0])
            kept.update(whole)
        followed = {a for a, _, _ in self._followed(self.program.body, ())}
        table = {v: _in_columns(v) for v in made if v not in kept and v in followed}
        for v, columns in table.items():
            shape, dtype = made[v].args
            made[v].targets, made[v].args = (columns,), ((shape[-1], *shape[:-1]), dtype)
        self._read_in(self.program.body, table)

    # --- arrays that are read -------------------------------------------------------------------------------------

    def block(self, block: Block) -> Block:
        """A block with columns made before the loops that read them."""
        out: Block = []
        for s in block:
            self.known.passed(s)
            if isinstance(s, For):
                table = {}
                for array in self._read_again(s):
                    table[array] = self._copied(array, s, out)
                self._read_in([s], table)
            for inner in blocks(s):
                with self.known.inside(s):
                    inner[:] = self.block(inner)
            out.append(s)
        return out

    def _read_again(self, loop: For) -> list[Var]:
        """The arrays of which inner loops read every row, in every trip of those around them."""
        effects = self.memory.effects(loop)
        found: dict[Var, None] = {}
        for array, position, path in self._followed(loop.body, (loop,)):
            if (
                array.type.ndim == 2
                and array not in effects.defs
                and self.memory.of(array) not in effects.writes
                and len(path) > 1
                and position == 0
                and self._covers(path[-1], array.type.shape[0])
            ):
                found[array] = None
        return list(found)

    def _covers(self, loop: For, length: Dim) -> bool:
        stop = self.ev.length(loop.stop)
        return (
            loop.start == Const(0)
            and loop.step == Const(1)
            and stop is not None
            and self.known.equal.same(stop, length)
        )

    def _copied(self, array: Var, loop: For, out: Block) -> Var:
        """Statements that copy an array to columns; the columns."""
        columns = _in_columns(array)
        with self.ev.at(out):
            n = self.ev.atom(self.ev.dim_value(array.type.shape[0]))
        count = array.type.shape[1].known
        dtype = Const(np.dtype(array.type.dtype))
        out.append(Assign((columns,), registry.named("empty"), ((Const(count), n), dtype), loop.origin))
        index = Var("i", Scalar("int64"), named=False)
        body: Block = []
        for k in range(count or 0):
            element = Var(f"{array.name}_element", Scalar(array.type.dtype), named=False)
            body.append(Assign((element,), "getitem", (array, (index, Const(k))), loop.origin))
            body.append(Store(columns, (Const(k), index), element, False, loop.origin))
        out.append(For(index, Const(0), n, Const(1), [], body, loop.origin))
        return columns

    # --- what both have in common ---------------------------------------------------------------------------------

    def _followed(self, block: Block, path: tuple[For, ...]) -> Iterator[tuple[Var, int, tuple[For, ...]]]:
        """Arrays of short rows that straight innermost loops go along, by which subscript, inside which loops."""
        for s in block:
            if not isinstance(s, For):
                for inner in blocks(s):
                    yield from self._followed(inner, ())
                continue
            around = (*path, s)
            if not all(isinstance(t, (Assign, Store)) for t in s.body):
                yield from self._followed(s.body, around)
                continue
            for t in s.body:
                element = _element(t)
                if element is None or not _has_short_rows(element[0]):
                    continue
                following = [k for k, i in enumerate(element[1][:-1]) if distance(s.index, i) is not None]
                if len(following) == 1:
                    yield element[0], following[0], around

    def _read_in(self, block: Block, table: dict[Var, Var]) -> None:
        """Elements of the arrays in `table` are those of their columns."""
        for part in all_blocks(block) if table else ():
            for s in part:
                element = _element(s)
                if element is None or element[0] not in table:
                    continue
                array, index = element
                place = (index[-1], *index[:-1])
                if isinstance(s, Store):
                    s.array, s.index = table[array], place
                elif isinstance(s, Assign):
                    s.args = (table[array], place)


def _has_short_rows(array: Var) -> bool:
    return (
        isinstance(array.type, Array)
        and array.type.ndim > 1
        and array.type.shape[-1].known in FEW
        and array.type.dtype in ("float64", "float32")
        and array.root is array
    )


def _in_columns(array: Var) -> Var:
    """A variable for the columns of an array."""
    *rest, count = array.type.shape
    return Var(array.name, Array(array.type.dtype, (count, *rest)), named=False)


def _element(s: Stmt) -> tuple[Var, Index] | None:
    """The array and index of a statement that reads or writes one element, its last subscript a number."""
    array: Var
    if isinstance(s, Store):
        array, index = s.array, s.index
    elif isinstance(s, Assign) and s.name == "getitem" and not s.target.is_array:
        array, index = s.args
    else:
        return None
    plain = len(index) == array.type.ndim and all(
        isinstance(i, Const) or (isinstance(i, Var) and not i.is_array) for i in index
    )
    last = index[-1] if plain else None
    counts = isinstance(last, Const) and type(last.value) is int and last.value >= 0
    return (array, index) if counts else None
