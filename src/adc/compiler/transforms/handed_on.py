"""Hand on in numbers what a trip reads of the elements that the one before has written, where trips then go abreast.

    for k in range(1, n):                           if 1 < n:
        y[k] = x[k]                                     before = y[0]
        z[k] = y[k - 1] * w             ->              for k in range(1, n):
                                                            y[k] = x[k]
                                                            z[k] = before * w
                                                            before = x[k]

LLVM does not see that such a loop waits for nothing: by what it knows, each trip loads what the last has just stored.
Numbers that a trip hands to the next it shifts by one in its vectors. The sweep back over states that were written over
in their place (lattices of options, tables of a dynamic program) puts them back, and reads the neighbour's.
"""

from __future__ import annotations

from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.latency import reads_back
from adc.compiler.analysis.touches import element, pace
from adc.compiler.frontend.lengths import length_of
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
    Program,
    Store,
    Var,
    blocks,
    is_of_numbers,
)
from adc.compiler.transforms.distribute import windows
from adc.compiler.transforms.distribute.windows import Window
from adc.compiler.transforms.new_loops import behind_a_trip, with_stores_last
from adc.compiler.transforms.vectorise import in_order, scatters

SHORTEST = 8  # trips, where that is known


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with elements handed on in loops whose trips need not wait for each other."""
    handing = _HandedOn(program, evaluator)
    program.body = handing.block(program.body)
    return program


class _HandedOn:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            for inner in blocks(s):
                inner[:] = self.block(inner)
            made = self._handing_on(s) if isinstance(s, For) and self._may_wait(s) else None
            out += [s] if made is None else made
        return out

    def _may_wait(self, loop: For) -> bool:
        """Whether a loop is straight, and reads memory that it writes to."""
        first, last = self.ev.length(loop.start), self.ev.length(loop.stop)
        trips = None if first is None or last is None else (last - first).known
        if loop.step not in (Const(1), Const(-1)) or (trips is not None and abs(trips) < SHORTEST):
            return False
        if not all(isinstance(s, Store) or (isinstance(s, Assign) and is_of_numbers(s)) for s in loop.body):
            return False
        stores = [s for s in loop.body if isinstance(s, Store)]
        paces = [(s, abs(pace(length_of(s.index[-1]), loop.index))) for s in stores]
        if not all(by == 1 or (by == 0 and s.accumulate) for s, by in paces):
            return False  # they would be written one by one; a sum in one element goes to a register
        touched = [(isinstance(s, Store), t[0]) for s in loop.body if (t := element(s)) is not None]
        written = {self.memory.of(array) for is_store, array in touched if is_store}
        return any(not is_store and self.memory.of(array) in written for is_store, array in touched)

    def _handing_on(self, loop: For) -> Block | None:
        made, found = windows.run(loop, self.memory, self.counters, adding=True)
        if not found:
            return None
        made.body = with_stores_last(made.body, self.memory)
        if in_order(made, backwards=True) or scatters(made) or reads_back(made):
            return None
        inside: Block = []
        handed = {phi: (w, age) for w in found for age, phi in w.handed_on.items()}
        with self.ev.at(inside), self.ev.origin_at(loop.origin):
            carried = [
                Carried(c.phi, self._first(loop, *handed[c.phi]), c.out, c.result) if c.phi in handed else c
                for c in made.carried
            ]
        result = For(loop.index, loop.start, loop.stop, loop.step, carried, made.body, loop.origin, loop.note)
        after: Block = []
        ended = {c.phi: c.result for c in carried}
        with self.ev.at(after), self.ev.origin_at(loop.origin):
            for window in found:
                for age in window.unsaved():
                    index = self._element(window, loop.stop, age)
                    self.ev.store(window.array, index, ended[window.handed_on[age]])
        return behind_a_trip(loop, inside, result, after, self.ev)

    def _first(self, loop: For, window: Window, age: int) -> Var:
        """What the first trip has of the one before it."""
        return self.ev.getitem(window.array, self._element(window, loop.start, age))

    def _element(self, window: Window, counter: Atom, age: int) -> Index:
        """The index of an element in a trip, or in the one that there would be behind the last."""
        return window.element(plain_value(counter), age, self.ev)
