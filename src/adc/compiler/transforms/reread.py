"""Read what a block has just written to a part of an array from where it was made.

    for t in range(steps):                      for t in range(steps):
        new[1:-1] = u[1:-1] + f(u)                  made = u[1:-1] + f(u)
        u[1:-1] = new[1:-1]              ->         u[1:-1] = made

What lies within the part is a part of what was made: `new[2:-1]` is `made[1:]`. Where nothing else is read of the array
it goes, and with it what the reverse sweep would do to its adjoint; other arrays are read as they are. Elements are
read from values behind `scalarise` (`forward`); parts are before the reverse sweep, which is made of what is left.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
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
    change_blocks,
    is_view,
    uses,
    walk,
)
from adc.compiler.transforms.rewrite import operand, substitute


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with parts of arrays read from the arrays that were stored there."""
    if any(isinstance(s, Store) and _is_of_array(s) for s in walk(program.body)):
        reader = _Reader(program, evaluator)
        program.body = substitute(reader.block(program.body), reader.table)
    return program


class _Reader:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        statements = walk(program.body)
        self.written = {self.memory.of(s.array) for s in statements if isinstance(s, Store)}
        self.read = Counter(v for s in statements for v in uses(s))
        self.read.update(r for r in program.results if isinstance(r, Var))
        self.aside = _written_aside(statements, self.read)
        self.table: dict[Var, Var] = {}

    def block(self, block: Block) -> Block:
        out: Block = []
        known: dict[Var, Store] = {}  # by the memory, what was last written to it
        with self.ev.at(out):
            for k, stmt in enumerate(block):
                change_blocks(stmt, self.block)
                if isinstance(stmt, Assign) and stmt.name == "getitem" and stmt.target.is_array:
                    store = known.get(self.memory.of(stmt.args[0]))
                    if store is not None and self._takes(stmt, store, block[k + 1 :]):
                        continue
                for written in self.memory.effects(stmt).writes:
                    known.pop(written, None)
                if isinstance(stmt, Store) and stmt.array in self.aside and self._stays(stmt.value):
                    known[self.memory.of(stmt.array)] = stmt
                out.append(stmt)
        return out

    def _stays(self, value: Atom) -> bool:
        return isinstance(value, Var) and self.memory.of(value) not in self.written

    def _takes(self, stmt: Assign, store: Store, rest: Block) -> bool:
        """Whether what a statement reads could be had from what was stored."""
        array, index = stmt.args
        if array is not store.array:
            return False
        items = [
            _within(*(operand(i, self.table) for i in pair)) for pair in zip(index, store.index, strict=True)
        ]
        if None in items or not self._is_read_before_writing(stmt.target, rest):
            return False
        begin = len(self.ev.block)
        made = store.value
        assert isinstance(made, Var)
        stored: Any = made
        with self.ev.origin_at(stmt.origin):
            parts = [i for i, held in zip(items, store.index, strict=True) if isinstance(held, Slice)]
            if any(i != FULL for i in parts):
                stored = self.ev.getitem(stored, tuple(parts))
        if not self._alike(stored, stmt.target):
            del self.ev.block[begin:]
            return False
        self.table[stmt.target] = stored
        if not made.named:  # it stands for what the user called this
            made.name, made.named = array.name, array.named
        return True

    def _alike(self, one: Var, other: Var) -> bool:
        a, b = one.type, other.type
        return bool(a.dtype == b.dtype and self.ev.equal.same_shape(a.shape, b.shape))

    def _is_read_before_writing(self, read: Var, rest: Block) -> bool:
        """Whether all that is done with a part is to take its values, before the array is written to again."""
        array = self.memory.of(read)
        left = self.read[read]
        for stmt in rest:
            if array in self.memory.effects(stmt).writes and not _only_reads(stmt, read):
                return False
            for inner in walk([stmt]):
                times = Counter(uses(inner))[read]
                if times and not _only_reads(inner, read):
                    return False
                left -= times
            if not left or array in self.memory.effects(stmt).writes:
                return not left
        return False


def _written_aside(statements: list[Stmt], read: Counter[Var]) -> set[Var]:
    """The arrays of which nothing is read but views within the part that is always written to."""
    stores: dict[Var, list[Store]] = {}
    known: Counter[Var] = Counter()  # uses that do not count
    inside: set[Var] = set()
    for s in statements:
        if isinstance(s, Store):
            stores.setdefault(s.array, []).append(s)
            known[s.array] += 1
    for s in statements:
        if isinstance(s, Assign) and s.name == "dim":
            known[s.args[0]] += 1
        elif isinstance(s, Assign) and s.name == "getitem" and s.target.is_array and s.args[0] in stores:
            array, index = s.args
            written = stores[array][0].index
            pairs = zip(index, written, strict=True) if len(index) == len(written) else ()
            items = [_within(*pair) for pair in pairs]
            if items and None not in items:
                known[array] += 1
                inside.add(array)
    return {
        a
        for a in inside
        if known[a] == read[a]
        and all(_is_of_array(s) and s.index == stores[a][0].index for s in stores[a])
        and a.root is a
    }


def _only_reads(s: Stmt, array: Var) -> bool:
    """Whether a statement takes the values of an array, and neither writes to it nor makes a view of it."""
    if isinstance(s, Assign):
        return not is_view(s)
    return isinstance(s, Store) and s.array is not array


def _is_of_array(s: Store) -> bool:
    return not s.accumulate and isinstance(s.value, Var) and s.value.is_array


def _within(item: Any, written: Any) -> Any:
    """What an item of an index takes of what was written at another one; None where that is not known."""
    if isinstance(item, Var) and item.is_array:  # a position may come twice, and has what came last
        return None
    if item == written:
        return FULL
    here, there = _ends(item), _ends(written)
    if here is None or there is None:
        return None
    (start, behind), (first, last) = here, there
    if start < first or behind > last:
        return None
    return Slice(
        Const(start - first) if start > first else None, Const(behind - last) if behind < last else None, None
    )


def _ends(item: Any) -> tuple[int, int] | None:
    """Where a slice begins, and how far from the end of the axis it stops, where both are numbers."""
    if not isinstance(item, Slice) or item.step not in (None, Const(1)):
        return None
    start, stop = item.start or Const(0), item.stop or Const(0)
    if not (isinstance(start, Const) and isinstance(stop, Const)) or start.value < 0 or stop.value > 0:
        return None
    return (start.value, stop.value) if item.stop != Const(0) else None
