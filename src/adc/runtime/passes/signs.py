"""Which integers of a function are never negative: the counters of most loops, and what is added to them.

for i in range(n):                 # i
    for j in range(i, -1, -1):     # j
        total += x[i + j] * x[2]   # i + j, 2
"""

from __future__ import annotations

import operator
from collections import defaultdict
from typing import Any

from numba.core import ir

__all__ = ["Signs"]

_KEPT_BY = (operator.add, operator.mul, operator.iadd, operator.imul)  # of operands that are never negative


class Signs:
    """What is known of the signs of the variables of a function, in Numba's form."""

    def __init__(self, blocks: dict[int, Any]) -> None:
        self.values: dict[str, list[Any]] = defaultdict(list)  # all that a variable is assigned
        for block in blocks.values():
            for assign in block.find_insts(ir.Assign):
                self.values[assign.target.name].append(assign.value)
        self.never_negative = set(self.values)
        before = -1
        while len(self.never_negative) != before:
            before = len(self.never_negative)
            self.never_negative = {
                name for name in self.never_negative if all(map(self._is, self.values[name]))
            }

    def items(self, index: Any) -> list[bool]:
        """For each integer of an index, a number or a tuple: whether it is known never to be negative."""
        made = self._origin(index)
        if isinstance(made, ir.Expr) and made.op == "build_tuple":
            return [item.name in self.never_negative for item in made.items]
        if isinstance(made, ir.Const) and isinstance(made.value, tuple):
            return [item >= 0 for item in made.value]
        return [index.name in self.never_negative]

    def _is(self, value: Any) -> bool:
        """Whether a value is never negative if the variables are not that are supposed not to be."""
        if isinstance(value, ir.Const):
            return isinstance(value.value, int) and value.value >= 0
        if isinstance(value, ir.Var):
            return value.name in self.never_negative
        if not isinstance(value, ir.Expr):
            return False
        if value.op in ("binop", "inplace_binop"):
            return (
                value.fn in _KEPT_BY
                and value.lhs.name in self.never_negative
                and value.rhs.name in self.never_negative
            )
        return value.op == "pair_first" and self._counts_from_zero_up(value.value)

    def _counts_from_zero_up(self, pair: Any) -> bool:
        """Whether what a loop takes next comes from a `range` without negative numbers."""
        part = self._origin(pair)
        for op in ("iternext", "getiter", "call"):
            if not (isinstance(part, ir.Expr) and part.op == op):
                return False
            made, part = part, self._origin(part.func if op == "call" else part.value)
        if not (isinstance(part, ir.Global) and part.value is range and not made.kws):
            return False
        bounds = made.args
        step = self._constant(bounds[2]) if len(bounds) == 3 else 1
        if step is None:
            return False
        if step > 0:
            return len(bounds) == 1 or bounds[0].name in self.never_negative
        last = self._constant(bounds[1])
        return bounds[1].name in self.never_negative or (last is not None and last >= -1)

    def _origin(self, var: Any) -> Any:
        """What a variable that is assigned once has, behind copies."""
        seen: Any = var
        while isinstance(seen, ir.Var):
            assigned = self.values[seen.name]
            if len(assigned) != 1:
                return None
            seen = assigned[0]
        return seen

    def _constant(self, var: Any) -> int | None:
        seen = self._origin(var)
        if isinstance(seen, ir.Expr) and seen.op == "unary" and seen.fn in (operator.neg, "-"):
            inner = self._constant(seen.value)
            return None if inner is None else -inner
        return seen.value if isinstance(seen, ir.Const) and isinstance(seen.value, int) else None
