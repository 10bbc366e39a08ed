"""Whether a loop goes on with what its trips leave in memory, or only gathers up rows there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.touches import part
from adc.compiler.ir.nodes import Assign, For, Stmt, Store, Var, defined, uses, variables, walk

GATHERED_BY = {"add", "subtract", "multiply", "maximum", "minimum"}


def goes_on(loop: For, memories: Iterable[Var], memory: Memory) -> bool:
    """Whether trips of a loop make a state out of the one before, in one of some memories.

    A sum, a product or the largest of rows, each of which is read once, is no such state: in tiles the rows would be
    read in pieces.
    """
    inside = walk(loop.body)
    # Each trip has a part of its own there.
    kept_apart = {s for s in inside if (touch := part(s)) is not None and loop.index in variables(touch[1])}
    stores = [s for s in inside if isinstance(s, Store) and not s.accumulate and s not in kept_apart]
    found: dict[Var, bool] = {}  # by memory: whether a trip first reads it
    for s in inside:
        if s not in kept_apart and (touch := part(s)) is not None:
            found.setdefault(memory.of(touch[0]), _is_load(s))
    states = {memory.of(s.array) for s in stores if found[memory.of(s.array)]} & set(memories)
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
