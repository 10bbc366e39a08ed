"""Arrays that a program makes of numbers known before it runs: `np.ones(5)`, `0.5 * np.eye(3)`, `np.array([1.0, 2.0])`.

To the program they are arrays as all others. What is carried out while it is compiled, as random numbers are drawn,
asks here what they hold.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend.infer import called
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Block, Const, Var
from adc.rules.operation import Operation

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_UNKNOWN = object()


def known(ev: Core, value: Value) -> Value:
    """A value with NumPy's arrays in the place of those of the program; as it is where only the run knows them."""
    return _Made(ev).instead(value)


def known_here(ev: Core, value: Value) -> Value:
    """The same, of what is made in the block that is evaluated: nothing but what stands there comes in between."""
    return _Made(ev, []).instead(value)


class _Made:
    """What the statements in front of a place give."""

    def __init__(self, ev: Core, around: list[Block] | None = None) -> None:
        self.mutated = ev.mutated
        outer = [each.outer for each in ev.draws.around] if around is None else around
        self.around: list[Block] = [*outer, ev.block]

    @cached_property
    def by(self) -> dict[Var, Assign]:
        """The statement that makes each variable."""
        return {v: s for block in self.around for s in block if isinstance(s, Assign) for v in s.targets}

    def instead(self, value: Value) -> Value:
        """A value, or what it holds in its place."""
        if type(value) in (list, tuple):
            return type(value)(map(self.instead, value))
        held = self.holds(value) if isinstance(value, Var) else value
        return value if held is _UNKNOWN else held

    def holds(self, operand: Any) -> Any:
        """What an operand holds. Not known of what was written to, and of what no operation makes of constants."""
        if isinstance(operand, Const):
            return operand.value
        if isinstance(operand, tuple):
            parts = tuple(map(self.holds, operand))
            return _UNKNOWN if any(part is _UNKNOWN for part in parts) else parts
        made = self.by.get(operand)
        if made is None or operand.root in self.mutated or not isinstance(made.op, Operation):
            return _UNKNOWN
        args = self.holds(made.args)
        return _UNKNOWN if args is _UNKNOWN or len(made.targets) != 1 else called(made.op, args)
