"""Go through linear recurrences of the first order four trips at a time, by a function of the runtime.

    for k in range(count):
        s_each[k] = s                   ->      s = rt.linear_recurrence(s_each, b, x[i_lowest:], s, count)
        s = b * s + x[i_lowest + k]

Only where nobody sees the last bit (analysis/rounding), as `distribute` has said of the sum (runtime/recurrences.py).
"""

from __future__ import annotations

from collections.abc import Mapping

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
)
from adc.rules.dims import Dim

UPWARDS, BACK = "rt.linear_recurrence", "rt.linear_recurrence_back"


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program, and its kernels, with calls in place of such loops."""
    for one in (program, *program.meta["kernels"]):
        one.body = _changed(one.body, evaluator)
    return program


def _changed(block: Block, ev: Evaluator) -> Block:
    made = {s.target: s for s in block if isinstance(s, Assign) and len(s.targets) == 1}
    out: Block = []
    for s in block:
        for inner in blocks(s):
            inner[:] = _changed(inner, ev)
        call = _call(s, made, ev) if isinstance(s, For) else None
        out += [s] if call is None else call
    return out


def _call(loop: For, made: Mapping[Var, Assign], ev: Evaluator) -> Block | None:
    """The call in place of a loop, behind the parts of rows that it reads."""
    found = recurrence(loop.carried[0], loop.body) if len(loop.carried) == 1 else None
    count = _count(loop, made)
    if found is None or count is None or not found.sum.target.derived:
        return None
    rows = _rows(loop, found)
    array = _stored(loop, found)
    if rows is None or array is None or array in (row for row, _ in rows.values()):
        return None
    out: Block = []

    def operand(x: Atom) -> Operand:
        if not isinstance(x, Var) or x not in rows:
            return x
        row, ahead = rows[x]
        if ahead == Dim(0):
            return row
        with ev.at(out), ev.origin_at(loop.origin):
            first = ev.atom(ev.dim_value(ahead))
            return ev.getitem(row, (Slice(first, None, None),))

    c = found.carried
    args = (array, operand(found.factor), operand(found.term), c.init, count)
    name = BACK if loop.step == Const(-1) else UPWARDS
    return [*out, Assign((c.result,), name, args, loop.origin)]


def _stored(loop: For, found: Recurrence) -> Var | None:
    """The array to which each trip writes what it was handed."""
    stores = [s for s in loop.body if isinstance(s, Store)]
    if len(stores) != 1 or stores[0].accumulate:
        return None
    (store,) = stores
    return store.array if store.index == (loop.index,) and store.value is found.carried.phi else None


def _rows(loop: For, found: Recurrence) -> dict[Var, tuple[Var, Dim]] | None:
    """What the loop reads of which row, and how far ahead of its counter; None if it does anything besides."""
    rows: dict[Var, tuple[Var, Dim]] = {}
    places: dict[Atom, Dim] = {loop.index: Dim(0)}  # how far ahead of the counter
    unsigned: set[Atom] = {loop.index}  # places that are in the row
    for s in loop.body:
        if isinstance(s, Store) or s is found.product or s is found.sum:
            continue
        if not isinstance(s, Assign) or len(s.targets) != 1:
            return None
        if s.name == "getitem":
            row, index = s.args
            if len(index) != 1 or index[0] not in unsigned:
                return None
            rows[s.target] = row, places[index[0]]
            continue
        place = _place(s, places)
        if place is None:
            return None
        places[s.target] = place
        if s.name == "cast":
            unsigned.add(s.target)
    return rows


def _place(s: Assign, places: Mapping[Atom, Dim]) -> Dim | None:
    """How far ahead of the counter an integer is that is made of it."""
    if s.name == "cast":
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


def _count(loop: For, made: Mapping[Var, Assign]) -> Atom | None:
    """How many trips there are, if they are numbered from nothing up, or down to it."""
    if loop.step == Const(1) and loop.start == Const(0):
        return loop.stop
    if loop.step != Const(-1) or loop.stop != Const(-1):
        return None
    last = made.get(loop.start) if isinstance(loop.start, Var) else None
    if last is None or last.name != "subtract" or last.args[1] != Const(1):
        return None
    count = last.args[0]
    return count if isinstance(count, (Var, Const)) else None
