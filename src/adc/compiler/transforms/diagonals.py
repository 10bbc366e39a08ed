"""Form only the elements of a matrix product that are used or are not zero.

`np.diag(a @ b)` and `np.trace(a @ b)` are sums over rows of the factors: n^2 operations in place of n^3 when nothing
else looks at the product. The adjoint of what only gives its diagonal away, as a Cholesky factor does for the logarithm
of a determinant, is a diagonal matrix: products with it scale rows or columns. Zeros beside the user's own diagonals
are multiplied all the same, as an infinity or NaN makes something of them.
"""

from __future__ import annotations

import numpy as np

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.creation import ZEROS
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    Program,
    Slice,
    Stmt,
    Store,
    Var,
    all_blocks,
    change_blocks,
    times_read,
    uses,
    walk,
)
from adc.compiler.transforms import parts
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.dims import Dim


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with diagonals of products that nothing else uses taken without the product."""
    readers = times_read(program)
    table: dict[Var, Atom] = {}
    program.body = substitute(_block(program.body, readers, table, evaluator), table)
    program.results = [operand(r, table) for r in program.results]
    return program


def scaled(program: Program, evaluator: Evaluator) -> Program:
    """The program with products by adjoints that are diagonal matrices as products by their diagonals."""
    table: dict[Var, Atom] = {}
    uses_of: dict[Var, list[Stmt]] = {}
    for s in walk(program.body):
        for v in uses(s):
            uses_of.setdefault(v, []).append(s)
    definition = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
    sweep = set(walk(parts.reverse_sweep(program.body)))
    for block in all_blocks(program.body):
        for s in list(block):
            if not isinstance(s, Assign) or s.name not in ZEROS or s not in sweep:
                continue
            users = [u for u in uses_of.get(s.target, []) if not (isinstance(u, Assign) and u.name == "dim")]
            if s.target not in program.results and _is_diagonal(s.target, users, definition, evaluator):
                _scale(block, s, users, table, evaluator)
    program.body = substitute(program.body, table)
    program.results = [operand(r, table) for r in program.results]
    return program


def _is_diagonal(matrix: Var, readers: list[Stmt], definition: dict[Var, Assign], ev: Evaluator) -> bool:
    """Whether a square matrix of zeros is written along its diagonal, and then multiplied, and nothing else."""
    shape = matrix.type.shape
    if len(shape) != 2 or not ev.equal.same(*shape) or matrix in ev.joined_roots:
        return False
    stores = [s for s in readers if isinstance(s, Store)]
    products = readers[len(stores) :]
    if not stores or not products or readers[: len(stores)] != stores:
        return False
    return all(
        s.array is matrix
        and len(s.index) == 2
        and s.index[0] is s.index[1]
        and _counts(s.index[0], definition)
        for s in stores
    ) and all(
        isinstance(s, Assign)
        and s.name in ("matmul", "dot")
        and [isinstance(a, Var) and a.is_array and a.type.ndim for a in s.args] == [2, 2]
        and s.args[0] is not s.args[1]
        for s in products
    )


def _scale(block: Block, zeros: Assign, readers: list[Stmt], table: dict[Var, Atom], ev: Evaluator) -> None:
    """Make the diagonal alone, and scale by it; all that has to do with the matrix stands in one block."""
    if not all(s in block for s in (zeros, *readers)):
        return
    matrix = zeros.target
    out: Block = []
    for s in block:
        with ev.at(out), ev.origin_at(getattr(s, "origin", None)):
            if s is zeros:
                n, _ = ev.shape_values(matrix.type.shape)
                diagonal = ev.op("zeros", n, dtype=np.dtype(matrix.type.dtype))
                diagonal.name, diagonal.named = matrix.name, matrix.named
            elif isinstance(s, Store) and s.array is matrix:
                out.append(Store(diagonal, s.index[:1], s.value, s.accumulate, s.origin, s.role))
            elif isinstance(s, Assign) and s in readers:
                a, b = s.args
                value = (
                    ev.op("multiply", a, diagonal)
                    if b is matrix
                    else ev.op("multiply", ev.op("expand_dims", diagonal, 1), b)
                )
                table[s.target] = value
            else:
                out.append(s)
    block[:] = out


def _counts(index: object, definition: dict[Var, Assign]) -> bool:
    """Whether an index is 0, 1, 2 and so on."""
    positions = definition.get(index) if isinstance(index, Var) else None
    return positions is not None and positions.name == "arange" and positions.args[1] in (None, Const(None))


def _block(block: Block, readers: dict[Var, int], table: dict[Var, Atom], ev: Evaluator) -> Block:
    out: Block = []
    definition: dict[Var, Assign] = {}
    for s in block:
        change_blocks(s, lambda inner: _block(inner, readers, table, ev))
        if isinstance(s, Assign):
            product = _product_of_diagonal(s, definition, readers, ev)
            if product is not None:
                with ev.at(out), ev.origin_at(s.origin):
                    value = _sums(product, s.args[1][0], definition, ev)
                value.name, value.named, value.type = s.target.name, s.target.named, s.target.type
                table[s.target] = value
                continue
            definition.update(dict.fromkeys(s.targets, s))
        out.append(s)
    return out


def _product_of_diagonal(
    s: Assign, definition: dict[Var, Assign], readers: dict[Var, int], ev: Evaluator
) -> Assign | None:
    """The matrix product of which a statement takes the diagonal, when it is the only one to look at it."""
    if s.name != "getitem" or not isinstance(s.args[0], Var) or not isinstance(s.args[1], tuple):
        return None
    product = definition.get(s.args[0])
    index = s.args[1]
    if product is None or product.name not in ("matmul", "dot") or readers[product.target] != 1:
        return None
    if len(index) != 2 or index[0] is not index[1] or not _counts(index[0], definition):
        return None
    ranks = [a.type.ndim if isinstance(a, Var) and a.is_array else 0 for a in product.args]
    written = any(isinstance(a, Var) and a.root in ev.mutated for a in (*product.args, product.target))
    return product if ranks == [2, 2] and not written else None


def _sums(product: Assign, positions: Var, definition: dict[Var, Assign], ev: Evaluator) -> Var:
    """The diagonal: each element a sum along the axis that the factors share."""
    a, b = product.args
    assert isinstance(a, Var) and isinstance(b, Var)
    length = positions.type.shape[0]
    a_t, b_t = _transposed(a, definition), _transposed(b, definition)
    if a_t is not None:
        left, right, axis = _first(a_t, 1, length, ev), _first(b, 1, length, ev), 0
    else:
        left, axis = _first(a, 0, length, ev), 1
        right = (
            _first(b_t, 0, length, ev) if b_t is not None else ev.op("transpose", _first(b, 1, length, ev))
        )
    total = ev.cast(ev.op("sum", ev.op("multiply", left, right), axis=axis), product.target.type.dtype)
    assert isinstance(total, Var)
    return total


def _transposed(x: Var, definition: dict[Var, Assign]) -> Var | None:
    """What a matrix is the transpose of."""
    made = definition.get(x)
    if made is None or made.name != "transpose" or made.args[1] != Const(None):
        return None
    assert isinstance(made.args[0], Var)
    return made.args[0]


def _first(x: Var, axis: int, length: Dim, ev: Evaluator) -> Value:
    """The first rows or columns of a matrix: all of them where the lengths are known to be equal."""
    if ev.equal.same(x.type.shape[axis], length):
        return x
    part = Slice(None, ev.atom(ev.dim_value(length)), None)
    return ev.getitem(x, (part, FULL) if axis == 0 else (FULL, part))
