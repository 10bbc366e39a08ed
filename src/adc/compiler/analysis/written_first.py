"""Whether a block reads of an array only what it has certainly written before.

k[0] = x[0]
for i in range(1, n):
    k[i] = x[i] * y[i - 1]
for i in range(1, n):
    y[i] += k[i - 1]            k[0], and k[1] to k[n - 1]: all of k was written, whatever was in it before

What was written is a list of boxes: on each axis from one element to before another, in terms of lengths and of the
counters around. A box may be empty, or reach beyond the array: all elements that are in it have been written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.touches import pace, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    If,
    Index,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    is_view,
    owners,
    reads_memory,
    uses,
    variables,
)
from adc.rules.dims import Dim

__all__ = ["written_first"]

_Side = tuple[Dim, Dim]
_Box = tuple[_Side, ...]
_OfPlace = Callable[[Dim, Dim], _Side | None]

_MOST_BOXES = 12
_BORDER = 4  # as many elements may be left out at an end of an axis


def written_first(block: Block, array: Var, counters: Mapping[Var, Range]) -> bool:
    """Whether a block writes over all of an array but its borders, and reads nothing of it that it has not written."""
    walker = _Walker(array, counters)
    try:
        boxes = walker.block(block, [])
    except _ReadBefore:
        return False
    return any(all(map(_spans, box, array.type.shape)) for box in boxes)


def _spans(side: _Side, length: Dim) -> bool:
    first, left = side[0].known, (length - side[1]).known
    return first is not None and first <= _BORDER and left is not None and left <= _BORDER


def _from_the_front(place: Dim | None, length: Dim) -> Dim | None:
    return place + length if place is not None and place.known is not None and place.known < 0 else place


class _ReadBefore(Exception):
    """Something is read that may not have been written."""


class _Walker:
    def __init__(self, array: Var, counters: Mapping[Var, Range]) -> None:
        self.array = array
        self.counters = counters
        self.checking = True  # what is read

    def block(self, block: Block, written: list[_Box]) -> list[_Box]:
        """What is written behind a block, where some boxes were before it. Raises _ReadBefore."""
        for s in block:
            written = self._statement(s, written)
        return written

    def _statement(self, s: Stmt, written: list[_Box]) -> list[_Box]:
        if isinstance(s, If):
            then, orelse = (self.block(inner, written) for inner in blocks(s))
            return [*(b for b in then if self._hold(orelse, b)), *(b for b in orelse if self._hold(then, b))]
        if isinstance(s, For):
            return self._loop(s, written)
        if isinstance(s, While):
            for inner in blocks(s):
                self.block(inner, written)
            return written
        if self.checking and self._reads(s) and not self._hold(written, self._read(s)):
            raise _ReadBefore
        if isinstance(s, Store) and s.array is self.array:
            return self._joined(written, [self._box(s.index)])
        return written

    def _loop(self, loop: For, written: list[_Box]) -> list[_Box]:
        checking, self.checking = self.checking, False
        each = self.block(loop.body, [])  # in terms of the counter
        self.checking = checking
        start, stop, now = (length_of(x) for x in (loop.start, loop.stop, loop.index))
        if start is None or stop is None or now is None or loop.step not in (Const(1), Const(-1)):
            earlier, after = [], written
        elif loop.step == Const(1):
            earlier = [self._of_trips(loop, box, start, now) for box in each]
            after = self._joined(written, [self._of_trips(loop, box, start, stop) for box in each])
        else:
            earlier = [self._of_trips(loop, box, now + 1, start + 1) for box in each]
            after = self._joined(written, [self._of_trips(loop, box, stop + 1, start + 1) for box in each])
        if checking:
            self.block(loop.body, self._joined(written, earlier))
        return after

    def _of_trips(self, loop: For, box: _Box, first: Dim, stop: Dim) -> _Box | None:
        """What is written while the counter goes from one number to before another; None where that is not a box."""
        moving = [k for k, side in enumerate(box) if any(loop.index in owners(end) for end in side)]
        if not moving:
            return box if never_negative(stop - first - 1, self.counters) else None
        k, (low, high) = moving[0], box[moving[0]]
        if len(moving) > 1 or pace(low, loop.index) != 1 or high != low + 1:
            return None
        offset = with_counter_at(low, loop.index, Dim(0))
        if loop.index in owners(offset):
            return None
        return (*box[:k], (offset + first, offset + stop), *box[k + 1 :])

    # --- what a statement reads and writes ------------------------------------------------------------------------

    def _reads(self, s: Stmt) -> bool:
        if self.array not in uses(s):
            return False
        if isinstance(s, Store):
            return (s.array is self.array and s.accumulate) or self.array in variables((s.index, s.value))
        return not isinstance(s, Assign) or is_view(s) or reads_memory(s)

    def _read(self, s: Stmt) -> _Box:
        """What a statement reads of the array at most."""
        index: Index = ()
        if isinstance(s, Store):
            index = () if self.array in variables((s.index, s.value)) else s.index
        elif isinstance(s, Assign) and s.name == "getitem" and self.array not in variables(s.args[1]):
            index = s.args[1]
        whole = [(Dim(0), length) for length in self.array.type.shape]
        sides = self._sides(index, self._place) or whole
        return tuple(side or all_of_it for side, all_of_it in zip(sides, whole, strict=True))

    def _place(self, place: Dim, length: Dim) -> _Side | None:
        """The element that is read at a place; None where it may be counted from the other end."""
        counted = self._at_most(Dim(0), place) or place == length - 1  # of no elements, none is read
        return (place, place + 1) if counted else None

    def _box(self, index: Index) -> _Box | None:
        """What an assignment to an index writes certainly."""
        # Where a place turns out to be negative, the box has no element of the array.
        sides = self._sides(index, lambda place, _: (place, place + 1)) or [None]
        box = tuple(side for side in sides if side is not None)
        return box if len(box) == len(sides) else None

    def _sides(self, index: Index, of_place: _OfPlace) -> list[_Side | None] | None:
        """What an index means on each axis, None where that is not known; None where arrays are in it."""
        items = [item for item in index if item != Const(None)]
        if any(not isinstance(i, (Const, Slice)) and length_of(i) is None for i in items):
            return None
        shape = self.array.type.shape
        items += [Slice(None, None, None)] * (len(shape) - len(items))
        return [self._side(item, length, of_place) for item, length in zip(items, shape, strict=True)]

    def _side(self, item: Any, length: Dim, of_place: _OfPlace) -> _Side | None:
        if not isinstance(item, Slice):
            place = _from_the_front(length_of(item), length)
            return None if place is None else of_place(place, length)
        first = Dim(0) if item.start is None else _from_the_front(length_of(item.start), length)
        stop = length if item.stop is None else _from_the_front(length_of(item.stop), length)
        if item.step not in (None, Const(1)) or first is None or stop is None:
            return None
        bounds = [b for b in (item.start, item.stop) if isinstance(b, Var)]
        if not all(never_negative(length_of(b), self.counters) for b in bounds):
            return None  # one may be counted from the other end
        many = (stop - first).without_clamps()
        return first, first + many if many.clamped() == stop - first else stop

    # --- boxes ----------------------------------------------------------------------------------------------------

    def _joined(self, written: list[_Box], more: Iterable[_Box | None]) -> list[_Box]:
        """Boxes with others, and with what they make together."""
        found = list(written)
        waiting = [box for box in more if box is not None]
        seen: set[_Box] = set()
        while waiting and len(found) < _MOST_BOXES:
            box = waiting.pop()
            if box in seen or self._hold(found, box):
                continue
            seen.add(box)
            found = [one for one in found if not self._hold([box], one)]
            pairs = ((a, b) for one in found for a, b in ((one, box), (box, one)))
            waiting += [whole for a, b in pairs if (whole := self._together(a, b)) is not None]
            found.append(box)
        return found

    def _together(self, one: _Box, other: _Box) -> _Box | None:
        """A box that ends where the other does, of elements that one of them has; None where there is none."""
        apart = [k for k, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        if len(apart) != 1:
            return None
        k = apart[0]
        (low, high), (low_other, high_other) = one[k], other[k]
        if low_other == low or high_other == high or not self._at_most(low_other, high):
            return None
        return (*one[:k], (low, high_other), *one[k + 1 :])

    def _hold(self, boxes: Iterable[_Box], other: _Box) -> bool:
        """Whether one of some boxes has all elements that another has."""
        return any(all(map(self._holds, box, other, self.array.type.shape)) for box in boxes)

    def _holds(self, side: _Side, other: _Side, length: Dim) -> bool:
        (low, high), (low_other, high_other) = side, other
        from_the_first = low.known is not None and low.known <= 0
        return (from_the_first or self._at_most(low, low_other)) and (
            high == length or self._at_most(high_other, high)
        )

    def _at_most(self, low: Dim, high: Dim) -> bool:
        return low == high or never_negative(high - low, self.counters)
