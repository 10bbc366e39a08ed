"""Which part of which array a statement reads or writes, and how its subscripts go with the counter of a loop.

for j in range(m):
    a[i, n - 2 * j] += v        `a` at (i, n - 2 * j): in the trips over j, i stays and n goes by -2
"""

from __future__ import annotations

from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, Index, Stmt, Store, Var, owners
from adc.rules.dims import Dim

Touch = tuple[Var, Index]  # an array, and where


def part(s: Stmt) -> Touch | None:
    """What a statement reads or writes by an index: an element, or a view."""
    if isinstance(s, Store):
        return s.array, s.index
    return (s.args[0], s.args[1]) if isinstance(s, Assign) and s.name == "getitem" else None


def element(s: Stmt) -> Touch | None:
    """The same, but of what is read only where it is a number."""
    is_view = isinstance(s, Assign) and s.name == "getitem" and s.target.is_array
    return None if is_view else part(s)


def move(s: Stmt, touch: Touch) -> None:
    """Let a statement read or write there instead."""
    if isinstance(s, Store):
        s.array, s.index = touch
    elif isinstance(s, Assign):
        s.args = touch


def paces(value: Dim | None) -> dict[Var, int]:
    """By how much an integer grows where a counter, or another number in it, does by one, as far as it is a sum."""
    terms = () if value is None else value.terms
    owned = ((symbol.payload[0], pace) for symbol, pace in terms if symbol.kind == "value")
    return {owner: pace for owner, pace in owned if isinstance(owner, Var)}


def pace(value: Dim | None, counter: Var) -> int:
    """By how much an integer grows where a counter does by one, as far as it is a sum."""
    return paces(value).get(counter, 0)


def with_counter_at(value: Dim, counter: Var, end: Dim) -> Dim:
    """An integer with a number in place of a counter, as far as it is a sum."""
    return value + (end - Dim.symbol("value", counter)) * pace(value, counter)


def offset(counter: Var, item: object) -> Dim | None:
    """`c` where a subscript is `counter + c`, the same c in every trip."""
    value = length_of(item)
    if value is None or pace(value, counter) != 1:
        return None
    rest = with_counter_at(value, counter, Dim(0))
    return None if counter in owners(rest) else rest  # min(i, 3) is i and something that depends on i


def distance(counter: Var, item: object) -> int | None:
    """`c` where a subscript is `counter + c`, a number."""
    value = length_of(item)
    if value is not None and len(value.terms) == 1:  # most are the counter, or near it
        ((symbol, times),) = value.terms
        return value.const if times == 1 and symbol.kind == "value" and symbol.payload[0] is counter else None
    found = offset(counter, item)
    return None if found is None else found.known
