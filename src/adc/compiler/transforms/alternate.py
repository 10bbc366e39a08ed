"""Let a state and its successor change places, where a trip made the new state aside and then copied it over the old.

    for t in range(steps):                          spare = u.copy()
        for j in range(n - 2):                      for t in range(steps):
            new[j] = f(u[j], u[j + 1], u[j + 2])        for j in range(n - 2):
        for j in range(n - 2):               ->             spare[j + 1] = f(u[j], u[j + 1], u[j + 2])
            u[j + 1] = new[j]                           u, spare = spare, u

What is read at a distance cannot be written over in the loop that reads it. In memory of its own the new state is made
in one pass: what no trip writes, the ends that are held, is the same in both.
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.analysis.touches import element, move, offset
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Program,
    Stmt,
    Store,
    Var,
    defined,
    owners,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.scopes import bound
from adc.compiler.transforms.spans import added_to, copy_element, over


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with states that change places with their successors."""
    alternator = _Alternator(program, evaluator)
    alternator.block(program.body)
    if alternator.results:
        program.results = [operand(r, alternator.results) for r in program.results]
    return program


@dataclass(frozen=True)
class _Nest:
    """Loops within loops down to a store, the statements around which are `home`."""

    top: For
    loops: list[For]
    home: Block
    store: Store

    @property
    def counters(self) -> tuple[Var, ...]:
        return tuple(loop.index for loop in self.loops)

    def ranges(self) -> tuple[tuple[Atom, Atom, Atom], ...]:
        return tuple((loop.start, loop.stop, loop.step) for loop in self.loops)


@dataclass(frozen=True)
class _Update:
    """In `making` the trips make the elements that `copying` then puts into a state."""

    making: _Nest
    copying: _Nest

    @property
    def state(self) -> Var:
        return self.copying.store.array

    @property
    def new(self) -> Var:
        return self.making.store.array


class _Alternator:
    """`results[u]` is what a state is behind its loop."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.joined = {v for roots in evaluator.joined_roots.values() for v in roots} | {*program.params}
        # Under another name, too, the state would have to be the new one.
        self.viewed = {
            v.root for s in walk(program.body) for v in defined(s) if v.is_array and v.root is not v
        }
        self.results: dict[Var, Atom] = {}
        self.users: dict[Var, list[Stmt]] = {}
        for s in walk(program.body):
            for v in {v.root for v in uses(s) if v.is_array}:
                self.users.setdefault(v, []).append(s)

    def block(self, block: Block) -> None:
        """Rewrite the loops of a block, and those inside them."""
        made = {s.target: s for s in block if isinstance(s, Assign) and s.name == "empty"}
        k = 0
        while k < len(block):
            s = block[k]
            if isinstance(s, For):
                self.block(s.body)
                while (update := self._update(s, made)) is not None:
                    before: Block = []
                    with self.ev.at(before), self.ev.origin_at(s.origin):
                        table = self._rewrite(s, update, made)
                    block[k:k] = before
                    k += len(before)
                    block[k + 1 :] = substitute(block[k + 1 :], table)
                    self.results.update(table)
            k += 1

    # --- what is looked for ---------------------------------------------------------------------------------------

    def _update(self, loop: For, made: dict[Var, Assign]) -> _Update | None:
        nests = [nest for s in loop.body if isinstance(s, For) for nest in _nests(s, [s])]
        makers = {nest.store.array: nest for nest in nests}
        for copying in nests:
            state = copying.store.array
            if state not in made or state in self.joined | self.viewed or not _is_pure(copying):
                continue
            for s in copying.home:
                touch = element(s)
                making = None if touch is None or touch[1] != copying.counters else makers.get(touch[0])
                if making is not None and self._fits(loop, _Update(making, copying)):
                    return _Update(making, copying)
        return None

    def _fits(self, loop: For, update: _Update) -> bool:
        making, copying, state, new = update.making, update.copying, update.state, update.new
        first, last = loop.body.index(making.top), loop.body.index(copying.top)
        if (
            first >= last
            or making.store.accumulate
            or making.store.index != making.counters
            or making.ranges() != copying.ranges()
            or new.root is not new
            or new in self.joined
            or new.type.dtype != state.type.dtype
            or not self._only_handed_over(update)
        ):
            return False
        return (
            _writes_one_region(loop, copying)
            and self._is_read_before(loop, update, first, last)
            and self._may_move(loop, update, first, last)
        )

    def _only_handed_over(self, update: _Update) -> bool:
        """Whether nothing but the two nests has to do with the new elements."""
        return all(
            s is update.making.store
            or (s in update.copying.home and element(s) == (update.new, update.copying.counters))
            for s in self.users[update.new]
        )

    def _is_read_before(self, loop: For, update: _Update, first: int, last: int) -> bool:
        """Whether a trip reads elements of the state no later than where the new ones are made, or in their place."""
        copying, state = update.copying, update.state
        # Where the new elements are made: else there would have been no need to make them aside.
        is_read = False
        for position, top in enumerate(loop.body):
            for s in walk([top]):
                if s is copying.store or not any(v.is_array and v.root is state for v in uses(s)):
                    continue
                touch = element(s)
                if not isinstance(s, Assign) or touch is None or touch[0] is not state:
                    return False
                if position > first and not (position == last and touch[1] == copying.store.index):
                    return False
                is_read = is_read or position == first
        return is_read

    def _may_move(self, loop: For, update: _Update, first: int, last: int) -> bool:
        """Whether what the copying nest reads is there, and the same, where the new elements are made."""
        copying = update.copying
        between = loop.body[first : last + 1]
        late = {v for s in loop.body[first:last] for v in defined(s)}
        read = {v for s in walk([copying.top]) for v in uses(s)} - {update.state, update.new}
        written = {s.array.root for s in walk(between) if isinstance(s, Store)}
        return late.isdisjoint(read) and not any(v.is_array and v.root in written for v in read)

    # --- what becomes of it ---------------------------------------------------------------------------------------

    def _rewrite(self, loop: For, update: _Update, made: dict[Var, Assign]) -> dict[Var, Atom]:
        """Make the new elements where they go; what the state is behind the loop."""
        making, copying, state, new = update.making, update.copying, update.state, update.new
        kind = Array(state.type.dtype, state.type.shape, "C")
        spare = Var("spare", kind, named=True)
        self.ev.block.append(Assign((spare,), made[state].op, made[state].args, loop.origin))
        if not self._is_all_written(copying):
            whole = [(Const(0), self.ev.atom(self.ev.dim_value(n))) for n in state.type.shape]
            over(self.ev, whole, lambda index: copy_element(self.ev, spare, index, state, index))
        phi, other, result, rest = (
            Var(name, kind, named=True) for name in (state.name, "spare", state.name, "spare")
        )
        made_here = [s for s in loop.body if isinstance(s, Assign) and new in s.targets]
        loop.body[:] = [s for s in loop.body if s is not copying.top and s not in made_here]
        moved = self._moved(update)
        making.home[(at := making.home.index(making.store)) : at + 1] = moved
        loop.body[:] = substitute(loop.body, {state: phi})
        for s in walk(loop.body):
            if isinstance(s, Store) and s.array is phi:
                move(s, (other, s.index))
        loop.carried += [Carried(phi, state, other, result), Carried(other, spare, phi, rest)]
        self.ev.joined_roots.update({v: {state, spare} for v in (phi, other, result, rest)})
        self.joined |= {state, spare, phi, other, result, rest}
        return {state: result}

    def _moved(self, update: _Update) -> Block:
        """The statements that put a new element into its place, for the loops that make it."""
        making, copying = update.making, update.copying
        table: dict[Var, Atom] = dict(zip(copying.counters, making.counters, strict=True))
        kept: Block = []
        for s in [s for outer in copying.loops[:-1] for s in outer.body[:-1]] + copying.home:
            touch = element(s)
            if isinstance(s, Assign) and touch is not None and touch[0] is update.new:
                table[s.target] = making.store.value
            else:
                kept.append(s)
        block = substitute(kept, table)
        store = block[-1]
        assert isinstance(store, Store)
        if store.accumulate:
            block[-1:] = [*added_to(self.ev, store, store.array, store.index), store]
        return block

    def _is_all_written(self, nest: _Nest) -> bool:
        lengths = tuple(n for loop in nest.loops if (n := self.ev.length(loop.stop)) is not None)
        return (
            nest.store.index == nest.counters
            and all(loop.start == Const(0) for loop in nest.loops)
            and self.ev.equal.same_shape(lengths, nest.store.array.type.shape)
        )


def _nests(top: For, loops: list[For]) -> list[_Nest]:
    """The stores inside a nest, each with the loops around it; not those that branches or counted states surround."""
    found: list[_Nest] = []
    if loops[-1].carried or loops[-1].step != Const(1):
        return found
    for s in loops[-1].body:
        if isinstance(s, Store):
            found.append(_Nest(top, loops, loops[-1].body, s))
        elif isinstance(s, For):
            found += _nests(top, [*loops, s])
    return found


def _writes_one_region(loop: For, nest: _Nest) -> bool:
    """Whether all trips of a loop write the same elements: what one leaves alone is what the one before left there."""
    inside = bound([loop])
    if not inside.isdisjoint(variables(nest.ranges())):
        return False
    for item in nest.store.index:
        if isinstance(item, Var) and item in inside:
            starts = [offset(counter, item) for counter in nest.counters]
            if all(d is None or not inside.isdisjoint(owners(d)) for d in starts):
                return False
    return True


def _is_pure(nest: _Nest) -> bool:
    """Whether a nest does nothing but compute an element and store it last."""
    return (
        all(outer.body[-1] is inner for outer, inner in zip(nest.loops, nest.loops[1:], strict=False))
        and nest.home[-1] is nest.store
        and all(
            isinstance(s, Assign) and not any(t.is_array for t in s.targets)
            for loop in nest.loops
            for s in loop.body[:-1]
        )
    )
