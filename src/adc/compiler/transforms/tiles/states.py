"""Whether a loop goes on with what its trips leave in memory, or only gathers up rows there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

from adc.compiler.analysis.effects import Memory
from adc.compiler.ir.nodes import Assign, For, Stmt, Store, Var, defined, uses, variables, walk

GATHERED_BY = {"add", "subtract", "multiply", "maximum", "minimum"}


def goes_on(loop: For, memories: Iterable[Var], memory: Memory) -> bool:
    """Whether trips of a loop make a state out of the one before, in one of some memories.

    A sum, a product or the largest of rows, each of which is read once, is no such state: in tiles the rows would be
    read in pieces.
    """
    inside = walk(loop.body)
    kept_apart = {s for s in inside if loop.index in variables(_index(s))}  # each trip has a part of its own
    read = {memory.of(s.args[0]) for s in inside if _is_load(s) and s not in kept_apart}  # type: ignore[union-attr]
    stores = [s for s in inside if isinstance(s, Store) and not s.accumulate and s not in kept_apart]
    states = {memory.of(s.array) for s in stores} & read & set(memories)
    definition = {v: s for s in inside for v in defined(s)}
    times = Counter(v for s in inside for v in uses(s))

    @cache
    def is_of_states(v: Var) -> bool:
        made = definition.get(v)
        if made is None:
            return False
        if not isinstance(made, Assign) or (_is_load(made) and memory.of(made.args[0]) in states):
            return True
        return any(is_of_states(u) for u in variables(made.args) if not u.is_array)

    def gathers(store: Store) -> bool:
        made = definition.get(store.value) if isinstance(store.value, Var) else None
        if not isinstance(made, Assign) or made.name not in GATHERED_BY:
            return False
        before, *others = sorted(variables(made.args), key=lambda v: not is_of_states(v))
        load = definition.get(before)
        if not _is_load(load) or memory.of(load.args[0]) is not memory.of(store.array):  # type: ignore[union-attr]
            return False
        return times[before] == 1 and not any(is_of_states(v) for v in others)

    return any(memory.of(s.array) in states and not gathers(s) for s in stores)


def _is_load(s: Stmt | None) -> bool:
    return isinstance(s, Assign) and s.name == "getitem"


def _index(s: Stmt) -> tuple[object, ...]:
    if isinstance(s, Store):
        return s.index
    return s.args[1] if isinstance(s, Assign) and s.name == "getitem" else ()
