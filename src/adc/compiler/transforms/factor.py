"""Factor a matrix once for all the systems, inverses and determinants of it, in both sweeps.

    x = np.linalg.solve(K, b)                  lu_K, pivots_K = rt.lu(K)
    b_bar = np.linalg.solve(K.T, x_bar)        x = rt.lu_solve(lu_K, pivots_K, b)
                                               b_bar = rt.lu_solve_transposed(lu_K, pivots_K, x_bar)

The factors stand in front of the first use, those of a matrix that no trip of a loop changes in front of the loop, and
serve until the memory of the matrix is written to. Making them cannot raise: what divides by them does, where NumPy
would. What a branch has factored is nothing to what comes after it. The factors of a matrix that each trip of a loop
makes are kept for the reverse sweep, as is what costs as much (kept_factors.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    bound_inside,
    change_blocks,
    defined,
    walk,
)
from adc.compiler.transforms import kept_factors, library
from adc.compiler.transforms.kept_factors import Factored


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the factors of the matrices that are used more than once."""
    finder = _Finder(program, evaluator)
    finder.block(program.body, {})
    kept_factors.keep(finder.found, program, finder.memory, evaluator)
    before: dict[Stmt, Block] = {}
    instead: dict[Stmt, Stmt] = {}
    for matrix in finder.found:
        if matrix.is_worth_it:
            for stmt, block in matrix.insertions:
                before.setdefault(stmt, []).extend(block)
            instead.update((use, _by_factors(use, turned, matrix)) for use, turned in matrix.uses)
    if instead:
        program.body = _rewritten(program.body, before, instead)
    return program


class _Finder:
    """Finds the matrices that are used as they are, in the order in which the program runs."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.found: list[Factored] = []
        self.memory = Memory(evaluator.joined_roots)
        self.written = evaluator.mutated
        self.definition = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
        self.version: dict[Var, int] = {}  # of what memory holds

    def block(self, block: Block, known: dict[tuple[Var, int], Factored]) -> None:
        """Visit a block, entered with what was found before it."""
        for stmt in block:
            for matrix in self._certain(stmt):
                key = matrix, self.version.get(self.memory.of(matrix), 0)
                if key not in known:
                    known[key] = Factored(matrix, stmt)
                    self.found.append(known[key])
                if isinstance(stmt, Assign):
                    known[key].uses.append((stmt, self._operand(stmt)[1]))
            self._write(stmt)
            for inner in blocks(stmt):
                self.block(inner, dict(known))
                self._write(stmt)

    def _write(self, stmt: Stmt) -> None:
        for root in self._changed(stmt):
            self.version[root] = self.version.get(root, 0) + 1

    def _changed(self, stmt: Stmt) -> set[Var]:
        return {self.memory.of(s.array) for s in walk([stmt]) if isinstance(s, Store)}

    def _certain(self, stmt: Stmt) -> Iterator[Var]:
        """The matrices that a statement uses as they are before it; a loop those that every trip uses."""
        if isinstance(stmt, Assign) and self._is_use(stmt):
            yield self._operand(stmt)[0]
        elif isinstance(stmt, (For, While)):
            inside = {v for s in walk([stmt]) for v in (*defined(s), *bound_inside(s))}
            changed = self._changed(stmt)
            for s in (s for inner in blocks(stmt) for s in inner):
                for matrix in self._certain(s):
                    if matrix not in inside and self.memory.of(matrix) not in changed:
                        yield matrix

    def _is_use(self, stmt: Assign) -> bool:
        return library.is_by_factors(stmt) and library.triangular(stmt, self.definition, self.written) is None

    def _operand(self, stmt: Assign) -> tuple[Var, bool]:
        """The matrix that a statement uses, or (True) the one whose transpose it uses."""
        matrix: Any = stmt.args[0]
        turned = False
        while (made := self.definition.get(matrix)) is not None and library.is_transpose(made):
            matrix, turned = made.args[0], not turned
        return matrix, turned


def _by_factors(use: Assign, turned: bool, matrix: Factored) -> Assign:
    """What stands for a use. The determinant of the transpose is that of the matrix."""
    name = library.COMPILED_ONCE[use.op.function]  # type: ignore[union-attr]
    ending = "_transposed" if turned and name in ("solve", "inv") else ""
    right_side = use.args[1:] if name == "solve" else ()
    return Assign(use.targets, f"rt.lu_{name}{ending}", (*matrix.factors, *right_side), use.origin)


def _rewritten(block: Block, before: dict[Stmt, Block], instead: dict[Stmt, Stmt]) -> Block:
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _rewritten(inner, before, instead))
        result += [*before.get(stmt, ()), instead.get(stmt, stmt)]
    return result
