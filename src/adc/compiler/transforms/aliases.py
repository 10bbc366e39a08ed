"""Make sure that every write reaches exactly the arrays that the reverse sweep believes it reaches, or refuse.

An array that a branch or a loop gave another name, and that is written under it, gets memory of its own there: nobody
sees the difference, as the write is refused with the user's line where an older name is mentioned afterwards.

    if c:                          if c:
        y = tanh(x)                    y_2 = tanh(x)
    y[0] = 1                       y = copy(y_2)     # y_2 is x, or the tanh
                                   y[0] = 1
"""

from __future__ import annotations

from adc.compiler.analysis import sharing
from adc.compiler.analysis.roots import behind, written_roots
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    If,
    Merge,
    Operand,
    Program,
    Store,
    Var,
    While,
    change_blocks,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import reshaped
from adc.errors import Location, UnsupportedError
from adc.rules import registry


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with writes to joined arrays made safe. Raises UnsupportedError where an alias is in doubt."""
    reshaped.run(program, evaluator)
    written = written_roots(walk(program.body), evaluator.joined_roots)
    for store, name, other in sharing.of(program, evaluator.joined_roots).conflicts():
        error = _refused(store.origin, name.name, other.name)
        error.branches = _branches(program, behind([name.root, other.root], evaluator.joined_roots))
        raise error
    stored = {s.array.root for s in walk(program.body) if isinstance(s, Store)}
    program.body = _with_own_memory(program.body, written, stored, evaluator)
    return program


def _branches(program: Program, names: set[Var]) -> frozenset[Location | None]:
    """Where the branches begin that give one of these names."""
    branches = (s for s in walk(program.body) if isinstance(s, If))
    return frozenset(s.origin for s in branches if any(m.result in names for m in s.merges))


def _refused(where: Location | None, one: str, other: str) -> UnsupportedError:
    if not one:  # the item of a list at a position of the run
        what, repair = (
            "an array that the run chooses",
            "Write `a = a + b` for `a += b`, or copy it before the write.",
        )
    else:
        what, repair = (
            f"`{one}`",
            f"Write `{one} = {one}.copy()` before the write, or use names for different arrays.",
        )
    beside = f"`{other}`" if other != one else f"an older `{one}`, which something else still holds"
    return UnsupportedError(
        f"this writes to {what}, which may be the same array as {beside}",
        where,
        "which of them changes depends on the path taken, and the reverse sweep must know it.",
        repair,
    )


def _with_own_memory(block: Block, written: set[Var], stored: set[Var], evaluator: Evaluator) -> Block:
    """Loops that write into what they carry start from copies; what a branch chose is copied before it is written."""
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _with_own_memory(inner, written, stored, evaluator))
        if isinstance(stmt, (For, While)):
            if any(c.phi in written for c in stmt.carried):
                stmt.carried = [_from_a_copy(c, stmt.origin, result, evaluator) for c in stmt.carried]
            result.append(stmt)
        elif isinstance(stmt, If):
            result.append(stmt)
            stmt.merges = [
                _copied_after(m, stmt.origin, result, evaluator) if m.result in stored else m
                for m in stmt.merges
            ]
        else:
            result.append(stmt)
    return result


def _from_a_copy(c: Carried, origin: Location | None, block: Block, evaluator: Evaluator) -> Carried:
    if not isinstance(c.init, Var) or not isinstance(c.phi.type, Array):
        return c
    with evaluator.at(block), evaluator.origin_at(origin):
        copy = evaluator.op("copy", c.init)
    copy.name, copy.named = c.phi.name, True
    evaluator.joined_roots[c.phi] = {copy, *evaluator.joined_roots.get(c.phi, ())}
    return Carried(c.phi, copy, c.out, c.result)


def _copied_after(m: Merge, origin: Location | None, block: Block, evaluator: Evaluator) -> Merge:
    """The merge under another name, and a copy of it under its own."""
    chosen = Var(m.result.name, m.result.type, named=m.result.named)
    evaluator.joined_roots[chosen] = evaluator.joined_roots.pop(m.result)
    evaluator.shape_source[m.result] = chosen
    operation = registry.named("copy")
    _first, *rest = operation.parameters
    args: tuple[Operand, ...] = (chosen, *(Const(p.default) for p in rest))
    block.append(Assign((m.result,), operation, args, origin))
    return Merge(chosen, m.then, m.orelse)
