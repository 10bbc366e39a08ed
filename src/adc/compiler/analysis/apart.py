"""Between which numbers a subscript stays, whatever the inner loops count: so two may be seen never to meet.

for k in range(n - 1):
    for i in range(k + 1, n):
        a[i, j] -= ...  a[k, j]        i is k + 1 at least, in each trip over k
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from adc.compiler.analysis.counters import MOST_COUNTERS, Range, innermost, never_negative
from adc.compiler.analysis.touches import with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Index, Var
from adc.rules.dims import Dim


def ends(item: object, fixed: Collection[Var], counters: Mapping[Var, Range]) -> Range:
    """The least and the greatest that an item of an index is, in terms of some counters, whatever the others count."""
    value = length_of(item)
    if value is None:
        return None, None
    return _end(value, 0, fixed, counters), _end(value, 1, fixed, counters)


def never_meet(one: Index, other: Index, fixed: Collection[Var], counters: Mapping[Var, Range]) -> bool:
    """Whether two indices mean different elements, where some counters are the same for both."""
    for a, b in zip(one, other, strict=False):
        (low, high), (low_other, high_other) = (ends(item, fixed, counters) for item in (a, b))
        if not (never_negative(low, counters) and never_negative(low_other, counters)):
            continue  # one may count from the other end
        if lies_behind(low, high_other, counters) or lies_behind(low_other, high, counters):
            return True
    return False


def lies_behind(low: Dim | None, high: Dim | None, counters: Mapping[Var, Range]) -> bool:
    """Whether a number is greater than another, of which the least and the greatest are known."""
    return low is not None and high is not None and never_negative(low - high - 1, counters)


def _end(value: Dim, side: int, fixed: Collection[Var], counters: Mapping[Var, Range]) -> Dim | None:
    for _ in range(MOST_COUNTERS):
        found = innermost(value, counters, fixed)
        if found is None:
            return value
        counter, pace = found
        bound = counters[counter][side if pace > 0 else 1 - side]
        if bound is None:
            return None
        value = with_counter_at(value, counter, bound)
    return None
