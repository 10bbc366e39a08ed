"""Reshapes of arrays that are written to: views of memory that lies row by row, or copies, or refused.

z = linalg.inv(x)                  made = linalg.inv(x)     # compiled code has it column by column
flat = reshape(z, -1)              z = copy(made)
flat[0] = 1                        flat = reshape(z, -1)
                                   flat[0] = 1
"""

from __future__ import annotations

from adc.compiler.analysis import layout
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.seen import begin, sees, views_of
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.creation import CREATION
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    If,
    Program,
    Stmt,
    Store,
    Var,
    While,
    change_blocks,
    is_view,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.errors import UnsupportedError

# Of operands in rows they give rows, in NumPy as in compiled code, where others may move an axis.
_IN_ROWS = {
    "matmul",
    "dot",
    "outer",
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "concatenate",
    "stack",
    "arange",
    "eye",
}


def run(program: Program, ev: Evaluator) -> None:
    """Decide of each reshape whether it is a view or a copy. Raises UnsupportedError where that may be seen."""
    _as_numpy_has_them(program, ev)
    for v, as_compiled in ev.order_of_numpy.items():  # now that nobody sees the difference
        assert isinstance(v.type, Array)
        v.type = Array(v.type.dtype, v.type.shape, as_compiled.layout)  # lengths are told otherwise since
    ev.order_of_numpy = {}
    _in_rows(program, ev)


def _as_numpy_has_them(program: Program, ev: Evaluator) -> None:
    """A reshape of an array that may not be contiguous is a view or a copy: NumPy decides when it runs.

    Where nothing is written through it, and it is not read after a write to that memory, nobody sees the difference,
    and it is a copy. Otherwise it is refused, as the reverse sweep must know.
    """
    memory = Memory(ev.joined_roots)
    place = layout.of(program.body, program.params)
    stores = [s for s in walk(program.body) if isinstance(s, Store)]
    written = {memory.of(s.array) for s in stores}
    doubtful: dict[Stmt, Assign] = {}
    for stmt in walk(program.body):
        if not isinstance(stmt, Assign) or stmt.name not in ("reshape", "ravel") or not stmt.target.is_array:
            continue
        source = stmt.args[0]
        if source.type.layout == "C" or memory.of(stmt.target) not in written:
            continue
        start = begin(stmt, memory.of(stmt.target), memory, place)
        views = views_of(stmt, program)
        for store in stores:
            if (
                place.start[store] > start
                and memory.of(store.array) is memory.of(stmt.target)
                and sees(views, store, stmt, program, place)
            ):
                raise UnsupportedError(
                    f"this writes to `{stmt.target.root.name}`, of which a reshape was taken "
                    "that may be a view or a copy",
                    store.origin,
                    "NumPy copies when the array is not contiguous.",
                    "Copy before the reshape: `x.copy().reshape(...)`.",
                )
        made: Block = []
        with ev.at(made), ev.origin_at(stmt.origin):
            ev.op("copy", source)
        (doubtful[stmt],) = made  # type: ignore[assignment]
    if doubtful:
        program.body = _copied_before(program.body, doubtful, ev)


def _copied_before(block: Block, copies: dict[Stmt, Assign], ev: Evaluator) -> Block:
    """Each of some views is of a copy instead, and so are the views of it."""
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _copied_before(inner, copies, ev))
        copy = copies.get(stmt)
        if copy is not None:
            assert isinstance(stmt, Assign)
            old, new = stmt.target.root, copy.target
            result.append(copy)
            stmt = Assign(stmt.targets, stmt.op, (new, *stmt.args[1:]), stmt.origin)
            stmt.target.view_of, stmt.target.root = new, new
            for roots in ev.joined_roots.values():
                if old in roots:
                    roots.add(new)  # it may have come this way
        elif isinstance(stmt, Assign):
            for t in stmt.targets:
                if t.view_of is not None:
                    t.root = t.view_of.root
        result.append(stmt)
    return result


def _in_rows(program: Program, ev: Evaluator) -> None:
    """Copy what is written to and reshaped, but may lie in another order where it is made."""
    memory = Memory(ev.joined_roots)
    written = {memory.of(s.array) for s in walk(program.body) if isinstance(s, Store)}
    wanted = {
        memory.of(stmt.target)
        for stmt in walk(program.body)
        if isinstance(stmt, Assign) and _is_reshape(stmt) and memory.of(stmt.target) in written
    }
    if wanted:
        in_doubt = _in_doubt(program)
        program.body = _copied_after(
            program.body, {v for v in in_doubt if v.root is v and memory.of(v) in wanted}, ev
        )


def _is_reshape(stmt: Assign) -> bool:
    return stmt.name in ("reshape", "ravel") and stmt.target.is_array


def _in_doubt(program: Program) -> set[Var]:
    """The arrays that may not lie row by row where they are made."""
    doubtful: set[Var] = set()
    before = -1
    while before < len(doubtful):  # what a loop carries is found in the next round
        before = len(doubtful)
        for stmt in walk(program.body):
            if isinstance(stmt, Assign):
                if _moves_axes(stmt) or not doubtful.isdisjoint(v for a in stmt.args for v in variables(a)):
                    doubtful.update(t for t in stmt.targets if t.is_array and stmt.name != "copy")
            elif isinstance(stmt, (For, While)):
                for c in stmt.carried:
                    if c.init in doubtful or c.out in doubtful:
                        doubtful |= {c.phi, c.result}
            elif isinstance(stmt, If):
                doubtful |= {m.result for m in stmt.merges if m.then in doubtful or m.orelse in doubtful}
    return doubtful


def _moves_axes(stmt: Assign) -> bool:
    if isinstance(stmt.op, str) or is_view(stmt) or is_elementwise(stmt.op):
        return False
    return stmt.name not in _IN_ROWS and stmt.name not in CREATION and stmt.name != "copy"


def _copied_after(block: Block, doubtful: set[Var], ev: Evaluator) -> Block:
    """Each of some arrays is a copy of what an operation made, row by row."""
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _copied_after(inner, doubtful, ev))
        result.append(stmt)
        if not isinstance(stmt, Assign) or doubtful.isdisjoint(stmt.targets):
            continue
        made = {t: Var(t.name, t.type) for t in stmt.targets if t in doubtful}
        stmt.targets = tuple(made.get(t, t) for t in stmt.targets)
        for old, new in made.items():
            with ev.at([]) as copies, ev.origin_at(stmt.origin):
                ev.op("copy", new)
            (copy,) = copies
            assert isinstance(copy, Assign)
            copy.targets = (old,)
            result.append(copy)
    return result
