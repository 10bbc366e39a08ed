"""Carried values that a loop only adds to: their trips may run in any order, but for rounding."""

from __future__ import annotations

from adc.compiler.ir.nodes import Assign, Block, Carried, For, If, Var, While, uses, walk

ADDITIONS = ("add", "add_reassociable")


def is_sum(carried: Carried, loop: For | While) -> bool:
    """Whether all that a loop does with a carried value is to add to it.

    Nothing else may read it, nor a partial sum of it: what a trip reads of a running total depends on the trips before.
    """
    if carried.phi.is_array:
        return False
    sums = {carried.phi}
    return (
        _only_adds(loop.body, sums)
        and carried.out in sums
        and not any(other.out in sums for other in loop.carried if other is not carried)
    )


def _only_adds(block: Block, sums: set[Var]) -> bool:
    """Follow partial sums through a block; False when one is used for anything but to go on adding."""
    for stmt in block:
        if isinstance(stmt, If):
            if stmt.test in sums or not (_only_adds(stmt.then, sums) and _only_adds(stmt.orelse, sums)):
                return False
            for m in stmt.merges:
                if (m.then in sums) != (m.orelse in sums):
                    return False
                if m.then in sums:
                    sums.add(m.result)
        elif isinstance(stmt, For) and any(c.init in sums for c in stmt.carried):
            inner = [c for c in stmt.carried if c.init in sums]
            sums.update(c.phi for c in inner)
            if not _only_adds(stmt.body, sums):
                return False
            if any((c.out in sums) != (c in inner) for c in stmt.carried):
                return False
            sums.update(c.result for c in inner)
        elif isinstance(stmt, (For, While)):
            if any(v in sums for inside in walk([stmt]) for v in uses(inside)):
                return False
        elif isinstance(stmt, Assign) and any(v in sums for v in uses(stmt)):
            operands = [v for v in uses(stmt) if v in sums]
            adds = stmt.name in ADDITIONS or (stmt.name == "subtract" and stmt.args[0] in sums)
            if not adds or len(operands) != 1:
                return False
            sums.update(stmt.targets)
        elif any(v in sums for v in uses(stmt)):
            return False
    return True
