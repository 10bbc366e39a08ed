"""What all trips of a loop read and write of an array: slices, rolled arrays, and elements at positions of data.

for i in range(1, n - 1):
    y[i] = x[i - 1] * w[c[i]]       y[1:-1] is written, x[:-2] and w[c[1:-1]] are read
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from adc.compiler.analysis.touches import offset
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Check, Const, For, Index, Slice, Var, length_variables, variables
from adc.compiler.ir.types import Array
from adc.compiler.transforms.batched import Batched, CannotBatch
from adc.compiler.transforms.candidates import wrapped
from adc.rules.dims import Dim


@dataclass(frozen=True)
class Place:
    """The axis along which an index goes with the trips, how far from the counter, and whether it counts on from 0."""

    axis: int
    distance: Dim
    wraps: bool


class Trips:
    """The trips of a loop, and what each of its variables is in all of them. Raises CannotBatch."""

    def __init__(self, loop: For, known: Mapping[Var, Batched], ev: Evaluator) -> None:
        self.index = loop.index
        self.known = known
        self.ev = ev
        self.wrapped = wrapped(loop)  # integers that count on from 0 where an axis ends, with their distances
        start, stop = length_of(loop.start), length_of(loop.stop)
        if start is None or stop is None:
            raise CannotBatch
        if loop.step == Const(-1):
            start, stop = stop + 1, start + 1
        if not ev.never_negative(start):
            raise CannotBatch
        self.start, self.stop, self.length = start, stop, stop - start
        if not ev.never_negative(self.length):
            self.length = self.length.clamped()

    def place(self, index: Index) -> Place | None:
        """Where an index goes with the trips; None where it does not."""
        found = None
        axis = 0
        for item in index:
            if item == Const(None):
                continue
            if self.counts(item):
                wraps = item in self.wrapped
                distance = self.wrapped[item] if wraps else offset(self.index, item)
                if distance is None or found is not None:
                    raise CannotBatch
                found = Place(axis, distance, wraps)
            elif isinstance(item, Var) and item.is_array:
                raise CannotBatch
            axis += 1
        return found

    def counts(self, item: Any) -> bool:
        """Whether an item of an index, or an end of a slice, is made of the counter."""
        own = self.index
        return any(v is own or v in self.wrapped or own in length_variables(v) for v in variables(item))

    def row(self, s: Assign) -> Batched:
        """The rows that all trips take from an array."""
        array, index = s.args
        if any(v in self.known for v in variables(index)):
            return Batched(self.ev.getitem(array, self.positions(index, array)), 0)
        place = self.place(index)
        if place is None:
            raise CannotBatch
        if place.wraps or ((self.start + place.distance).known or 0) < 0:
            return self._rolled(s, place)
        whole, axis = self.slices(array, index, place)
        if all(i == FULL for i in whole):
            return Batched(array, axis)
        in_trip = s.target.type.shape if s.target.is_array else ()
        return Batched(self._of_all_trips(self.ev.getitem(array, whole), axis, in_trip), axis)

    def positions(self, index: Index, array: Var) -> Index:
        """An index by positions of data: along the first axis, or of elements."""
        items: list[Any] = []
        for item in index:
            if isinstance(item, Var) and item in self.known:
                items.append(self.known[item].array)
            elif (isinstance(item, Slice) and items and not self.counts(item)) or _is_position(item):
                items.append(item)
            else:
                raise CannotBatch
        return tuple(items)

    def _of_all_trips(self, taken: Var, axis: int, in_trip: tuple[Dim, ...]) -> Var:
        """What was taken has the lengths that it has in a trip, and one for the trips."""
        assert isinstance(taken.type, Array)
        taken.type = replace(taken.type, shape=(*in_trip[:axis], self.length, *in_trip[axis:]))
        return taken

    def _rolled(self, s: Assign, place: Place) -> Batched:
        """Rows at a distance from the trips' own that count on from the other end of the axis."""
        ev = self.ev
        array, index = s.args
        length = array.type.shape[place.axis]
        if self.start.known != 0:
            raise CannotBatch
        if not ev.equal.same(self.stop, length):  # a square array, of which only one side was asked for
            if not place.wraps:
                raise CannotBatch
            self._insist(ev.op("equal", ev.dim_value(length), ev.dim_value(self.stop)), may_be_empty=False)
            ev.equal.union(self.stop, length)
        distance = place.distance.known  # as the start is known, and where it would begin
        assert distance is not None
        if not place.wraps and distance < -1:  # the axis may be shorter
            self._insist(ev.op("less_equal", -distance, ev.dim_value(self.stop)), may_be_empty=True)
        whole, axis = self.slices(array, index, Place(place.axis, Dim(0), False))
        in_trip = s.target.type.shape if s.target.is_array else ()
        if all(i == FULL for i in whole):
            taken = array
        else:
            taken = self._of_all_trips(ev.getitem(array, whole), axis, in_trip)
        return Batched(ev.op("roll", taken, -distance, axis) if distance else taken, axis)

    def slices(self, array: Var, index: Index, place: Place) -> tuple[Index, int]:
        """An index for all trips, and which axis of what it takes counts them."""
        items: list[Any] = []
        taken = at = 0
        for item in index:
            if item != Const(None):
                if taken == place.axis:
                    at = sum(isinstance(i, Slice) or i == Const(None) for i in items)
                    item = self._range(array.type.shape[taken], place.distance)
                taken += 1
            items.append(item)
        return tuple(items), at

    def _range(self, length: Dim, distance: Dim) -> Slice:
        """The slice that the trips go over, where each has the element at a distance from the counter."""
        ev = self.ev
        start = self.start + distance
        if not ev.never_negative(start):
            raise CannotBatch
        first = None if start.known == 0 else ev.atom(ev.dim_value(start))
        from_end = (self.stop + distance - length).known
        if from_end is not None:  # counted from the end, an array too short for a trip has none of it
            if from_end > 0:
                raise CannotBatch
            last = Const(from_end) if from_end < 0 else None
            return Slice(first, last, None) if first is not None or last is not None else FULL
        stop = start + self.length
        if ev.equal.same(stop, length):
            return Slice(first, None, None) if first is not None else FULL
        if not ev.never_negative(length - stop):
            fits = ev.op("less_equal", ev.dim_value(stop), ev.dim_value(length))
            self._insist(fits, may_be_empty=start.known != 0)
        return Slice(first, ev.atom(ev.dim_value(stop)), None)

    def _insist(self, fits: Value, may_be_empty: bool) -> None:
        """Let the program raise where what the trips read is not there, unless there is no trip."""
        ev = self.ev
        if fits is False:
            raise CannotBatch
        if may_be_empty:
            fits = ev.op("logical_or", fits, ev.op("less_equal", ev.dim_value(self.length), 0))
        message = Const("index is out of bounds for its axis")
        ev.block.append(Check(ev.atom(fits), "IndexError", (message,), ev.origin))


def _is_position(item: object) -> bool:
    """Whether an item of an index is a number from the front."""
    return isinstance(item, Const) and isinstance(item.value, int) and item.value >= 0
