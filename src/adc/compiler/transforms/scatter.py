"""Give every neighbour that a loop adds to a loop of its own, so that each of them vectorises.

The adjoint of a stencil scatters: `b[j] += p; b[j + 1] += q` in one loop keeps LLVM from vectorising it, since a trip
adds to what the one before added to. Nothing in the loop reads the sums, so the additions may as well be made
afterwards, one distance at a time (loop fission: Kennedy & Allen, *Optimizing Compilers for Modern Architectures*,
chapter 5). A value that costs more than a load is left in a row of scratch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from adc.compiler.analysis.apart import never_meet
from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.effects import Access, Memory
from adc.compiler.analysis.touches import distance, pace
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Operand,
    Program,
    Stmt,
    Store,
    Var,
    While,
    defined,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import clone
from adc.rules import registry
from adc.rules.operation import Operation

FEW_TRIPS = 16  # what a constant trip count must exceed
CHEAP = {"add", "subtract", "multiply", "negative"}
MOST_AGAIN = 3  # operations that are made again rather than loaded from scratch


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with the scattering additions of innermost loops made one distance at a time."""
    program.body = _Scatter(program, evaluator).block(program.body)
    return program


class _Scatter:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.made = {s.target for s in walk(program.body) if isinstance(s, Assign) and s.name == "empty"}
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)
        self.carried: set[Var] = set()  # by the loop that is looked at: what a trip has of the one before

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            if isinstance(s, For) and _is_straight(s):
                out.extend(self._separated(s))
                continue
            if isinstance(s, (For, While)):
                s.body = self.block(s.body)
            elif isinstance(s, If):
                s.then, s.orelse = self.block(s.then), self.block(s.orelse)
            out.append(s)
        return out

    def _separated(self, loop: For) -> Block:
        if loop.step != Const(1) or not (isinstance(loop.start, Const) and loop.start.value >= 0):
            return [loop]
        if isinstance(loop.stop, Const) and loop.stop.value <= FEW_TRIPS:
            return [loop]
        definition = {t: s for s in loop.body if isinstance(s, Assign) for t in s.targets}
        self.carried = {c.phi for c in loop.carried}
        moved: list[Store] = []
        for group in self._groups(loop):
            values = [self._again(s.value, loop, definition) for s in group]
            # The dearest one stays where its value is computed, and the other coordinates of the same point.
            stays = group[max(range(len(group)), key=lambda k: len(values[k] or range(1000)))]
            moved += [s for s in group if s is not stays and not _of_one_point(s, stays)]
        if not moved:
            return [loop]
        before: Block = []
        after: Block = []
        scratch: dict[Var, Var] = {}
        loop.body = [s for s in loop.body if s not in moved]
        rows = Counter((s.array, s.index[:-1]) for s in moved)
        for store in moved:
            again = self._again(store.value, loop, definition)
            # What goes to several places of a row is left in a row, too, from which it goes on (ripple.py).
            several = rows[store.array, store.index[:-1]] > 1
            if again is None or (several and not self._of_rows(again, loop)):
                assert isinstance(store.value, Var)
                if store.value not in scratch:
                    scratch[store.value] = self._scratch(store.value, loop, before)
                row = scratch[store.value]
                loaded = Var(store.value.name, store.value.type, named=False)
                again = [Assign((loaded,), "getitem", (row, (loop.index,)), store.origin)]
                store = Store(store.array, store.index, loaded, True, store.origin)
            index = self._chain(list(variables(store.index)), definition, _is_subscript)
            assert index is not None
            after.append(self._loop(loop, [*dict.fromkeys([*index, *again]), store]))
        self.memory.forget(loop)
        return [*before, loop, *after]

    def _groups(self, loop: For) -> Iterator[list[Store]]:
        """Additions to one array, at different distances from the counter, in a loop that does nothing else with it."""
        definition = {t: s for s in loop.body if isinstance(s, Assign) for t in s.targets}
        own = {v for s in loop.body for v in defined(s)}
        effects = self.memory.effects(loop)
        for root, accesses in effects.accesses.items():
            if root not in effects.writes or len({a.array for a in accesses}) != 1:
                continue
            others = [a for a in accesses if not a.accumulate]
            group = [
                s
                for s in loop.body
                if isinstance(s, Store)
                and self.memory.of(s.array) is root
                and (s.accumulate or not others)
                and all(self._are_other_rows(s, a, loop, own) for a in others)
            ]
            if len(group) < 2 or len({s.index for s in group}) != len(group):
                continue
            # In each, one subscript follows the counter at a constant distance, or falls with it; the others stay.
            if all(self._follows(s, loop, definition) for s in group):
                yield group

    def _are_other_rows(self, store: Store, access: Access, loop: For, own: set[Var]) -> bool:
        """Whether a loop goes along other rows by one access to an array than by another, in all of its trips."""
        around = self.counters.keys() - {loop.index}
        return access.index is not None and never_meet(
            store.index[:-1], access.index[:-1], around, self.counters, own
        )

    def _follows(self, store: Store, loop: For, definition: dict[Var, Assign]) -> bool:
        following = 0
        for item in store.index:
            if isinstance(item, Const) or (
                isinstance(item, Var) and item not in definition and item is not loop.index
            ):
                continue
            falls = pace(length_of(item), loop.index) == -1
            if (distance(loop.index, item) is None and not falls) or not isinstance(item, Var):
                return False
            if self._chain([item], definition, _is_subscript) is None:
                return False
            following += 1
        return following == 1

    def _again(self, value: Atom, loop: For, definition: dict[Var, Assign]) -> list[Stmt] | None:
        """The statements that compute a value from what the loop leaves alone, when they are few and cheap."""
        written = self.memory.effects(loop).writes

        def cheap(s: Assign) -> bool:
            if s.name == "getitem":
                return isinstance(s.args[0], Var) and self.memory.of(s.args[0]) not in written
            return _is_subscript(s) or (
                s.name in CHEAP and isinstance(s.op, Operation) and is_elementwise(s.op)
            )

        chain = self._chain([value], definition, cheap)
        if chain is None or sum(not _is_subscript(s) for s in chain) > MOST_AGAIN:
            return None
        return list(chain)

    def _of_rows(self, chain: list[Stmt], loop: For) -> bool:
        """Whether statements add up elements of scratch that have the loop's own index."""
        return all(
            _is_subscript(s)
            or s.name in ("add", "subtract", "negative")
            or (s.name == "getitem" and s.args[0] in self.made and s.args[1][-1] is loop.index)
            for s in chain
            if isinstance(s, Assign)
        )

    def _chain(
        self, wanted: list[Atom] | list[Var], definition: dict[Var, Assign], allowed: Callable[[Assign], bool]
    ) -> list[Assign] | None:
        """The statements of the loop that some values take, in order; None when one of them is not allowed."""
        found: dict[Assign, None] = {}

        def visit(v: Operand) -> bool:
            for x in variables(v):
                s = definition.get(x)
                if x in self.carried:
                    return False
                if s is None or s in found:
                    continue
                if not allowed(s) or not visit(s.args):
                    return False
                found[s] = None
            return True

        return list(found) if all(visit(v) for v in wanted) else None

    def _scratch(self, value: Var, loop: For, before: Block) -> Var:
        """A row that the loop leaves a value in."""
        length = self.ev.length(loop.stop)
        assert length is not None
        trips = loop.stop
        if not length.nonnegative:
            with self.ev.at(before), self.ev.origin_at(loop.origin):
                trips = self.ev.atom(self.ev.extreme("maximum", loop.stop, 0))
            length = length.clamped()
        row = Var(value.name, Array(value.type.dtype, (length,)), named=value.named)
        operands: tuple[Operand, ...] = ((trips,), Const(np.dtype(value.type.dtype)))
        before.append(Assign((row,), registry.named("empty"), operands, loop.origin))
        loop.body.append(Store(row, (loop.index,), value, False, loop.origin))
        return row

    def _loop(self, loop: For, body: Block) -> For:
        """A loop over the same trips that runs other statements, on variables of its own."""
        again = For(loop.index, loop.start, loop.stop, loop.step, [], body, loop.origin, loop.note)
        made = clone.run([], [again], [], self.ev)[1][0]
        assert isinstance(made, For)
        return made


def _of_one_point(a: Store, b: Store) -> bool:
    """Whether two elements differ in subscripts that are numbers, and in these alone: no trip meets another's."""
    return all(
        x == y or (isinstance(x, Const) and isinstance(y, Const))
        for x, y in zip(a.index, b.index, strict=True)
    )


def _is_straight(loop: For) -> bool:
    return all(isinstance(s, (Assign, Store)) for s in loop.body)


def _is_subscript(s: Assign) -> bool:
    """Whether a statement is arithmetic of positions."""
    return (
        s.name in ("add", "subtract")
        and len(s.targets) == 1
        and s.target.type.dtype == "int64"
        and not s.target.is_array
    )
