"""Write a loop inside another as loops over the whole row, in each of which one of its parts goes through all trips.

Rows are as long as they are in any case, and what is left from part to part lies in rows of scratch as long. Subscripts
stay as they are, so that what the parts add to neighbours is made in one loop (`scatter`, `ripple`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from adc.compiler.analysis.counters import never_negative
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import Assign, Atom, Block, Const, If, Merge, Var
from adc.compiler.ir.types import Array
from adc.compiler.transforms.distribute.blocked import Blocks, Writer, like
from adc.compiler.transforms.distribute.order import Part


def may_be_in_rows(blocks: Blocks) -> bool:
    """Whether the counter is a place in a row of scratch."""
    least = blocks.counters.get(blocks.loop.index, (None, None))[0]
    return never_negative(least, blocks.counters)


class RowWriter(Writer):
    """The parts of a loop, each over all trips; `made` are the statements that make numbers of the program."""

    def __init__(self, blocks: Blocks, ev: Evaluator, made: Mapping[Var, Assign]) -> None:
        super().__init__(blocks, ev)
        self.made = made

    def block(self) -> Block:
        """The rows for what is passed on, and the loops, where elements are handed on if there is a trip."""
        loop, ev = self.loop, self.ev
        out: Block = []
        with ev.at(out), ev.origin_at(self.origin):
            self._make_rooms()
            ends = (loop.start, loop.stop) if self.step > 0 else (loop.stop, loop.start)
            test = ev.op("less", *map(plain_value, ends)) if self.blocks.windows else True
        if not test:
            return [loop]
        for c in loop.carried:
            if c.phi not in self.elements:
                self.begun[c.phi] = c.init
                if test is True:
                    self.ended[c.phi] = c.result
        body: Block = []
        with ev.at(body), ev.origin_at(self.origin):
            first = plain_value(loop.start)
            last = ev.op("subtract", plain_value(loop.stop), self.step)
            self._load(first)
            ev.block += map(self._part, self.blocks.parts)
            self._save(last)
        if not isinstance(test, Var):
            return [*out, *body]
        merges = [
            Merge(c.result, self.ended[c.phi], c.init) for c in loop.carried if c.phi not in self.elements
        ]
        return [*out, If(test, body, [], merges, self.origin)]

    def _make_rooms(self) -> None:
        """Rows that have a place for each value of the counter."""
        ev, loop = self.ev, self.loop
        end = plain_value(loop.stop) if self.step > 0 else self._one_behind(loop.start)
        length = ev.length(end)
        assert length is not None
        if not length.nonnegative:
            end = ev.extreme("maximum", end, 0)
            length = length.clamped()
        for v in self.blocks.passed:
            room = Var(f"{v.name}_each", Array(v.type.dtype, (length,), "C"), named=v.named)
            ev.block.append(self._assign(room, "empty", (ev.atom(end),), Const(np.dtype(v.type.dtype))))
            ev.laid_out.add(room)
            self.rooms[v] = room

    def _counted(self, p: Part) -> tuple[Var, Var, Assign | None]:
        counter = like(self.loop.index)
        return counter, counter, None

    def _over_trips(self, p: Part) -> tuple[Atom, Atom, Const]:
        loop = self.loop
        if p.in_order or self.step > 0:
            return loop.start, loop.stop, Const(self.step)
        start, stop = (self.ev.atom(self._one_behind(end)) for end in (loop.stop, loop.start))
        return start, stop, Const(1)

    def _one_behind(self, place: Atom) -> Value:
        """N - 1 for n - 2."""
        made = self.made.get(place) if isinstance(place, Var) else None
        if isinstance(made, Assign) and made.name == "subtract" and isinstance(made.args[1], Const):
            return self.ev.op("subtract", plain_value(made.args[0]), made.args[1].value - 1)
        return self.ev.op("add", plain_value(place), 1)
