"""What a phi takes from a block is assigned there in one pass over the block, not two for each phi.

Numba looks for the last assignment to the variable that is taken, and then, comparing whole statements, for its place:
0.6 s for the gradient of a network of 250 reactions in a loop, whose every state is carried by a phi.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from copy import copy
from typing import Any

from numba.core import ir
from numba.core.typed_passes import PreLowerStripPhis

from adc.runtime.passes.known import is_known

KNOWN = frozenset({"249ca660a0c96768192d889fc81eee3db9db30bdb43a97a7f8f68669586dd387"})  # of 0.65 and 0.68

own = PreLowerStripPhis._strip_phi_nodes


def in_one_pass(self: Any, func_ir: Any) -> Any:
    """What stands for Numba's method."""
    if not is_known(own, KNOWN):
        return own(self, func_ir)
    taken: dict[int, list[tuple[Any, Any]]] = defaultdict(list)
    for block in func_ir.blocks.values():
        for statement in filter(_is_phi, block.body):
            phi = statement.value
            for label, value in zip(phi.incoming_blocks, phi.incoming_values, strict=True):
                taken[label].append((statement.target, value))
    blocks = {label: copy(block) for label, block in func_ir.blocks.items()}
    for label, block in blocks.items():
        body = [statement for statement in block.body if not _is_phi(statement)]
        block.body = list(_with(body, taken[label], func_ir.loc))
    func_ir.blocks = blocks
    return func_ir


def _is_phi(statement: Any) -> bool:
    return (
        isinstance(statement, ir.Assign)
        and isinstance(statement.value, ir.Expr)
        and statement.value.op == "phi"
    )


def _with(body: list[Any], taken: list[tuple[Any, Any]], loc: Any) -> Iterator[Any]:
    """A block with what is taken from it, each behind the last assignment to its variable, the first taken last."""
    last = {statement.target.name: statement for statement in body if isinstance(statement, ir.Assign)}
    first: list[Any] = []
    behind: dict[int, list[Any]] = defaultdict(list)
    for target, value in taken:
        value = ir.Expr.null(loc=loc) if value is ir.UNDEFINED else value
        assigned = ir.Assign(target=target, value=value, loc=value.loc)
        before = last.get(value.name) if isinstance(value, ir.Var) else None
        (first if before is None else behind[id(before)]).append(assigned)
        last[target.name] = assigned
    todo = [*reversed(body), *first]
    while todo:
        statement = todo.pop()
        yield statement
        todo += behind[id(statement)]


PreLowerStripPhis._strip_phi_nodes = in_one_pass
