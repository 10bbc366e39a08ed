"""Remove everything that neither the results nor an effect depends on.

Mark and sweep, optimistic: values that only feed one another round a loop are dead together. Memory that nobody
reads takes its writes with it, so does memory that nobody reads any more, a kept value that nobody restores its buffer.
"""

from __future__ import annotations

from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    Carried,
    Check,
    For,
    If,
    Keep,
    Mark,
    Merge,
    NewBuffer,
    Print,
    Program,
    Restore,
    Stmt,
    Store,
    Var,
    While,
    blocks,
    bound_inside,
    change_blocks,
    defined,
    length_variables,
    may_raise,
    uses,
    variables,
    walk,
)


def run(program: Program, joined_roots: dict[Var, set[Var]], lengths: bool = True) -> Program:
    """The program without dead statements. With `lengths`, what the lengths of arrays are made of stays: later stages
    may have to spell a length out."""
    marker = _Marker(program, joined_roots, lengths)
    program.body = marker.sweep(program.body)
    return program


def unread(program: Program, joined_roots: dict[Var, set[Var]]) -> set[Stmt]:
    """The statements that `run` would remove."""
    return _Marker(program, joined_roots, lengths=True).dead(program)


def only_checked(program: Program, joined_roots: dict[Var, set[Var]]) -> set[Stmt]:
    """The statements that `run` would remove if nothing were checked but what the user checks."""
    return _Marker(program, joined_roots, lengths=True, checks=False).dead(program)


class _Marker:
    def __init__(
        self, program: Program, joined_roots: dict[Var, set[Var]], lengths: bool, checks: bool = True
    ) -> None:
        self.lengths = lengths
        self.live: set[Var] = set()
        self.live_roots: set[Var] = set()
        self.live_stmts: set[Stmt] = set()
        self.live_buffers: set[Buffer] = set()
        # Both ways: a write to an array that a branch picked is a write to the one that it is.
        self.joined: dict[Var, set[Var]] = {}
        for joined, roots in joined_roots.items():
            for root in roots:
                self.joined.setdefault(joined, set()).add(root)
                self.joined.setdefault(root, set()).add(joined)
        self.parent: dict[Stmt, Stmt | None] = {}
        self.definition: dict[Var, Stmt] = {}
        self.carried: dict[Var, Carried] = {}
        self.merges: dict[Var, Merge] = {}
        self.stores: dict[Var, list[Store]] = {}
        self.keeps: dict[Buffer, list[Keep | Restore | NewBuffer]] = {}
        self.todo: list[Var] = []
        self.place: dict[Stmt, int] = {}  # of the statement of the program's body that holds a write
        for k, stmt in enumerate(program.body):
            self._index([stmt], None, k)
        self.last_read = self._last_reads(program)
        for result in program.results:
            self._want(result)
        for stmt in self.parent:
            if (type(stmt) is Check and (checks or stmt.user)) or type(stmt) is Print or may_raise(stmt):
                self._keep(stmt)
        params = set(program.params)
        for p in params:
            self.live.add(p)
        self._spread()

    def _last_reads(self, program: Program) -> dict[Var, int]:
        """Per array that owns memory, the last statement of the program's body that reads what it may stand for."""
        found: dict[Var, int] = {}
        if not self.stores:
            return found
        for k, top in enumerate(program.body):
            for s in (top,) if type(top) is Assign else walk([top]):
                if type(s) is Assign and s.op == "dim":
                    continue
                for v in uses(s)[1:] if type(s) is Store else uses(s):
                    if v.is_array:
                        found[v.root] = k
        found.update((r.root, len(program.body)) for r in program.results if isinstance(r, Var))
        again = True
        while again:  # what a loop or a branch joins is read where any of them is
            again = False
            for root, others in self.joined.items():
                last = max((found[r] for r in (root, *others) if r in found), default=-1)
                if last > found.get(root, -1):
                    found[root], again = last, True
        return found

    def _index(self, block: Block, parent: Stmt | None, place: int) -> None:
        for stmt in block:
            self.parent[stmt] = parent
            if type(stmt) is Assign:  # most are
                for v in stmt.targets:
                    self.definition[v] = stmt
                continue
            for v in (*defined(stmt), *bound_inside(stmt)):
                self.definition[v] = stmt
            if isinstance(stmt, (For, While)):
                for c in stmt.carried:
                    self.carried[c.phi] = self.carried[c.result] = c
            elif isinstance(stmt, If):
                for m in stmt.merges:
                    self.merges[m.result] = m
            elif isinstance(stmt, Store):
                self.stores.setdefault(stmt.array.root, []).append(stmt)
                self.place[stmt] = place
            elif isinstance(stmt, (Keep, Restore, NewBuffer)):
                self.keeps.setdefault(stmt.buffer, []).append(stmt)
            for inner in blocks(stmt):
                self._index(inner, stmt, place)

    def _want(self, x: Atom | object) -> None:
        live = self.live
        for v in variables(x):
            is_array = v.is_array
            if v not in live:
                live.add(v)
                self.todo.append(v)
                if self.lengths and (is_array or v.dim is not None):
                    for u in length_variables(v):
                        if u in self.definition:
                            self._want(u)
            if is_array:
                self._want_root(v.root)

    def _want_root(self, root: Var) -> None:
        if root in self.live_roots:
            return
        self.live_roots.add(root)
        for store in self.stores.get(root, ()):
            if self.place[store] <= self.last_read.get(root, -1):
                self._keep(store)
        for other in self.joined.get(root, ()):
            self._want_root(other)

    def _keep(self, stmt: Stmt) -> None:
        """A statement stays: so do its operands and the regions around it."""
        if stmt in self.live_stmts:
            return
        self.live_stmts.add(stmt)
        if type(stmt) is Assign:  # most are
            self._want(stmt.args)
        elif isinstance(stmt, Store):
            self._want((stmt.array, stmt.index, stmt.value))
        elif not isinstance(stmt, (For, While, If)):
            self._want(tuple(uses(stmt)))
        elif isinstance(stmt, For):
            self._want((stmt.start, stmt.stop, stmt.step))
        else:
            self._want(stmt.test)
        parent = self.parent[stmt]
        if parent is not None:
            self._keep(parent)

    def _spread(self) -> None:
        while self.todo:
            v = self.todo.pop()
            stmt = self.definition.get(v)
            if stmt is None:
                continue
            self._keep(stmt)
            if v in self.carried:
                c = self.carried[v]
                self._want((c.init, c.out, c.phi, c.result))
            elif v in self.merges:
                self._want((self.merges[v].then, self.merges[v].orelse))
            if isinstance(stmt, Restore) and stmt.buffer not in self.live_buffers:
                self.live_buffers.add(stmt.buffer)
                for s in self.keeps[stmt.buffer]:
                    # A stack stays balanced only when every pop stays.
                    if not isinstance(s, Restore) or s.index is None:
                        self._keep(s)

    def dead(self, program: Program) -> set[Stmt]:
        """The statements that nothing depends on."""
        return {s for s in walk(program.body) if s not in self.live_stmts and not isinstance(s, Mark)}

    def sweep(self, block: Block) -> Block:
        kept: Block = []
        for stmt in block:
            if isinstance(stmt, Mark):
                kept.append(stmt)
            elif stmt in self.live_stmts:
                if isinstance(stmt, (For, While)):
                    stmt.carried = [c for c in stmt.carried if c.phi in self.live or c.result in self.live]
                elif isinstance(stmt, If):
                    stmt.merges = [m for m in stmt.merges if m.result in self.live]
                change_blocks(stmt, self.sweep)
                kept.append(stmt)
        return kept
