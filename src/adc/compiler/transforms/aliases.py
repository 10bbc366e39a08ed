"""Make sure that every write reaches exactly the arrays that the reverse sweep believes it reaches, or refuse.

A loop that carries an array and writes into it gets memory of its own to begin with. What remains is refused with the
user's line: a write to an array that is also known, at that moment, under another name that a branch or a loop gave it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from adc.compiler.analysis import layout as layouts
from adc.compiler.analysis.layout import Layout
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import Assign, Block, Carried, For, If, Program, Store, Var, While, uses, walk
from adc.compiler.ir.types import Array
from adc.errors import Location, UnsupportedError


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with writes to carried arrays made safe. Raises UnsupportedError where an alias is in doubt."""
    layout = layouts.of(program.body, program.params)
    facts = _facts(program, layout, evaluator)
    for stmt in list(walk(program.body)):
        if isinstance(stmt, Assign):
            _check_reshape(stmt, facts.written)
        elif isinstance(stmt, (For, While)):
            _check_loop(stmt, facts)
        elif isinstance(stmt, If):
            _check_branch(stmt, facts)
    program.body = _with_own_memory(program.body, set(facts.written), evaluator)
    return program


@dataclass(frozen=True, eq=False)
class _Facts:
    """Where arrays are written and mentioned; what has another name by a branch or a loop is written with that."""

    layout: Layout
    written: dict[Var, Location | None]
    stores: list[tuple[int, Var]]
    joined: dict[Var, set[Var]]
    mentions: dict[Var, list[int]]

    def needed_after(self, root: Var, region: For | While | If, position: int) -> bool:
        """Whether an array is mentioned after a position, or in the next trip of a loop around it."""
        home = self.layout.home[root].loops
        around = [loop for loop in self.layout.region_of[region].loops if loop not in home]
        return bool(around) or any(p > position for p in self.mentions.get(root, ()))

    def written_after(self, root: Var, position: int, but_not_as: Collection[Var] = ()) -> bool:
        """Whether an array is written after a position, other than under some names."""
        return any(
            p > position and root in _possible(stored, self.joined, but_not_as) for p, stored in self.stores
        )


def _facts(program: Program, layout: Layout, evaluator: Evaluator) -> _Facts:
    written: dict[Var, Location | None] = {}
    stores: list[tuple[int, Var]] = []
    mentions: dict[Var, list[int]] = {}
    for s in walk(program.body):
        if isinstance(s, Store):
            stores.append((layout.start[s], s.array.root))
            for root in _possible(s.array.root, evaluator.joined_roots):
                written.setdefault(root, s.origin)
        for v in uses(s):
            if v.is_array:
                mentions.setdefault(v.root, []).append(layout.start[s])
    for r in program.results:
        if isinstance(r, Var) and r.is_array:
            mentions.setdefault(r.root, []).append(1 << 60)
    return _Facts(layout, written, stores, evaluator.joined_roots, mentions)


def _possible(root: Var, joined: dict[Var, set[Var]], but_not_as: Collection[Var] = ()) -> dict[Var, None]:
    """The arrays that an array may be: itself, and those to which branches and loops gave its name."""
    found: dict[Var, None] = {root: None}
    todo = [root]
    while todo:
        name = todo.pop()
        for other in joined.get(name, ()) if name not in but_not_as else ():
            if other not in found:
                found[other] = None
                todo.append(other)
    return found


def _check_reshape(stmt: Assign, written: dict[Var, Location | None]) -> None:
    """A reshape of an array that may not be contiguous is a view or a copy: NumPy decides when it runs."""
    if stmt.name in ("reshape", "ravel") and stmt.target.is_array and stmt.target.root in written:
        source = stmt.args[0]
        if isinstance(source.type, Array) and source.type.layout != "C":
            raise UnsupportedError(
                f"this writes to `{stmt.target.root.name}`, of which a reshape was taken that may be a view or a copy",
                written[stmt.target.root],
                "NumPy copies when the array is not contiguous.",
                "Copy before the reshape: `x.copy().reshape(...)`.",
            )


def _check_loop(loop: For | While, facts: _Facts) -> None:
    carried = [c for c in loop.carried if isinstance(c.phi.type, Array)]
    layout, written = facts.layout, facts.written
    begin = layout.start[loop]
    outs = [c.out.root for c in carried if isinstance(c.out, Var)]
    own_phis = {c.phi for c in carried}
    own = own_phis | {c.result for c in carried}
    for c in carried:
        assert isinstance(c.init, Var) and isinstance(c.out, Var)
        if c.phi in written or c.result in written:
            if facts.needed_after(c.init.root, loop, begin):
                raise _refused(written.get(c.phi, written.get(c.result)), c.phi.name, c.init.name)
            if c.phi in written and (
                outs.count(c.out.root) > 1
                or (c.out.root not in own_phis and not _inside(layout, c.out.root, loop))
            ):
                raise _refused(written[c.phi], c.phi.name, c.out.name)
        for root in {c.init.root, c.out.root} - own_phis:
            # What is written under the loop's own names has memory of its own.
            if not _inside(layout, root, loop) and facts.written_after(root, begin, own):
                raise _refused(written[root], root.name, c.phi.name)


def _inside(layout: Layout, v: Var, loop: For | While) -> bool:
    region = layout.home[v]
    return loop in region.loops


def _check_branch(region: If, facts: _Facts) -> None:
    end = facts.layout.end[region]
    for m in region.merges:
        if not isinstance(m.result.type, Array):
            continue
        for v in (m.then, m.orelse):
            assert isinstance(v, Var)
            if m.result in facts.written and facts.needed_after(v.root, region, end):
                raise _refused(facts.written[m.result], m.result.name, v.name)
            if facts.written_after(v.root, end) and any(p > end for p in facts.mentions.get(m.result, ())):
                raise _refused(facts.written[v.root], v.name, m.result.name)


def _refused(where: Location | None, one: str, other: str) -> UnsupportedError:
    return UnsupportedError(
        f"this writes to `{one}`, which may be the same array as `{other}`",
        where,
        "which of them changes depends on the path taken, and the reverse sweep must know it.",
        f"Write `{one} = {one}.copy()` before the write, or use names for different arrays.",
    )


def _with_own_memory(block: Block, written: set[Var], evaluator: Evaluator) -> Block:
    """Loops that write into what they carry start from copies."""
    result: Block = []
    for stmt in block:
        for name in ("test_block", "then", "orelse", "body"):
            if isinstance(stmt, (For, While, If)) and hasattr(stmt, name):
                setattr(stmt, name, _with_own_memory(getattr(stmt, name), written, evaluator))
        if isinstance(stmt, (For, While)):
            carried: list[Carried] = []
            mutable = any(c.phi in written for c in stmt.carried)
            for c in stmt.carried:
                if mutable and isinstance(c.init, Var) and isinstance(c.phi.type, Array):
                    with evaluator.at(result), evaluator.origin_at(stmt.origin):
                        copy = evaluator.op("copy", c.init)
                    copy.name, copy.named = c.phi.name, True
                    c = Carried(c.phi, copy, c.out, c.result)
                    evaluator.joined_roots[c.phi] = {
                        copy,
                        *(r for r in evaluator.joined_roots.get(c.phi, ())),
                    }
                carried.append(c)
            stmt.carried = carried
        result.append(stmt)
    return result
