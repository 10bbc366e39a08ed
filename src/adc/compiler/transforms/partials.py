"""A partial derivative times an adjoint or a tangent, as a person writes the product.

What a choice does not take contributes nothing, whatever its adjoint is: `where(c, 1.0, 0.0) * bar` is
`where(c, bar, 0.0)`, and an infinite adjoint beside the kink of `sqrt(maximum(x, 0))` does not become NaN. A factor
that is a truth value, `sqrt(x) * (x > 0)`, chooses in the same way.
"""

from __future__ import annotations

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Block, Const, Var
from adc.compiler.ir.types import Array
from adc.rules.operation import Operation

_ONE_OR_NOTHING = (Const(1.0), Const(0.0))


def product(ev: Evaluator, factor: Value, partial: Value, *, partial_first: bool = False) -> Value:
    """`factor * partial`; a division, or a choice, where the partial is a reciprocal or one."""
    if (spread := the_same_throughout(ev, factor)) is not None and not isinstance(ev.type_of(partial), Array):
        number = product(ev, spread, partial, partial_first=partial_first)
        return ev.op("broadcast_to", number, ev.shape_values(factor.type.shape))
    before = len(ev.block)
    made = _maker(ev.block, partial)
    if made is not None and made.name == "divide" and made.args[0] == Const(1.0):
        return _derived(ev.op("divide", factor, made.args[1]), ev.block[before:])
    if made is not None and made.name == "where":
        condition, taken, otherwise = made.args
        if (taken, otherwise) == _ONE_OR_NOTHING:
            return ev.op("where", condition, factor, 0.0)
        if (otherwise, taken) == _ONE_OR_NOTHING:
            return ev.op("where", condition, 0.0, factor)
    if isinstance(partial, Var) and partial.type.dtype == "bool":
        return ev.op("where", partial, factor, 0.0)
    found = ev.op("multiply", partial, factor) if partial_first else ev.op("multiply", factor, partial)
    return _derived(found, ev.block[before:])


def the_same_throughout(ev: Evaluator, x: Value) -> Value:
    """The number that all elements of an array are, as those of the adjoint of what is summed; None of another."""
    number = before_spreading(ev, x)
    kind = ev.type_of(number)
    return number if number is not x and kind is not None and not isinstance(kind, Array) else None


def before_spreading(ev: Evaluator, x: Value) -> Value:
    """What an array was broadcast from; another value itself."""
    while isinstance(x, Var) and x in ev.broadcast_of:
        x = ev.broadcast_of[x]
    return x


def _derived(value: Value, new: Block) -> Value:
    """A part of a derivative, marked as one where new statements make it: 1 * y is the primal's y."""
    for stmt in new:
        if isinstance(stmt, Assign) and stmt.targets[0] is value:
            stmt.target.derived = True
    return value


def of_rule(ev: Evaluator, operation: Operation, args: list[Value]) -> tuple[Value, ...]:
    """The partials that the rule of an elementwise operation gives for a value and its operands."""
    assert operation.partials is not None
    before = len(ev.block)
    found = ev.inline_rule(operation.partials, args)
    for stmt in ev.block[before:]:
        if isinstance(stmt, Assign) and stmt.name in ("divide", "multiply", "negative"):
            stmt.target.derived = True
    return (found,) if len(operation.wrt) == 1 else found


def _maker(block: Block, partial: Value) -> Assign | None:
    """The statement that a partial comes from."""
    for stmt in reversed(block):
        if isinstance(stmt, Assign) and stmt.targets[0] is partial:
            return stmt
    return None
