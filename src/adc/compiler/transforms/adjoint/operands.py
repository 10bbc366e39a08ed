"""What the reverse of a statement asks of its operands."""

from __future__ import annotations

from collections.abc import Iterable

from adc.compiler.analysis.activity import differentiable_operands
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Const, For, If, Index, Operand, Stmt, Store, Var, While, variables


def differentiably_used(stmt: Stmt) -> Iterable[Var]:
    """The variables whose adjoint the reverse of a statement adds to."""
    if isinstance(stmt, Assign):
        yield from (v for x in differentiable_operands(stmt) for v in variables(x))
    elif isinstance(stmt, Store):
        yield from variables(stmt.value)
    elif isinstance(stmt, (For, While, If)):
        yield from own_outs(stmt)
        if isinstance(stmt, (For, While)):
            yield from (c.init for c in stmt.carried if isinstance(c.init, Var))


def own_outs(stmt: Stmt) -> Iterable[Var]:
    """What a region carries round or merges, out of its own blocks."""
    if isinstance(stmt, (For, While)):
        yield from (c.out for c in stmt.carried if isinstance(c.out, Var))
    elif isinstance(stmt, If):
        yield from (v for m in stmt.merges for v in (m.then, m.orelse) if isinstance(v, Var))


def value_of(operand: Operand) -> Value:
    """An operand as the evaluator takes it: constants by their value."""
    if isinstance(operand, Const):
        return operand.value
    if isinstance(operand, tuple):
        return tuple(value_of(item) for item in operand)
    return operand


def added_axes(stmt: Stmt | None) -> tuple[int, ...]:
    """Where new axes stand in an array to which a statement does nothing else: `x[:, np.newaxis]`."""
    if not isinstance(stmt, Assign) or stmt.name != "getitem":
        return ()
    index: Index = stmt.args[1]
    new = tuple(k for k, entry in enumerate(index) if isinstance(entry, Const) and entry.value is None)
    return new if all(entry == FULL for k, entry in enumerate(index) if k not in new) else ()
