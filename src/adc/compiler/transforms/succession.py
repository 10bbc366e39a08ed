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
row to row. States of two axes are left as they are: a seventh of the time was saved, and the loops along four edges
took Numba a third of a second to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adc.compiler.analysis.touches import offset
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import Assign, Atom, Block, Const, For, Index, Program, Store, Var, uses, walk
from adc.compiler.ir.types import Array, Scalar
from adc.rules.dims import Dim


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with states that go from row to row of what is kept of them."""
    _Rows(program, evaluator).block(program.body)
    return program


@dataclass(frozen=True)
class _Succession:
    """A loop whose trips copy `state` into a row of `kept`, and then write the state from `low` to `high`."""

    loop: For
    copy: For
    state: Var
    kept: Var
    store: Store
    low: Dim
    high: Dim


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
        found: list[tuple[For, Store]] = []
        for top in loop.body:
            if top is copy:
                continue
            for s in walk([top]):
                if not any(v.is_array and v.root is state for v in uses(s)):
                    continue
                if not isinstance(s, Store) or s.array is not state or s.accumulate:
                    return None
                if not isinstance(top, For) or s not in top.body or top.step != Const(1):
                    return None
                if loop.body.index(top) < loop.body.index(copy) or len(s.index) != 1:
                    return None
                found.append((top, s))
        if len(found) != 1:
            return None
        ((nest, store),) = found
        apart, start, stop = (
            offset(nest.index, store.index[0]),
            self.ev.length(nest.start),
            self.ev.length(nest.stop),
        )
        if apart is None or apart.known is None or start is None or stop is None:
            return None
        return _Succession(loop, copy, state, kept, store, start + apart, stop + apart)

    # --- what becomes of it -------------------------------------------------------------------------------------

    def _rewrite(self, found: _Succession, allocation: Assign) -> None:
        ev, kept, state, loop = self.ev, found.kept, found.state, found.loop
        (n,) = state.type.shape
        trips, length = allocation.args[0]
        before = len(ev.block)
        rows = ev.atom(ev.op("add", trips.value if isinstance(trips, Const) else trips, 1))
        counted, ev.block[before:] = ev.block[before:], []
        place = ev.block.index(allocation)
        ev.block[place:place] = counted
        allocation.args = ((rows, length), *allocation.args[1:])
        kept.type = Array(kept.type.dtype, (kept.type.shape[0] + 1, n), "C")
        end = ev.atom(ev.dim_value(n))
        first, last = ev.atom(ev.dim_value(found.low)), ev.atom(ev.dim_value(found.high))
        if not (n - found.low).nonnegative:  # the state may be shorter than what is held of it
            first = ev.atom(ev.op("minimum", *map(plain_value, (first, end))))
        self._loop(Const(0), end, lambda i: self._move(kept, (Const(0), i), state, (i,)))
        head: Block = []
        with ev.at(head):
            after = ev.atom(ev.op("add", loop.index, 1))
            for start, stop, some in (
                (Const(0), first, found.low != Dim(0)),
                (last, end, found.high != n),
            ):
                if some:
                    self._loop(start, stop, lambda i: self._move(kept, (after, i), kept, (loop.index, i)))
        position = loop.body.index(found.copy)
        loop.body[position : position + 1] = head
        found.store.array, found.store.index = kept, (after, *found.store.index)
        ev.block.append(loop)
        self._loop(Const(0), end, lambda i: self._move(state, (i,), kept, (trips, i)))

    def _loop(self, start: Atom, stop: Atom, body: Callable[[Var], None]) -> None:
        counter = Var("i", Scalar("int64", True))
        counter.dim = Dim.symbol("value", counter)
        inner: Block = []
        with self.ev.at(inner):
            body(counter)
        self.ev.block.append(For(counter, start, stop, Const(1), [], inner, self.ev.origin))

    def _move(self, target: Var, at: Index, source: Var, index: Index) -> None:
        value = self.ev.assign("getitem", (source, index), Scalar(source.type.dtype))
        self.ev.block.append(Store(target, at, value, origin=self.ev.origin))


def _copied(nest: For, trip: Var, evaluator: Evaluator) -> tuple[Var, Var] | None:
    """The array of which a loop copies all elements into the row of a trip of another, and that other."""
    if nest.start != Const(0) or nest.step != Const(1) or nest.carried or len(nest.body) != 2:
        return None
    load, store = nest.body
    if (
        not isinstance(load, Assign)
        or load.name != "getitem"
        or load.args[1] != (nest.index,)
        or not isinstance(store, Store)
        or store.value is not load.target
        or store.index != (trip, nest.index)
        or store.accumulate
        or load.target.type.dtype != store.array.type.dtype
    ):
        return None
    state = load.args[0]
    return (state, store.array) if (evaluator.length(nest.stop),) == state.type.shape else None
