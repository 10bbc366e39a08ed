"""A choice between elements of an array is one element, at a place that is chosen.

    below = u[i - 1] if i > 0 else u[i]         ->      k = i - 1 if i > 0 else i
                                                        below = u[k]

Nothing is kept for such a number, which is read again, and its adjoint goes to the one place without a branch. That is
done where the test asks for integers alone, of which each sweep makes it again.
"""

from __future__ import annotations

from adc.compiler.analysis.conditions import ALL_OF, ANY_OF, OPPOSITE
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Atom, Block, If, Program, Stmt, Var, change_blocks, walk
from adc.compiler.ir.types import is_integer
from adc.compiler.transforms.adjoint.operands import value_of

WHOLE = (
    "add",
    "subtract",
    "negative",
    "multiply",
    "maximum",
    "minimum",
    "where",
)  # of integers; none of them fails


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with elements at chosen places."""
    program.body = _Places(program, evaluator).block(program.body)
    return program


class _Places:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.made = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        change_blocks(stmt, self.block)
        if not isinstance(stmt, If) or not self._chosen(stmt):
            self.ev.block.append(stmt)

    def _chosen(self, stmt: If) -> bool:
        """Whether elements at chosen places could be read in place of a branch."""
        sides = (stmt.then, stmt.orelse)
        if not stmt.merges or not self._is_of_integers(stmt.test) or not all(map(_only_reads, sides)):
            return False
        reads: dict[Atom, Assign] = {
            s.target: s for side in sides for s in side if isinstance(s, Assign) and s.op == "getitem"
        }
        pairs = [(reads[m.then], reads[m.orelse]) for m in stmt.merges if {m.then, m.orelse} <= reads.keys()]
        if len(pairs) < len(stmt.merges) or any(a.args[0] is not b.args[0] for a, b in pairs):
            return False
        ev = self.ev
        ev.block.extend(s for side in sides for s in side if s not in reads.values())
        for m, (a, b) in zip(stmt.merges, pairs, strict=True):
            index = tuple(self._place(stmt.test, i, k) for i, k in zip(a.args[1], b.args[1], strict=True))
            ev.block.append(Assign((m.result,), "getitem", (a.args[0], index), stmt.origin))
        return True

    def _place(self, test: Atom, one: Atom, other: Atom) -> Atom:
        if self.ev.equal.same_value(one, other):
            return one
        return self.ev.atom(self.ev.op("where", test, value_of(one), value_of(other)))

    def _is_of_integers(self, test: Atom) -> bool:
        """Whether a test is a comparison of integers, or made of such."""
        s = self.made.get(test) if isinstance(test, Var) else None
        if s is None:
            return False
        if s.name in (*ALL_OF, *ANY_OF, "logical_not"):
            return all(map(self._is_of_integers, s.args))
        return s.name in OPPOSITE and all(length_of(a) is not None for a in s.args)


def _only_reads(block: Block) -> bool:
    """Whether a block reads elements of arrays, at places that it works out, and does nothing else."""
    own = {t for s in block if isinstance(s, Assign) for t in s.targets}
    return all(
        is_of_whole_numbers(s)
        or (
            isinstance(s, Assign)
            and s.op == "getitem"
            and not s.target.is_array
            and s.args[0] not in own
            and all(length_of(i) is not None for i in s.args[1])
        )
        for s in block
    )


def is_of_whole_numbers(s: Stmt) -> bool:
    """Whether a statement makes an integer of others, and cannot fail."""
    return isinstance(s, Assign) and s.name in WHOLE and not s.target.is_array and is_integer(s.target.type)
