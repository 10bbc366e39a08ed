"""Hand on in numbers what trips hand on in elements of an array.

    for i in range(1, n):                           before = y[0]
        y[i] = y[i - 1] * x[i]          ->          for i in range(1, n):
                                                        y[i] = before * x[i]
                                                        before = y[i]

Of the elements around the counter that a trip touches, all but the one that is new to it are handed on by the trip
before. Each is stored where it is written for the last time. (Scalar replacement: Callahan, Carr & Kennedy, *Improving
register allocation for subscripted variables*, 1990.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from adc.compiler.analysis.counters import Range, never_negative
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.touches import offset, part
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    Index,
    Stmt,
    Store,
    Var,
    bound_inside,
    defined,
    owners,
    variables,
)
from adc.compiler.ir.types import REALS, Scalar
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules import registry
from adc.rules.dims import Dim

WIDEST = 4  # trips that an element is touched by


@dataclass(eq=False)
class Window:
    """The elements around the counter of an array that trips touch, by age: the trips since one was new."""

    array: Var
    index: Index  # of one of them
    axis: int  # where in that the counter is
    newest: Dim  # how far from the counter
    step: int
    ages: dict[Index, int]
    written: list[int]  # the ages at which elements are
    handed_on: dict[int, Var] = field(default_factory=dict)  # what a trip has of the one before, by age

    def unsaved(self) -> list[int]:
        """The ages, in the next trip, of elements that were written to and are not in the array."""
        last = max(self.written)
        return [age for age in self.handed_on if min(self.written) < age <= last]

    def element(self, counter: Value, age: int, ev: Evaluator) -> Index:
        """The index of an element in the trip with that counter."""
        ahead = self.newest - age * self.step
        behind = ahead.known is not None and ahead.known < 0
        name, apart = ("subtract", -ahead) if behind else ("add", ahead)
        place = ev.atom(counter if ahead == Dim(0) else ev.op(name, counter, ev.dim_value(apart)))
        return (*self.index[: self.axis], place, *self.index[self.axis + 1 :])

    def age(self, s: Stmt) -> int | None:
        """The age of the element that a statement touches."""
        touch = part(s)
        return None if touch is None or touch[0] is not self.array else self.ages.get(touch[1])


def run(
    loop: For, memory: Memory, counters: Mapping[Var, Range], adding: bool = False
) -> tuple[For, list[Window]]:
    """A straight loop that hands on numbers, and which of them are elements of what.

    With `adding` also those to which later trips only add.
    """
    windows = []
    own = {*bound_inside(loop), *(v for s in loop.body for v in defined(s))}
    for accesses in memory.effects(loop).accesses.values():
        window = _window(loop, accesses, own, counters, adding)
        if window is not None:
            loop = _handing_on(loop, window)
            windows.append(window)
    return loop, windows


def _rows(loop: For, accesses: list[Access], own: set[Var]) -> list[list[Access]] | None:
    """The accesses to an array by the row that they go along; None if two rows may be the same, or more go along one.

    Rows are told apart by a subscript, `a[i, j]` and `a[i - 1, j]`, that is the same in all trips.
    """
    rows: dict[Index, list[Access]] = {}
    for a in accesses:
        assert a.index is not None
        axes = [k for k, i in enumerate(a.index) if offset(loop.index, i) is not None]
        if len(axes) != 1:
            return None
        (axis,) = axes
        rows.setdefault((axis, *a.index[:axis], *a.index[axis + 1 :]), []).append(a)
    for one, other in combinations(rows, 2):
        apart = any(
            (p := length_of(a)) is not None
            and (q := length_of(b)) is not None
            and (p - q).known not in (None, 0)
            for a, b in zip(one[1:], other[1:], strict=True)
        )
        if one[0] != other[0] or not apart:
            return None
    return list(rows.values()) if all(own.isdisjoint(variables(row[1:])) for row in rows) else None


def _window(
    loop: For, accesses: list[Access], own: set[Var], counters: Mapping[Var, Range], adding: bool
) -> Window | None:
    """The elements of an array that trips touch, if each hands some on that a later one reads."""
    assert isinstance(loop.step, Const)
    array, step = accesses[0].array, loop.step.value
    if array.type.dtype not in REALS:
        return None
    for a in accesses:
        if a.array is not array or a.index is None or len(a.index) != array.type.ndim:
            return None
        if not all(never_negative(length_of(i), counters) for i in a.index):
            return None
    rows = _rows(loop, accesses, own) or []
    handing_on = [row for row in rows if {a.write for a in row} == {True, False}]
    if len(handing_on) != 1:
        return None
    (accesses,) = handing_on
    indices = [a.index for a in accesses if a.index is not None]
    axis = next(k for k, i in enumerate(indices[0]) if offset(loop.index, i) is not None)
    places = [offset(loop.index, i[axis]) for i in indices]
    if any(p is None or not own.isdisjoint(owners(p)) for p in places):
        return None  # `y[i + k]`, where k is another one in each trip
    ahead = [(p - places[0]).known for p in places if p is not None and places[0] is not None]
    if any(n is None for n in ahead):
        return None
    newest = max(n * step for n in ahead if n is not None)
    ages = {i: newest - n * step for i, n in zip(indices, ahead, strict=True) if n is not None}
    # What trips only add to elements that no later trip reads, they may add to the array.
    kept = [ages[i] for i, a in zip(indices, accesses, strict=True) if adding or not a.accumulate]
    oldest = max(kept, default=-1)
    ages = {i: age for i, age in ages.items() if age <= oldest}
    written = sorted({ages[i] for i, a in zip(indices, accesses, strict=True) if a.write and i in ages})
    read = [
        ages[i] for i, a in zip(indices, accesses, strict=True) if not a.write or (adding and a.accumulate)
    ]
    if not written or not read or max(read) <= written[0] or not 0 < oldest < WIDEST:
        return None
    if any(not _is_of(s.value, array) for s in loop.body if isinstance(s, Store) and s.array is array):
        return None
    assert places[0] is not None
    return Window(array, indices[0], axis, places[0] + newest * step, step, ages, written)


def _is_of(value: Atom, array: Var) -> bool:
    """Whether a number is stored as it is."""
    if isinstance(value, Const):
        return isinstance(value.value, float) and array.type.dtype in REALS
    return value.type.dtype == array.type.dtype


def _handing_on(loop: For, window: Window) -> For:
    """The loop with the elements that it hands on as numbers; what they begin with is left open."""
    name, kind = f"{window.array.name}_element", Scalar(window.array.type.dtype)
    oldest = max(window.ages.values())
    # Elements that no trip has written to by then are read from the array.
    phis = {age: Var(name, kind, named=True) for age in range(min(window.written) + 1, oldest + 1)}
    now: dict[int, Atom] = dict(phis)
    touching = [s for s in loop.body if window.age(s) is not None]
    last = [s for s in touching if isinstance(s, Store) and window.age(s) == max(window.written)][-1]
    body: Block = []
    table: dict[Var, Atom] = {}
    for s in loop.body:
        age = window.age(s)
        if age is None:
            body.append(s)
            continue
        assert isinstance(s, (Assign, Store))
        if age not in now and (isinstance(s, Assign) or s.accumulate):
            now[age] = new = Var(name, kind, named=True)
            body.append(Assign((new,), "getitem", part(s) or (), s.origin))
        if isinstance(s, Assign):
            table[s.target] = now[age]
            continue
        if s.accumulate:
            total = Var(name, kind, named=True)
            body.append(Assign((total,), registry.named("add"), (now[age], s.value), s.origin))
            now[age] = total
        else:
            now[age] = operand(s.value, table)
        if s is last:
            body.append(Store(s.array, s.index, now[age], False, s.origin, s.role))
    window.handed_on = phis
    elements = [Carried(phi, phi, now[age - 1], Var(name, kind, named=True)) for age, phi in phis.items()]
    carried = [Carried(c.phi, c.init, operand(c.out, table), c.result) for c in loop.carried]
    return For(
        loop.index,
        loop.start,
        loop.stop,
        loop.step,
        [*carried, *elements],
        substitute(body, table),
        loop.origin,
        loop.note,
    )
