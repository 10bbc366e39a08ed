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

from adc.compiler.analysis.equalities import Equalities
from adc.compiler.analysis.touches import element, move, offset
from adc.compiler.frontend.lengths import EqualLengths
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
from adc.compiler.ir.types import Array
from adc.compiler.transforms.spans import Span, Spans, added_to, copy_element, over
from adc.rules.dims import Dim


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with states that go from row to row of what is kept of them."""
    _Rows(program, evaluator).block(program.body)
    return program


@dataclass(frozen=True)
class _Copy:
    """Two of the statements inside a nest: they copy an element of `state` into the row of a trip of `kept`."""

    nest: For
    load: Assign
    store: Store

    @property
    def state(self) -> Var:
        state = self.load.args[0]
        assert isinstance(state, Var)
        return state

    @property
    def kept(self) -> Var:
        return self.store.array


@dataclass(frozen=True)
class _Succession:
    """A loop whose trips copy a state, and then write the state, in `home`, along each axis from .. up to.

    What reads elements of it before that may read the row.
    """

    loop: For
    copy: _Copy
    store: Store
    home: Block
    written: list[tuple[Dim, Dim]]
    readers: list[Assign]


class _Rows:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.outside = {*program.params, *(r for r in program.results if isinstance(r, Var))}
        self.joined = {v for roots in evaluator.joined_roots.values() for v in roots}
        self.stores: dict[Var, list[Store]] = {}
        self.known = Equalities(program)
        self.followers: dict[For, Block] = {}  # of a loop: what has to follow it
        for s in walk(program.body):
            if isinstance(s, Store):
                self.stores.setdefault(s.array, []).append(s)

    def block(self, block: Block) -> None:
        """Rewrite the loops of a block, and those inside them."""
        made = {s.target: s for s in block if isinstance(s, Assign) and s.name == "empty"}
        out: Block = []
        for s, equal in zip(list(block), self.known.before_each(block), strict=True):
            self.known.passed(s)
            if isinstance(s, For):
                while (found := self._succession(s, made, equal)) is not None:
                    with self.ev.at(out), self.ev.origin_at(s.origin):
                        self._rewrite(found, made[found.copy.kept])
                with self.known.inside(s):
                    self.block(s.body)
            out.append(s)
            out += self.followers.pop(s, []) if isinstance(s, For) else []
        block[:] = out

    # --- what is looked for -------------------------------------------------------------------------------------

    def _succession(self, loop: For, made: dict[Var, Assign], equal: EqualLengths) -> _Succession | None:
        if loop.start != Const(0) or loop.step != Const(1) or loop.carried:
            return None
        for nest in loop.body:
            for copy in _copies(nest, loop.index, self.ev, equal) if isinstance(nest, For) else []:
                if self._is_own(loop, copy, made) and (found := self._written(loop, copy)) is not None:
                    return found
        return None

    def _is_own(self, loop: For, copy: _Copy, made: dict[Var, Assign]) -> bool:
        """Whether nobody else has to do with the memory of a state and of the buffer, which has a row for each trip."""
        state, kept = copy.state, copy.kept
        if state.root is not state or state in self.joined or state in self.outside or kept in self.outside:
            return False
        return kept in made and len(self.stores[kept]) == 1 and self._a_row_for_each_trip(loop, kept)

    def _a_row_for_each_trip(self, loop: For, kept: Var) -> bool:
        stop = self.ev.length(loop.stop)
        assert isinstance(kept.type, Array)
        return stop is not None and kept.type.shape[0] in (stop, stop.clamped())

    def _written(self, loop: For, copy: _Copy) -> _Succession | None:
        """What makes the next state, one store behind the copy; None where anything else has to do with the state."""
        state, at = copy.state, loop.body.index(copy.nest)
        writer: tuple[int, list[For], Store] | None = None
        reads: list[tuple[int, Assign]] = []
        for position, top in enumerate(loop.body):
            for s in walk([top]):
                if s is copy.load or not any(v.is_array and v.root is state for v in uses(s)):
                    continue
                if isinstance(s, Store) and s.array is state and writer is None and position > at:
                    writer = position, _nest(top, s), s
                elif isinstance(s, Assign) and position > at and _is_element_of(state, s):
                    reads.append((position, s))
                elif not isinstance(s, Assign) or s.name != "dim":
                    return None
        if writer is None or len(writer[2].index) != len(writer[1]):
            return None
        last, nest, store = writer
        home = nest[-1].body
        for position, s in reads:
            here = position == last and s in home[: home.index(store)] and s.args[1] == store.index
            if position >= last and not here:
                return None
        written = [self._along(one, item) for one, item in zip(nest, store.index, strict=True)]
        known = [
            w for w in written if w is not None and not any(n.index in owners(d) for d in w for n in nest)
        ]
        if len(known) != len(nest):
            return None
        return _Succession(loop, copy, store, home, known, [s for _, s in reads])

    def _along(self, loop: For, item: object) -> tuple[Dim, Dim] | None:
        """From where to where a subscript goes that is a number more than the counter of a loop."""
        apart, start, stop = offset(loop.index, item), self.ev.length(loop.start), self.ev.length(loop.stop)
        if loop.step != Const(1) or apart is None or apart.known is None or start is None or stop is None:
            return None
        return start + apart, stop + apart

    # --- what becomes of it -------------------------------------------------------------------------------------

    def _rewrite(self, found: _Succession, allocation: Assign) -> None:
        ev, copy, loop = self.ev, found.copy, found.loop
        kept, state = copy.kept, copy.state
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
        over(self.ev, whole, lambda index: copy_element(self.ev, kept, (Const(0), *index), state, index))
        head: Block = []
        with ev.at(head):
            after = ev.atom(ev.op("add", loop.index, 1))

            def hand_on(index: Index) -> None:
                copy_element(self.ev, kept, (after, *index), kept, (loop.index, *index))

            for axis, (_, parts) in enumerate(held):
                behind = whole[axis + 1 :]

                def both_ends(index: Index, parts: Spans = parts, behind: Spans = behind) -> None:
                    for part in parts:
                        over(self.ev, [part, *behind], hand_on, index)

                over(self.ev, [inside for inside, _ in held[:axis]], both_ends)
        for s in found.readers:
            move(s, (kept, (loop.index, *s.args[1])))
        copied = _innermost(copy.nest)
        copied[:] = [s for s in copied if s is not copy.load and s is not copy.store]
        position = loop.body.index(copy.nest)
        loop.body[position : position + (not copied)] = head
        self._write_next(found, (after, *found.store.index))
        self.stores[kept].append(found.store)
        afterwards: Block = []
        with ev.at(afterwards):
            over(self.ev, whole, lambda index: copy_element(self.ev, state, index, kept, (trips, *index)))
        self.followers.setdefault(loop, []).extend(afterwards)

    def _write_next(self, found: _Succession, index: Index) -> None:
        """Let the store that changes the state make the next row."""
        store, kept = found.store, found.copy.kept
        if store.accumulate:
            made = added_to(self.ev, store, kept, (found.loop.index, *store.index))
            found.home[(at := found.home.index(store)) : at] = made
        store.array, store.index = kept, index

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


def _nest(top: Stmt, store: Store) -> list[For]:
    """The loops from a statement down to a store, where nothing else is around it."""
    found: list[For] = []
    while isinstance(top, For):
        found.append(top)
        if store in top.body:
            return found
        top = next(s for s in top.body if store in walk([s]))
    return []


def _is_element_of(state: Var, s: Assign) -> bool:
    touch = element(s)
    return touch is not None and touch[0] is state


def _innermost(nest: For) -> Block:
    """The body of the innermost of loops that have nothing but the next one in them."""
    body = nest.body
    while len(body) == 1 and isinstance(body[0], For):
        body = body[0].body
    return body


def _copies(nest: For, trip: Var, evaluator: Evaluator, equal: EqualLengths) -> list[_Copy]:
    """What loops that do nothing else copy whole into the row of a trip."""
    loops = [nest]
    while len(loops[-1].body) == 1 and isinstance(loops[-1].body[0], For):
        loops.append(loops[-1].body[0])
    if any(one.start != Const(0) or one.step != Const(1) or one.carried for one in loops) or len(loops) > 2:
        return []
    index = tuple(one.index for one in loops)
    lengths = tuple(length for one in loops if (length := evaluator.length(one.stop)) is not None)
    loads = {s.target: s for s in loops[-1].body if isinstance(s, Assign) and s.name == "getitem"}
    found = [
        _Copy(nest, loads.pop(s.value), s)
        for s in loops[-1].body
        if isinstance(s, Store)
        and isinstance(s.value, Var)
        and s.value in loads
        and s.index == (trip, *index)
        and not s.accumulate
        and s.value.type.dtype == s.array.type.dtype
    ]
    if 2 * len(found) != len(loops[-1].body):
        return []
    return [c for c in found if c.load.args[1] == index and equal.same_shape(c.state.type.shape, lengths)]
