"""Say how long the rows are that a loop goes over, where that is known, as in arrays of points.

    for i in range(n):                               rt.assume(x.shape[1] == 3)
        total += x[i, 0] * x[i, 1] * x[i, 2]    ->   for i in range(n):
                                                         rt.assume(i >= 0)
                                                         total += x[i, 0] * x[i, 1] * x[i, 2]

Numba reads the length of a row from the array when it runs, and looks whether a subscript counts from the end: LLVM
sees elements at distances that it does not know, and leaves the loop as it is. Told both, it loads rows together and
deals their elements out (an interleaved group): a weighted sum of tanh over rows of three takes a quarter of the time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from adc.compiler.analysis.counters import never_negative, ranges
from adc.compiler.analysis.touches import element, pace
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, Block, Const, For, Index, Program, Stmt, Store, Var, blocks
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.outline import is_short
from adc.compiler.transforms.vectorise import vectorisable
from adc.rules import registry

Row = tuple[Var, int, Var]  # an array, the axis that counts its rows, and the count
LONGEST = 8  # numbers of a row: as many as LLVM takes for one group


def run(program: Program) -> Program:
    """The program, and its kernels, with what is known of rows that loops go over."""
    for one in (program, *program.meta["kernels"]):
        _Teller(one).run()
    return program


class _Teller:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.counters = ranges(program.body)
        self.followed: dict[
            Var, int
        ] = {}  # the arrays whose rows loops go over, and the axis that counts the rows

    def run(self) -> None:
        self._visit(self.program.body)
        told: Block = []
        for array, axis in self.followed.items():
            if array in self.program.params:
                told += self._lengths(array, axis + 1)
        self.program.body[:0] = told

    def _visit(self, block: Block) -> None:
        for s in block:
            for inner in blocks(s):
                self._visit(inner)
            if isinstance(s, For) and vectorisable(s) and not is_short(s):
                s.body = self._with_signs(s)

    def _lengths(self, array: Var, first: int) -> Block:
        """That the axes from the first one on are as long as they are."""
        out: Block = []
        for axis, length in enumerate(_shape(array)[first:], first):
            found = Var("length", Scalar("int64", True), named=False)
            out.append(Assign((found,), "dim", (array, Const(axis))))
            out += self._assumption("equal", found, length)
        return out

    def _with_signs(self, loop: For) -> Block:
        """The body of a loop, and that what counts the rows does not count from the end."""
        at = {s: found for s in loop.body if (found := self._row(s, loop)) is not None}
        if not _are_nearly_whole(at):
            return loop.body
        out: Block = []
        told: set[Var] = set()
        for s in loop.body:
            if s in at:
                array, axis, row = at[s]
                self.followed[array] = max(axis, self.followed.get(array, 0))
                if row not in told:
                    told.add(row)
                    out += self._assumption("greater_equal", row, 0)
            out.append(s)
        return out

    def _row(self, s: Stmt, loop: For) -> Row | None:
        """An array of short rows, and what counts them, where a statement is at a row that follows the loop."""
        touch = element(s)
        if touch is None:
            return None
        array, index = touch
        for axis, row in enumerate(index):
            place = length_of(row)
            if isinstance(row, Var) and not row.is_array and pace(place, loop.index):
                fits = _has_short_rows(array, axis) and never_negative(place, self.counters)
                return (array, axis, row) if fits else None
        return None

    def _assumption(self, comparison: str, x: Var, bound: int) -> Block:
        test = Var("holds", Scalar("bool"), named=False)
        return [
            Assign((test,), registry.named(comparison), (x, Const(bound))),
            Assign((), "rt.assume", (test,)),
        ]


def _are_nearly_whole(at: Mapping[Stmt, Row]) -> bool:
    """Whether of each row that is written every element is, and of each that is read every other.

    A vector is not stored with gaps: those elements would go to memory one by one.
    """
    touched: dict[Any, set[Index]] = {}
    for s, (array, axis, row) in at.items():
        touch = element(s)
        assert touch is not None
        touched.setdefault((array, axis, row, isinstance(s, Store)), set()).add(touch[1])
    return all(
        len(indices) * (1 if written else 2) >= math.prod(_shape(array)[axis + 1 :])
        for (array, axis, _, written), indices in touched.items()
    )


def _has_short_rows(array: Var, axis: int) -> bool:
    """Whether the axes behind one are known to be short, and lie side by side."""
    if not isinstance(array.type, Array) or array.type.layout != "C":
        return False
    lengths = [d.known for d in array.type.shape[axis + 1 :]]
    return None not in lengths and 1 < math.prod(filter(None, lengths)) <= LONGEST


def _shape(array: Var) -> list[int]:
    """The lengths of an array, as far as they are known."""
    assert isinstance(array.type, Array)
    return [d.known or 0 for d in array.type.shape]
