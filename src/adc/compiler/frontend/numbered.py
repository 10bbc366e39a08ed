"""A dict with whole numbers as keys, of which one that only the run knows is asked for: by its place among the keys.

    NEIGHBOURS = {10: [1, 2], 5: [0]}      place = np.searchsorted([5, 10], node)
    NEIGHBOURS[node]                       ([0], [1, 2])[place]

Where there is no such key, the program raises KeyError.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import positions
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var, newest
from adc.compiler.ir.types import Scalar, is_integer

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["item", "may_hold"]


def may_hold(held: Mapping[Any, Any], key: Value) -> bool:
    """Whether a key is a whole number that only the run knows, and all keys are whole numbers."""
    whole = isinstance(key, Var) and isinstance(key.type, Scalar) and is_integer(key.type)
    return whole and bool(held) and key.type.dtype != "bool" and all(type(k) is int for k in held)


def item(ev: Core, held: Mapping[int, Value], key: Var, name: str) -> Value:
    """What stands under the key; None where the items are too different to be chosen or read from a table."""
    keys = sorted(held)
    items = tuple([held[k] for k in keys])
    chosen = positions.may_choose(ev, items, key)
    if not chosen and not positions.uniform(ev, items):
        return None
    place = _place(ev, keys, key, name)
    return positions.item_at(ev, items, place) if chosen else positions.in_table(ev, items, place)


def _place(ev: Core, keys: list[int], key: Var, name: str) -> Value:
    first, n = keys[0], len(keys)
    what = f"`{name}` has no such key"
    if keys == list(range(first, first + n)):
        good = ev.op("logical_and", ev.op("greater_equal", key, first), ev.op("less", key, first + n))
        _require(ev, good, what)
        return ev.op("subtract", key, first) if first else key
    table = ev.array_of(keys)
    place = ev.op("minimum", ev.call(np.searchsorted, [table, key], {}), n - 1)
    _require(ev, ev.op("equal", ev.subscript(table, place), key), what)
    return place


def _require(ev: Core, good: Value, what: str) -> None:
    check = Check(ev.atom(good), "KeyError", (Const(what),), ev.origin, user=True)
    ev.raised_by_user[check] = KeyError(what), newest()
    ev.block.append(check)
