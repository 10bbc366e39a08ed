"""A partial derivative times an adjoint or a tangent, as a person writes the product.

What a choice does not take contributes nothing, whatever its adjoint is: `where(c, 1.0, 0.0) * bar` is
`where(c, bar, 0.0)`, and an infinite adjoint beside the kink of `sqrt(maximum(x, 0))` does not become NaN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from adc.compiler.frontend.builder import Builder
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Block, Const, Var

_ONE_OR_NOTHING = (Const(1.0), Const(0.0))


class Partial(NamedTuple):
    """A partial derivative; `divisor` where it is one over that, and only this partial divides by it."""

    value: Value
    divisor: Value = None


def of_operation(ev: Builder, values: Sequence[Value]) -> list[Partial]:
    """The partials of one operation. Those that divide by the same multiply by its reciprocal, which is found once.

    A division takes the time of four products or more. Nothing of a value is found so: it would round otherwise.
    """
    made = [_maker(ev.block, p) for p in values]
    divisors = [m.args[1] if m is not None and m.name == "divide" else None for m in made]
    count = Counter(d for d in divisors if isinstance(d, Var))
    reciprocals: dict[Var, Var] = {}
    found: list[Partial] = []
    for value, m, divisor in zip(values, made, divisors, strict=True):
        if m is None or divisor is None:
            found.append(Partial(value))
        elif count[divisor] < 2:
            found.append(Partial(value, divisor if m.args[0] == Const(1.0) else None))
        else:
            if divisor not in reciprocals:
                reciprocals[divisor] = ev.op("divide", 1.0, divisor)
                reciprocals[divisor].name = "reciprocal"
            one = reciprocals[divisor]
            found.append(Partial(one if m.args[0] == Const(1.0) else ev.op("multiply", m.args[0], one)))
    return found


def product(ev: Builder, factor: Value, partial: Partial, *, partial_first: bool = False) -> Value:
    """`factor * partial`; a division, or a choice, where the partial is a reciprocal or one."""
    if partial.divisor is not None:
        return ev.op("divide", factor, partial.divisor)
    made = _maker(ev.block, partial.value)
    if made is not None and made.name == "where":
        condition, taken, otherwise = made.args
        if (taken, otherwise) == _ONE_OR_NOTHING:
            return ev.op("where", condition, factor, 0.0)
        if (otherwise, taken) == _ONE_OR_NOTHING:
            return ev.op("where", condition, 0.0, factor)
    if partial_first:
        return ev.op("multiply", partial.value, factor)
    return ev.op("multiply", factor, partial.value)


def _maker(block: Block, partial: Value) -> Assign | None:
    """The statement that a partial comes from."""
    for stmt in reversed(block):
        if isinstance(stmt, Assign) and stmt.targets[0] is partial:
            return stmt
    return None
