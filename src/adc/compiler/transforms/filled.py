"""Clear of an array only what a loop does not fill.

    w_bar = np.zeros(m)                             w_bar = np.empty(m)
    for i in range(n):                              for i in range(n, m):
        w_bar[i] += sin(x[i])           ->              w_bar[i] = 0.0
                                                    for i in range(n):
                                                        w_bar[i] = sin(x[i])

A loop over one array that reads another beside it adds to the adjoint of that once in each trip. How long that one is
is not known, only that it is long enough: mostly nothing is left to clear, and a million numbers are written once
where they were written twice and read.
"""

from __future__ import annotations

from adc.compiler.analysis.equalities import Equalities, range_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Index,
    Program,
    Store,
    Var,
    blocks,
    is_of_numbers,
    uses,
    walk,
)
from adc.compiler.ir.types import REALS, Array
from adc.compiler.transforms.spans import over
from adc.rules import registry
from adc.rules.dims import Dim


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with zeros where nothing else is written, for arrays of one axis or two."""
    _Filler(program, evaluator).block(program.body)
    return program


class _Filler:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.known = Equalities(program)
        self.joined = {v for roots in evaluator.joined_roots.values() for v in roots}
        self.viewed = {v.root for s in walk(program.body) for v in uses(s) if v.is_array and v.root is not v}

    def block(self, block: Block) -> None:
        out: Block = []
        zeros: dict[Var, Assign] = {}  # arrays that were made, and not touched yet
        for s in block:
            if isinstance(s, For):
                for array, made in list(zeros.items()):
                    if self._fills(s, array):
                        made.op = registry.named("empty")
                        out += self._rest(s, array, made.args[0])
            for inner in blocks(s):
                with self.known.inside(s):
                    self.block(inner)
            for v in {v.root for t in walk([s]) for v in uses(t) if v.is_array}:
                zeros.pop(v, None)
            if isinstance(s, Assign) and s.name == "zeros" and self._is_own(s.target):
                zeros[s.target] = s
            self.known.passed(s)
            out.append(s)
        block[:] = out

    def _is_own(self, array: Var) -> bool:
        kind = array.type
        floats = isinstance(kind, Array) and kind.ndim <= 2 and kind.dtype in REALS
        return floats and array not in self.joined and array not in self.viewed

    def _fills(self, loop: For, array: Var) -> bool:
        """Whether each trip adds once to each element of its row; the additions become assignments."""
        touching = [s for s in walk([loop]) if array in uses(s)]
        stores = [s for s in touching if isinstance(s, Store) and s.array is array and s.accumulate]
        trips = range_of(loop)
        if not stores or len(stores) < len(touching) or trips is None or not _is_of_elements(loop):
            return False
        if trips[0] != Dim(0) or not trips[1].nonnegative or any(s.value is array for s in stores):
            return False
        with self.known.inside(loop):
            if not self._is_row(loop, array, stores):
                return False
        for s in stores:
            s.accumulate = False
        return True

    def _is_row(self, loop: For, array: Var, stores: list[Store]) -> bool:
        assert isinstance(array.type, Array)
        indices: set[Index] = {s.index for s in stores}
        if len(indices) < len(stores) or any(s.index[0] is not loop.index for s in stores):
            return False
        if array.type.ndim == 1:
            return len(stores) == 1 and stores[0] in loop.body
        columns = array.type.shape[1]
        if all(isinstance(s.index[1], Const) and s in loop.body for s in stores):
            places = {s.index[1].value for s in stores}
            return places == set(range(len(stores))) and self.known.equal.same(columns, Dim(len(stores)))
        inner = next((s for s in loop.body if isinstance(s, For) and stores[0] in s.body), None)
        if len(stores) > 1 or inner is None or stores[0].index[1] is not inner.index:
            return False
        trips = range_of(inner)
        return trips is not None and trips[0] == Dim(0) and trips[1].nonnegative

    def _rest(self, loop: For, array: Var, lengths: tuple[Atom, ...]) -> Block:
        """The loops that clear the rows behind those of the loop; what is behind its columns it clears itself."""
        assert isinstance(array.type, Array)
        shape = array.type.shape
        inner = next(
            (s for s in loop.body if isinstance(s, For) and any(array in uses(t) for t in s.body)), None
        )
        if inner is not None:
            with self.known.inside(loop):
                behind = self._behind(inner, shape[1], array, (loop.index,), lengths[1:])
            place = loop.body.index(inner)
            loop.body[place:place] = behind
        return self._behind(loop, shape[0], array, (), lengths)

    def _behind(
        self, loop: For, length: Dim, array: Var, index: tuple[Var, ...], lengths: tuple[Atom, ...]
    ) -> Block:
        """What clears the part of an axis that is behind the trips of a loop, and all of the axes after it."""
        trips = range_of(loop)
        if trips is not None and self.known.equal.same(trips[1], length):
            return []

        def clear(place: Index) -> None:
            self.ev.block.append(Store(array, place, Const(0.0), origin=loop.origin))

        out: Block = []
        with self.ev.at(out), self.ev.origin_at(loop.origin):
            end: Atom = loop.stop
            if loop.step != Const(1):
                end = self.ev.atom(self.ev.op("add", plain_value(loop.start), 1))
            over(self.ev, [(end, lengths[0]), *((Const(0), n) for n in lengths[1:])], clear, index)
        return out


def _is_of_elements(loop: For) -> bool:
    """Whether a loop works on numbers alone: beside products of matrices it does not matter what is written twice."""
    return all(
        isinstance(s, (For, Store)) or (isinstance(s, Assign) and is_of_numbers(s)) for s in walk(loop.body)
    )
