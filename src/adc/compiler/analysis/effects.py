"""What statements define, read and write, so that transformations know which may change places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Buffer,
    Check,
    For,
    If,
    Keep,
    NewBuffer,
    Print,
    Restore,
    Room,
    Settle,
    Stmt,
    Store,
    Var,
    While,
    bound_inside,
    defined,
    is_view,
    reads_memory,
    uses,
    variables,
    walk,
)


@dataclass(eq=False, slots=True)
class Access:
    """One use of an array's memory: an element with its index, or (None) anything else."""

    array: Var
    index: tuple[Any, ...] | None
    write: bool
    accumulate: bool = False


@dataclass(eq=False, slots=True)
class Effects:
    """The summary of a statement with everything inside it."""

    defs: set[Var] = field(default_factory=set)
    uses: set[Var] = field(default_factory=set)
    accesses: dict[Var, list[Access]] = field(default_factory=dict)  # by memory class
    writes: set[Var] = field(default_factory=set)
    plain: set[Var] = field(default_factory=set)  # of the accessed ones, those that are not only added to
    stacks: set[Buffer] = field(default_factory=set)
    checks: bool = False

    def include(self, other: Effects) -> None:
        """Take in what `clash` asks of the effects of another statement: of accesses, to what."""
        self.defs |= other.defs
        self.uses |= other.uses
        self.writes |= other.writes
        self.plain |= other.plain
        self.stacks |= other.stacks
        self.checks = self.checks or other.checks
        for root in other.accesses:
            self.accesses.setdefault(root, [])


class Memory:
    """Groups arrays that may share memory: a root stands for all arrays that a loop or a branch may make the same."""

    def __init__(self, joined_roots: dict[Var, set[Var]]) -> None:
        self._joined = joined_roots
        self._parent: dict[Var, Var] = {}
        for v, roots in joined_roots.items():
            for r in roots:
                a, b = self._find(v), self._find(r)
                if a is not b:
                    self._parent[b] = a
        self._cache: dict[Stmt, Effects] = {}

    def _find(self, v: Var) -> Var:
        while v in self._parent:
            v = self._parent[v]
        return v

    def of(self, array: Var) -> Var:
        """The class of the memory that an array stands for."""
        return self._find(array.root)

    def inside(self, block: Block) -> Memory:
        """The classes as statements of a block have them: what the block has just allocated, nobody outside it has.

        What a loop carries round may have been allocated in the block, but in the trip before.
        """
        made = {s.target for s in block if isinstance(s, Assign) and s.name == "empty"}
        if not any(made & roots for roots in self._joined.values()):
            return self
        own = {v for s in walk(block) for v in (*defined(s), *bound_inside(s))}
        return Memory({v: roots if v in own else roots - made for v, roots in self._joined.items()})

    def forget(self, stmt: Stmt) -> None:
        self._cache.pop(stmt, None)

    def merge(self, into: Stmt, other: Stmt, index: Var, counter: Var, merged: Stmt) -> None:
        """The effects of `merged`, a loop that is `into` followed by `other` with its index renamed to `counter`."""
        e, o = self.effects(into), self.effects(other)
        self._cache.pop(into)
        self._cache[merged] = e
        e.defs |= o.defs
        e.uses |= o.uses - {index}
        e.uses -= o.defs
        e.writes |= o.writes
        e.plain |= o.plain
        e.stacks |= o.stacks
        e.checks = e.checks or o.checks
        for root, found in o.accesses.items():
            e.accesses.setdefault(root, []).extend(
                Access(
                    a.array,
                    None if a.index is None else tuple(counter if i is index else i for i in a.index),
                    a.write,
                    a.accumulate,
                )
                for a in found
            )

    def effects(self, stmt: Stmt) -> Effects:
        found = self._cache.get(stmt)
        if found is None:
            found = self._cache[stmt] = self._summary(stmt)
        return found

    def _summary(self, stmt: Stmt) -> Effects:
        e = Effects()
        for s in walk([stmt]):
            if type(s) is Assign:  # most are
                e.defs.update(s.targets)
                read = variables(s.args)
                e.uses.update(read)
                self._assigned(s, read, e)
            else:
                e.defs.update(defined(s))
                e.defs.update(bound_inside(s))
                e.uses.update(uses(s))
                self._memory(s, e)
        e.uses -= e.defs.difference(defined(stmt))
        return e

    def _touch(self, e: Effects, access: Access) -> None:
        root = self.of(access.array)
        e.accesses.setdefault(root, []).append(access)
        if access.write:
            e.writes.add(root)
        if not access.accumulate:
            e.plain.add(root)

    def _assigned(self, s: Assign, read: list[Var], e: Effects) -> None:
        """The memory that an assignment accesses, which reads these variables."""
        name = s.name
        if name == "getitem" and not s.target.is_array:
            self._touch(e, Access(s.args[0], s.args[1], False))
        elif is_view(s):
            # A view may be read or written through later: as long as it is about, its base is in use as a whole.
            self._touch(e, Access(s.args[0], None, False))
        elif name in ("empty", "zeros"):
            self._touch(e, Access(s.target, None, True))
        else:
            arrays = [v for v in read if v.is_array]
            if arrays and reads_memory(s):
                for v in arrays:
                    self._touch(e, Access(v.root, None, False))
            # A call that writes into an operand (out=) names it.

    def _memory(self, s: Stmt, e: Effects) -> None:
        if isinstance(s, Store):
            self._touch(e, Access(s.array, s.index, True, s.accumulate))
            for v in variables((s.index, s.value)):
                if v.is_array:
                    self._touch(e, Access(v, None, False))
        elif isinstance(s, (Keep, Room, Restore, NewBuffer, Settle)):
            e.stacks.add(s.buffer)
            if isinstance(s, Keep):
                for v in variables(s.value):
                    if v.is_array:
                        self._touch(e, Access(v, None, False))
        elif isinstance(s, (Check, Print)):
            e.checks = True
        elif isinstance(s, (For, While)):
            for c in s.carried:
                for v in variables((c.init, c.out)):
                    if v.is_array:
                        self._touch(e, Access(v, None, False))
                if isinstance(c.init, Var) and c.init.is_array and self.of(c.init) is not self.of(c.phi):
                    # The loop has taken the memory over, and hands it round among its arrays: a trip may write to it.
                    self._touch(e, Access(c.init, None, True))
        elif isinstance(s, If):
            for m in s.merges:
                for v in variables((m.then, m.orelse)):
                    if v.is_array:
                        self._touch(e, Access(v, None, False))

    def conflict(self, a: Stmt, b: Stmt) -> bool:
        """Whether two statements may not change places."""
        return clash(self.effects(a), self.effects(b))


def clash(x: Effects, y: Effects) -> bool:
    """Whether what has these effects may not change places."""
    if not x.defs.isdisjoint(y.uses) or not y.defs.isdisjoint(x.uses):
        return True
    if x.checks or y.checks:
        # Nothing that reads or writes memory passes a check: it may be what keeps an index within bounds.
        return True
    if not x.stacks.isdisjoint(y.stacks):
        return True
    # What both only add to may be added to in either order.
    return any(
        r in x.plain or r in y.plain for r in (*_both(x.writes, y.accesses), *_both(y.writes, x.accesses))
    )


def _both(writes: set[Var], accesses: dict[Var, list[Access]]) -> list[Var]:
    """The memory in both; one of them may be that of a whole program, and the other that of a statement."""
    if len(writes) < len(accesses):
        return [root for root in writes if root in accesses]
    return [root for root in accesses if root in writes]
