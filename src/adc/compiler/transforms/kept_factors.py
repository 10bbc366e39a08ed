"""Keep the factors of the matrix of each trip for the reverse sweep, which solves with its transpose.

    for t in range(n):                              for t in range(n - 1, -1, -1):
        lu_K, pivots_K = rt.lu(K)                       lu_K, pivots_K = lu_kept[t], pivots_kept[t]
        lu_kept[t], pivots_kept[t] = lu_K, pivots_K     b_bar = rt.lu_solve_transposed(lu_K, pivots_K, x_bar)
        x = rt.lu_solve(lu_K, pivots_K, b)

That costs the memory of one matrix per trip and saves half of the factorizations. It is done for loops whose trips can
be counted before the outermost begins; elsewhere each sweep factors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from adc.compiler.analysis import layout
from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Buffer,
    For,
    Keep,
    NewBuffer,
    Program,
    Restore,
    Stmt,
    Store,
    Var,
    While,
    owners,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import slots
from adc.rules.dims import Dim


@dataclass(eq=False)
class Factored:
    """A matrix while it stays as it is: where it is factored, and its uses, each with whether of the transpose."""

    matrix: Var
    place: Stmt  # the first use, or the loop around it
    uses: list[tuple[Assign, bool]] = field(default_factory=list)
    restored: Block | None = None  # instead of factoring it
    # Before a statement: what keeps the factors.
    keeping: list[tuple[Stmt, Block]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows, columns = self.matrix.type.shape
        named = self.matrix.named
        self.factors = (
            Var(f"lu_{self.matrix.name}", Array(self.matrix.type.dtype, (columns, rows)), named=named),
            Var(f"pivots_{self.matrix.name}", Array("int32", (rows,)), named=named),
        )

    @property
    def is_worth_it(self) -> bool:
        loop = isinstance(self.place, (For, While))
        return len(self.uses) > 1 or loop or self.restored is not None or bool(self.keeping)

    @property
    def insertions(self) -> list[tuple[Stmt, Block]]:
        """What stands before which statements, so that the factors are there."""
        made: Stmt = Assign(self.factors, "rt.lu", (self.matrix,), self.uses[0][0].origin)
        return [(self.place, [made] if self.restored is None else self.restored), *self.keeping]


def keep(found: list[Factored], program: Program, memory: Memory, evaluator: Evaluator) -> None:
    """Let the reverse sweep have the factors that the forward sweep made of the same matrix in the same trip."""
    if any(m.matrix in evaluator.again for m in found):
        _Keeper(found, program, memory, evaluator).keep()


class _Keeper:
    def __init__(self, found: list[Factored], program: Program, memory: Memory, evaluator: Evaluator) -> None:
        self.found = found
        self.body = program.body
        self.memory = memory
        self.ev = evaluator
        self.layout = layout.of(program.body, program.params)
        self.stores = [
            (self.memory.of(s.array), self.layout.start[s])
            for s in walk(program.body)
            if isinstance(s, Store)
        ]
        self.buffers: dict[Factored, tuple[Buffer, Buffer]] = {}

    def keep(self) -> None:
        forward = {m.matrix: m for m in self.found if self._is_settled(m)}
        for m in self.found:
            source = forward.get(self.ev.first(m.matrix)) if m.matrix in self.ev.again else None
            if source is None or self._is_written(m.matrix, self._begin(m.matrix), m.place):
                continue
            loops = [f for f in self.layout.home[source.matrix].loops if isinstance(f, For)]
            around = self.layout.region_of[m.place].loops
            counters = {self.ev.first(r.index): r.index for r in around if isinstance(r, For)}
            ended = self.layout.end[loops[0]] < self.layout.start[m.place] if loops else False
            if ended and self._can_be_kept(source) and all(f.index in counters for f in loops):
                self._restore(m, source, loops, counters)

    def _begin(self, v: Var) -> int:
        definition = self.layout.definition[v]
        return 0 if definition is None else self.layout.end[definition]

    def _is_written(self, v: Var, after: int, until: Stmt) -> bool:
        root = self.memory.of(v)
        return any(after < p <= self.layout.end[until] for r, p in self.stores if r is root)

    def _is_settled(self, m: Factored) -> bool:
        """Whether every trip that makes a matrix factors it, and leaves it so."""
        home = self.layout.home[m.matrix]
        if not home.in_loop or self.layout.region_of[m.place] is not home:
            return False
        return not self._is_written(m.matrix, self.layout.start[m.place], home.block[-1])

    def _can_be_kept(self, m: Factored) -> bool:
        """Whether its lengths, and how often it is made, are known where the outermost loop begins."""
        loops = self.layout.home[m.matrix].loops
        return (
            self.layout.region_of[loops[0]].block is self.body
            and all(map(self._outside, m.matrix.type.shape))
            and all(isinstance(f, For) and self._trips(f) is not None for f in loops)
        )

    def _outside(self, d: Dim) -> bool:
        return all(v in self.layout.home and self.layout.home[v].block is self.body for v in owners(d))

    def _trips(self, loop: For) -> Dim | None:
        length = slots.trips(loop, self.ev)
        return None if length is None or not self._outside(length) else length.clamped()

    def _restore(self, m: Factored, source: Factored, loops: list[For], counters: dict[Var, Var]) -> None:
        if source not in self.buffers:
            self.buffers[source] = self._kept(source, loops)
        m.restored = []
        with self.ev.at(m.restored), self.ev.origin_at(m.uses[0][0].origin):
            index = self._slots(loops, counters)
            for target, made, buffer in zip(m.factors, source.factors, self.buffers[source], strict=True):
                target.type = made.type
                self.ev.block.append(Restore(target, buffer, index, self.ev.origin))

    def _kept(self, m: Factored, loops: list[For]) -> tuple[Buffer, Buffer]:
        """The buffers of the factors, made before the outermost loop and filled in every trip."""
        setup: Block = []
        keeping: Block = []
        made: list[Buffer] = []
        with self.ev.at(setup), self.ev.origin_at(loops[0].origin):
            trips = [self._number(self._trips(f)) for f in loops]
            for v in m.factors:
                lengths = tuple(self._number(d) for d in v.type.shape)
                made.append(Buffer(f"{v.name}_kept", v.type.dtype, list(trips), v.type.shape, lengths))
                self.ev.block.append(NewBuffer(made[-1], self.ev.origin))
        with self.ev.at(keeping), self.ev.origin_at(m.uses[0][0].origin):
            index = self._slots(loops, {f.index: f.index for f in loops})
            for v, buffer in zip(m.factors, made, strict=True):
                self.ev.block.append(Keep(buffer, index, v, self.ev.origin))
        m.keeping = [(loops[0], setup), (m.place, keeping)]
        return made[0], made[1]

    def _slots(self, loops: list[For], counters: dict[Var, Var]) -> tuple[Atom, ...]:
        """The position of the current trip: one counter from zero per loop."""
        found: list[Atom] = []
        for loop in loops:
            start = self.ev.length(loop.start)
            assert start is not None
            found.append(slots.slot(loop, self.ev, counters[loop.index], self.ev.dim_value(start)))
        return tuple(found)

    def _number(self, d: Dim | None) -> Atom:
        assert d is not None
        return self.ev.atom(self.ev.dim_value(d))
