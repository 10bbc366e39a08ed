"""Whether the trips of a loop with recurrences in it may go abreast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.equalities import range_of
from adc.compiler.analysis.latency import waits
from adc.compiler.analysis.touches import pace, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Mark,
    Stmt,
    Store,
    Var,
    defined,
    is_of_numbers,
    owners,
    uses,
    walk,
)
from adc.compiler.transforms.scopes import bound
from adc.compiler.transforms.vectorise import accumulation, is_vector_call
from adc.rules.dims import Dim

FEWEST = 8  # rows, or trips that vectorise, where that is known
MOST = 200  # statements of a row


class Rows:
    """The trips of a loop with others in it."""

    def __init__(
        self,
        loop: For,
        made: dict[Var, Assign],
        memory: Memory,
        counters: Mapping[Var, Range],
        over_axes: set[Var],
    ) -> None:
        self.loop = loop
        self.made = made  # arrays of a row's own
        self.memory = memory
        self.counters = counters
        self.over_axes = over_axes  # counters of loops that were statements of arrays
        self.statements = walk(loop.body)
        self.loops = [s for s in self.statements if isinstance(s, For)]
        self.inner = bound(loop.body)
        self.varying = self._varying()
        self.trips = _trips(loop)

    def _varying(self) -> set[Var]:
        """What is not the same in all rows."""
        written = self.memory.effects(self.loop).writes
        varying = {self.loop.index, *(c.phi for c in self.loop.carried), *self.made}
        for s in self.statements:
            if isinstance(s, For):
                varying.update(v for c in s.carried for v in (c.phi, c.result))
            elif isinstance(s, Assign):
                reads = self.memory.effects(s).accesses.keys()
                if not varying.isdisjoint(uses(s)) or not written.isdisjoint(reads):
                    varying.update(s.targets)
            else:
                varying.update(defined(s))
        return varying

    def are_independent(self) -> bool:
        """Whether the rows may be gone through in any order, and abreast."""
        loop = self.loop
        if loop.step not in (Const(1), Const(-1)) or not self.loops or len(self.statements) > MOST:
            return False
        if _is_short(loop):
            return False
        return (
            all(is_plain(s) for s in self.statements)
            and all(sums(c.phi, c.out, loop.body) for c in loop.carried)
            and not any(c.phi.is_array for s in self.loops for c in s.carried)
            and not any(
                v in self.varying
                for s in self.loops
                for end in (s.start, s.stop, s.step)
                for v in _made_of(end)
            )
            and all(self._is_apart(root) for root in self.memory.effects(loop).writes)
        )

    def _is_apart(self, root: Var) -> bool:
        """Whether no row touches what another one writes, but to add to it."""
        effects = self.memory.effects(self.loop)
        accesses = effects.accesses[root]
        if any(a.array in self.made for a in accesses):
            return all(a.array in self.made and a.index is not None for a in accesses)
        if root not in effects.plain:
            return True
        first = accesses[0]
        if any(a.index is None or a.array is not first.array for a in accesses):
            return False
        assert first.index is not None
        return any(self._is_the_row(k, accesses) for k in range(len(first.index)))

    def _is_the_row(self, k: int, accesses: list[Access]) -> bool:
        """Whether a subscript tells the row, in all places alike and whatever the inner loops count."""
        found = set()
        for a in accesses:
            item = a.index[k] if a.index is not None and k < len(a.index) else None
            value = length_of(item)
            if value is None or not never_negative(value, self.counters):
                return False
            if self._pace(value) not in (1, -1) or not self.inner.isdisjoint(owners(value)):
                return False
            found.add(value)
        return len(found) == 1

    @cached_property
    def wait(self) -> bool:
        """Whether trips of an innermost loop wait for each other, longer than they work or for a function."""
        return any(
            _is_innermost(loop)
            and (any(not accumulation(c, loop) for c in loop.carried) or _reads_back(loop))
            and (any(is_vector_call(s) for s in loop.body) or waits(loop))
            for loop in self.loops
        )

    def leave_little(self, outermost: bool) -> bool:
        """Whether inner loops vectorise badly, or may, where rows go well side by side."""
        if self.trips is None or any(_trips(loop) == self.trips for loop in self.loops):
            return False  # each with each, in both directions alike
        beside = all(self._is_side_by_side(loop) for loop in self.loops)
        if not beside and not outermost:
            return False  # what lies one below the other would be laid out anew in every trip outside
        if self._call_one_by_one:
            return True
        return beside and all(
            _is_short(loop) or self._slides(loop) for loop in self.loops if _is_innermost(loop)
        )

    def windows(self) -> list[Dim]:
        """The trips of inner loops of which there are to be less than rows, where nobody knows that."""
        if self.wait or self._call_one_by_one:
            return []
        inner = [_trips(loop) for loop in self.loops if _is_innermost(loop)]
        return [trips for trips in dict.fromkeys(inner) if trips is not None and trips.known is None]

    @cached_property
    def _call_one_by_one(self) -> bool:
        return any(self._calls_one_by_one(loop) for loop in self.loops)

    def _calls_one_by_one(self, loop: For) -> bool:
        """Whether a loop computes functions, and has short ones inside or may be too short to vectorise."""
        if not any(is_vector_call(s) for s in loop.body):
            return False
        if not _is_innermost(loop):
            return all(_is_short(s) for s in walk(loop.body) if isinstance(s, For))
        may_be = _known(loop) is None and loop.index not in self.over_axes
        return _is_short(loop) or (may_be and self._is_side_by_side(loop))

    def _is_side_by_side(self, loop: For) -> bool:
        """Whether in a trip neighbouring rows use neighbouring elements, or the same one."""
        return all(self._is_beside(a) for a in self._accesses(loop))

    def _is_beside(self, access: Access) -> bool:
        if access.index is None:
            return False
        *others, last = (length_of(item) for item in access.index)
        if last is None or any(o is None or not self._is_fixed(o) for o in others):
            return False
        return self._pace(last) in (0, 1, -1)

    def _pace(self, value: Dim) -> int | None:
        """How much an integer grows from row to row; None if other things change it, too."""
        row = self.loop.index
        return pace(value, row) if self._is_fixed(with_counter_at(value, row, Dim(0))) else None

    def _is_fixed(self, value: Dim) -> bool:
        """Whether an integer is the same in all rows."""
        return self.varying.isdisjoint(owners(value))

    def _slides(self, loop: For) -> bool:
        """Whether a loop of the user's goes over a window that moves with the row: a statement's goes over arrays."""
        if loop.index in self.over_axes or _trips(loop) is None:
            return False
        last = [length_of(a.index[-1]) for a in self._accesses(loop) if a.index]
        return any(pace(d, self.loop.index) and pace(d, loop.index) for d in last)

    def _accesses(self, loop: For) -> Iterator[Access]:
        """The accesses in a loop, but to what each row has of its own."""
        effects = self.memory.effects(loop)
        return (a for of in effects.accesses.values() for a in of if a.array not in self.made)

    def call_functions(self) -> bool:
        """Whether trips compute functions that vectorise, and take much longer if they do not."""
        return any(is_vector_call(s) for loop in self.loops for s in loop.body)


def _trips(loop: For) -> Dim | None:
    """How many trips a loop in steps of one has."""
    ends = range_of(loop)
    return None if ends is None else ends[1] - ends[0]


def _known(loop: For) -> int | None:
    """The number of trips, where it is known."""
    trips = _trips(loop)
    return None if trips is None else trips.known


def _is_short(loop: For) -> bool:
    trips = _known(loop)
    return trips is not None and trips < FEWEST


def _is_innermost(loop: For) -> bool:
    return not any(isinstance(s, For) for s in walk(loop.body))


def _reads_back(loop: For) -> bool:
    """Whether a trip reads elements that another trip writes."""
    stored = {(s.array, s.index) for s in loop.body if isinstance(s, Store)}
    arrays = {array for array, _ in stored}
    return any(
        isinstance(s, Assign) and s.name == "getitem" and s.args[0] in arrays and (*s.args,) not in stored
        for s in loop.body
    )


def is_plain(s: Stmt) -> bool:
    """Whether a statement works on numbers and elements alone, and cannot fail; branches only choose numbers."""
    if isinstance(s, Assign):
        return is_of_numbers(s)
    if isinstance(s, If):
        return not any(isinstance(t, (Store, For)) for t in walk([s]))
    return isinstance(s, (Store, Mark, For))


def _made_of(end: Atom) -> Iterator[Var]:
    if isinstance(end, Var):
        yield end
        if end.dim is not None:
            yield from owners(end.dim)


def sums(value: Atom, out: Atom, body: Block) -> list[Var]:
    """What a number that goes round becomes, up to `out`, where it is a sum that nothing else reads; nothing else."""
    found: list[Var] = []
    while value is not out:
        readers = [s for s in walk(body) for v in uses(s) if v is value]
        if len(readers) != 1 or readers[0] not in body or not isinstance(value, Var):
            return []
        found.append(value)
        (s,) = readers
        if isinstance(s, Assign) and (s.name == "add" or (s.name == "subtract" and s.args[0] is value)):
            value = s.target
        elif isinstance(s, For):
            c = next((c for c in s.carried if c.init is value), None)
            inside = [] if c is None else sums(c.phi, c.out, s.body)
            if c is None or not inside:
                return []
            found += inside
            value = c.result
        else:
            return []
    read = any(v is out for s in walk(body) for v in uses(s))
    return [] if read or not isinstance(out, Var) else [*found, out]
