"""Let each trip of a loop make the next row of a buffer of states, where it copied its state into a row before.

    for t in range(steps):                          for i in range(n):
        for j in range(n):                              kept[0, i] = u[i]
            kept[t, j] = u[j]                       for t in range(steps):
        for j in range(n - 2):                          kept[t + 1, 0] = kept[t, 0]
            u[j + 1] = f(kept[t, j], ...)   ->          kept[t + 1, n - 1] = kept[t, n - 1]
                                                        for j in range(n - 2):
                                                            kept[t + 1, j + 1] = f(kept[t, j], ...)
                                                    for i in range(n):
                                                        u[i] = kept[steps, i]

A stencil passes over its state once a trip in place of twice. What no trip writes, the ends that are held, goes from
row to row; of a state of two axes, the rows at both ends, and the ends of the other rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.analysis.touches import offset
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
    Stmt,
    Store,
    Var,
    owners,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.spans import Span, Spans, over
from adc.rules.dims import Dim


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with states that go from row to row of what is kept of them."""
    _Rows(program, evaluator).block(program.body)
    return program


@dataclass(frozen=True)
class _Succession:
    """A loop whose trips copy `state` into a row of `kept`, and then write the state, along each axis from .. up to."""

    loop: For
    copy: For
    state: Var
    kept: Var
    store: Store
    written: list[tuple[Dim, Dim]]


class _Rows:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.outside = {*program.params, *(r for r in program.results if isinstance(r, Var))}
        self.joined = {v for roots in evaluator.joined_roots.values() for v in roots}
        self.stores: dict[Var, list[Store]] = {}
        for s in walk(program.body):
            if isinstance(s, Store):
                self.stores.setdefault(s.array, []).append(s)

    def block(self, block: Block) -> None:
        """Rewrite the loops of a block, and those inside them."""
        made = {s.target: s for s in block if isinstance(s, Assign) and s.name == "empty"}
        out: Block = []
        for s in block:
            found = self._succession(s, made) if isinstance(s, For) else None
            if found is None:
                out.append(s)
                if isinstance(s, For):
                    self.block(s.body)
            else:
                with self.ev.at(out), self.ev.origin_at(s.origin):
                    self._rewrite(found, made[found.kept])
        block[:] = out

    # --- what is looked for -------------------------------------------------------------------------------------

    def _succession(self, loop: For, made: dict[Var, Assign]) -> _Succession | None:
        if loop.start != Const(0) or loop.step != Const(1) or loop.carried:
            return None
        copy = next((s for s in loop.body if isinstance(s, For)), None)
        copied = None if copy is None else _copied(copy, loop.index, self.ev)
        if copy is None or copied is None:
            return None
        state, kept = copied
        if state.root is not state or state in self.joined or state in self.outside or kept in self.outside:
            return None
        if kept not in made or len(self.stores[kept]) != 1 or not self._a_row_for_each_trip(loop, kept):
            return None
        return self._written(loop, copy, state, kept)

    def _a_row_for_each_trip(self, loop: For, kept: Var) -> bool:
        stop = self.ev.length(loop.stop)
        assert isinstance(kept.type, Array)
        return stop is not None and kept.type.shape[0] in (stop, stop.clamped())

    def _written(self, loop: For, copy: For, state: Var, kept: Var) -> _Succession | None:
        """What makes the next state, one store behind the copy; None where anything else has to do with the state."""
        found: list[tuple[list[For], Store]] = []
        for top in loop.body:
            if top is copy:
                continue
            for s in walk([top]):
                if not any(v.is_array and v.root is state for v in uses(s)):
                    continue
                if not isinstance(s, Store) or s.array is not state or s.accumulate:
                    return None
                nest = _nest(top, s)
                if loop.body.index(top) < loop.body.index(copy) or len(s.index) != len(nest):
                    return None
                found.append((nest, s))
        if len(found) != 1:
            return None
        ((nest, store),) = found
        written = [self._along(one, item) for one, item in zip(nest, store.index, strict=True)]
        known = [
            w for w in written if w is not None and not any(n.index in owners(d) for d in w for n in nest)
        ]
        return _Succession(loop, copy, state, kept, store, known) if len(known) == len(nest) else None

    def _along(self, loop: For, item: object) -> tuple[Dim, Dim] | None:
        """From where to where a subscript goes that is a number more than the counter of a loop."""
        apart, start, stop = offset(loop.index, item), self.ev.length(loop.start), self.ev.length(loop.stop)
        if loop.step != Const(1) or apart is None or apart.known is None or start is None or stop is None:
            return None
        return start + apart, stop + apart

    # --- what becomes of it -------------------------------------------------------------------------------------

    def _rewrite(self, found: _Succession, allocation: Assign) -> None:
        ev, kept, state, loop = self.ev, found.kept, found.state, found.loop
        trips, *lengths = allocation.args[0]
        before = len(ev.block)
        rows = ev.atom(ev.op("add", trips.value if isinstance(trips, Const) else trips, 1))
        counted, ev.block[before:] = ev.block[before:], []
        place = ev.block.index(allocation)
        ev.block[place:place] = counted
        allocation.args = ((rows, *lengths), *allocation.args[1:])
        shape = state.type.shape
        kept.type = Array(kept.type.dtype, (kept.type.shape[0] + 1, *shape), "C")
        ends = [ev.atom(ev.dim_value(n)) for n in shape]
        whole = [(Const(0), end) for end in ends]
        held = [
            self._held(*written, n, end) for written, n, end in zip(found.written, shape, ends, strict=True)
        ]
        over(self.ev, whole, lambda index: self._move(kept, (Const(0), *index), state, index))
        head: Block = []
        with ev.at(head):
            after = ev.atom(ev.op("add", loop.index, 1))

            def hand_on(index: Index) -> None:
                self._move(kept, (after, *index), kept, (loop.index, *index))

            for axis, (_, parts) in enumerate(held):
                behind = whole[axis + 1 :]

                def both_ends(index: Index, parts: Spans = parts, behind: Spans = behind) -> None:
                    for part in parts:
                        over(self.ev, [part, *behind], hand_on, index)

                over(self.ev, [inside for inside, _ in held[:axis]], both_ends)
        position = loop.body.index(found.copy)
        loop.body[position : position + 1] = head
        found.store.array, found.store.index = kept, (after, *found.store.index)
        ev.block.append(loop)
        over(self.ev, whole, lambda index: self._move(state, index, kept, (trips, *index)))

    def _held(self, low: Dim, high: Dim, n: Dim, end: Atom) -> tuple[Span, Spans]:
        """Of an axis: what is written, and the parts at its ends that are not."""
        first, last = (self.ev.atom(self.ev.dim_value(d)) for d in (low, high))
        stop = last
        # The state may be shorter than what is held of it.
        if not (n - low).nonnegative:
            first = self.ev.atom(self.ev.op("minimum", *map(plain_value, (first, end))))
        if not (n - high).nonnegative:
            stop = self.ev.atom(self.ev.op("minimum", *map(plain_value, (last, end))))
        parts = [((Const(0), first), low != Dim(0)), ((last, end), high != n)]
        return (first, stop), [part for part, some in parts if some]

    def _move(self, target: Var, at: Index, source: Var, index: Index) -> None:
        value = self.ev.assign("getitem", (source, index), Scalar(source.type.dtype))
        self.ev.block.append(Store(target, at, value, origin=self.ev.origin))


def _nest(top: Stmt, store: Store) -> list[For]:
    """The loops from a statement down to a store, where nothing else is around it."""
    found: list[For] = []
    while isinstance(top, For):
        found.append(top)
        if store in top.body:
            return found
        top = next(s for s in top.body if store in walk([s]))
    return []


def _copied(nest: For, trip: Var, evaluator: Evaluator) -> tuple[Var, Var] | None:
    """The array of which loops copy all elements into the row of a trip of another, and that other."""
    loops = [nest]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], For):
        loops.append(loops[-1].body[0])
    if any(one.start != Const(0) or one.step != Const(1) or one.carried for one in loops):
        return None
    if len(loops) > 2 or len(loops[-1].body) != 2:
        return None
    load, store = loops[-1].body
    index = tuple(one.index for one in loops)
    if (
        not isinstance(load, Assign)
        or load.name != "getitem"
        or load.args[1] != index
        or not isinstance(store, Store)
        or store.value is not load.target
        or store.index != (trip, *index)
        or store.accumulate
        or load.target.type.dtype != store.array.type.dtype
    ):
        return None
    state = load.args[0]
    lengths = tuple(evaluator.length(one.stop) for one in loops)
    return (state, store.array) if lengths == state.type.shape else None
