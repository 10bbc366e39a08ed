"""Form only the elements of a matrix product that are used: its diagonal as sums over rows of the factors.

`np.diag(a @ b)` and `np.trace(a @ b)` cost n^2 operations in place of n^3 when nothing else looks at the product.
"""

from __future__ import annotations

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    Program,
    Slice,
    Var,
    change_blocks,
    times_read,
)
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.dims import Dim


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with diagonals of products that nothing else uses taken without the product."""
    readers = times_read(program)
    table: dict[Var, Atom] = {}
    program.body = substitute(_block(program.body, readers, table, evaluator), table)
    program.results = [operand(r, table) for r in program.results]
    return program


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
    if len(index) != 2 or index[0] is not index[1] or not isinstance(index[0], Var):
        return None
    positions = definition.get(index[0])
    if positions is None or positions.name != "arange" or positions.args[1] not in (None, Const(None)):
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
