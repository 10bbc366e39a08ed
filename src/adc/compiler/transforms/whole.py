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

from collections.abc import Callable
from dataclasses import replace

from adc.compiler.analysis import sharing
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Atom,
    Block,
    Carried,
    Check,
    For,
    Program,
    Stmt,
    Var,
    While,
    change_blocks,
    walk,
)
from adc.compiler.transforms import candidates, multiplied
from adc.compiler.transforms.batched import CannotBatch
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.whole_loop import WholeLoop
from adc.errors import ShapeError, UnsupportedError

Results = dict[Var, Atom]  # what a loop carried, as it is called behind the statements


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
        self.table: Results = {}
        self.beside_stencils = False

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, For) and self._product(stmt):
            return
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

    def _product(self, nest: For) -> bool:
        """Whether statements with products of matrices could be appended in place of a nest of loops."""
        return multiplied.may_multiply(nest) and self._stands_for(
            nest, self._flat, lambda made: multiplied.multiplies(made, nest)
        )

    def _whole(self, loop: For) -> bool:
        """Whether statements on whole arrays could be appended in place of a loop."""
        straight = candidates.straight(loop)
        if straight is None or not (self.beside_stencils or candidates.is_worth_it(straight)):
            return False
        return self._stands_for(straight, self._alone, lambda _: True)

    def _stands_for(
        self, loop: For, statements: Callable[[For, list[Check]], Results], wanted: Callable[[Block], bool]
    ) -> bool:
        """Whether statements that are as they are wanted could be appended in place of a loop."""
        (known,) = substitute([loop], self.table)
        assert isinstance(known, For)
        made: Block = []
        insisted: list[Check] = []
        before = self.known.snapshot()
        try:
            with self.ev.at(made):
                results = statements(known, insisted)
            made = multiplied.without_unread(made, results.values())
            if not wanted(made):
                raise CannotBatch
        except (CannotBatch, UnsupportedError, ShapeError):
            self.known.restore(before)
            return False
        for check in insisted:
            self.known.insist(check)
        self.table.update(results)
        self.ev.block.extend(made)
        return True

    def _alone(self, loop: For, insisted: list[Check]) -> Results:
        """Append statements on whole arrays for a loop without others in it. Raises CannotBatch."""
        self._if_trips(loop, insisted)
        return WholeLoop(loop, self.ev, self.sharing, self.known).run()

    def _if_trips(self, loop: For, insisted: list[Check]) -> None:
        """What holds since a loop has a trip is to hold in any case, by the checks that say so in front of it."""
        for pair, check in self.known.if_trips(loop):
            self.ev.equal.union(*pair)
            insisted.append(check)

    def _flat(self, loop: For, insisted: list[Check]) -> Results:
        """Append statements on whole arrays for a loop and the loops in it. Raises CannotBatch.

        A loop inside that has no such statements of its own stays one, of statements on what all trips have.
        """
        flat = self._with_flat_body(loop, insisted)
        self._if_trips(loop, insisted)
        return WholeLoop(flat, self.ev, self.sharing, self.known, multiplies=True).run()

    def _with_flat_body(self, loop: For, insisted: list[Check]) -> For:
        body: Block = []
        table: Results = {}
        with self.known.inside(loop), self.ev.at(body):
            for s in loop.body:
                (s,) = substitute([s], table)
                if isinstance(s, For):
                    self._flat_or_loop(s, insisted, table)
                else:
                    self.ev.block.append(s)
                    self.known.passed(s)
            body = multiplied.totals_as_products(body, self.ev)
        ends = [operand(c.out, table) for c in loop.carried]
        carried = [Carried(c.phi, c.init, out, c.result) for c, out in zip(loop.carried, ends, strict=True)]
        body = multiplied.without_unread(body, ends)
        flat = candidates.straight(replace(loop, carried=carried, body=body), loops=True)
        if flat is None:
            raise CannotBatch
        return flat

    def _flat_or_loop(self, loop: For, insisted: list[Check], table: Results) -> None:
        flat = self._with_flat_body(loop, insisted)
        made: Block = []
        tried: list[Check] = []
        before = self.known.snapshot()
        try:
            with self.ev.at(made):
                self._if_trips(loop, tried)
                results = WholeLoop(flat, self.ev, self.sharing, self.known, multiplies=True).run()
        except (CannotBatch, UnsupportedError, ShapeError):
            self.known.restore(before)
            self.ev.block.append(flat)
            return
        insisted += tried
        table.update(results)
        self.ev.block.extend(made)
