"""Split a block in two: what does not depend on some variables, and what does.

The first part runs once, the second once for each value of those variables: the rows of a Jacobian, the directions of a
Hessian, the calls of a pullback. Statements keep their order inside each part. An array that the second part writes to
is copied by it first, so that each run finds it as the first run did. What both parts need of the second (the value of
a loop that fills a stack) is computed in both.
"""

from __future__ import annotations

from collections.abc import Sequence

from adc.compiler.analysis.roots import behind, written_roots
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.creation import CREATION
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Const,
    Keep,
    NewBuffer,
    Restore,
    Stmt,
    Store,
    Var,
    bound_inside,
    defined,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import clone, remeasure, scopes
from adc.compiler.transforms.rewrite import operand, substitute

__all__ = ["depending", "rerooted", "run"]

Memory = Var | Buffer


def run(
    block: Block,
    on: Sequence[Var],
    evaluator: Evaluator,
    outputs: Sequence[Atom] = (),
    results: Sequence[Value] = (),
) -> tuple[Block, Block, list[Atom], list[Value]]:
    """The statements that do not depend on the variables `on`, and those that do.

    `outputs` are wanted of the first part, `results` of the second; both are returned as they are called there.
    """
    parts = [_Facts(s, evaluator) for s in block]
    late = _late(parts, set(on))
    before = [s for k, s in enumerate(block) if k not in late]
    after = [s for k, s in enumerate(block) if k in late]
    again = [block[k] for k in _needed(parts, late, outputs)]
    values: Block = []
    if again:
        values, outputs = _values(before, again, on, evaluator, outputs)
    first = [*before, *values]
    remeasure.in_scope([], first, evaluator, gone=scopes.bound(first) | scopes.bound(after))
    after, table = _with_own_memory(before, after, evaluator)
    return first, after, list(outputs), [operand(r, table) for r in results]


def depending(block: Block, on: Sequence[Var], evaluator: Evaluator) -> set[Var]:
    """What a block defines, and the arrays it writes to, that may differ with the variables `on`."""
    positions = _late([_Facts(s, evaluator) for s in block], set(on))
    late = [block[k] for k in sorted(positions)]
    defines = {v for s in walk(late) for v in (*defined(s), *bound_inside(s))}
    return defines | written_roots(walk(late), evaluator.joined_roots)


def _values(
    before: Block, again: Block, on: Sequence[Var], evaluator: Evaluator, outputs: Sequence[Atom]
) -> tuple[Block, Sequence[Atom]]:
    """What computes `outputs` by statements of the second part, on variables and arrays of its own."""
    joined = dict(evaluator.joined_roots)
    _, again, outputs = clone.run([], again, outputs, evaluator, inside=True)
    again, table = _with_own_memory(before, again, evaluator)
    evaluator.joined_roots.update(joined)  # of the variables that stay
    zeros, at_zero = _zeros(on, again, evaluator)
    return [*zeros, *substitute(again, at_zero)], [operand(o, table) for o in outputs]


def _needed(parts: list[_Facts], late: set[int], outputs: Sequence[Atom]) -> list[int]:
    """The positions of the late statements that `outputs` are made by."""
    wanted = {o for o in outputs if isinstance(o, Var)}
    touched: set[Memory] = {o.root for o in wanted if o.is_array}
    found: list[int] = []
    for k in sorted(late, reverse=True):
        facts = parts[k]
        if facts.defines & wanted or facts.writes & touched:
            found.append(k)
            wanted |= facts.reads
            touched |= facts.touches
    return found[::-1]


def _zeros(on: Sequence[Var], block: Block, evaluator: Evaluator) -> tuple[Block, dict[Var, Atom]]:
    """Zeros in place of the variables `on` that a block reads: what does not depend on them is what it was.

    A loop computes a value and its tangent in one; what the tangents are made of is dead then.
    """
    used = {v for s in walk(block) for v in uses(s)}
    made: Block = []
    table: dict[Var, Atom] = {}
    with evaluator.at(made):
        for v in on:
            if v in used and isinstance(v.type, Array):
                zero = evaluator.op("zeros", evaluator.shape_values(v.type.shape))
                if isinstance(zero, Var) and zero.type.dtype != v.type.dtype:
                    zero = evaluator.cast(zero, v.type.dtype)
                table[v] = evaluator.atom(zero)
            elif v in used:
                table[v] = Const(0.0)
    return made, table


def _late(parts: list[_Facts], values: set[Var]) -> set[int]:
    """The positions of the statements of the second part."""
    late: set[int] = set()
    size = -1
    while size != len(late):
        size = len(late)
        memory = {m for k in late for m in parts[k].writes}
        whole = _inseparable(parts, late, memory)
        touched: set[Memory] = set()  # by the second part, up to here
        for k, facts in enumerate(parts):
            if (
                k in late
                or facts.reads & values
                or facts.touches & whole
                or facts.touches & memory & touched
                or facts.writes & touched
            ):
                late.add(k)
                values |= facts.defines
                touched |= facts.touches
    return late


def _inseparable(parts: list[_Facts], late: set[int], memory: set[Memory]) -> set[Memory]:
    """Memory that the second part writes to and cannot copy at its beginning: all statements on it belong there.

    Stacks; arrays that may be one of several; and those that are only filled before, which is as cheap as a copy.
    """
    found: set[Memory] = set()
    for m in memory:
        early = [f for k, f in enumerate(parts) if k not in late and m in f.touches]
        if (
            isinstance(m, Buffer)
            or any(len(parts[k].aliases(m)) > 1 for k in late)
            or sum(not f.views for f in early) == 1 == sum(f.fills for f in early)
        ):
            found.add(m)
    return found


class _Facts:
    """What a statement, with everything inside it, reads, defines and does to memory."""

    def __init__(self, stmt: Stmt, evaluator: Evaluator) -> None:
        self.reads: set[Var] = set()
        self.defines: set[Var] = set(defined(stmt))
        self.touches: set[Memory] = set()
        self.writes: set[Memory] = set()
        self.groups: list[set[Var]] = []  # arrays that may be the same
        # Making one of these again costs no more than copying it.
        self.fills = isinstance(stmt, Assign) and stmt.name in CREATION
        self.views = isinstance(stmt, Assign) and stmt.targets[0].view_of is not None
        for s in walk([stmt]):
            self.reads.update(uses(s))
            for v in (*uses(s), *defined(s), *bound_inside(s)):
                if v.is_array:
                    group = behind([v.root], evaluator.joined_roots)
                    self.touches |= group
                    if len(group) > 1 and group not in self.groups:
                        self.groups.append(group)
            if isinstance(s, Store):
                self.writes |= behind([s.array.root], evaluator.joined_roots)
            elif isinstance(s, (NewBuffer, Keep, Restore)):
                self.touches.add(s.buffer)
                self.writes.add(s.buffer)

    def aliases(self, m: Memory) -> set[Memory]:
        """The arrays that may be the same as `m`, itself among them."""
        return {m}.union(*(g for g in self.groups if m in g))


def _with_own_memory(before: Block, after: Block, evaluator: Evaluator) -> tuple[Block, dict[Var, Var]]:
    """Statements behind `before`, beginning with copies of the arrays of others that they write to, and views of those.

    And the copies by what they are of.
    """
    own = {v for s in walk(after) for v in (*defined(s), *bound_inside(s))}
    written = {s.array.root: None for s in walk(after) if isinstance(s, Store)}
    table: dict[Var, Var] = {}
    start: Block = []
    with evaluator.at(start):
        for root in written:
            if root not in own:
                copy = evaluator.op("copy", root)
                copy.name, copy.named = root.name, root.named
                evaluator.mutated.setdefault(copy, None)
                table[root] = copy
        roots = dict(table)
        used = {v for s in walk(after) for v in uses(s)}
        for s in reversed(before):  # a view of a view is taken before
            if (
                isinstance(s, Assign)
                and len(s.targets) == 1
                and s.target.view_of is not None
                and s.target in used
                and s.target.root in roots
            ):
                used.add(s.target.view_of)
        for s in before:
            if (
                isinstance(s, Assign)
                and len(s.targets) == 1
                and s.target.view_of is not None
                and s.target in used
                and s.target.root in roots
            ):
                v = s.target
                assert v.view_of is not None
                again = Var(v.name, v.type, named=v.named, root=roots[v.root], view_of=table[v.view_of])
                table[v] = again
                start.append(Assign((again,), s.op, operand(s.args, table), s.origin))
    if table:
        after = substitute(after, table)
        rerooted(after, roots, evaluator)
        for s in walk(after):
            for v in defined(s):
                if v.view_of in table:
                    v.view_of = table[v.view_of]
    return [*start, *after], table


def rerooted(block: Block, roots: dict[Var, Var], evaluator: Evaluator) -> None:
    """Views of an array are views of what has taken its place."""
    for s in walk(block):
        for v in (*defined(s), *bound_inside(s), *uses(s)):
            if v.root in roots:
                v.root = roots[v.root].root
            if v.view_of is not None and v.view_of in roots:
                v.view_of = roots[v.view_of]
    for root, others in list(evaluator.joined_roots.items()):
        if others & roots.keys():
            evaluator.joined_roots[root] = {roots[o].root if o in roots else o for o in others}
