"""Make one product of matrices of the outer products that the trips of a reverse sweep add up.

    for t in range(n - 1, -1, -1):              for t in range(n - 1, -1, -1):
        ...                                         ...
        w_bar += np.outer(g, h)        ->           rows[t] = g
                                                    columns[t] = h
                                                w_bar += rows.T @ columns

The adjoint of a matrix by which each trip multiplies a vector, as in a recurrent network, is read and written whole in
each trip otherwise. What is kept instead is a row of each factor.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    Operand,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    owners,
    times_read,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.parts import reverse_sweep
from adc.compiler.transforms.scopes import bound
from adc.rules import registry
from adc.rules.dims import Dim

SHORT = 8  # of matrices known to be smaller a trip may as well add the elements


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with sums of outer products in loops of its reverse sweep as products behind them."""
    sweep = set(walk(reverse_sweep(program.body)))
    if any(isinstance(s, Assign) and s.name == "outer" for s in sweep):
        deferrer = _Deferrer(program, evaluator)
        for block in all_blocks(program.body):
            deferrer.block(block, sweep)
    return program


class _Deferrer:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.times_read = times_read(program)
        self.made = {v for s in walk(program.body) if isinstance(s, Assign) for v in s.targets if v.root is v}
        self.written = written_roots(walk(program.body), evaluator.joined_roots)
        self.joined = {v for roots in evaluator.joined_roots.values() for v in roots}

    def block(self, block: Block, sweep: set[Stmt]) -> None:
        """Rewrite the loops of a block that are in the reverse sweep."""
        for loop in [s for s in block if isinstance(s, For) and s in sweep]:
            if loop.step != Const(-1) or loop.stop != Const(-1):
                continue  # its counter says which row
            before: Block = []
            behind: Block = []
            written = {s.array.root for s in walk(loop.body) if isinstance(s, Store)}
            rows: dict[Var, Var] = {}
            for store, product in self._sums(loop):
                here: Block = []
                with self.ev.origin_at(store.origin):
                    sides = list(zip(product.args[:2], store.array.type.shape, strict=True))
                    for factor, length in sides:
                        if (there := self._lying_there(loop, factor)) is not None:
                            rows[factor] = there
                        elif factor not in rows or factor.root in written:
                            rows[factor] = self._rows(loop, factor, length, before)
                            here.append(Store(rows[factor], (loop.index, FULL), factor, origin=loop.origin))
                    with self.ev.at(behind):
                        one, other = (self._as_long(rows[f], length) for f, length in sides)
                        whole = self.ev.op("matmul", self.ev.op("transpose", one), other)
                        self.ev.store(store.array, (FULL, FULL), whole, accumulate=True)
                loop.body.remove(store)
                loop.body[(at := loop.body.index(product)) : at + 1] = here
            at = block.index(loop)
            block[at : at + 1] = [*before, loop, *behind]

    def _lying_there(self, loop: For, factor: Operand) -> Var | None:
        """The matrix of whose rows a factor is one in each trip, if the program writes to none of it."""
        taken = next((s for s in loop.body if isinstance(s, Assign) and s.targets == (factor,)), None)
        if taken is None or taken.name != "getitem":
            return None
        matrix: Var = taken.args[0]
        index = taken.args[1]
        last = length_of(loop.start)
        if matrix.type.ndim != 2 or index[0] is not loop.index or any(i != FULL for i in index[1:]):
            return None
        if last is None or matrix.type.shape[0] != last + 1 or matrix.root in self.written:
            return None
        return matrix

    def _as_long(self, rows: Var, length: Dim) -> Var:
        """Rows of what is as long as a side of a matrix, where there are rows: of no rows it need not be."""
        assert isinstance(rows.type, Array)
        if rows.type.shape[1] == length:
            return rows
        shape = rows.type.shape[0], length
        again = Var(
            rows.name, Array(rows.type.dtype, shape, "C"), named=rows.named, root=rows.root, view_of=rows
        )
        lengths = tuple(self.ev.operand(self.ev.dim_value(n)) for n in shape)
        self.ev.block.append(Assign((again,), registry.named("reshape"), (rows, lengths), self.ev.origin))
        return again

    def _sums(self, loop: For) -> list[tuple[Store, Assign]]:
        """What a trip adds whole to a matrix that it does nothing else with, and the outer product that it is."""
        outer = {s.target: s for s in loop.body if isinstance(s, Assign) and s.name == "outer"}
        used = Counter(v.root for s in walk([loop]) for v in uses(s) if v.is_array)
        inside = bound([loop])
        found = [
            (s, outer[s.value])
            for s in loop.body
            if isinstance(s, Store)
            and s.accumulate
            and isinstance(s.value, Var)
            and s.value in outer
            and self.times_read[s.value] == 1
            and s.array in self.made
            and s.array not in self.joined
            and s.array not in inside
            and all(i == FULL for i in s.index)
            and all(_is_row(a, s.array, inside) for a in outer[s.value].args[:2])
        ]
        added = Counter(s.array for s, _ in found)
        return [(s, product) for s, product in found if used[s.array] == added[s.array]]

    def _rows(self, loop: For, factor: Var, length: Dim, before: Block) -> Var:
        """A matrix of which each trip may make a row."""
        with self.ev.at(before):
            trips = self.ev.op("maximum", self.ev.op("add", plain_value(loop.start), 1), 0)
            made = self.ev.op("empty", (trips, self.ev.dim_value(length)), np.dtype(factor.type.dtype))
        assert isinstance(made, Var)
        made.name, made.named = factor.name, factor.named
        return made


def _is_row(factor: Operand, matrix: Var, inside: set[Var]) -> bool:
    """Whether a factor is a vector of a length that is known in front of the loop, and not known to be short."""
    if not isinstance(factor, Var) or not isinstance(factor.type, Array) or factor.type.ndim != 1:
        return False
    if factor.type.dtype != matrix.type.dtype or np.dtype(factor.type.dtype).kind != "f":
        return False
    (length,) = factor.type.shape
    return inside.isdisjoint(owners(length)) and (length.known is None or length.known >= SHORT)
