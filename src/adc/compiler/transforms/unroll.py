"""Write out the trips of short inner loops: over the three coordinates of a point, the two of a plane.

    for j in range(n):                          for j in range(n):
        for k in range(2):                          d = x[i, 0] - x[j, 0]
            d = x[i, k] - x[j, k]          ->       d_2 = x[i, 1] - x[j, 1]
            s = s + d * d                           s_3 = s + d * d + d_2 * d_2

What is left of the loop around it is one straight piece of code, which merges with others and vectorises.
"""

from __future__ import annotations

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Block, Const, For, If, Program, Store, Var, While
from adc.compiler.transforms import clone
from adc.compiler.transforms.rewrite import operand, substitute

MOST_TRIPS = 4
MOST_STATEMENTS = 60  # that a loop may become
MOST_STORES = 12  # of which writes: a rotation is written out, of a matrix of four rows each row


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without short loops inside long ones."""
    unroller = _Unroller(evaluator)
    program.body = unroller.block(program.body, inside=False)
    program.body = substitute(program.body, unroller.table)
    program.results = [operand(r, unroller.table) for r in program.results]
    return program


class _Unroller:
    def __init__(self, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.table: dict[Var, Atom] = {}  # what a loop left behind -> what its last trip did

    def block(self, block: Block, inside: bool) -> Block:
        out: Block = []
        for stmt in block:
            if isinstance(stmt, (For, While)):
                stmt.body = self.block(stmt.body, inside or _is_long(stmt))
            elif isinstance(stmt, If):
                stmt.then, stmt.orelse = self.block(stmt.then, inside), self.block(stmt.orelse, inside)
            if self.table and isinstance(stmt, For):
                stmt = substitute([stmt], self.table)[0]  # a copy of its body is to have all in its own names
            trips = _trips(stmt) if inside and isinstance(stmt, For) else None
            if trips is not None and isinstance(stmt, For):
                out += self._written_out(stmt, trips)
            else:
                out.append(stmt)
        return out

    def _written_out(self, loop: For, trips: range) -> Block:
        out: Block = []
        carried: list[Atom] = [c.init for c in loop.carried]
        for k in trips:
            bound, body, outs = clone.run(
                [loop.index, *(c.phi for c in loop.carried)],
                loop.body,
                [c.out for c in loop.carried],
                self.ev,
                inside=True,
            )
            given = dict(zip(bound, [Const(k), *carried], strict=True))
            out += substitute(body, given)
            carried = [operand(x, given) for x in outs]
        self.table.update(zip((c.result for c in loop.carried), carried, strict=True))
        return out


def _is_long(loop: For | While) -> bool:
    """Whether a loop may have many trips."""
    bounds = (
        [b.value for b in (loop.start, loop.stop) if isinstance(b, Const)] if isinstance(loop, For) else []
    )
    return len(bounds) < 2 or abs(bounds[1] - bounds[0]) > MOST_TRIPS


def _trips(loop: For) -> range | None:
    """The values of the counter of a loop that is short, and plain."""
    bounds = [b.value for b in (loop.start, loop.stop, loop.step) if isinstance(b, Const)]
    if len(bounds) < 3 or not all(isinstance(s, (Assign, Store)) for s in loop.body):
        return None
    trips = range(*bounds)
    stores = sum(isinstance(s, Store) for s in loop.body)
    short = (
        len(trips) <= MOST_TRIPS
        and len(trips) * len(loop.body) <= MOST_STATEMENTS
        and len(trips) * stores <= MOST_STORES
    )
    return trips if short else None
