"""Make sure that every write reaches exactly the arrays that the reverse sweep believes it reaches, or refuse.

An array that a branch or a loop gave another name, and that is written under it, gets memory of its own there: nobody
sees the difference, as the write is refused with the user's line where an older name is mentioned afterwards.

    if c:                          if c:
        y = tanh(x)                    y_2 = tanh(x)
    y[0] = 1                       y = copy(y_2)     # y_2 is x, or the tanh
                                   y[0] = 1
"""

from __future__ import annotations

from adc.compiler.analysis import layout, sharing
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    Const,
    For,
    If,
    Merge,
    Operand,
    Program,
    Stmt,
    Store,
    Var,
    While,
    change_blocks,
    reads_memory,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.errors import Location, UnsupportedError
from adc.rules import registry


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with writes to joined arrays made safe. Raises UnsupportedError where an alias is in doubt."""
    _reshaped_copies(program, evaluator)
    written = written_roots(walk(program.body), evaluator.joined_roots)
    for store, name, other in sharing.of(program, evaluator.joined_roots).conflicts():
        raise _refused(store.origin, name.name, other.name)
    stored = {s.array.root for s in walk(program.body) if isinstance(s, Store)}
    program.body = _with_own_memory(program.body, written, stored, evaluator)
    return program


def _reshaped_copies(program: Program, ev: Evaluator) -> None:
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


def views_of(made: Assign, program: Program) -> set[Var]:
    """What is made by a statement, and the views of it."""
    views = {made.target}
    for stmt in walk(program.body):
        if isinstance(stmt, Assign):
            views.update(t for t in stmt.targets if t.view_of in views)
    return views


def sees(views: set[Var], store: Store, made: Assign, program: Program, place: layout.Layout) -> bool:
    """Whether a write is made through one of some views, or may come before a statement that reads one."""
    if store.array in views or views.intersection(r for r in program.results if isinstance(r, Var)):
        return True
    inside = place.region_of[made].loops
    for stmt in walk(program.body):
        if views.isdisjoint(uses(stmt)) or (isinstance(stmt, Assign) and not reads_memory(stmt)):
            continue
        if isinstance(stmt, (For, While, If)):
            return True  # it goes on under another name
        # A loop that begins after the view was made comes back to what stands before the write.
        again = [loop for loop in place.region_of[stmt].loops if loop not in inside]
        if again and place.start[store] <= place.end[again[0]]:
            return True
        if stmt is not store and place.start[store] <= place.start[stmt]:
            return True
    return False


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


def begin(made: Assign, of: Var, memory: Memory, place: layout.Layout) -> int:
    """From where on a view is there: what a trip has made, the next one has only where the loop carries it."""
    carries = (
        loop
        for loop in place.region_of[made].loops
        if any(c.phi.is_array and memory.of(c.phi) is of for c in loop.carried)
    )
    return place.start[next(carries, made)]


def _refused(where: Location | None, one: str, other: str) -> UnsupportedError:
    return UnsupportedError(
        f"this writes to `{one}`, which may be the same array as `{other}`",
        where,
        "which of them changes depends on the path taken, and the reverse sweep must know it.",
        f"Write `{one} = {one}.copy()` before the write, or use names for different arrays.",
    )


def _with_own_memory(block: Block, written: set[Var], stored: set[Var], evaluator: Evaluator) -> Block:
    """Loops that write into what they carry start from copies; what a branch chose is copied before it is written."""
    result: Block = []
    for stmt in block:
        change_blocks(stmt, lambda inner: _with_own_memory(inner, written, stored, evaluator))
        if isinstance(stmt, (For, While)):
            if any(c.phi in written for c in stmt.carried):
                stmt.carried = [_from_a_copy(c, stmt.origin, result, evaluator) for c in stmt.carried]
            result.append(stmt)
        elif isinstance(stmt, If):
            result.append(stmt)
            stmt.merges = [
                _copied_after(m, stmt.origin, result, evaluator) if m.result in stored else m
                for m in stmt.merges
            ]
        else:
            result.append(stmt)
    return result


def _from_a_copy(c: Carried, origin: Location | None, block: Block, evaluator: Evaluator) -> Carried:
    if not isinstance(c.init, Var) or not isinstance(c.phi.type, Array):
        return c
    with evaluator.at(block), evaluator.origin_at(origin):
        copy = evaluator.op("copy", c.init)
    copy.name, copy.named = c.phi.name, True
    evaluator.joined_roots[c.phi] = {copy, *evaluator.joined_roots.get(c.phi, ())}
    return Carried(c.phi, copy, c.out, c.result)


def _copied_after(m: Merge, origin: Location | None, block: Block, evaluator: Evaluator) -> Merge:
    """The merge under another name, and a copy of it under its own."""
    chosen = Var(m.result.name, m.result.type, named=m.result.named)
    evaluator.joined_roots[chosen] = evaluator.joined_roots.pop(m.result)
    evaluator.shape_source[m.result] = chosen
    operation = registry.named("copy")
    _first, *rest = operation.parameters
    args: tuple[Operand, ...] = (chosen, *(Const(p.default) for p in rest))
    block.append(Assign((m.result,), operation, args, origin))
    return Merge(chosen, m.then, m.orelse)
