"""Integers that a `while` loop changes by the same number in each trip behind which there is another: `i += 1`.

A trip that ends the loop, by `break` or `return`, need not: it clears a flag that the loop asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adc.compiler.ir.nodes import Assign, Atom, Block, Carried, Const, If, Merge, Var, While

ENDS = Const("the trip ends the loop")
Made = dict[Var, "Assign | tuple[If, Merge]"]


def steps(loop: While) -> dict[Carried, int]:
    """By how much, not 0, each trip of a loop changes what it carries, of integers that all trips change alike."""
    made = _made(loop.body, {})
    asked = _asked(loop)
    flags = [c.out for c in loop.carried if c.phi in asked] or [Const(True)]
    found = {}
    for c in loop.carried:
        if not c.phi.is_array and c.phi.type.dtype == "int64":
            step = next((s for f in flags if (s := _Path(c.phi, made).step(c.out, f)) is not None), None)
            if isinstance(step, int) and step != 0:
                found[c] = step
    return found


def _made(block: Block, found: Made) -> Made:
    """What makes the values of a block and of its branches."""
    for s in block:
        if isinstance(s, Assign):
            found.update(dict.fromkeys(s.targets, s))
        elif isinstance(s, If):
            found.update({m.result: (s, m) for m in s.merges})
            _made(s.then, found)
            _made(s.orelse, found)
    return found


def _asked(loop: While) -> set[Atom]:
    """What has to be true for a loop to go on."""
    made = {s.target: s for s in loop.test_block if isinstance(s, Assign) and len(s.targets) == 1}
    found: set[Atom] = set()
    left = [loop.test]
    while left:
        value = left.pop()
        found.add(value)
        stmt = made.get(value) if isinstance(value, Var) else None
        if stmt is not None and stmt.name == "logical_and":
            left.extend(stmt.args)
    return found


@dataclass
class _Path:
    """The way from what a loop carries to what the next trip gets."""

    phi: Var
    made: Made = field(repr=False)

    def step(self, value: Atom, flag: Atom) -> int | Const | None:
        """How far a value is from what the trip got; ENDS where the flag is cleared; None where nobody knows."""
        if flag == Const(False):
            return ENDS
        if value is self.phi:
            return 0
        made = self.made.get(value) if isinstance(value, Var) else None
        if isinstance(made, Assign):
            return self._behind(made, flag)
        if made is None:
            return None
        branch, merge = made
        asked = self.made.get(flag) if isinstance(flag, Var) else None
        both = (
            asked[1] if isinstance(asked, tuple) and asked[0] is branch else Merge(merge.result, flag, flag)
        )
        sides = {self.step(merge.then, both.then), self.step(merge.orelse, both.orelse)}
        sides = sides - {ENDS} or sides
        return sides.pop() if len(sides) == 1 else None

    def _behind(self, stmt: Assign, flag: Atom) -> int | Const | None:
        if stmt.name not in ("add", "subtract"):
            return None
        first, second = stmt.args
        if stmt.name == "add" and isinstance(first, Const):
            first, second = second, first
        if not isinstance(second, Const) or type(second.value) is not int:
            return None
        before = self.step(first, flag)
        more = second.value if stmt.name == "add" else -second.value
        return before + more if isinstance(before, int) else before
