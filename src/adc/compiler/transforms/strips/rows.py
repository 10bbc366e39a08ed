"""Whether the trips of a loop with recurrences in it may go abreast."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.effects import Access, Memory
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
from adc.compiler.transforms.vectorise import accumulation, is_vector_call
from adc.rules.dims import Dim

FEWEST = 8  # rows, where that is known
MOST = 200  # statements of a row


class Rows:
    """The trips of a loop with others in it."""

    def __init__(
        self, loop: For, made: dict[Var, Assign], memory: Memory, counters: Mapping[Var, Range]
    ) -> None:
        self.loop = loop
        self.made = made  # arrays of a row's own
        self.memory = memory
        self.counters = counters
        self.statements = walk(loop.body)
        self.loops = [s for s in self.statements if isinstance(s, For)]
        self.varying = self._varying()

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
        span = None
        start, stop = length_of(loop.start), length_of(loop.stop)
        if start is not None and stop is not None:
            span = (stop - start).known
        if span is not None and abs(span) < FEWEST:
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
        """Whether a subscript tells the row, in all places alike."""
        found = set()
        row = self.loop.index
        for a in accesses:
            item = a.index[k] if a.index is not None and k < len(a.index) else None
            value = length_of(item)
            if value is None or not never_negative(value, self.counters):
                return False
            rest = with_counter_at(value, row, Dim(0))
            if pace(value, row) not in (1, -1) or any(v in self.varying for v in owners(rest)):
                return False
            found.add(value)
        return len(found) == 1

    def wait(self) -> bool:
        """Whether trips of an innermost loop wait for each other, longer than they work or for a function."""
        return any(
            not any(isinstance(s, For) for s in walk(loop.body))
            and (any(not accumulation(c, loop) for c in loop.carried) or _reads_back(loop))
            and (any(is_vector_call(s) for s in loop.body) or waits(loop))
            for loop in self.loops
        )

    def call_functions(self) -> bool:
        """Whether trips compute functions that vectorise, and take much longer if they do not."""
        return any(is_vector_call(s) for loop in self.loops for s in loop.body)


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
