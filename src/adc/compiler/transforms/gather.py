"""Sum in one loop what several loops add to one row at different distances.

    for j in range(m):                      for j in range(m + 2 if m > 0 else 0):
        b[j] += p[j]                            b[j] = b[j] + p[j + 2] + q[j]
    for j in range(m):             ->
        b[j + 2] += q[j]

The row is loaded and stored once. The scratch that is read gets a margin of zeros on both sides, as wide as the
distances are apart: every trip may then read all of it, and no border is peeled off. The order of the additions to an
element stays as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from adc.compiler.analysis.touches import distance, element, move
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Index,
    Operand,
    Program,
    Stmt,
    Store,
    Var,
    all_blocks,
    defined,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.hoist import escaping_roots
from adc.rules import registry
from adc.rules.operation import Operation

WIDEST = 8  # elements of a margin
SUMS = ("add", "subtract", "negative")  # of zeros they are zero


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with additions at several distances made in one loop."""
    _Gatherer(program, evaluator).gather()
    return program


@dataclass(eq=False)
class _Additions:
    """A loop that adds to each element of a row, `distance` from its counter, a sum of elements of scratch."""

    loop: For
    store: Store
    distance: int
    terms: list[Assign]  # that load from the scratch, and that add up what they load
    scratch: set[Var]

    @property
    def value(self) -> Var:
        assert isinstance(self.store.value, Var)
        return self.store.value

    @property
    def row(self) -> tuple[Var, Index, Atom]:
        return self.store.array, self.store.index[:-1], self.loop.stop


class _Gatherer:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.margins: dict[Var, int] = {}

    def gather(self) -> None:
        body = self.program.body
        if sum(isinstance(s, Store) and s.accumulate for s in walk(body)) < 2:
            return
        self.made = self._scratch()
        found: list[tuple[Block, list[_Additions]]] = []
        for block in all_blocks(body):
            found += [(block, group) for group in self._groups(block) if self._may_have_margins(block, group)]
        if not found:
            return
        for _, group in found:
            for a in {a for additions in group for a in additions.scratch}:
                self.margins[a] = max(self.margins.get(a, 0), _span(group))
        margin = {wide: self.margins[array] for array, wide in self._widened().items()}
        for block, group in found:
            self._merge(block, group, margin)

    # --- what may be gathered -----------------------------------------------------------------------------------

    def _scratch(self) -> dict[Var, tuple[Assign, Block]]:
        """The arrays of which only elements are used, counted from the front: what makes each, and where."""
        made = {
            s.target: (s, block)
            for block in all_blocks(self.program.body)
            for s in block
            if isinstance(s, Assign) and s.name == "empty" and isinstance(s.args[0], tuple)
        }
        counters = {s.index for s in walk(self.program.body) if isinstance(s, For) and _counts_up(s)}
        escaping = escaping_roots(self.program, self.ev)
        refused = {a for a in made if a in escaping or a.root is not a}
        for s in walk(self.program.body):
            whole = Counter(v for v in uses(s) if v in made)
            touch = element(s)
            if touch is not None:
                array, index = touch
                if len(index) == array.type.ndim and index[-1] in counters:
                    whole[array] -= 1
            refused.update(v for v, count in whole.items() if count > 0)
        return {a: each for a, each in made.items() if a not in refused}

    def _groups(self, block: Block) -> Iterator[list[_Additions]]:
        """Loops that stand one behind the other, and add to one row."""
        run: list[_Additions] = []
        for s in [*block, None]:
            additions = self._additions(s) if isinstance(s, For) else None
            if additions is not None and not any(_meet(additions, other) for other in run):
                run.append(additions)
                continue
            rows: dict[tuple[Var, Index, Atom], list[_Additions]] = {}
            for each in run:
                rows.setdefault(each.row, []).append(each)
            yield from (group for group in rows.values() if 0 < _span(group) <= WIDEST)
            run = [] if additions is None else [additions]

    def _additions(self, loop: For) -> _Additions | None:
        """What a loop adds to a row, when it does nothing else."""
        if not loop.body:
            return None
        *rest, store = loop.body
        if not (
            loop.start == Const(0)
            and loop.step == Const(1)
            and not loop.carried
            and isinstance(store, Store)
            and store.accumulate
            and len(store.index) == store.array.type.ndim
            and isinstance(store.value, Var)
            and store.value.type.dtype == store.array.type.dtype
        ):
            return None
        inside = {loop.index, *(t for s in loop.body for t in defined(s))}
        apart = distance(loop.index, store.index[-1])
        if apart is None or apart < 0 or inside & set(variables(store.index[:-1])):
            return None
        terms: dict[Var, Assign] = {}
        scratch: set[Var] = set()
        for s in rest:
            if not isinstance(s, Assign) or len(s.targets) != 1:
                return None
            if s.name == "getitem":
                array, index = s.args
                if not self._is_row(array, loop) or index[-1] is not loop.index:
                    return None
                if inside & set(variables(index[:-1])):
                    return None
                scratch.add(array)
            elif s.name in ("add", "subtract") and s.target.type.dtype == "int64":
                continue  # a subscript
            elif not (s.name in SUMS and isinstance(s.op, Operation) and all(a in terms for a in s.args)):
                return None
            terms[s.target] = s
        if store.value not in terms or store.array.root in scratch:
            return None
        return _Additions(loop, store, apart, list(terms.values()), scratch)

    def _is_row(self, array: Var, loop: For) -> bool:
        """Whether a loop goes along all of a row of scratch: what is behind its end may become zeros."""
        length = self.ev.length(loop.stop)
        return array in self.made and length is not None and array.type.shape[-1] == length

    def _may_have_margins(self, block: Block, group: list[_Additions]) -> bool:
        """Whether the scratch is made once, in front of the loops that fill and read it in every trip."""
        return all(
            self.made[a][1] is self.program.body or self.made[a][1] is not block
            for additions in group
            for a in additions.scratch
        )

    # --- the new statements ---------------------------------------------------------------------------------------

    def _widened(self) -> dict[Var, Var]:
        """Make the scratch with its margins, and let all read and write between them."""
        table: dict[Var, Var] = {}
        for array, margin in self.margins.items():
            allocation, block = self.made[array]
            *lengths, last = allocation.args[0]
            before: Block = []
            with self.ev.at(before), self.ev.origin_at(allocation.origin):
                longer = self.ev.atom(self.ev.op("add", plain_value(last), 2 * margin))
            *shape, length = array.type.shape
            kind = Array(array.type.dtype, (*shape, length + 2 * margin), "C")
            wide = table[array] = Var(array.name, kind, named=array.named)
            operands: tuple[Operand, ...] = ((*lengths, longer), allocation.args[1])
            before.append(Assign((wide,), registry.named("zeros"), operands, allocation.origin))
            block[(at := block.index(allocation)) : at + 1] = before
        for block in all_blocks(self.program.body):
            block[:] = [new for s in block for new in self._between_margins(s, table)]
        return table

    def _between_margins(self, s: Stmt, table: dict[Var, Var]) -> Block:
        touch = element(s)
        if touch is None or touch[0] not in table:
            return [s]
        array, index = touch
        before: Block = []
        with self.ev.at(before):
            place = (*index[:-1], self.ev.op("add", index[-1], self.margins[array]))
        move(s, (table[array], place))
        return [*before, s]

    def _merge(self, block: Block, group: list[_Additions], margin: dict[Var, int]) -> None:
        """Put one loop in the place of the first of several; `margin` is that of each wide array."""
        loop, store = group[0].loop, group[0].store
        nearest = min(additions.distance for additions in group)
        merged: Block = []
        with self.ev.at(merged), self.ev.origin_at(loop.origin):
            # Of a row without elements nothing goes anywhere, and what it would go to need not be there.
            length = plain_value(loop.stop)
            reach = self.ev.op("add", length, _span(group))
            trips = self.ev.atom(self.ev.op("where", self.ev.op("greater", length, 0), reach, 0))
        counter = Var(loop.index.name, loop.index.type, named=loop.index.named)
        body: Block = []
        with self.ev.at(body):
            place = (*store.index[:-1], self._ahead(counter, nearest))
            kind = Scalar(store.array.type.dtype)
            total = Var(f"{store.array.name}_element", kind, named=False)
            body.append(Assign((total,), "getitem", (store.array, place), store.origin))
            for additions in group:
                behind = additions.distance - nearest
                values: dict[Var, Var] = {}
                for s in additions.terms:
                    value = values[s.target] = Var(s.target.name, s.target.type, named=False)
                    if s.name == "getitem":
                        row, index = s.args
                        at = self._ahead(counter, margin[row] - behind)
                        body.append(Assign((value,), "getitem", (row, (*index[:-1], at)), s.origin))
                    else:
                        body.append(Assign((value,), s.op, tuple(values[a] for a in s.args), s.origin))
                before, total = total, Var(store.array.name, kind, named=False)
                value = values[additions.value]
                body.append(Assign((total,), registry.named("add"), (before, value), additions.store.origin))
        body.append(Store(store.array, place, total, False, store.origin))
        merged.append(For(counter, Const(0), trips, Const(1), [], body, loop.origin, loop.note))
        gone = {additions.loop for additions in group}
        block[:] = [new for s in block for new in (merged if s is loop else () if s in gone else (s,))]

    def _ahead(self, counter: Var, count: int) -> Atom:
        return self.ev.atom(self.ev.op("add", counter, count)) if count else counter


def _span(group: list[_Additions]) -> int:
    """How far the nearest and the furthest of the distances are apart."""
    distances = [additions.distance for additions in group]
    return max(distances) - min(distances)


def _meet(one: _Additions, other: _Additions) -> bool:
    """Whether one reads what the other adds to."""
    return one.store.array.root in other.scratch or other.store.array.root in one.scratch


def _counts_up(loop: For) -> bool:
    """Whether a loop counts the elements of a row from the front."""
    return loop.step == Const(1) and isinstance(loop.start, Const) and loop.start.value >= 0
