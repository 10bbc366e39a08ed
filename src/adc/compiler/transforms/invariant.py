"""An array that every trip of a loop would compute alike is computed once, in front of the loop.

    for t in range(n):                          exp_A = np.exp(A)
        exp_A = np.exp(A)                       for t in range(n):
        y = y @ exp_A                               y = y @ exp_A

Only what costs more than reading it again moves: exponentials and the like, sums, products of matrices, what a product
reads whole, and tables that are written out, of which a trip reads an item. Nothing that moves can raise: a loop may
have no trip, and a check in its body may come first.
"""

from __future__ import annotations

from itertools import zip_longest

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.layout import reads
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    Program,
    Store,
    Var,
    While,
    bound_inside,
    change_blocks,
    defined,
    is_view,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import cse
from adc.compiler.transforms.hoist import escaping_roots
from adc.rules.operation import Operation

DEAR = 4  # an exponential, a sine; a division and less is computed where it is read
TABLE = 8  # numbers: of a shorter one the items are chosen by branches, or known
CALL = 100  # a matrix product: it reads its operands whole, from memory
WHOLE = {"sum", "matmul", "dot"}  # read their operands whole, cost more than reading the result, never raise


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the arrays that no trip changes made in front of their loops."""
    mover = _Mover(program, evaluator)
    program.body = mover.block(program.body)
    # Forward and reverse sweep often have the same loop around the same array.
    return cse.run(program, evaluator) if mover.moved else program


class _Mover:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.memory = Memory(evaluator.joined_roots)
        self.written = {s.array.root for s in walk(program.body) if isinstance(s, Store)}
        self.escaping = escaping_roots(program, evaluator)
        self.moved = False

    def block(self, block: Block) -> Block:
        result: Block = []
        for stmt in block:
            change_blocks(stmt, self.block)
            if isinstance(stmt, (For, While)):
                moving = _wanted(self._invariant(stmt), stmt)
                if moving:
                    self.moved = True
                    stmt.body = [s for s in stmt.body if s not in moving]
                    result.extend(moving)
            result.append(stmt)
        return result

    def _invariant(self, loop: For | While) -> list[Assign]:
        """What every trip computes alike, in the order of the body."""
        statements = walk([loop])
        inside = {v for s in statements for v in (*defined(s), *bound_inside(s))}
        changed = {self.memory.of(s.array) for s in statements if isinstance(s, Store)}
        found: list[Assign] = []
        for s in loop.body:
            if (
                isinstance(s, Assign)
                and self._may_move(s)
                and inside.isdisjoint(variables(s.args))
                and changed.isdisjoint(self.memory.of(root) for root in reads(s))
            ):
                found.append(s)
                inside.discard(s.target)
        return found

    def _may_move(self, s: Assign) -> bool:
        if len(s.targets) != 1 or not s.target.is_array or not isinstance(s.op, Operation):
            return False
        if s.target.root in self.written or s.target.root in self.escaping:
            return False
        if is_view(s):
            return s.name == "transpose"
        if is_elementwise(s.op):
            return s.target.type.dtype.startswith("float") and _fits(s)
        return _is_table(s) or (s.name in WHOLE and _fits(s))


def _wanted(invariant: list[Assign], loop: For | While) -> list[Assign]:
    """Of these, what is dear or read by a call, with all that it is computed from."""
    called = {
        v.root
        for s in walk(loop.body)
        if isinstance(s, Assign) and isinstance(s.op, Operation) and s.op.cost >= CALL
        for v in variables(s.args)
    }
    wanted: set[Var] = set()
    for s in reversed(invariant):
        assert isinstance(s.op, Operation)
        dear = (
            s.name in WHOLE or _is_table(s) or (s.op.cost >= DEAR and not _is_square(s)) or s.target in called
        )
        if s.target in wanted or (dear and not is_view(s)):
            wanted.add(s.target)
            wanted.update(variables(s.args))
    return [s for s in invariant if s.target in wanted]


def _is_table(s: Assign) -> bool:
    """Whether a statement writes out an array of many numbers."""
    items = s.args[0] if s.name == "stack" else ()
    return len(items) > TABLE and not any(isinstance(x, Var) and x.is_array for x in items)


def _is_square(s: Assign) -> bool:
    """Whether a power is one multiplication."""
    return s.name == "power" and isinstance(s.args[1], Const) and s.args[1].value == 2


def _fits(s: Assign) -> bool:
    """Whether the operands have the right shapes whatever the lengths are."""
    arrays = [v.type for v in variables(s.args) if isinstance(v.type, Array)]
    if s.name in ("matmul", "dot"):
        return len(arrays) == 2 and arrays[0].shape[-1] == arrays[1].shape[max(arrays[1].ndim - 2, 0)]
    if s.name == "sum":
        return True
    assert isinstance(s.target.type, Array)
    whole = s.target.type.shape[::-1]
    return all(
        d is None or d.known == 1 or d == n for t in arrays for d, n in zip_longest(t.shape[::-1], whole)
    )
