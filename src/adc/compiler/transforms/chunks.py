"""Many directions at once: the vectors that a matrix is multiplied with become the rows of a matrix.

A loop over directions that multiplies each with one matrix is cut there. The vectors of a chunk of directions are
kept, one product of matrices takes the place of as many products with vectors, and a second loop goes on with its
rows: BLAS multiplies matrices several times faster than it reads one again for each vector. The chunk bounds the
memory.

    for direction in range(n):              for start in range(0, n, 32):
        v = ...                                 for direction in range(start, stop):
        p = v @ a                                   v_rows[direction - start] = ...
        jacobian[direction] = p                 p_rows = v_rows[:stop - start] @ a
                                                for direction in range(start, stop):
                                                    jacobian[direction] = p_rows[direction - start]
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from adc.compiler.frontend.indexing import FULL, normalized
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Check,
    Const,
    For,
    Keep,
    NewBuffer,
    Print,
    Restore,
    Stmt,
    Store,
    Var,
    bound_inside,
    defined,
    length_variables,
    uses,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.rewrite import substitute
from adc.compiler.transforms.split import rerooted
from adc.rules.dims import Dim

__all__ = ["CHUNK", "run"]

CHUNK = 32  # directions; enough for BLAS, and little memory


def run(
    unit: Block, body: Block, index: Var, length: Atom, evaluator: Evaluator, size: int = CHUNK
) -> Block | None:
    """The loop `for index in range(length): unit; body` in chunks; None where no product of a matrix is in it.

    `unit` makes the direction, and each loop repeats it: an allocation and a write; for a batch, reads of its elements.
    """
    if size == 1:
        return None
    chunked = _Chunked(unit, length, evaluator, size)
    return chunked.run(body, index) if chunked.cut(unit, body, index) is not None else None


def given_rows(unit: Block, body: Block, index: Var, evaluator: Evaluator) -> tuple[Block, Block, Block]:
    """Products of the rows of an array with a matrix or vector, as the rows of one product in front of the loop.

    The statements in front, those that read what belongs to `index`, and the rest of the body.
    """
    front: Block = []
    unit, rest = list(unit), []
    inside = {v for s in walk([*unit, *body]) for v in (*defined(s), *bound_inside(s))} | {index}
    written = _written(body)
    for stmt in body:
        found = _product(stmt, inside, written, given := _given(unit, index))
        if found is None or found[1] not in given:
            rest.append(stmt)
            continue
        assert isinstance(stmt, Assign)
        matrix, vector, matrix_first = found
        with evaluator.at(front), evaluator.origin_at(stmt.origin):
            other = evaluator.op("transpose", matrix) if matrix_first else matrix
            _require_fit(vector, other, evaluator)
            products = evaluator.op("matmul", given[vector], other)
        products.name, products.named = f"{stmt.target.name}_batch", True
        with evaluator.at([]):
            row = evaluator.getitem(products, (index, *(FULL,) * stmt.target.type.ndim))
            read = evaluator.block[-1]
        assert isinstance(read, Assign)
        target = stmt.target
        target.view_of = row.view_of
        if target.is_array:
            target.root, target.type = row.root, row.type
        unit.append(Assign((target,), read.op, read.args, stmt.origin))
    return front, unit, rest


def _require_fit(vector: Var, other: Var, evaluator: Evaluator) -> None:
    """The check that the body makes in each trip; the product now comes before it."""
    a, b = vector.type.shape[0], other.type.shape[0]
    if a != b:
        test = evaluator.op("equal", evaluator.dim_value(a), evaluator.dim_value(b))
        message = Const("operands of @ could not be broadcast together")
        evaluator.block.append(Check(evaluator.atom(test), "ValueError", (message,), evaluator.origin))


class _Chunked:
    def __init__(self, unit: Block, length: Atom, evaluator: Evaluator, size: int) -> None:
        self.ev = evaluator
        self.size = size
        self.unit = unit
        self.length = length
        self.before = list(evaluator.block)
        self.outside: Block = []  # in front of the loop over chunks: the rows

    def run(self, body: Block, index: Var) -> Block:
        self.start = _index("start")
        block: Block = []
        with self.ev.at(block):
            end = self.ev.op("add", self.start, self.size)
            self.stop = self._named("stop", "minimum", end, _value(self.length))
            self._loops(self.unit, body, index)
        chunks = For(self.start, Const(0), self.length, Const(self.size), [], block, self.ev.origin)
        return [*self.outside, chunks]

    def _named(self, name: str, operation: str, *operands: Value) -> Value:
        result = self.ev.op(operation, *operands)
        if isinstance(result, Var):
            result.name, result.named = name, True
        return result

    def cut(self, unit: Block, body: Block, index: Var) -> tuple[int, Var, Var, bool] | None:
        """Where the first product of a matrix from outside the loop with a vector from inside is, and its operands."""
        if any(isinstance(s, (NewBuffer, Keep, Restore, Print)) for s in walk(body)):
            return None  # stacks, and texts in the order of the directions
        inside = {v for s in walk([*unit, *body]) for v in (*defined(s), *bound_inside(s))} | {index}
        written = _written(body)
        for k, stmt in enumerate(body):
            found = _product(stmt, inside, written, {})
            if found is None:
                continue
            head = {v for s in body[:k] for v in defined(s)}
            tail = {v for s in walk(body[k + 1 :]) for v in uses(s)}
            crossing = [found[1], *(v for v in head if v in tail)]
            if all(_keepable(v, inside) for v in crossing) and not (
                _roots(body[:k]) & _written(body[k + 1 :])
            ):
                return k, *found
        return None

    def _loops(self, unit: Block, body: Block, index: Var) -> None:
        """Append the loops of one chunk."""
        ev = self.ev
        found = self.cut(unit, body, index)
        if found is None:
            self._loop(index, [*unit, *body])
            return
        k, matrix, vector, matrix_first = found
        product = body[k]
        assert isinstance(product, Assign)
        head, tail = body[:k], body[k + 1 :]
        read = {v for s in walk(tail) for v in uses(s)}
        crossing = [v for s in head for v in defined(s) if v in read]
        kept = {v: self._rows_of(v) for v in dict.fromkeys([vector, *crossing])}
        with ev.at(head := list(head)):
            row = self._named("row", "subtract", index, self.start)
            for v, rows in kept.items():
                ev.store(rows, (row, *(FULL,) * v.type.ndim), v)
        self._loop(index, [*unit, *head])
        with ev.origin_at(product.origin):
            taken = slice(None, ev.op("subtract", self.stop, self.start))
            rows = ev.getitem(kept[vector], normalized(ev, kept[vector], taken))
            products = ev.op("matmul", rows, self._transposed(matrix) if matrix_first else matrix)
        products.name, products.named = f"{product.target.name}_rows", True
        again = _index(index.name)
        start: Block = []
        table: dict[Var, Atom] = {index: again}
        with ev.at(start):
            row = self._named("row", "subtract", again, self.start)
            for v, source in ((product.target, products), *((c, kept[c]) for c in dict.fromkeys(crossing))):
                table[v] = ev.getitem(source, (row, *(FULL,) * v.type.ndim), v.name)
        repeated = self._again(unit, again, table)
        tail = substitute(tail, table)
        arrays = {v: a for v, a in table.items() if v.is_array and isinstance(a, Var)}
        rerooted(tail, arrays, ev)
        self._loops(repeated, [*start, *tail], again)

    def _again(self, unit: Block, index: Var, table: dict[Var, Atom]) -> Block:
        """The direction, made once more for another loop."""
        made: Block = []
        for stmt in unit:
            (copied,) = substitute([stmt], dict(table))
            if isinstance(copied, Assign):
                old = copied.target
                root = old.root if old.root is not old else None
                fresh = Var(old.name, old.type, named=old.named, root=root, view_of=old.view_of)
                table[copied.target] = fresh
                copied = Assign((fresh,), copied.op, copied.args, copied.origin)
            made.append(copied)
        return made

    def _loop(self, index: Var, body: Block) -> None:
        stop = self.ev.atom(self.stop)
        self.ev.block.append(For(index, self.start, stop, Const(1), [], body, self.ev.origin))

    def _transposed(self, matrix: Var) -> Var:
        """The transpose of a matrix; of a transpose the matrix itself."""
        for stmt in self.before:
            if isinstance(stmt, Assign) and stmt.targets == (matrix,) and stmt.name == "transpose":
                source = stmt.args[0]
                if isinstance(source, Var) and source.type.ndim == 2:
                    return source
        with self.ev.at(self.outside):
            made = self.ev.op("transpose", matrix)
        assert isinstance(made, Var)
        return made

    def _rows_of(self, v: Var) -> Var:
        """An array with one `v` per direction of a chunk."""
        shape = v.type.shape if isinstance(v.type, Array) else ()
        with self.ev.at(self.outside):
            made = self.ev.op(
                "empty", (self.size, *self.ev.shape_values(shape)), dtype=np.dtype(v.type.dtype)
            )
        assert isinstance(made, Var)
        made.name, made.named = f"{v.name}_rows", True
        return made


def _index(name: str) -> Var:
    index = Var(name, Scalar("int64", True), named=True)
    index.dim = Dim.symbol("value", index)
    return index


def _value(atom: Atom) -> Value:
    return atom.value if isinstance(atom, Const) else atom


def _product(
    stmt: Stmt, inside: set[Var], written: set[Var], given: dict[Var, Var]
) -> tuple[Var, Var, bool] | None:
    """The matrix and the vector of a product of them, and whether the matrix comes first.

    In place of the matrix stands a vector where the other one is a row of an array that exists already.
    """
    if not isinstance(stmt, Assign) or stmt.name not in ("matmul", "dot") or len(stmt.targets) != 1:
        return None
    first, second = stmt.args
    if not isinstance(first, Var) or not isinstance(second, Var):
        return None
    matrix_first = first.type.ndim == 2 or (second in given and first not in given)
    matrix, vector = (first, second) if matrix_first else (second, first)
    fits = vector.type.ndim == 1 and matrix.type.dtype == vector.type.dtype
    fits = fits and (matrix.type.ndim == 2 or (matrix.type.ndim == 1 and vector in given))
    constant = matrix not in inside and matrix.root not in inside and matrix.root not in written
    if not fits or not constant or vector not in inside:
        return None
    return matrix, vector, matrix_first and matrix.type.ndim == 2


def _given(unit: Block, index: Var) -> dict[Var, Var]:
    """The vectors that are rows of arrays: what they are called, and the arrays."""
    found = {}
    for s in unit:
        if isinstance(s, Assign) and s.name == "getitem" and s.args[0].type.ndim == 2 and s.target.is_array:
            where = s.args[1]
            if where[0] is index and where[1] == FULL:
                found[s.target] = s.args[0]
    return found


def _keepable(v: Var, inside: set[Var]) -> bool:
    return v.type.ndim <= 1 and not any(owner in inside for owner in length_variables(v))


def _roots(block: Iterable[Stmt]) -> set[Var]:
    return {v.root for s in block for v in defined(s) if v.is_array}


def _written(block: Block) -> set[Var]:
    return {s.array.root for s in walk(block) if isinstance(s, Store)}
