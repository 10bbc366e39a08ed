"""Decide which values are printed inside the expression that uses them, rather than on a line of their own.

A nameless value that is used once, by a statement of the same block, with no write to memory it reads in between.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.layout import reads
from adc.compiler.analysis.names import given_names, is_of_nameless
from adc.compiler.frontend.indexing import FULL
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    For,
    If,
    Keep,
    Merge,
    Program,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    may_raise,
    times_read,
    uses,
    variables,
    walk,
    writes_arguments,
)

NEVER = {"zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like", "full_like", "copy"}
NEVER |= {"rt.empty", "rt.empty_of", "rt.zeros", "rt.zeros_of"}
MAX_DEPTH = 6
SHORT = 2  # operations, of an adjoint that needs no line of its own
_SIGNS = {"negative", "subtract", "add"}
MOST_OPERANDS = (
    30  # of a call: CPython hands more over as a list, which Numba cannot read if a choice is among them
)


def _is_long_call(stmt: Stmt) -> bool:
    return writes_arguments(stmt) and isinstance(stmt, Assign) and len(stmt.args) > MOST_OPERANDS


class _Places:
    """Where the values of a block are read, and where memory is written in it."""

    def __init__(self, block: Block, memory: Memory) -> None:
        self.reader: dict[Var, int] = {}  # the first statement that reads a value where it stands
        self._writes: dict[Var, list[int]] = {}
        for k, stmt in enumerate(block):
            for v in _direct_uses(stmt):
                self.reader.setdefault(v, k)
            for s in walk([stmt]):
                for array in (s.array,) if isinstance(s, Store) else uses(s) if writes_arguments(s) else ():
                    self._writes.setdefault(memory.of(array), []).append(k)

    def is_written(self, root: Var, after: int, before: int) -> bool:
        """Whether a statement between two others writes to memory."""
        writes = self._writes.get(root, ())
        return bisect_left(writes, before) > bisect_right(writes, after)


class Inlining:
    """`definition[v]` is the statement whose expression stands in place of `v`."""

    def __init__(self, program: Program) -> None:
        self.count = times_read(program)
        self.memory = Memory(_joined(program))
        self.names = given_names(program)
        self.unread = self._unread(program)
        self.definition: dict[Var, Assign | If] = {}
        self._depth: dict[Var, int] = {}
        self._block(program.body, set())

    def _unread(self, program: Program) -> set[Stmt]:
        """Lengths that later stages might have wanted and nobody reads: they are not printed."""
        found: set[Stmt] = set()
        statements = [s for s in walk(program.body) if isinstance(s, Assign)]
        while True:
            new = [
                s
                for s in statements
                if s.targets
                and s not in found
                and not writes_arguments(s)
                and not may_raise(s)
                and all(self.count[t] == 0 for t in s.targets)
            ]
            if not new:
                return found
            for s in new:
                found.add(s)
                for v in uses(s):
                    self.count[v] -= 1

    def _block(self, block: Block, kept_names: set[Var]) -> None:
        for stmt in block:
            for inner in blocks(stmt):
                self._block(inner, kept_names)
        places = _Places(block, self.memory)
        for position, stmt in enumerate(block):
            v = self._candidate(stmt)
            if v is None:
                continue
            if self._is_offset(stmt):
                self.definition[v] = stmt  # type: ignore[assignment]
                self._depth[v] = 1
                continue
            if self.count[v] != 1:
                continue
            consumer = places.reader.get(v)
            if consumer is None or self._written(stmt, places, position, consumer):
                continue
            depth = 1 + max((self._depth.get(u, 0) for u in self.operands(stmt)), default=0)
            if v.named and not (
                _writes_all(block[consumer], v)
                or (self.is_of_nameless(v) and self._takes(block[consumer], v, depth))
            ):
                continue
            if _is_long_call(block[consumer]):
                continue
            if depth > MAX_DEPTH and not isinstance(stmt, If):
                continue
            self._depth[v] = depth
            self.definition[v] = stmt  # type: ignore[assignment]

    def _candidate(self, stmt: Stmt) -> Var | None:
        if (
            isinstance(stmt, Assign)
            and len(stmt.targets) == 1
            and stmt.name not in NEVER
            and not writes_arguments(stmt)
        ):
            v = stmt.target
        elif isinstance(stmt, If) and len(stmt.merges) == 1 and self.is_expression(stmt):
            v = stmt.merges[0].result
        else:
            return None
        named = v.named and not (
            v.name.endswith("_bar") and (v.view_of is not None or not v.type.dtype.startswith("int"))
        )
        return None if named or self.count[v] == 0 else v

    def is_of_nameless(self, v: Var) -> bool:
        """Whether a value is the adjoint of one that the user has not named."""
        return is_of_nameless(v, self.names)

    def _takes(self, stmt: Stmt, v: Var, depth: int) -> bool:
        """Whether a statement puts a value into an array, negates it, or adds it to or takes it from another.

        `x_bar[i] += y` needs no `x_i_bar = y`, and `x_bar = -y` no `negated_bar = y`.
        """
        if isinstance(stmt, Store):
            return stmt.value is v
        return isinstance(stmt, Assign) and stmt.name in _SIGNS and depth <= SHORT

    def _is_offset(self, stmt: Stmt) -> bool:
        """`n - 1`, `i + 2`: spelled out wherever they are used."""
        if not (
            isinstance(stmt, Assign)
            and stmt.name in ("add", "subtract")
            and stmt.target.type.dtype == "int64"
            and not stmt.target.is_array
            and self.count[stmt.target] > 0
        ):
            return False
        return sum(isinstance(a, Var) for a in stmt.args) <= 1 and all(
            u not in self.definition for u in variables(stmt.args)
        )

    def is_expression(self, region: If) -> bool:
        """Whether a branch prints as `a if test else b` (or `and`, `or`)."""
        if len(region.merges) != 1 or region.merges[0].result.is_array:
            return False
        merge: Merge = region.merges[0]
        for block, value in ((region.then, merge.then), (region.orelse, merge.orelse)):
            last = value if isinstance(value, Var) else None
            for stmt in block:
                if (
                    isinstance(stmt, Assign)
                    and len(stmt.targets) == 1
                    and (
                        stmt.target in self.definition
                        or (stmt.target is last and not stmt.target.named and self.count[stmt.target] == 1)
                    )
                ):
                    continue
                if (
                    isinstance(stmt, If)
                    and stmt.merges
                    and (
                        stmt.merges[0].result in self.definition
                        or (stmt.merges[0].result is last and self.is_expression(stmt))
                    )
                ):
                    continue
                return False
        return True

    def operands(self, stmt: Stmt) -> Iterator[Var]:
        """The variables that an inlined statement reads, inside its blocks too."""
        yield from uses(stmt)
        for inner in blocks(stmt):
            for s in inner:
                yield from self.operands(s)

    def _written(self, stmt: Stmt, places: _Places, position: int, consumer: int) -> bool:
        """Whether something that the expression at a position reads changes before it is used."""
        read = {self.memory.of(root) for root in self._read_roots(stmt)}
        return any(places.is_written(root, position, consumer) for root in read)

    def _read_roots(self, stmt: Stmt) -> set[Var]:
        """The memory that an expression reads, with that of the expressions printed inside it."""
        roots: set[Var] = set()
        for s in walk([stmt]):
            if isinstance(s, Assign):
                roots.update(reads(s))
        for v in self.operands(stmt):
            inner = self.definition.get(v)
            if inner is not None and inner is not stmt:
                roots |= self._read_roots(inner)
        return roots

    def expression_of(self, v: Var) -> Assign | If | None:
        return self.definition.get(v)


def _joined(program: Program) -> dict[Var, set[Var]]:
    """What loops carry and branches choose, with the arrays that each may be."""
    found: dict[Var, set[Var]] = {}
    for s in walk(program.body):
        if isinstance(s, (For, While)):
            for c in s.carried:
                given = {v.root for v in variables((c.init, c.out)) if v.is_array}
                found.update({c.phi: given, c.result: given | {c.phi}} if c.phi.is_array else {})
        elif isinstance(s, If):
            for m in s.merges:
                if m.result.is_array:
                    found[m.result] = {v.root for v in variables((m.then, m.orelse))}
    return found


def _writes_all(stmt: Stmt, view: Var) -> bool:
    """Whether a statement writes to a view, all of it: `x_bar[1:] += y` needs no name for `x_bar[1:]`."""
    return isinstance(stmt, Store) and stmt.array is view and all(i == FULL for i in stmt.index)


def _direct_uses(stmt: Stmt) -> Iterator[Var]:
    """Uses that are evaluated where the statement stands: not what a loop carries round, nor a branch's merges."""
    if isinstance(stmt, For):
        yield from variables((stmt.start, stmt.stop, stmt.step))
    elif isinstance(stmt, While):
        return
    elif isinstance(stmt, If):
        yield from variables(stmt.test)
    elif isinstance(stmt, Keep):
        yield from variables((stmt.index or (), stmt.value, stmt.lengths))
    else:
        yield from uses(stmt)
