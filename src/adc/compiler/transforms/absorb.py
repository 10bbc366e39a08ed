"""Work an element out where it is read, when the loops that read its array are not as long as the one that fills it.

    for j in range(n):                          for j in range(n - 1):
        total[j] = y[j] + h * slope[j]              next[j + 1] = x[j + 1] * (y[j] + h * slope[j])
    for j in range(n - 1):
        next[j + 1] = x[j + 1] * total[j]

Loops over one index space are merged (`fuse.py`), which leaves nothing of the array in between. Slices give loops of
other lengths: there the producer's element is computed by its readers, as Halide's schedule "inline" does (Ragan-Kelley
et al., *Halide: a language and compiler for optimizing parallelism, locality, and recomputation*, 2013), provided that
it is cheap, that all readers can, and that nothing it reads was overwritten meanwhile.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import Any

from adc.compiler.analysis import counters
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.frontend.infer import is_elementwise
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    If,
    Program,
    Stmt,
    Store,
    Var,
    blocks,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import REALS, Array
from adc.compiler.transforms import clone
from adc.compiler.transforms.rewrite import operand, substitute
from adc.rules.operation import Operation

# What the readers of an array may compute again, all together: an addition is 1, and a store and a load are saved.
CHEAP = 8
DEAR = 4  # an exponential, a sine: computed once, in a loop that vectorises
FREE = 2  # an element of the identity, which needs no load: as cheap as to load it
GATHER = 2  # a load from a position that is data
FEW_LOADS = 3


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program without the arrays that only loops of other lengths read."""
    absorber = _Absorber(program, evaluator)
    absorber.block(program.body, ())
    if absorber.table:
        program.body = substitute(program.body, absorber.table)
        program.results = [operand(r, absorber.table) for r in program.results]
    return program


@dataclass(frozen=True, eq=False)
class _Read:
    """A load of an element: `path` are the regions around it, `block` is the innermost one's."""

    load: Assign
    block: Block
    path: tuple[Stmt, ...]
    from_front: bool  # counted, as far as is known


@dataclass(frozen=True, eq=False)
class _Producer:
    """A nest of loops that computes every element of an array, each from elements of others alone."""

    array: Var
    loops: tuple[For, ...]
    body: Block  # what computes an element
    store: Store

    @property
    def cost(self) -> int:
        cost = 0
        data: set[Var] = set()  # what was loaded, and what was made of it
        for s in self.body:
            assert isinstance(s, Assign)
            of_data = not data.isdisjoint(variables(s.args))
            if isinstance(s.op, Operation):
                cost += s.op.cost
            elif of_data:
                cost += GATHER
            if of_data or s.name == "getitem":
                data.add(s.target)
        return cost

    @property
    def loads(self) -> list[Assign]:
        return [s for s in self.body if isinstance(s, Assign) and s.name == "getitem"]

    @property
    def is_multiple(self) -> bool:
        """Whether an element is one of another array, times a number at most: as cheap to read."""
        return len(self.loads) == 1 and self.cost <= 1

    @property
    def mirrors(self) -> bool:
        """Whether each element is made of those at its own place in arrays as large: also counted from the end."""
        return all(
            load.args[1] == self.store.index and load.args[0].type.shape == self.array.type.shape
            for load in self.loads
        )


@dataclass(frozen=True, eq=False)
class _Place:
    """A block: how many regions stand around it, and what is known of its statements."""

    depth: int
    position: dict[Stmt, int]
    equal: list[EqualLengths]  # before each statement
    written: dict[Var, list[int]]  # per memory, the statements that write it
    producers: dict[Var, _Producer]


class _Absorber:
    """`table[v]`: the value that stands for a load that is no longer made."""

    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.ranges = counters.ranges(program.body)
        self.memory = Memory(evaluator.joined_roots)
        self.known = Equalities(program)
        self.table: dict[Var, Atom] = {}
        self.stores: Counter[Var] = Counter()
        self.reads: dict[Var, list[_Read]] = {}
        self.seen_whole = {r for r in program.results if isinstance(r, Var)}  # not by their elements alone
        self.chosen = {s.target for s in walk(program.body) if isinstance(s, Assign) and s.name == "where"}
        self._uses(program.body, ())

    def _uses(self, block: Block, path: tuple[Stmt, ...]) -> None:
        for s in block:
            if isinstance(s, Assign) and s.name == "getitem" and not s.target.is_array:
                self._learn(s, block, path)
            elif isinstance(s, Store):
                self.stores[s.array] += 1
                self.seen_whole.update(v for v in uses(s) if v is not s.array)
            else:
                self.seen_whole.update(v for v in uses(s) if v.is_array)
            for inner in blocks(s):
                self._uses(inner, (*path, s))

    def _learn(self, load: Assign, block: Block, path: tuple[Stmt, ...]) -> None:
        from_front = all(
            i.value >= 0 if isinstance(i, Const) else counters.never_negative(i.dim, self.ranges)
            for i in load.args[1]
        )
        self.reads.setdefault(load.args[0], []).append(_Read(load, block, path, from_front))

    def block(self, block: Block, path: tuple[Stmt, ...]) -> None:
        """Absorb the producers of a block, and those inside it."""
        equal = self.known.before_each(block)
        for s in block:
            self.known.passed(s)
            for inner in blocks(s):
                with self.known.inside(s):
                    self.block(inner, (*path, s))
        made = {s.target: s for s in block if isinstance(s, Assign) and s.name == "empty"}
        position = {s: k for k, s in enumerate(block)}
        found = [p for s in block if (p := self._producer(s, made)) is not None]
        if not found:
            return
        place = _Place(len(path), position, equal, self._written(block), {p.array: p for p in found})
        gone: set[Stmt] = set()
        for producer in reversed(found):
            if producer.loops[0] not in gone and self.reads.get(producer.array):
                # One after the other: its operands are its readers' then.
                for p in self._together(producer, place):
                    self._absorb(p)
                    gone |= {p.loops[0], made[p.array]}
        if gone:
            for s in gone:
                self.memory.forget(s)
            block[:] = [s for s in block if s not in gone]

    def _together(self, producer: _Producer, place: _Place) -> list[_Producer]:
        """The producers that go when one does: those of its operands that nobody else reads; none where it must stay.

        The others' elements were numbers in the merged loop, which would have to become arrays.
        """
        reads = self.reads[producer.array]
        if not producer.loads and producer.cost <= FREE:
            first = place.position[producer.loops[0]]
            tops = [_top(r, place.depth) for r in reads]
            behind = all(place.position.get(top, -1) > first for top in tops)
            return [producer] if behind and all(r.from_front for r in reads) else []
        group = [producer]
        bodies = set(producer.body)
        loads = 0
        for p in group:
            for load in p.loads:
                operands = place.producers.get(load.args[0])
                if operands is None:
                    loads += 1
                elif operands not in group:
                    readers = self.reads[operands.array]
                    if all(r.load in bodies for r in readers):
                        group.append(operands)
                        bodies.update(operands.body)
                    elif all(self._in_its_loops(r, operands, place) for r in readers):
                        return []
                    else:
                        loads += 1
        if sum(p.cost for p in group) * len(reads) > CHEAP or loads > FEW_LOADS:
            return []
        apart = [not self._in_its_loops(r, producer, place) for r in reads]
        if not (all(apart) or (producer.is_multiple and any(apart))):
            return []
        if not all(self._may_take(r, producer, place) for r in reads):
            return []
        last = max(place.position[_top(r, place.depth)] for r in reads)
        for p in group:
            for load in p.loads:
                written = place.written.get(self.memory.of(load.args[0]), [])
                if load.args[0] not in place.producers and _between(
                    written, place.position[p.loops[0]], last
                ):
                    return []
        return group

    def _producer(self, stmt: Stmt, made: dict[Var, Assign]) -> _Producer | None:
        """A statement of a block as a nest that fills an array which the block has made."""
        loops: list[For] = []
        body: Block = []
        inner: Block = [stmt]
        while inner and isinstance(loop := inner[-1], For):
            if loop.carried or loop.start != Const(0) or loop.step != Const(1):
                return None
            loops.append(loop)
            body += inner[:-1]
            inner = loop.body
        if not loops or not inner or not isinstance(store := inner[-1], Store):
            return None
        body += inner[:-1]
        array = store.array
        if (
            array not in made
            or array in self.seen_whole
            or self.stores[array] != 1
            or store.accumulate
            or store.index != tuple(loop.index for loop in loops)
            or not _same_type(store.value, array)
            or not all(self._computes(s) for s in body)
        ):
            return None
        lengths = [self.ev.length(loop.stop) for loop in loops]
        if any(n is None or n != d for n, d in zip(lengths, array.type.shape, strict=True)):
            return None
        return _Producer(array, tuple(loops), body, store)

    def _computes(self, s: Stmt) -> bool:
        """Whether a statement makes a number of numbers, and nothing else."""
        if not isinstance(s, Assign) or len(s.targets) != 1 or s.target.is_array:
            return False
        if s.name == "getitem":
            return True
        return isinstance(s.op, Operation) and is_elementwise(s.op) and s.op.cost < DEAR

    def _may_take(self, read: _Read, producer: _Producer, place: _Place) -> bool:
        """Whether a reader stands in loops no deeper than the producer's, behind it."""
        top = _top(read, place.depth)
        if top not in place.position or place.position[top] <= place.position[producer.loops[0]]:
            return False
        around = read.path[place.depth :]
        if not all(isinstance(s, (For, If)) for s in around):
            return False
        if sum(isinstance(s, For) for s in around) > len(producer.loops):
            return False
        return read.from_front or producer.mirrors

    def _in_its_loops(self, read: _Read, producer: _Producer, place: _Place) -> bool:
        """Whether a reader stands in loops over the same space as those of the producer, which may be merged.

        They are not where it reads at a position that is chosen, as of what is rolled.
        """
        loops = [s for s in read.path[place.depth :] if isinstance(s, For)]
        top = _top(read, place.depth)
        if len(loops) != len(producer.loops) or top not in place.position:
            return False
        if not self.chosen.isdisjoint(variables(read.load.args[1])):
            return False
        equal = place.equal[place.position[top]]
        return all(
            equal.same_value(a.start, b.start) and equal.same_value(a.stop, b.stop)
            for a, b in zip(producer.loops, loops, strict=True)
        )

    def _written(self, block: Block) -> dict[Var, list[int]]:
        """Per memory, the statements of a block that write it."""
        found: dict[Var, list[int]] = {}
        for k, s in enumerate(block):
            for root in self.memory.effects(s).writes:
                found.setdefault(root, []).append(k)
        return found

    def _absorb(self, producer: _Producer) -> None:
        own = [loop.index for loop in producer.loops]
        for s in producer.loads:
            if s.args[0] in self.reads:
                self.reads[s.args[0]] = [r for r in self.reads[s.args[0]] if r.load is not s]
        for read in self.reads.pop(producer.array):
            params, body, results = clone.run(
                own, producer.body, [producer.store.value], self.ev, inside=True
            )
            table: dict[Var, Any] = dict(zip(params, read.load.args[1], strict=True))
            body = substitute(body, table)
            place = read.block.index(read.load)
            read.block[place : place + 1] = body
            self.table[read.load.target] = operand(results[0], table)
            for load in body:
                if isinstance(load, Assign) and load.name == "getitem":
                    self._learn(load, read.block, read.path)


def _same_type(value: Atom, array: Var) -> bool:
    """Whether storing a value in an array leaves it as it is."""
    assert isinstance(array.type, Array)
    if isinstance(value, Const):
        return array.type.dtype in REALS and isinstance(value.value, float)
    return value.type.dtype == array.type.dtype


def _top(read: _Read, depth: int) -> Stmt:
    """The statement of a block, so many regions deep, that holds a read."""
    return read.path[depth] if len(read.path) > depth else read.load


def _between(positions: list[int], first: int, last: int) -> bool:
    """Whether one of the sorted positions lies behind `first`, up to `last`."""
    return bisect_right(positions, last) > bisect_right(positions, first)
