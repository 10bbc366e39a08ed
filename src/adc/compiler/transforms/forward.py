"""Read what was just written from the value, not from memory; assign where a fresh zero would be added to.

Within one block: a load of an element that a store of the same block wrote takes the stored value, and a store that
is overwritten, or accumulated upon, before anything reads it is merged into the later one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adc.compiler.analysis import counters
from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Program,
    Store,
    Var,
    While,
    change_blocks,
)
from adc.compiler.ir.types import Scalar
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules import registry


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with loads and stores of one element merged."""
    forwarder = _Forwarder(program, evaluator)
    program.body = forwarder.block(program.body)
    program.body = substitute(program.body, forwarder.table)
    program.results = [operand(r, forwarder.table) for r in program.results]
    return program


class _Forwarder:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.memory = Memory(evaluator.joined_roots)
        self.ranges = counters.ranges(program.body)
        self.table: dict[Var, Atom] = {}

    def block(self, block: Block) -> Block:
        out: Block = []
        # By the memory that they lie in, so that a write asks of that only:
        # Value -> the (array, index) it was read from and that still holds it.
        loaded: dict[Var, dict[Var, Any]] = {}
        # (array, index) -> the store whose value the element still has.
        known: dict[Var, dict[Any, Store]] = {}
        before: dict[Store, Var | None] = {}  # what the element held, where that is known
        for stmt in block:
            if isinstance(stmt, (For, While, If)):
                change_blocks(stmt, self.block)
                if known or loaded:
                    effects = self.memory.effects(stmt)
                    _forget(known, effects.accesses)
                    _forget(loaded, effects.writes)
            elif isinstance(stmt, Assign) and stmt.name == "getitem" and not stmt.target.is_array:
                array, index = stmt.args
                key, root = self._key(array, index), self.memory.of(array)
                store = known.get(root, {}).get(key)
                if store is not None and not store.accumulate:
                    self.table[stmt.target] = store.value
                    continue
                self._touch(array, index, known.get(root, {}))
                loaded.setdefault(root, {})[stmt.target] = key
            elif isinstance(stmt, Store):
                key, root = self._key(stmt.array, stmt.index), self.memory.of(stmt.array)
                there = loaded.get(root, {})
                if not stmt.accumulate and isinstance(stmt.value, Var) and there.get(stmt.value) == key:
                    continue  # it stands there already
                held = next((v for v, k in there.items() if k == key), None)
                loaded.pop(root, None)
                stores = known.setdefault(root, {})
                earlier = stores.get(key)
                if earlier is not None and _of_one_kind(earlier, stmt) and earlier in out:
                    out.remove(earlier)
                    held = before.get(earlier)
                    if stmt.accumulate and _clears(earlier, stmt.value):
                        if stmt.value is held:  # it stood there before it was cleared
                            del stores[key]
                            loaded[root] = {held: key}
                            continue
                        stmt = Store(stmt.array, stmt.index, stmt.value, False, stmt.origin, stmt.role)
                    elif stmt.accumulate:
                        total = Var(_total_name(stmt), Scalar(stmt.array.type.dtype), named=stmt.array.named)
                        out.append(
                            Assign((total,), registry.named("add"), (earlier.value, stmt.value), stmt.origin)
                        )
                        stmt = Store(
                            stmt.array, stmt.index, total, earlier.accumulate, stmt.origin, stmt.role
                        )
                self._touch(stmt.array, stmt.index, stores)
                stores[key] = stmt
                before[stmt] = held
            elif isinstance(stmt, Assign) and known:
                _forget(known, self.memory.effects(stmt).accesses)
            out.append(stmt)
        return out

    def _key(self, array: Var, index: tuple[Any, ...]) -> Any:
        return array, operand(index, self.table)

    def _touch(self, array: Var, index: tuple[Any, ...], stores: dict[Any, Store]) -> None:
        """An element is touched: stores to what may be the same element must stay as they are."""
        for key in [
            k for k, s in stores.items() if not (s.array is array and self._apart(array, s.index, index))
        ]:
            del stores[key]

    def _apart(self, array: Var, a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
        """Whether two indices of one array are never the same element: they differ by a constant along some axis."""
        for x, y, length in zip(a, b, array.type.shape, strict=True):
            p, q = length_of(x), length_of(y)
            distance = None if p is None or q is None else (p - q).known
            if not distance:
                continue
            # Within bounds, two positions mean one element only if one counts from the end, the other from the front.
            if length.known not in (None, abs(distance)):
                return True
            if all(counters.never_negative(d, self.ranges) for d in (p, q)):
                return True
        return False


def _forget(groups: dict[Var, Any], roots: Iterable[Var]) -> None:
    for root in roots:
        groups.pop(root, None)


def _of_one_kind(earlier: Store, later: Store) -> bool:
    return earlier.role == later.role or "clear" in (earlier.role, later.role)


def _clears(store: Store, added: Atom) -> bool:
    """Whether adding to what was stored is the same as storing it."""
    return (
        store.value == Const(0.0)
        and not store.accumulate
        and isinstance(added, Var)
        and added.type is not None
        and added.type.dtype == store.array.type.dtype
    )


def _total_name(stmt: Store) -> str:
    return f"{stmt.array.name}_element"
