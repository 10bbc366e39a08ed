"""Go through linear recurrences of the first order four trips at a time, by a function of the runtime.

    for k in range(count):
        s_each[k] = s                   ->      s = rt.linear_recurrence(s_each, b, x[i_lowest:], s, 0, count)
        s = b * s + x[i_lowest + k]

Only where nobody sees the last bit (analysis/rounding), as `distribute` has said of the sum (runtime/recurrences.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adc.compiler.analysis.recurrences import Recurrence, recurrence
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Operand,
    Program,
    Slice,
    Store,
    Var,
    blocks,
    defined,
    variables,
)
from adc.rules.dims import Dim

NAMES: dict[Atom, str] = {Const(1): "rt.linear_recurrence", Const(-1): "rt.linear_recurrence_back"}
_Row = tuple[
    Var, tuple[Any, ...]
]  # an array, and where a row of it is: in it, and how far ahead of the counter


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program, and its kernels, with calls in place of such loops."""
    for one in (program, *program.meta["kernels"]):
        one.body = _changed(one.body, evaluator)
    return program


def _changed(block: Block, ev: Evaluator) -> Block:
    out: Block = []
    for s in block:
        for inner in blocks(s):
            inner[:] = _changed(inner, ev)
        call = _call(s, ev) if isinstance(s, For) else None
        out += [s] if call is None else call
    return out


def _call(loop: For, ev: Evaluator) -> Block | None:
    """The call in place of a loop, behind the parts of rows that it reads."""
    found = recurrence(loop.carried[0], loop.body) if len(loop.carried) == 1 else None
    if found is None or not found.sum.target.derived or loop.step not in NAMES:
        return None
    rows = _rows(loop, found)
    stores = [s for s in loop.body if isinstance(s, Store)]
    if rows is None or len(stores) > 1 or not all(_keeps(s, loop, found) for s in stores):
        return None
    states: Atom = stores[0].array if stores else Const(None)
    if any(row is states for row, _ in rows.values()):
        return None
    out: Block = []

    def operand(x: Atom) -> Operand:
        if not isinstance(x, Var) or x not in rows:
            return x
        row, (*outer, ahead) = rows[x]
        if not outer and ahead == Dim(0):
            return row
        with ev.at(out), ev.origin_at(loop.origin):
            first = None if ahead == Dim(0) else ev.atom(ev.dim_value(ahead))
            return ev.getitem(row, (*outer, Slice(first, None, None)))

    c = found.carried
    args = (states, operand(found.factor), operand(found.term), c.init, loop.start, loop.stop)
    return [*out, Assign((c.result,), NAMES[loop.step], args, loop.origin)]


def _keeps(s: Store, loop: For, found: Recurrence) -> bool:
    """Whether a trip writes what it was handed to the place that is its own."""
    return s.index == (loop.index,) and s.value is found.carried.phi and not s.accumulate


def _rows(loop: For, found: Recurrence) -> dict[Var, _Row] | None:
    """What the loop reads of which row, and how far ahead of its counter; None if it does anything besides."""
    rows: dict[Var, _Row] = {}
    made = {loop.index, *(v for s in loop.body for v in defined(s))}
    places: dict[Atom, Dim] = {loop.index: Dim(0)}  # how far ahead of the counter
    unsigned: set[Atom] = {loop.index}  # places that are in the row
    for s in loop.body:
        if isinstance(s, Store) or s is found.product or s is found.sum:
            continue
        if not isinstance(s, Assign) or len(s.targets) != 1:
            return None
        if s.name == "getitem":
            array, (*outer, last) = s.args
            if last not in unsigned or not made.isdisjoint(variables(tuple(outer))):
                return None
            ahead = places[last]
            if ahead.known is not None and ahead.known < 0:
                return None
            rows[s.target] = array, (*outer, ahead)
            continue
        place = _place(s, places)
        if place is None:
            return None
        places[s.target] = place
        if s.name == "cast":
            unsigned.add(s.target)
    others = made.difference(rows)
    return rows if others.isdisjoint((found.factor, found.term)) else None


def _place(s: Assign, places: Mapping[Atom, Dim]) -> Dim | None:
    """How far ahead of the counter an integer is that is made of it."""
    if s.name == "cast" and s.target.type.dtype == "uint64":
        return places.get(s.args[0])
    if s.name not in ("add", "subtract"):
        return None
    first, second = s.args
    if s.name == "add" and second in places:
        first, second = second, first
    other = length_of(second)
    if first not in places or second in places or other is None:
        return None
    return places[first] + other if s.name == "add" else places[first] - other
