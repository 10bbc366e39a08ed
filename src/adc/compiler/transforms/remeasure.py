"""Say the lengths of arrays by what stands at their place.

A type names a length by a variable: that of the array it was taken from, or the integer that it is. Where a statement
is moved or written again (into the reverse sweep, out of a branch), that variable may not be there, and the length has
another name: that of an operand, or of the array itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from adc.compiler.frontend import infer
from adc.compiler.frontend.indexing import indexed_type
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Block, Var, bound_inside, defined, owners
from adc.compiler.ir.types import Array, Type
from adc.compiler.transforms import scopes
from adc.rules.dims import Dim, Shape
from adc.rules.operation import Operation

Known = Callable[[Dim], bool]


def block(statements: Block, known: Known, ev: Evaluator) -> None:
    """Measure the arrays and integers that the assignments of a block make."""
    for stmt in statements:
        if isinstance(stmt, Assign):
            assignment(stmt, known, ev)


def assignment(stmt: Assign, known: Known, ev: Evaluator) -> None:
    """Measure what an assignment makes by its operands, whose lengths are known."""
    if len(stmt.targets) == 1 and stmt.target.dim is not None and not known(stmt.target.dim):
        _count(stmt, ev)
    for t, measured in zip(stmt.targets, _measured(stmt, known, ev), strict=False):
        if isinstance(t.type, Array) and isinstance(measured, Array):
            shape = tuple(
                a if known(a) else Dim.symbol("shape", t, k) if b == Dim(-1) else b
                for k, (a, b) in enumerate(zip(t.type.shape, measured.shape, strict=True))
            )
            _give(t, shape, ev)


def by_itself(v: Var, known: Known, ev: Evaluator) -> None:
    """Measure a value that is there: a length that is not known is its own."""
    if isinstance(v.type, Array):
        _give(v, tuple(d if known(d) else Dim.symbol("shape", v, k) for k, d in enumerate(v.type.shape)), ev)
    elif v.dim is not None and not known(v.dim):
        ev.equal.union(v.dim, Dim.symbol("value", v))
        v.dim = Dim.symbol("value", v)


def apart(v: Var) -> None:
    """Give a value lengths of its own, which are equal to no others."""
    if isinstance(v.type, Array):
        shape = tuple(Dim.symbol("shape", v, k) for k in range(v.type.ndim))
        v.type = Array(v.type.dtype, shape, v.type.layout)
    elif v.dim is not None:
        v.dim = Dim.symbol("value", v)


def known_in(there: Collection[Var], gone: Collection[Var] | None) -> Known:
    """Whether a length only depends on variables that are there: all but those in `gone`, or none but these."""
    return lambda d: all(v in there or (gone is not None and v not in gone) for v in owners(d))


def in_scope(
    params: Sequence[Var], statements: Block, ev: Evaluator, gone: Collection[Var] | None = None
) -> None:
    """Let no type name a length by a variable that is not there: of those in `gone`, or of all but `params`."""
    for stmt, _, there in scopes.visited(statements, params):
        targets = () if stmt is None else (*defined(stmt), *bound_inside(stmt))
        known = known_in(there.union(targets), gone)
        if isinstance(stmt, Assign):
            assignment(stmt, known, ev)
        else:
            for v in targets:
                by_itself(v, known, ev)


def _give(v: Var, shape: Shape, ev: Evaluator) -> None:
    assert isinstance(v.type, Array)
    for a, b in zip(v.type.shape, shape, strict=True):
        ev.equal.union(a, b)
    v.type = Array(v.type.dtype, shape, v.type.layout)


def _count(stmt: Assign, ev: Evaluator) -> None:
    """Give an integer its value as a length."""
    t = stmt.target
    found: Dim | None = None
    if stmt.op == "dim":
        array, axis = stmt.args
        found = array.type.shape[axis.value]
    elif isinstance(stmt.op, Operation):
        found = ev.integer_value(stmt.op, stmt.args, t.type)
    assert t.dim is not None
    ev.equal.union(t.dim, found or Dim.symbol("value", t))
    t.dim = found or Dim.symbol("value", t)


def _measured(stmt: Assign, known: Known, ev: Evaluator) -> Sequence[Type]:
    """The result types of an assignment that makes an array with a length that is not known."""
    if all(known(d) for t in stmt.targets for d in t.type.shape):
        return ()
    if isinstance(stmt.op, Operation):
        return infer.result_types(stmt.op, stmt.args, lambda *_: None)
    if stmt.op == "getitem":
        return (indexed_type(ev, *stmt.args)[0],)
    return (stmt.args[0].type,) if stmt.op in ("cast", "alias") else ()
