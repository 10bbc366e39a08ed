"""Name the rows of an array that a loop goes along, where in one of them it writes beside what it reads.

    for i in range(1, n):                           b_0, b_1 = b[0], b[1]
        ahead = b[0, i] + p                         for i in range(1, n):
        b[0, i - 1] = behind + q              ->        ahead = b_0[i] + p
        b[1, i] += r                                    b_0[i - 1] = behind + q
        behind = ahead                                  b_1[i] += r
                                                        behind = ahead

Along one row LLVM knows how far `i` is from `i - 1`. To tell rows apart it compares where they begin, all that the loop
reads with all that it writes, and takes the neighbour for a row that overlaps: the loop that it vectorised never runs.
Arguments of a kernel are apart for it (runtime/kernels.py), so each row is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.counters import Range
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.touches import Touch, element, move
from adc.compiler.frontend.lengths import length_of
from adc.compiler.ir.nodes import Assign, Const, For, Index, Stmt, Store, Var, defined, uses, variables
from adc.compiler.ir.types import Array
from adc.errors import Location

Rows = dict[
    Index, list[tuple[Stmt, Touch]]
]  # what a loop does with each row of an array, by its first subscripts


def found(loop: For, memory: Memory, counters: Mapping[Var, Range]) -> dict[Var, Rows]:
    """The arrays of which a loop goes along several rows, writing beside what it reads, and what it does with each."""
    written = {s.array: None for s in loop.body if isinstance(s, Store)}
    each = {array: _rows(array, loop, memory, counters) for array in written}
    return {array: rows for array, rows in each.items() if rows}


def named(found: dict[Var, Rows], origin: Location | None) -> list[Assign]:
    """Let a loop read and write rows instead of the arrays that they are of; return what makes them in front of it."""
    made: list[Assign] = []
    for array, rows in found.items():
        for outer, touching in rows.items():
            row = _row(array, outer)
            made.append(Assign((row,), "getitem", (array, outer), origin))
            for s, (_, index) in touching:
                move(s, (row, index[-1:]))
    return made


def _rows(array: Var, loop: For, memory: Memory, counters: Mapping[Var, Range]) -> Rows:
    """What a loop does with each row of an array, where all that it does is to go along some that never meet."""
    moving = {loop.index, *(v for s in loop.body for v in defined(s))}
    found: Rows = {}
    for s in loop.body:
        same = [v for v in uses(s) if v.is_array and memory.of(v) is memory.of(array)]
        if not same:
            continue
        touch = element(s)
        if touch is None or same != [array] or touch[0] is not array or len(touch[1]) != array.type.ndim:
            return {}
        if not moving.isdisjoint(variables(touch[1][:-1])):
            return {}
        found.setdefault(touch[1][:-1], []).append((s, touch))
    if len(found) < 2 or not any(map(_writes_beside, found.values())):
        return {}
    apart = all(never_meet(*pair, counters.keys(), counters) for pair in combinations(found, 2))
    return found if apart else {}


def _writes_beside(touching: list[tuple[Stmt, Touch]]) -> bool:
    """Whether a loop writes to a row, and reads or writes at places a known number of elements away."""
    written = any(isinstance(s, Store) for s, _ in touching)
    places = [length_of(index[-1]) for _, (_, index) in touching]
    if not written or places[0] is None:
        return False
    away = {None if place is None else (place - places[0]).known for place in places}
    return None not in away and len(away) > 1


def _row(array: Var, outer: Index) -> Var:
    assert isinstance(array.type, Array)
    kind = Array(array.type.dtype, array.type.shape[-1:], array.type.layout)
    number = outer[-1].value if isinstance(outer[-1], Const) else "row"
    return Var(f"{array.name}_{number}", kind, named=False, root=array.root, view_of=array)
