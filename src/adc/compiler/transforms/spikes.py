"""An array that is zero but for the places to which something was added is asked, not made.

    for j in range(n):                          k = y + n if y < 0 else y
        p_bar[j] = 0.0                  ->      for j in range(n):
    p_bar[y] += v                                   z_bar[j] = (v if j == k else 0.0) * w[j]
    for j in range(n):
        z_bar[j] = p_bar[j] * w[j]

So are the adjoints of what was read by an index: of the probability that a label chose from its row. The row need not
be cleared, and loops that read it need not wait for the one number that was just written to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adc.compiler.analysis.touches import distance
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Program,
    Stmt,
    Store,
    Var,
    change_blocks,
    defined,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import is_float

MOST_QUESTIONS = 4  # of a trip, whether its place is one of them: more cost what the array costs


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without arrays of which only few elements are not zero."""
    finder = _Finder(program, evaluator)
    program.body = finder.block(program.body)
    return program


@dataclass(eq=False)
class _Spikes:
    """An array in the block where it is cleared, added to and read."""

    array: Var
    cleared: Store
    within: For  # the loop that clears it
    added: list[Store] = field(default_factory=list)
    loads: dict[For, list[Assign]] = field(default_factory=dict)
    over: bool = False  # another value has been written over all of it


class _Finder:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.own = {s.target for s in walk(program.body) if isinstance(s, Assign) and s.name == "empty"}
        self.own -= {v.root for v in variables((*program.results,))}
        self.own -= {v for joined, roots in evaluator.joined_roots.items() for v in (joined, *roots)}
        self.mentions: dict[Var, set[Stmt]] = {}  # by array, the statements that name it, or a view of it
        for s in walk(program.body):
            for v in (*uses(s), *defined(s)):
                if v.is_array:
                    self.mentions.setdefault(v.root, set()).add(s)

    def block(self, block: Block) -> Block:
        """A block without such arrays, the inner blocks first."""
        for s in block:
            change_blocks(s, self.block)
        for loop in [s for s in block if isinstance(s, For)]:
            for store in [s for s in loop.body if isinstance(s, Store)]:
                if self._clears(store, loop):
                    spikes = self._followed(_Spikes(store.array, store, loop), block)
                    if spikes is not None:
                        block = self._asked(spikes, block)
        return [s for s in block if not (isinstance(s, For) and not s.body and not s.carried)]

    def _clears(self, store: Store, loop: For) -> bool:
        """Whether a loop clears all of an array of one axis that only this program has."""
        array = store.array
        return (
            array in self.own
            and is_float(array.type)
            and not store.accumulate
            and store.value == Const(0.0)
            and self._covers(store, loop)
        )

    def _covers(self, store: Store, loop: For) -> bool:
        """Whether a store in the body of a loop writes to each element of an array of one axis."""
        if len(store.index) != 1 or store.index[0] is not loop.index:
            return False
        stop = self.ev.length(loop.stop)
        return (
            (loop.start, loop.step) == (Const(0), Const(1))
            and stop is not None
            and self.ev.equal.same(stop, store.array.type.shape[0])
        )

    def _followed(self, spikes: _Spikes, block: Block) -> _Spikes | None:
        """What becomes of a cleared array in the rest of its block, None if it must be made."""
        array = spikes.array
        seen: set[Stmt] = {spikes.cleared}
        for s in block[block.index(spikes.within) :]:
            mentioned = [m for m in walk([s]) if m in self.mentions[array] and m not in seen]
            if not mentioned:
                continue
            if s is spikes.within or spikes.over:
                return None
            if isinstance(s, Store) and s.array is array and _adds(s) and not spikes.loads:
                spikes.added.append(s)
            elif not (isinstance(s, For) and self._reads(s, mentioned, spikes)):
                return None
            seen.update(mentioned)
            if spikes.over:
                break
        elsewhere = self.mentions[array] - seen
        if not spikes.over and any(not (isinstance(m, Assign) and m.target is array) for m in elsewhere):
            return None
        questions = len(spikes.added) * sum(map(len, spikes.loads.values()))
        return spikes if 0 < questions <= MOST_QUESTIONS else None

    def _reads(self, loop: For, mentioned: list[Stmt], spikes: _Spikes) -> bool:
        """Whether a loop reads the array at a distance from its counter, and perhaps writes over it behind that."""
        for m in mentioned:
            if m not in loop.body:
                return False
            if isinstance(m, Assign) and _is_element(m) and not spikes.over:
                if not _counts_from_the_front(loop, m.args[1][0]):
                    return False
                spikes.loads.setdefault(loop, []).append(m)
            elif isinstance(m, Store) and m.array is spikes.array and not m.accumulate:
                mine = [load for load in spikes.loads.get(loop, ()) if load.args[1][0] is not loop.index]
                if spikes.over or mine or not self._covers(m, loop):
                    return False
                spikes.over = True
            else:
                return False
        return True

    def _asked(self, spikes: _Spikes, block: Block) -> Block:
        """The block with questions in place of the array."""
        places: dict[Store, Atom] = {}
        out: Block = []
        for s in block:
            if s in spikes.added and isinstance(s, Store):
                with self.ev.at(out), self.ev.origin_at(s.origin):
                    places[s] = self._from_front(s)
                continue
            if s is spikes.within:
                spikes.within.body.remove(spikes.cleared)
            if isinstance(s, For) and s in spikes.loads:
                self._ask(s, spikes, places)
            out.append(s)
        gone = {spikes.cleared, *spikes.added, *(m for loads in spikes.loads.values() for m in loads)}
        self.mentions[spikes.array] -= gone
        return out

    def _from_front(self, store: Store) -> Atom:
        """The place of an element, counted from the front."""
        (place,) = store.index
        with_end = self.ev.op("add", plain_value(place), self.ev.dim_value(store.array.type.shape[0]))
        negative = self.ev.op("less", plain_value(place), 0)
        return self.ev.atom(self.ev.op("where", negative, with_end, plain_value(place)))

    def _ask(self, loop: For, spikes: _Spikes, places: dict[Store, Atom]) -> None:
        body: Block = []
        for s in loop.body:
            if s not in spikes.loads[loop]:
                body.append(s)
                continue
            assert isinstance(s, Assign)
            with self.ev.at(body), self.ev.origin_at(s.origin):
                parts = [
                    self.ev.op(
                        "where", self.ev.op("equal", s.args[1][0], places[a]), plain_value(a.value), 0.0
                    )
                    for a in spikes.added
                ]
                total = parts[0]
                for part in parts[1:]:
                    total = self.ev.op("add", total, part)
            last = body.pop()
            assert isinstance(last, Assign) and last.target is total
            last.targets = s.targets
            body.append(last)
        loop.body = body


def _is_element(s: Assign) -> bool:
    return s.name == "getitem" and not s.target.is_array and len(s.args[1]) == 1


def _adds(store: Store) -> bool:
    """Whether a store adds a number at one place."""
    return store.accumulate and not any(v.is_array for v in variables((store.index, store.value)))


def _counts_from_the_front(loop: For, item: object) -> bool:
    """Whether a subscript is the counter, or a number more, and never negative."""
    apart = distance(loop.index, item)
    lowest = loop.start if loop.step == Const(1) else loop.stop
    if apart is None or loop.step not in (Const(1), Const(-1)) or not isinstance(lowest, Const):
        return False
    return bool(lowest.value + apart >= (0 if loop.step == Const(1) else -1))
