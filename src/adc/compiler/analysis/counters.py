"""What is known of the counters of a program's loops."""

from __future__ import annotations

from collections.abc import Mapping

from adc.compiler.ir.nodes import Block, Const, For, Var, walk
from adc.rules.dims import Dim


def least(block: Block) -> dict[Var, int]:
    """The counters of all loops that begin (or in reverse end) at a number, with the least value that each takes."""
    found: dict[Var, int] = {}
    for s in walk(block):
        if isinstance(s, For) and isinstance(s.step, Const):
            end = s.start if s.step.value > 0 else s.stop
            if isinstance(end, Const):
                found[s.index] = end.value if s.step.value > 0 else end.value + 1
    return found


def never_negative(value: Dim | None, counters: Mapping[Var, int]) -> bool:
    """Whether an integer is a sum of loop counters and lengths that cannot be less than zero."""
    if value is None:
        return False
    low = value.const
    for symbol, coefficient in value.terms:
        owner = symbol.payload[0] if symbol.kind == "value" else None
        smallest = 0 if symbol.nonnegative else counters.get(owner) if isinstance(owner, Var) else None
        if smallest is None or coefficient < 0:
            return False
        low += coefficient * smallest
    return low >= 0
