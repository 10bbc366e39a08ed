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
from adc.compiler.ir.nodes import Index, Var, owners
from adc.rules.dims import Dim


def ends(item: object, fixed: Collection[Var], counters: Mapping[Var, Range]) -> Range:
    """The least and the greatest that an item of an index is, in terms of some counters, whatever the others count."""
    value = length_of(item)
    if value is None:
        return None, None
    return _end(value, 0, fixed, counters), _end(value, 1, fixed, counters)


def never_meet(
    one: Index,
    other: Index,
    fixed: Collection[Var],
    counters: Mapping[Var, Range],
    moving: Collection[Var] = (),
) -> bool:
    """Whether two indices mean different elements, where some counters are the same for both.

    What is `moving` may be one number for the first and another for the second: `k` and `k - 1`, where each trip has a
    k of its own.
    """
    for a, b in zip(one, other, strict=False):
        (low, high), (low_other, high_other) = (ends(item, fixed, counters) for item in (a, b))
        if not (never_negative(low, counters) and never_negative(low_other, counters)):
            continue  # one may count from the other end
        for least, greatest in ((low, high_other), (low_other, high)):
            if lies_behind(least, greatest, counters) and not _share(least, greatest, moving):
                return True
    return False


def _share(one: Dim | None, other: Dim | None, moving: Collection[Var]) -> bool:
    """Whether two numbers are both made of one that moves."""
    if one is None or other is None or not moving:
        return False
    return any(v in moving for v in {*owners(one)}.intersection(owners(other)))


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
