"""What is known of the counters of a program's loops."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from adc.compiler.analysis.touches import paces, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Atom, Block, Const, For, Index, Var, walk
from adc.rules.dims import Dim

MOST_COUNTERS = 8
Range = tuple[Dim | None, Dim | None]  # the least and the greatest value, where known


def ranges(block: Block) -> dict[Var, Range]:
    """The counters of all loops, with what each takes at least and at most."""
    found: dict[Var, Range] = {}
    for s in walk(block):
        if isinstance(s, For) and isinstance(s.step, Const):
            first, last = _value(s.start), _value(s.stop)
            if last is not None:
                last = last - 1 if s.step.value > 0 else last + 1
            found[s.index] = (first, last) if s.step.value > 0 else (last, first)
    return found


def _value(x: Atom) -> Dim | None:
    return Dim(x.value) if isinstance(x, Const) else x.dim


def never_negative(value: Dim | None, counters: Mapping[Var, Range]) -> bool:
    """Whether an integer is a sum of loop counters and lengths that cannot be less than zero."""
    if value is None:
        return False
    if not value.terms:
        return value.const >= 0
    if len(value.terms) == 1:  # nearly always: a counter itself
        for counter, pace in paces(value).items():
            end = counters.get(counter, (None, None))[0 if pace > 0 else 1]
            if end is not None and end.known is not None:
                return bool(value.const + pace * end.known >= 0)
    low = value
    for _ in range(MOST_COUNTERS):  # what a counter begins at may be made of another
        less = _without_a_counter(low, counters)
        if less is None or less is low:
            return less is not None and less.nonnegative
        low = less
    return False


def is_there(array: Var, index: Index, counters: Mapping[Var, Range]) -> bool:
    """Whether an index is known to be that of an element of an array, counted from the front."""
    return all(
        (d := length_of(i)) is not None
        and never_negative(d, counters)
        and never_negative(n - 1 - d, counters)
        for i, n in zip(index, array.type.shape, strict=False)
    )


def _without_a_counter(value: Dim, counters: Mapping[Var, Range]) -> Dim | None:
    """No more than a number, with what a counter is at its end in place of the counter; None where that is unknown."""
    found = innermost(value, counters)
    if found is None:
        return value
    counter, pace = found
    end = counters[counter][0 if pace > 0 else 1]
    return None if end is None else with_counter_at(value, counter, end)


def innermost(
    value: Dim, counters: Mapping[Var, Range], fixed: Collection[Var] = ()
) -> tuple[Var, int] | None:
    """One of the counters of a sum, and by how much the sum goes with it; one that no other one's end is made of.

    `i - j` with j below i is no less than 1: with the greatest j in its place, not with the least i.
    """
    found = {c: pace for c, pace in paces(value).items() if c in counters and c not in fixed}
    for counter, pace in found.items():
        others = (counters[c] for c in found if c is not counter)
        if len(found) == 1 or not any(end is not None and counter in paces(end) for r in others for end in r):
            return counter, pace
    return next(iter(found.items()), None)
