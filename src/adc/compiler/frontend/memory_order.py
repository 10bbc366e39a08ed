"""How NumPy would have laid out what a rule gives: compiled code lays it out row by row.

It is asked about in the program of the user only, for one reason: a reshape of an array in another order is a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def noted(self: Core, order: str, given: tuple[Value, ...], results: Value) -> None:
    """Weaken the layout of new arrays that NumPy may not have laid out row by row: see `Operation.order`."""
    operands = dict(_arrays(given))
    if order == "C" or (order == "K" and all(t.layout == "C" for t in operands.values())):
        return
    known = {v.root for v in operands}
    for v, t in _arrays(results):
        if t.ndim > 1 and t.layout == "C" and v.root not in known:
            v.type = replace(t, layout="A")
            self.order_of_numpy[v] = t


def _arrays(value: Value) -> Iterator[tuple[Var, Array]]:
    if isinstance(value, Var) and isinstance(value.type, Array):
        yield value, value.type
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _arrays(part)
