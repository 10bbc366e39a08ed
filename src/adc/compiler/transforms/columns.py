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

from collections import Counter
from collections.abc import Iterator

import numpy as np

from adc.compiler.analysis.effects import Memory, distance
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Index,
    Program,
    Stmt,
    Store,
    Var,
    While,
    all_blocks,
    blocks,
    bound_inside,
    defined,
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
        """Arrays that are made here and used element by element alone are made in columns.

        So are those of a loop or a branch that may be one another: all of them, or none.
        """
        made: dict[Var, Assign] = {}
        kept = {v for v in (*self.program.params, *self.program.results) if isinstance(v, Var)}
        joined: dict[Var, set[Var]] = {}  # of what a loop carries or a branch chooses: what it may be
        for s in walk(self.program.body):
            whole = Counter(v for v in uses(s) if _has_short_rows(v))
            element = _element(s)
            whole.subtract([] if element is None else element[:1])
            links = list(_links(s))
            for v, w in links:
                joined.setdefault(v, set()).add(w.root)
            if isinstance(s, (For, While)):
                joined.update({c.result: {c.phi} for c in s.carried if c.phi.is_array})
            whole.subtract(w for v, w in links if _has_short_rows(v))
            kept.update(v for v, count in whole.items() if count > 0)
            if isinstance(s, Assign) and s.name == "empty" and _has_short_rows(s.target):
                made[s.target] = s
            elif not links:
                kept.update(v for v in defined(s) if v.is_array)
            kept.update(v for v, w in links if not _has_short_rows(w))
        of = Memory(joined).of
        followed = {of(a) for a, _, _ in self._followed(self.program.body, ())}
        own = {of(v) for v in made} & followed - {of(v) for v in kept if v.is_array}
        turned = {v for v in self._short() if of(v) in own}
        for v in turned:
            v.type = _columns_of(v)
            if v in made:
                shape, dtype = made[v].args
                made[v].args = ((shape[-1], *shape[:-1]), dtype)
        self._read_in(self.program.body, {v: v for v in turned})

    def _short(self) -> set[Var]:
        """All arrays of short rows."""
        return {
            v
            for s in walk(self.program.body)
            for v in (*defined(s), *bound_inside(s), *uses(s))
            if _has_short_rows(v)
        }

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
                and array.root is array
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
        columns = Var(array.name, _columns_of(array), named=False)
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
    )


def _columns_of(array: Var) -> Array:
    """The type of the columns of an array."""
    *rest, count = array.type.shape
    return Array(array.type.dtype, (count, *rest))


def _links(s: Stmt) -> Iterator[tuple[Var, Var]]:
    """Pairs of an array and another one that it is, which the statement reads."""
    pairs: list[tuple[Var, Atom]] = []
    if isinstance(s, Assign) and s.op == "alias":
        pairs = [(s.target, s.args[0])]
    elif isinstance(s, (For, While)):
        pairs = [(c.phi, other) for c in s.carried for other in (c.init, c.out)]
    elif isinstance(s, If):
        pairs = [(m.result, other) for m in s.merges for other in (m.then, m.orelse)]
    yield from ((v, w) for v, w in pairs if v.is_array and isinstance(w, Var))


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
