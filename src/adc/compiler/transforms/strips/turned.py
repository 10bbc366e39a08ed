"""Arrays of which each row of a strip has one: the strip's part of them is copied, and laid out by trips.

    for k in range(count):                          for t in range(m):
        for j in range(m):                              for k in range(24):
            x_strip[j, k] = x[p_first + k, j]               h_strip[k] = tanh(w * h_strip[k] + x_strip[t, k])

What the rows of a strip read and write in one trip lies side by side then, which vector instructions ask for: LLVM
does not vectorise a loop that writes down a column at all. As much is copied as the trips touch, and the last strip
goes through as many places as all others: for LLVM, a number of trips that it knows. Copying takes half a nanosecond
an element, each way, which is worth it beside an exponential, and not beside a few products.
"""

from __future__ import annotations

from dataclasses import dataclass

from adc.compiler.analysis.counters import never_negative
from adc.compiler.analysis.effects import Access
from adc.compiler.analysis.touches import element, paces, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Index,
    Store,
    Var,
    bound_inside,
    defined,
    owners,
    uses,
    walk,
)
from adc.compiler.ir.types import REALS, Array, Scalar
from adc.compiler.transforms.strips.rows import Rows
from adc.rules.dims import Dim

Ends = tuple[Dim, Dim]


@dataclass(eq=False)
class Turned:
    """An array, the strip's part of it, and between which elements of a row that is used."""

    array: Var
    part: Var
    ends: tuple[Atom, Atom] | None  # of an array with one element for each row: None
    is_written: bool
    is_made: bool  # by the trips, all of it

    def element(self, index: Index, k: Var) -> Index:
        """Where an element of a row lies in the part."""
        return (*index[1:], k)

    def copied(self, row: Var, k: Var, back: bool) -> Block:
        """The statements that copy one row, of the array or to it."""
        j = Var("j", Scalar("int64", True), named=False)
        element = Var(f"{self.array.name}_element", Scalar(self.array.type.dtype), named=False)
        index = (row,) if self.ends is None else (row, j)
        there, here = (self.array, index), (self.part, self.element(index, k))
        source, target = (here, there) if back else (there, here)
        body: Block = [Assign((element,), "getitem", source), Store(*target, element)]
        return body if self.ends is None else [For(j, *self.ends, Const(1), [], body)]


def turned(rows: Rows, strip: int, evaluator: Evaluator) -> list[Turned]:
    """The arrays of a loop that are worth copying. What their ends are computed by goes in front of it."""
    found = []
    inside = {v for s in rows.statements for v in (*defined(s), *bound_inside(s))}
    for accesses in rows.memory.effects(rows.loop).accesses.values():
        array = accesses[0].array
        if array in rows.made or array.type.dtype not in REALS or not _is_of_rows(rows, array, accesses):
            continue
        ends: tuple[Atom, Atom] | None = None
        if array.type.ndim > 1:
            used = _ends(rows, accesses, inside)
            if used is None:
                continue
            start, stop = _united(used, array.type.shape[1], evaluator)
            ends = evaluator.atom(start), evaluator.atom(stop)
        lengths = (*array.type.shape[1:], Dim(strip))
        part = Var(f"{array.name}_strip", Array(array.type.dtype, lengths, "C"), named=array.named)
        written = any(a.write for a in accesses)
        found.append(Turned(array, part, ends, written, _is_made(rows, array)))
    return found


def _is_of_rows(rows: Rows, array: Var, accesses: list[Access]) -> bool:
    """Whether an array has one or more elements for each row, and trips of inner loops use them."""
    last = {s for loop in rows.loops for s in loop.body}
    inner = any(array in uses(s) for s in last)
    return inner and all(
        a.array is array
        and a.index is not None
        and len(a.index) == array.type.ndim <= 2
        and a.index[0] is rows.loop.index
        for a in accesses
    )


def _ends(rows: Rows, accesses: list[Access], inside: set[Var]) -> list[Ends] | None:
    """Between which elements of its row a trip uses an array, for each place that does; None where it is left alone."""
    found: list[Ends] = []
    follows = False
    for a in accesses:
        assert a.index is not None
        item = a.index[1]
        place = length_of(item)
        if place is None or item in rows.varying or not never_negative(place, rows.counters):
            return None
        low = high = place
        for counter, pace in paces(place).items():
            if counter not in rows.counters:
                continue
            least, most = rows.counters[counter]
            if abs(pace) != 1 or least is None or most is None:
                return None
            if pace < 0:
                least, most = most, least
            low, high = with_counter_at(low, counter, least), with_counter_at(high, counter, most)
            follows = True
        if any(v in inside for end in (low, high) for v in owners(end)):
            return None
        if (low, high) not in found:
            found.append((low, high))
    return found if follows else None


def _is_made(rows: Rows, array: Var) -> bool:
    """Whether the first that is done to a row is that a loop stores all its elements, and reads none before."""
    for loop in rows.loop.body:
        if all(array not in uses(s) for s in walk([loop])):
            continue
        if not isinstance(loop, For):
            return False
        touching = [s for s in walk(loop.body) if array in uses(s)]
        first = touching[0]
        length = array.type.shape[-1]
        least, most = rows.counters.get(loop.index, (None, None))
        return (
            first in loop.body
            and isinstance(first, Store)
            and not first.accumulate
            and len(first.index) == 2
            and first.index[1] is loop.index
            and all(element(s) == (array, first.index) for s in touching)
            and least == Dim(0)
            and most == length - 1
        )
    return False


def _united(ends: list[Ends], length: Dim, ev: Evaluator) -> tuple[Value, Value]:
    """The first element that is used, and the one behind the last."""
    if len(ends) == 1:
        return ev.dim_value(ends[0][0]), ev.dim_value(ends[0][1] + 1)
    # A loop without trips may have ends outside the array.
    start, stop = ev.dim_value(length), 0
    for low, high in ends:
        start = ev.extreme("minimum", start, ev.dim_value(low))
        stop = ev.extreme("maximum", stop, ev.dim_value(high + 1))
    return ev.extreme("maximum", start, 0), ev.extreme("minimum", stop, ev.dim_value(length))
