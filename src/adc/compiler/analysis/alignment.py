"""Whether two loops of one space go through memory in step, so that each trip of both has its own part of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.effects import Access
from adc.compiler.analysis.touches import distance, offset, pace
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Var
from adc.rules.dims import Dim

Form = tuple[int | None, ...] | None  # of an index


def form(access: Access) -> Form:
    """How far the subscripts of an element are from what they count with; None for a whole array."""
    if access.index is None:
        return None
    lengths = map(length_of, access.index)
    return tuple(None if n is None else n.const for n in lengths)


def aligned(a: list[Access], i: Var, b: list[Access], j: Var, counters: Mapping[Var, Range]) -> bool:
    """Whether one position of the index is always the loop's own counter, or always as far from it.

    The counter is `i` for the first list, `j` for the second. How far may be known to both loops alone (`a[k + i]`, in
    a loop over k): neither has what the other one's trips make. No two trips may come to one element, one from the
    front and the other, with `u[i - 1]` at 0, from the end.
    """
    if any(x.index is None for x in (*a, *b)) or len({x.array for x in (*a, *b)}) != 1:
        return False
    rank = len(a[0].index or ())
    away: Callable[[Var, object], Dim | int | None] = distance if i is j else offset
    for p in range(rank):
        found = {away(counter, (x.index or ())[p]) for own, counter in ((a, i), (b, j)) for x in own}
        if len(found) == 1 and None not in found:
            length = a[0].array.type.shape[p]
            if all(_goes_once(counter, found, length, counters) for counter in {i, j}):
                return True
    return False


def _goes_once(
    counter: Var, found: set[Dim | int | None], length: Dim, counters: Mapping[Var, Range]
) -> bool:
    """Whether positions at a distance from a counter are never negative, or no more than there are elements."""
    low, high = counters.get(counter, (None, None))
    (apart,) = found
    if low is None or apart is None:
        return False
    if never_negative(low + apart, counters):
        return True
    return high is not None and never_negative(length - 1 - high + low, counters)


def opposed(a: list[Access], i: Var, b: list[Access], j: Var) -> bool:
    """Whether one loop adds upwards along an axis where the other adds downwards, as a slice and a flipped one.

    Each vectorises by itself, but not both at once.
    """
    return any(
        pace == -other != 0
        for x in a
        for y in b
        for pace, other in zip(_paces(x, i), _paces(y, j), strict=False)
    )


def _paces(access: Access, counter: Var) -> list[int]:
    """By how much each subscript of an element grows from trip to trip, as far as that is a number."""
    return [pace(length_of(item), counter) for item in access.index or ()]
