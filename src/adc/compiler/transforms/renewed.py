"""An array that is written over as a whole is another array from there on.

    q = np.exp(e)                   q = np.exp(e)
    q /= np.sum(q)                  q_2 = q / np.sum(q)
    return np.sum(q * q)            return np.sum(q_2 * q_2)

Then nothing has to be kept of it and put back, and what is known of quotients and exponentials is seen. It is done
where the array is made in the same block and nobody could tell: no view that was taken before is read afterwards, and
no other name of the same memory. What is added to stays as it is where a part of the array is written to as well.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from adc.compiler.analysis import sharing
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
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
    bound_inside,
    defined,
    is_view,
    uses,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms.rewrite import operand, substitute

Table = dict[Var, Var]
Makers = dict[Var, Assign]


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with new arrays in place of whole ones that are written over."""
    renewer = _Renewer(program, evaluator)
    if renewer.candidates:
        program.body, table = renewer.block(program.body)
        program.results = [operand(r, table) for r in program.results]
        renewer.settle(program)
    return program


class _Renewer:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        statements = walk(program.body)
        self.stores: dict[Var, list[Store]] = {}
        for s in statements:
            if isinstance(s, Store):
                self.stores.setdefault(s.array.root, []).append(s)
        self.candidates = {s for found in self.stores.values() for s in found if _is_whole(s)}
        if not self.candidates:
            return
        self.candidates -= {s for s, _, _ in sharing.of(program, evaluator.joined_roots).conflicts()}
        self.read: Counter[Var] = Counter(v for s in statements for v in uses(s))
        self.read.update(r for r in program.results if isinstance(r, Var))
        self.joined = {v for roots in evaluator.joined_roots.values() for v in roots}
        self.renewed: dict[Var, Var] = {}  # by the new array, the one in whose place it is

    def block(self, block: Block) -> tuple[Block, Table]:
        """A block with new arrays, and what its end knows the old ones by."""
        for s in block:
            self._inside(s)
        maker = {t: s for s in block if isinstance(s, Assign) for t in s.targets}
        chosen = self._chosen(block, {t for t, s in maker.items() if _makes(s, t)})
        out: Block = []
        table: Table = {}
        begin = 0
        for k in chosen:
            out += substitute(block[begin:k], table)
            begin = k
            store = block[k]
            assert isinstance(store, Store)
            new = self._new(store, maker, table, out)
            if new is not None:
                self._join(store.array, operand(store.array, table), new, block[: k + 1])
                table[store.array] = new
                begin = k + 1
        return [*out, *substitute(block[begin:], table)], table

    def _inside(self, s: Stmt) -> None:
        """Go through the blocks of a statement; what it gives on is what their ends know."""
        if isinstance(s, (For, While)):
            s.body, table = self.block(s.body)
            for c in s.carried:
                c.out = operand(c.out, table)
        elif isinstance(s, If):
            s.then, table = self.block(s.then)
            s.orelse, otherwise = self.block(s.orelse)
            for m in s.merges:
                m.then, m.orelse = operand(m.then, table), operand(m.orelse, otherwise)

    def _chosen(self, block: Block, made: set[Var]) -> list[int]:
        """Where the stores stand that may make new arrays."""
        found = [
            k
            for k, s in enumerate(block)
            if isinstance(s, Store) and s in self.candidates and s.array in made and self._may_go(s, block)
        ]
        if not found:
            return []
        views: dict[Var, list[tuple[int, Var]]] = {}  # by their array, with where they are made
        last: dict[Var, int] = {}  # where each is read last
        read: Counter[Var] = Counter()
        for k, s in enumerate(block):
            for inner in walk([s]):
                for v in uses(inner):
                    if v.view_of is not None:
                        last[v] = k
                        read[v] += 1
                for v in defined(inner):
                    if v.view_of is not None and v.root in made:
                        views.setdefault(v.root, []).append((k, v))
        for _, v in (one for of_array in views.values() for one in of_array):
            if self.read[v] > read[v]:
                last[v] = len(block)  # what the block gives on
        arrays = {k: s.array for k in found if isinstance(s := block[k], Store)}
        return [
            k
            for k, array in arrays.items()
            if not any(at < k < last.get(v, -1) for at, v in views.get(array, ()))
        ]

    def _may_go(self, store: Store, block: Block) -> bool:
        if not store.accumulate:
            return True
        here = set(block)
        return all(_is_whole(s) and s in here for s in self.stores[store.array])

    def _new(self, store: Store, maker: Makers, table: Table, out: Block) -> Var | None:
        """The array that there is after a store, made at the end of `out`; None where it would be another one."""
        old, value, start = store.array, operand(store.value, table), len(out)
        new: Any = None
        with self.ev.at(out), self.ev.origin_at(store.origin):
            if store.accumulate:
                new = self.ev.op("add", operand(old, table), value)
            elif isinstance(value, Var) and value.is_array:
                new = value if self._is_for_it(value, maker) else self.ev.op("copy", value)
        if not isinstance(new, Var) or not self._alike(new, old):
            del out[start:]
            return None
        new.name, new.named = old.name, old.named
        return new

    def _alike(self, new: Var, old: Var) -> bool:
        """Whether one array can stand where the other stood."""
        a, b = new.type, old.type
        return (
            isinstance(a, Array)
            and isinstance(b, Array)
            and (a.dtype, a.layout) == (b.dtype, b.layout)
            and self.ev.equal.same_shape(a.shape, b.shape)
            and {new, old}.isdisjoint(self.ev.order_of_numpy)
        )

    def _is_for_it(self, value: Var, maker: Makers) -> bool:
        """Whether an array is made for the store alone."""
        return (
            value in maker
            and _makes(maker[value], value)
            and self.read[value] == 1
            and value not in self.joined
            and not value.named
        )

    def _join(self, first: Var, old: Var, new: Var, before: Block) -> None:
        """What branches and loops name behind the store is the new array, where it was the old one."""
        self.renewed[new] = first
        if first not in self.joined:
            return
        earlier = {v for s in walk(before) for v in (*defined(s), *bound_inside(s))}
        for v, roots in self.ev.joined_roots.items():
            if v not in earlier and old in roots:
                self.ev.joined_roots[v] = {new if r is old else r for r in roots}

    def settle(self, program: Program) -> None:
        """Which arrays are written to now."""
        written = {s.array.root for s in walk(program.body) if isinstance(s, Store)}
        mutated = self.ev.mutated
        for new, old in self.renewed.items():
            if new in written:
                mutated[new] = mutated.get(old)
            if old in self.ev.within_trips:
                self.ev.within_trips[new] = self.ev.within_trips[old]
        for old in set(self.renewed.values()) - written:
            mutated.pop(old, None)


def _is_whole(s: Store) -> bool:
    return (
        s.array.view_of is None
        and s.array.root is s.array
        and not s.role
        and len(s.index) == s.array.type.ndim
        and all(i == FULL for i in s.index)
    )


def _makes(s: Assign, target: Var) -> bool:
    """Whether a statement makes an array of memory that nothing else has."""
    return target.is_array and target.root is target and not is_view(s)
