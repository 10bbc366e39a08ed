"""Loops that go over the rows, columns or elements of arrays become statements on whole arrays.

    for i in range(n):                      y[:] = np.tanh(x @ w.T)
        y[i] = np.tanh(w @ x[i])

    for k in range(m):                      c[i, :j] += np.sum(a[i] * a[:j], axis=1)
        c[i, :j] += a[i, k] * a[:j, k]

    for i in range(1, n - 1):               v[1:-1] = u[:-2] - 2 * u[1:-1] + u[2:]
        v[i] = u[i - 1] - 2 * u[i] + u[i + 1]

That is worth it where the loop multiplies vectors by a matrix, since BLAS multiplies matrices several times faster;
where it goes over columns: the loops that are made of the statements go along rows; where it reads neighbours, or
elements at positions of data: what is known of slices and arrays of positions makes better loops of them, in both
sweeps; and beside such loops, so that all that a time step does is of one kind. A loop over rows stays.

Each trip may read what it has written, at its own row or column, and nothing that other trips write; what all of them
add to becomes a sum. (Allen & Kennedy, *Automatic translation of Fortran programs to vector form*, 1987, without the
splitting of loops.) A loop without trips asks nothing of the shapes in it, whole arrays must fit: where they do not,
and the user's function raises nothing, such a call has code of its own.
"""

from __future__ import annotations

from adc.compiler.analysis import sharing
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Atom,
    Block,
    For,
    Program,
    Stmt,
    Var,
    While,
    change_blocks,
    walk,
)
from adc.compiler.transforms import candidates
from adc.compiler.transforms.batched import (
    CannotBatch,
)
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.whole_loop import WholeLoop
from adc.errors import ShapeError, UnsupportedError


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with statements on whole arrays in place of the loops for which that is worth it."""
    equal = evaluator.equal
    finder = _Finder(program, evaluator)
    try:
        program.body = finder.block(program.body)
    finally:
        evaluator.equal = equal
    program.body = substitute(program.body, finder.table)
    program.results = [operand(r, finder.table) for r in program.results]
    return program


class _Finder:
    def __init__(self, program: Program, ev: Evaluator) -> None:
        self.ev = ev
        self.sharing = sharing.of(program, ev.joined_roots)
        self.known = Equalities(program)
        ev.equal = self.known.equal
        self.table: dict[Var, Atom] = {}  # what loops carried -> what it is now
        self.beside_stencils = False

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        before = self.beside_stencils
        if isinstance(stmt, For | While):
            self.beside_stencils = before or any(
                isinstance(s, For) and candidates.is_stencil(s) for s in walk(stmt.body)
            )
        with self.known.inside(stmt):
            change_blocks(stmt, self.block)
        self.beside_stencils = before
        if not isinstance(stmt, For) or not self._whole(stmt):
            self.known.passed(stmt)
            self.ev.block.append(stmt)

    def _whole(self, loop: For) -> bool:
        """Whether statements on whole arrays could be appended in place of a loop."""
        straight = candidates.straight(loop)
        if straight is None or not (self.beside_stencils or candidates.is_worth_it(straight)):
            return False
        (known,) = substitute([straight], self.table)
        assert isinstance(known, For)
        made: Block = []
        lengths = self.ev.equal.snapshot()
        insisted = self.known.if_trips(known)
        for pair, _ in insisted:
            self.ev.equal.union(*pair)
        try:
            with self.ev.at(made):
                results = WholeLoop(known, self.ev, self.sharing, self.known).run()
        except (CannotBatch, UnsupportedError, ShapeError):
            self.ev.equal.restore(lengths)
            return False
        for _, check in insisted:
            self.known.insist(check)
        self.table.update(results)
        self.ev.block.extend(made)
        return True
