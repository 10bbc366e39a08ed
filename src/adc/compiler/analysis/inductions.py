"""Integers that a `while` loop changes by the same number in each trip: `i += 1` at its end."""

from __future__ import annotations

from adc.compiler.ir.nodes import Assign, Carried, Const, Var, While


def steps(loop: While) -> dict[Carried, int]:
    """By how much each trip of a loop changes what it carries, of integers that it changes in all trips alike."""
    made = {s.target: s for s in loop.body if isinstance(s, Assign) and len(s.targets) == 1}
    found = {}
    for c in loop.carried:
        stmt = (
            made.get(c.out)
            if isinstance(c.out, Var) and not c.phi.is_array and c.phi.type.dtype == "int64"
            else None
        )
        step = None if stmt is None else _step(stmt, c.phi)
        if step is not None:
            found[c] = step
    return found


def _step(stmt: Assign, phi: Var) -> int | None:
    first, second = (*stmt.args, None, None)[:2]
    if stmt.name == "add" and second is phi:
        first, second = second, first
    if first is not phi or not isinstance(second, Const) or type(second.value) is not int:
        return None
    return {"add": second.value, "subtract": -second.value}.get(stmt.name)
