"""An array that is written over as a whole is another array from there on.

    q = np.exp(e)                   q = np.exp(e)
    q /= np.sum(q)                  q_2 = q / np.sum(q)
    return np.sum(q * q)            return np.sum(q_2 * q_2)

Then nothing has to be kept of it and put back, and what is known of quotients and exponentials is seen. It is done
where the array is made in the same block, or handed to a trip, and nobody could tell: no view that was taken before is
read afterwards, and no other name of the same memory. What is added to stays as it is where a part of the array is
written to as well. An array that each trip of a loop writes over is one that the loop carries, as if

    for t in range(steps):          for t in range(steps):
        new = f(u)                      new = f(u)
        u[:] = new                      u = new

had been written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from adc.compiler.analysis import sharing
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Carried,
    For,
    If,
    Program,
    Store,
    Var,
    While,
    blocks,
    bound_inside,
    change_blocks,
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
        renewer.without_copies(program)
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
        self.known = Equalities(program)
        self.renewed: dict[Var, Var] = {}  # by the new array, the one in whose place it is
        self.copies: set[Var] = set()  # of arrays that were stored
        self.views: dict[Var, set[Var]] = {}
        for s in statements:
            for v in defined(s):
                if v.view_of is not None:
                    self.views.setdefault(v.root, set()).add(v)

    def block(self, block: Block, given: Collection[Var] = ()) -> tuple[Block, Table]:
        """A block with new arrays, and what its end knows the old ones by; those that are `given` may be renewed."""
        made = {t for s in block if isinstance(s, Assign) for t in s.targets if _makes(s, t)}
        begun = self.known.equal.snapshot()
        block, carried = self._through_regions(block, made)
        self.known.equal.restore(begun)
        lengths = self.known.before_each(block)
        maker = {t: s for s in block if isinstance(s, Assign) for t in s.targets}
        chosen = self._chosen(block, made | set(given))
        out: Block = []
        table: Table = {}
        begin = 0
        for k in chosen:
            out += substitute(block[begin:k], table)
            begin = k
            store = block[k]
            assert isinstance(store, Store)
            new = self._new(store, maker, table, out, lengths[k])
            if new is not None:
                self._join(store.array, operand(store.array, table), new, block[: k + 1])
                table[store.array] = new
                begin = k + 1
        return [*out, *substitute(block[begin:], table)], carried | table

    def _through_regions(self, block: Block, made: set[Var]) -> tuple[Block, Table]:
        """The block once its loops and branches were gone through; which of its arrays a loop carries by then."""
        out: Block = []
        table: Table = {}
        for s in block:
            (stmt,) = substitute([s], table)
            if isinstance(stmt, (For, While)):
                table |= self._loop(
                    stmt, {a for a in made if a not in table and self._may_be_carried(a, stmt)}
                )
            elif isinstance(stmt, If):
                with self.known.inside(stmt):
                    stmt.then, then = self.block(stmt.then)
                with self.known.inside(stmt):
                    stmt.orelse, otherwise = self.block(stmt.orelse)
                for m in stmt.merges:
                    m.then, m.orelse = operand(m.then, then), operand(m.orelse, otherwise)
            self.known.passed(stmt)
            out.append(stmt)
        return out, table

    def _loop(self, loop: For | While, outer: set[Var]) -> Table:
        """Go through a loop; what of the arrays from outside it carries now, and what they are called after it."""
        phis = {c.phi for c in loop.carried if c.phi.is_array}
        with self.known.inside(loop):
            loop.body, table = self.block(loop.body, phis | outer)
        for c in loop.carried:
            c.out = operand(c.out, table)
        self._let_go(loop, phis & table.keys())
        begun: Table = {}
        after: Table = {}
        for array in sorted(outer & table.keys(), key=lambda v: v.name):
            phi, result = (Var(array.name, array.type, named=array.named) for _ in range(2))
            loop.carried.append(Carried(phi, array, operand(array, table), result))
            roots = {array, table[array].root}
            self.ev.joined_roots[phi], self.ev.joined_roots[result] = set(roots), set(roots)
            self.joined |= roots
            begun[array], after[array] = phi, result
        loop.body = substitute(loop.body, begun)
        if isinstance(loop, While):
            loop.test_block = substitute(loop.test_block, begun)
        return after

    def _let_go(self, loop: For | While, renewed: set[Var]) -> None:
        """Carry no memory that was only written over: what was to change places with it would count as the same."""
        read = {v for block in blocks(loop) for s in walk(block) for v in uses(s)}
        read |= {c.out for c in loop.carried if isinstance(c.out, Var)}
        left = [c for c in loop.carried if c.phi in renewed and c.phi not in read and not self.read[c.result]]
        for c in left:
            loop.carried.remove(c)
            for v in (c.phi, c.result):
                self.ev.joined_roots.pop(v, None)

    def _may_be_carried(self, array: Var, loop: For | While) -> bool:
        """Whether an array of the block around a loop has one name, and each trip writes over all of it."""
        inside = walk(loop.body)
        mine = [s for s in inside if isinstance(s, Store) and s.array.root is array]
        if (
            not mine
            or array in self.joined
            or not all(s in self.candidates and not s.accumulate and s in loop.body for s in mine)
        ):
            return False
        own = {v for s in inside for v in defined(s)}
        return self.views.get(array, set()) <= own

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

    def _new(
        self, store: Store, maker: Makers, table: Table, out: Block, lengths: EqualLengths
    ) -> Var | None:
        """The array that there is after a store, made at the end of `out`; None where it would be another one."""
        old, value, start = store.array, operand(store.value, table), len(out)
        new: Any = None
        with self.ev.at(out), self.ev.origin_at(store.origin):
            if store.accumulate:
                new = self.ev.op("add", operand(old, table), value)
            elif isinstance(value, Var) and value.is_array:
                if self._is_for_it(value, maker):
                    new = value
                else:
                    new = self.ev.op("copy", value)
                    self.copies.add(new)
        if not isinstance(new, Var) or not self._alike(new, old, lengths):
            del out[start:]
            return None
        new.name, new.named = old.name, old.named
        return new

    def _alike(self, new: Var, old: Var, lengths: EqualLengths) -> bool:
        """Whether one array can stand where the other stood."""
        a, b = new.type, old.type
        return (
            isinstance(a, Array)
            and isinstance(b, Array)
            and (a.dtype, a.layout) == (b.dtype, b.layout)
            and lengths.same_shape(a.shape, b.shape)
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

    def without_copies(self, program: Program) -> None:
        """Take what was stored for the new array where nobody writes to either, nor gets them."""
        memory = Memory(self.ev.joined_roots)
        seen = {memory.of(s.array) for s in walk(program.body) if isinstance(s, Store)}
        seen |= {
            memory.of(v) for v in (*program.params, *program.results) if isinstance(v, Var) and v.is_array
        }
        copied: Table = {}
        for s in walk(program.body):
            if isinstance(s, Assign) and s.targets[0] in self.copies:
                (value,) = s.args
                if seen.isdisjoint((memory.of(s.target), memory.of(value))):
                    copied[s.target] = value
        program.body = substitute(_without(program.body, copied.keys()), copied)
        for v, roots in self.ev.joined_roots.items():
            self.ev.joined_roots[v] = {copied[r].root if r in copied else r for r in roots}

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


def _without(block: Block, made: Collection[Var]) -> Block:
    """A block without the statements that make some arrays."""
    for s in block:
        change_blocks(s, lambda inner: _without(inner, made))
    return [s for s in block if not (isinstance(s, Assign) and s.targets[0] in made)]


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
