"""Keep a state whole where nearly all of it is kept anyway, and let both sweeps read it from there.

    for trip in range(steps):                       for trip in range(steps):
        bend = u[2:] - 2.0 * u[1:-1] + u[:-2]           kept[trip] = u
        kept[trip] = u[1:-1]                            old = kept[trip]
        u[1:-1] = u[1:-1] + 0.1 * bend                  u[1:-1] = old[1:-1] + 0.1 * (old[2:] - ...)
    ...                                             ...
    for trip in reversed(range(steps)):             for trip in reversed(range(steps)):
        u[1:-1] = kept[trip]                            old = kept[trip]
        bend = u[2:] - 2.0 * u[1:-1] + u[:-2]           bend = old[2:] - 2.0 * old[1:-1] + old[:-2]

What the trip computes no longer reads the array that it writes, so that the new state needs no memory of its own
before it is written; and where nothing else reads `u` in the reverse sweep, nothing has to be put back there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from adc.compiler.analysis import layout
from adc.compiler.analysis.effects import Memory
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Buffer,
    Const,
    Index,
    Keep,
    NewBuffer,
    Program,
    Restore,
    Slice,
    Stmt,
    Store,
    Var,
    all_blocks,
    times_read,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import dead, undo
from adc.compiler.transforms.rewrite import substitute

# What a slice may leave out of an axis: the held ends of a stencil, not the rest of a table of which it is a part.
MARGIN = 8


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with states kept whole, and without the writes that only put them back."""
    widener = _Widener(program, evaluator)
    widened = [buffer for buffer in widener.buffers() if widener.widen(buffer)]
    if not widened:
        return program
    return dead.run(undo.run(program, evaluator.joined_roots), evaluator.joined_roots)


@dataclass(eq=False)
class _Span:
    """Statements of a block, one after the other, among which nobody writes to the state."""

    block: Block
    first: int
    last: int  # the one behind the last

    @property
    def statements(self) -> Block:
        return self.block[self.first : self.last]


class _Widener:
    def __init__(self, program: Program, evaluator: Evaluator) -> None:
        self.program = program
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)

    def buffers(self) -> list[Buffer]:
        """The buffers of arrays that are filled at one place, and read at one."""
        count: Counter[tuple[type, Buffer]] = Counter()
        for s in walk(self.program.body):
            if isinstance(s, (Keep, Restore, NewBuffer)):
                count[type(s), s.buffer] += 1
        return [
            s.buffer
            for s in walk(self.program.body)
            if isinstance(s, NewBuffer)
            and s.buffer.shape
            and s.buffer.trips is not None
            and all(count[kind, s.buffer] == 1 for kind in (Keep, Restore, NewBuffer))
        ]

    def widen(self, buffer: Buffer) -> bool:
        """Keep the whole state in a buffer that has nearly all of it; whether that was possible."""
        program = self.program
        self.definition = {t: s for s in walk(program.body) if isinstance(s, Assign) for t in s.targets}
        self.times_read = times_read(program)
        for block in all_blocks(program.body):
            for k, s in enumerate(block):
                if isinstance(s, Keep) and s.buffer is buffer:
                    keep, kept_in, keep_at = s, block, k
                elif isinstance(s, Restore) and s.buffer is buffer:
                    restore, restored_in, restore_at = s, block, k
                elif isinstance(s, NewBuffer) and s.buffer is buffer:
                    new, new_in = s, block
        state, region = self._part(keep.value)
        if state is None or region is None or not self._nearly_all(state, region):
            return False
        write_at = self._write(kept_in, keep_at, state, region)
        undo_at = self._undo(restored_in, restore_at, restore, state, region)
        if write_at is None or undo_at is None or not self._known_at(state, new):
            return False
        before = self._before(kept_in, write_at, state)
        after = self._after(restored_in, undo_at, state)
        if before.first > keep_at or not self._own_views(before, state) or not self._own_views(after, state):
            return False
        if not self._defined_before(keep, kept_in, before, keep_at):
            return False

        assert isinstance(state.type, Array)
        sizing: Block = []
        with self.ev.at(sizing):
            buffer.lengths = tuple(self.ev.atom(n) for n in self.ev.shape_values(state.type.shape))
        buffer.shape = state.type.shape
        new_in[(at := new_in.index(new)) : at] = sizing
        self._widen_forward(before, keep, keep_at, write_at, state, region)
        self._widen_reverse(after, restore, restore_at, undo_at, state, region)
        return True

    # --- what is where --------------------------------------------------------------------------------------

    def _part(self, value: object) -> tuple[Var | None, Index | None]:
        """The array that a value is a slice of, and the slice."""
        made = self.definition.get(value) if isinstance(value, Var) else None
        if made is None or made.name != "getitem" or not made.target.is_array:
            return None, None
        state, index = made.args
        return (state, index) if state.root is state else (None, None)

    def _nearly_all(self, state: Var, region: Index) -> bool:
        """Whether a slice leaves out no more than the margins of an array, a number of elements that is known."""
        if len(region) != state.type.ndim:
            return False
        for axis, item in enumerate(region):
            if not isinstance(item, Slice) or item.step is not None:
                return False
            start = 0 if item.start is None else item.start.value if isinstance(item.start, Const) else None
            if not isinstance(start, int) or not 0 <= start <= MARGIN:
                return False
            if isinstance(item.stop, Const):
                if not (isinstance(item.stop.value, int) and -MARGIN <= item.stop.value < 0):
                    return False
            elif item.stop is not None:
                stop = self.ev.length(item.stop)
                left = None if stop is None else (state.type.shape[axis] - stop).known
                if left is None or not 0 <= left <= MARGIN:
                    return False
        return True

    def _write(self, block: Block, keep_at: int, state: Var, region: Index) -> int | None:
        """The position of the write that the buffer saves the old elements from."""
        for k in range(keep_at + 1, len(block)):
            s = block[k]
            if isinstance(s, Store) and self.memory.of(s.array) is self.memory.of(state):
                return k if self._written(s) == (state, region) else None
            if self._writes(s, state):
                return None
        return None

    def _written(self, s: Store) -> tuple[Var, Index]:
        """The array and the index of a write; of one through a whole view, those of its base."""
        view = self.definition.get(s.array)
        if view is not None and view.name == "getitem" and all(i == FULL for i in s.index):
            return view.args[0], view.args[1]
        return s.array, s.index

    def _undo(self, block: Block, restore_at: int, restore: Restore, state: Var, region: Index) -> int | None:
        """The position of the write that puts the old elements back, which is all that reads them."""
        if self.times_read[restore.target] != 1:
            return None
        for k in range(restore_at + 1, len(block)):
            s = block[k]
            if isinstance(s, Store) and s.value is restore.target:
                right = s.role == "undo" and not s.accumulate and self._written(s) == (state, region)
                return k if right else None
        return None

    def _known_at(self, state: Var, new: NewBuffer) -> bool:
        """Whether the lengths of the state are there where its buffer is made."""
        places = layout.of(self.program.body, self.program.params)
        home, here = places.home[state], places.region_of[new]
        above = here
        while above is not home and above.parent is not None:
            above = above.parent
        made = places.definition[state]
        return above is home and (made is None or places.start[made] < places.start[new])

    def _before(self, block: Block, write_at: int, state: Var) -> _Span:
        """What is read in a block before the write, back to the write before that."""
        first = write_at
        while first > 0 and not self._writes(block[first - 1], state):
            first -= 1
        while first < write_at and not self._reads(block[first], state):
            first += 1
        return _Span(block, first, write_at)

    def _after(self, block: Block, undo_at: int, state: Var) -> _Span:
        """What is read in a block of the reverse sweep once the old elements are back."""
        last = undo_at + 1
        while last < len(block) and not self._writes(block[last], state):
            last += 1
        return _Span(block, undo_at + 1, last)

    def _writes(self, stmt: Stmt, state: Var) -> bool:
        memory = self.memory.of(state)
        return any(isinstance(s, Store) and self.memory.of(s.array) is memory for s in walk([stmt]))

    def _reads(self, stmt: Stmt, state: Var) -> bool:
        return any(v.root is state for s in walk([stmt]) for v in uses(s))

    def _own_views(self, span: _Span, state: Var) -> bool:
        """Whether the views that are taken of the state in a span are read only there, and no loop carries it."""
        inside = walk(span.statements)
        count = Counter(v for s in inside for v in uses(s))
        for s in inside:
            if not isinstance(s, (Assign, Store, Keep)) and any(v.root is state for v in uses(s)):
                return False
        # The write may be through a view, which is then written to by its index.
        through = Counter(
            v for s in span.block[span.last : span.last + 1] if isinstance(s, Store) for v in [s.array]
        )
        return all(
            count[t] + through[t] == self.times_read[t]
            for s in inside
            if isinstance(s, Assign)
            for t in s.targets
            if t.is_array and t.root is state
        )

    def _defined_before(self, keep: Keep, block: Block, span: _Span, keep_at: int) -> bool:
        """Whether the row's index is there where the span begins."""
        late = {t for s in block[span.first : keep_at] if isinstance(s, Assign) for t in s.targets}
        return not late & set(variables(keep.index))

    # --- the new statements -----------------------------------------------------------------------------------

    def _row(self, state: Var, old: Restore | Keep) -> tuple[Var, Restore]:
        assert isinstance(state.type, Array)
        row = Var(f"{state.name}_old", Array(state.type.dtype, state.type.shape), named=True)
        return row, Restore(row, old.buffer, old.index, old.origin)

    def _widen_forward(
        self, span: _Span, keep: Keep, keep_at: int, write_at: int, state: Var, region: Index
    ) -> None:
        block = span.block
        row, reading = self._row(state, keep)
        write = block[write_at]
        assert isinstance(write, Store)
        block[write_at] = Store(state, region, write.value, write.accumulate, write.origin, write.role)
        inside = [s for s in span.statements if s is not keep]
        whole = Keep(keep.buffer, keep.index, state, keep.origin, keep.lengths)
        block[span.first : span.last] = [whole, reading, *_reading(inside, state, row)]

    def _widen_reverse(
        self, span: _Span, restore: Restore, restore_at: int, undo_at: int, state: Var, region: Index
    ) -> None:
        block = span.block
        row, reading = self._row(state, restore)
        put_back = block[undo_at]
        assert isinstance(put_back, Store)
        part = restore.target
        part.view_of, part.root = row, row
        inside = _reading(span.statements, state, row)
        block[span.first : span.last] = inside
        block[undo_at] = Store(state, region, part, False, put_back.origin, "undo")
        block[restore_at : restore_at + 1] = [
            reading,
            Assign((part,), "getitem", (row, region), restore.origin),
        ]


def _reading(statements: Iterable[Stmt], state: Var, row: Var) -> Block:
    return substitute(list(statements), {state: row})
