"""What is known of the counters of a program's loops."""

from __future__ import annotations

from collections.abc import Mapping

from adc.compiler.analysis.touches import paces, with_counter_at
from adc.compiler.ir.nodes import Atom, Block, Const, For, Var, walk
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


def _without_a_counter(value: Dim, counters: Mapping[Var, Range]) -> Dim | None:
    """No more than a number, with what a counter is at its end in place of the counter; None where that is unknown."""
    for counter, pace in paces(value).items():
        if counter in counters:
            end = counters[counter][0 if pace > 0 else 1]
            return None if end is None else with_counter_at(value, counter, end)
    return value
