"""Add to the neighbours along a row in the loop that makes what is added: sums wait in numbers for their last term.

    for j in range(m):                          if m > 0:
        p[j] = f(b[j + 1])                          ahead, ahead_2 = b[0], 0.0
        b[j + 1] += g(b[j + 1])                     for j in range(m):
    for j in range(m):                  ->              p = f(b[j + 1])
        b[j] += p[j]                                    total = b[j + 1] + g(b[j + 1]) + ahead_2
    for j in range(m):                                  b[j] = ahead + p
        b[j + 2] += p[j]                                ahead, ahead_2 = total, p
                                                    b[m] = ahead
                                                    b[m + 1] += ahead_2

The row is read and written once, and what was left in scratch for the other loops is not written at all: the reverse
sweep of Burgers' equation takes 0.65 of the time. What goes from a trip to the next is made before the trip writes:
such recurrences of the first order LLVM vectorises, in whose vectors a shift by one element takes the place of a load.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.latency import reads_back
from adc.compiler.analysis.touches import distance, element
from adc.compiler.frontend.infer import type_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Index,
    Operand,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    is_of_numbers,
    uses,
    walk,
)
from adc.compiler.ir.types import REALS, Scalar
from adc.compiler.transforms import clone, dead
from adc.compiler.transforms.additions import Additions, additions, is_in_row, is_same_row
from adc.compiler.transforms.new_loops import behind_a_trip, with_stores_last
from adc.compiler.transforms.rewrite import substitute
from adc.compiler.transforms.vectorise import in_order, scatters
from adc.rules import registry
from adc.rules.operation import Operation

WIDEST = 4  # numbers that wait
AHEAD = 12  # statements among which a loop's additions are looked for
SHORTEST = 8  # trips, where that is known


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with additions along rows made where what is added is computed."""
    rippler = _Rippler(program, evaluator)
    changed = [rippler.block(block) for block in all_blocks(program.body)]
    return dead.run(program, evaluator.joined_roots) if any(changed) else program


@dataclass(eq=False)
class _Row:
    """What a loop, and those behind it that only add, do to one row; positions are ahead of the counter."""

    array: Var
    outer: Index
    added: list[Additions] = field(default_factory=list)
    store: Store | None = None  # of the loop itself
    stored: int = 0
    loads: list[int] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The position in which an element gets its first term."""
        return max([*(each.distance for each in self.added), *([] if self.store is None else [self.stored])])

    @property
    def first(self) -> int:
        """The position in which an element has all its terms, and everybody has read what it was."""
        own = [] if self.store is None else [self.stored]
        return min([*(each.distance for each in self.added), *own, *self.loads])


class _Rippler:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)

    def block(self, block: Block) -> bool:
        """Rewrite the loops of a block; whether there were any to rewrite."""
        changed = False
        for loop in [s for s in block if isinstance(s, For)]:
            if loop not in block:
                continue
            at = block.index(loop)
            made = self._made(loop, block[at + 1 :])
            if made is None and additions(loop):
                made = self._made(_without_body(loop), block[at:])
                if made is not None and loop not in made[1]:
                    made = None
            if made is not None:
                new, gone = made
                block[:] = [t for s in block for t in (new if s is loop else () if s in gone else (s,))]
                changed = True
        return changed

    # --- what may be done in one loop ---------------------------------------------------------------------------

    def _rows(self, loop: For, behind: Block) -> list[_Row]:
        if not self._is_plain(loop):
            return []
        refused: set[For] = set()
        while True:
            rows: dict[tuple[Var, Index], _Row] = {}
            for each in self._additions(loop, behind, refused):
                rows.setdefault(each.row, _Row(*each.row)).added.append(each)
            more = self._refused(loop, list(rows.values()))
            if not more:
                return list(rows.values())
            refused |= more

    def _refused(self, loop: For, rows: list[_Row]) -> set[For]:
        """The loops of additions that stay: all that one of them does is done elsewhere, or nothing."""
        fits = [row for row in rows if self._look_at(loop, row) and row.last - row.first <= WIDEST]
        written = {self.memory.of(row.array) for row in fits}
        fits = [row for row in fits if self._may_be_made_there(loop, row, written)]
        # Of rows of one array, the one that gains most.
        widest = {
            self.memory.of(row.array): row for row in sorted(fits, key=lambda row: row.last - row.first)
        }
        fits = [row for row in fits if row in widest.values()]
        refused = {each.loop for row in rows if row not in fits for each in row.added}
        # What is added at no distance gains nothing, but for the loop that also does what does.
        gains = {each.loop for row in fits if row.last > row.first for each in row.added}
        return refused or {each.loop for row in rows for each in row.added} - gains

    def _is_plain(self, loop: For) -> bool:
        """Whether a loop vectorises, as far as one can see."""
        first, last = self.ev.length(loop.start), self.ev.length(loop.stop)
        trips = None if first is None or last is None else (last - first).known
        return (
            loop.step == Const(1)
            and all(isinstance(s, Store) or (isinstance(s, Assign) and is_of_numbers(s)) for s in loop.body)
            and (trips is None or trips >= SHORTEST)
            and not in_order(loop)
            and not scatters(loop)
            and not reads_back(loop)
        )

    def _additions(self, loop: For, behind: Block, refused: set[For]) -> Iterator[Additions]:
        """The additions behind a loop, with as many trips, that may be made before all that stays between."""
        passed: list[Stmt] = []
        for s in behind[:AHEAD]:
            eligible = isinstance(s, For) and s not in refused and self._is_as_long(loop, s)
            found = additions(s) if isinstance(s, For) and eligible else []
            if found and all(self._may_go_before(each, passed) for each in found):
                yield from found
            else:
                passed.append(s)

    def _is_as_long(self, loop: For, other: For) -> bool:
        if other.start != loop.start or not is_same_row(loop, (other.stop,)):
            return False
        length = self.ev.length(loop.stop)
        return other.stop is loop.stop or (length is not None and length == self.ev.length(other.stop))

    def _may_go_before(self, each: Additions, passed: list[Stmt]) -> bool:
        array, _ = each.row
        read = {self.memory.of(s.args[0]) for s in each.terms if s.name == "getitem"}
        statements: Block = [*each.terms, each.store]
        needed = {v for s in statements for v in uses(s)}
        for s in passed:
            effects = self.memory.effects(s)
            there = effects.accesses.get(self.memory.of(array), [])
            if (
                any(not self._is_other_row(a, each.row, s) for a in there)
                or not read.isdisjoint(effects.writes)
                or not needed.isdisjoint(effects.defs)
                or effects.checks
            ):
                return False
        return True

    def _is_other_row(self, access: Access, row: tuple[Var, Index], inside: Stmt) -> bool:
        """Whether an access to an array, somewhere in a statement, leaves a row of it alone."""
        array, outer = row
        if access.array is not array or access.index is None or len(access.index) != array.type.ndim:
            return False
        free = {s.index for s in walk([inside]) if isinstance(s, For)}
        return never_meet(access.index[:-1], outer, set(self.counters) - free, self.counters)

    def _look_at(self, loop: For, row: _Row) -> bool:
        """See what the loop itself does with a row: at most it makes one element, and reads none that it has made."""
        if row.array.type.dtype not in REALS:
            return False
        for s in loop.body:
            touch = element(s)
            if touch is None or self.memory.of(touch[0]) is not self.memory.of(row.array):
                continue
            array, index = touch
            if self._is_other_row(Access(array, index, isinstance(s, Store)), (row.array, row.outer), loop):
                continue
            position = distance(loop.index, index[-1])
            if (
                array is not row.array
                or index[:-1] != row.outer
                or position is None
                or not is_in_row(loop, position)
            ):
                return False
            if not isinstance(s, Store):
                if row.store is not None and position == row.stored:
                    return False
                row.loads.append(position)
                continue
            if row.store is not None or _dtype(s.value) != row.array.type.dtype:
                return False
            row.store, row.stored = s, position
        return row.store is None or all(position >= row.stored for position in row.loads)

    def _may_be_made_there(self, loop: For, row: _Row, written: set[Var]) -> bool:
        """Whether a trip, once it has run, has made all that it adds to a row."""
        accesses = self.memory.effects(loop).accesses
        for each in row.added:
            for s in each.terms:
                if s.name != "getitem":
                    continue
                array, index = s.args
                if self.memory.of(array) in written:
                    return False
                for a in accesses.get(self.memory.of(array), []):
                    if a.write and not (
                        a.array is array
                        and a.index is not None
                        and a.index[:-1] == index[:-1]
                        and index[-1] is each.loop.index
                        and a.index[-1] is loop.index
                    ):
                        return False
        return True

    # --- the new statements -------------------------------------------------------------------------------------

    def _made(self, loop: For, behind: Block) -> tuple[Block, set[Stmt]] | None:
        """A loop with all that those behind it add, if it has a trip; and those loops."""
        rows = self._rows(loop, behind)
        if not rows:
            return None
        gone: set[Stmt] = {each.loop for row in rows for each in row.added}
        return self._with_additions(loop, rows), gone

    def _with_additions(self, loop: For, rows: list[_Row]) -> Block:
        made, values = self._values(loop, rows)
        dropped = {row.store for row in rows}
        body = [*(s for s in loop.body if s not in dropped), *made]
        inside: Block = []
        after: Block = []
        carried = list(loop.carried)
        ends: Block = []
        for row in rows:
            carried += self._rippled(loop, row, values, inside, body, ends, after)
        body = with_stores_last([*body, *ends], self.memory)
        result = For(loop.index, loop.start, loop.stop, loop.step, carried, body, loop.origin, loop.note)
        self.memory.forget(loop)
        return behind_a_trip(loop, inside, result, after, self.ev)

    def _values(self, loop: For, rows: list[_Row]) -> tuple[Block, dict[Additions, Atom]]:
        """What a trip adds to the rows, of what it has just made; and the statements that make it."""
        latest: dict[Operand, Store] = {(s.array, s.index): s for s in loop.body if isinstance(s, Store)}
        written = {self.memory.of(array) for array, _ in latest}
        read = {
            s.args: s.target
            for s in loop.body
            if isinstance(s, Assign) and s.name == "getitem" and self.memory.of(s.args[0]) not in written
        }
        block: Block = []
        values: dict[Additions, Atom] = {}
        found: dict[For, list[Additions]] = {}
        for each in (each for row in rows for each in row.added):
            found.setdefault(each.loop, []).append(each)
        for other, group in found.items():
            wanted = [each.value for each in group]
            (counter,), terms, results = clone.run(
                [other.index], list(group[0].terms), wanted, self.ev, inside=True
            )
            known: dict[Var, Atom] = {}
            there: Block = []
            for s in substitute(terms, {counter: loop.index}):
                assert isinstance(s, Assign)
                store = latest.get(s.args) if s.name == "getitem" else None
                if store is not None and _is_what_is_read(store, s.target):
                    known[s.target] = store.value
                elif s.name == "getitem" and s.args in read:
                    known[s.target] = read[s.args]
                else:
                    there.append(s)
            block += substitute(there, known)
            for each, value in zip(group, results, strict=True):
                values[each] = known.get(value, value) if isinstance(value, Var) else value
        return block, values

    def _rippled(
        self,
        loop: For,
        row: _Row,
        values: dict[Additions, Atom],
        before: Block,
        body: Block,
        ends: Block,
        after: Block,
    ) -> list[Carried]:
        """Let the sum for each element go from its last position to its first, where it is written.

        What is carried is the sum for the element one nearer than the position, of the terms that it has got by then.
        """
        kind = Scalar(row.array.type.dtype)
        origin = row.added[0].store.origin
        nothing = Const(0.0)
        carried: list[Carried] = []
        for position in range(row.last, row.first - 1, -1):
            terms: list[Atom] = []
            if carried:
                terms.append(carried[-1].phi)
            if row.store is not None and position == row.stored:
                terms = [self._stored(loop, row, body), *terms]
            terms += [values[each] for each in row.added if each.distance == position]
            total = terms[0]
            for term in terms[1:]:
                new = Var(f"{row.array.name}_element", kind, named=False)
                body.append(Assign((new,), *_sum(total, term, body), origin))
                total = new
            whole = row.store is not None and position <= row.stored
            if position == row.first:
                with self.ev.at(ends):
                    place = self._place(row, loop.index, position)
                ends.append(Store(row.array, place, total, not whole, origin))
                break
            phi, left = (Var(f"{row.array.name}_ahead", kind) for _ in range(2))
            init: Atom = nothing
            if whole:
                init = Var(f"{row.array.name}_ahead", kind)
                with self.ev.at(before):
                    place = self._place(row, loop.start, position - 1)
                before.append(Assign((init,), "getitem", (row.array, place), origin))
            carried.append(Carried(phi, init, total, left))
            with self.ev.at(after):
                place = self._place(row, loop.stop, position - 1)
            after.append(Store(row.array, place, left, not whole, origin))
        return carried

    def _stored(self, loop: For, row: _Row, body: Block) -> Atom:
        """The element that the loop itself makes."""
        store = row.store
        assert store is not None
        if not store.accumulate:
            return store.value
        kind = Scalar(row.array.type.dtype)
        touch = (store.array, store.index)
        was = next(
            (
                s.target
                for s in loop.body
                if isinstance(s, Assign) and s.name == "getitem" and s.args == touch
            ),
            None,
        )
        if was is None:
            was = Var(f"{row.array.name}_element", kind, named=False)
            body.append(Assign((was,), "getitem", touch, store.origin))
        total = Var(f"{row.array.name}_element", kind, named=False)
        body.append(Assign((total,), *_sum(was, store.value, body), store.origin))
        return total

    def _place(self, row: _Row, counter: Atom, ahead: int) -> Index:
        name = "add" if ahead > 0 else "subtract"
        place = self.ev.atom(self.ev.op(name, plain_value(counter), abs(ahead))) if ahead else counter
        return (*row.outer, place)


def _sum(one: Atom, other: Atom, body: Block) -> tuple[Operation, tuple[Atom, Atom]]:
    """The sum of two numbers that a block makes, or what is the same, without a sign in it."""
    for first, second in ((one, other), (other, one)):
        made = next((s for s in body if isinstance(s, Assign) and s.targets[0] is second), None)
        if made is not None and made.name == "negative":
            return registry.named("subtract"), (first, made.args[0])
    return registry.named("add"), (one, other)


def _without_body(loop: For) -> For:
    counter = Var(loop.index.name, loop.index.type, named=loop.index.named)
    return For(counter, loop.start, loop.stop, loop.step, [], [], loop.origin, loop.note)


def _is_what_is_read(store: Store, read: Var) -> bool:
    return not store.accumulate and _dtype(store.value) == read.type.dtype


def _dtype(x: Atom) -> str:
    found = type_of(x)
    assert found is not None
    return found.dtype
