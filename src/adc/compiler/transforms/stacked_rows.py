"""Put what the trips of an inner loop keep on a stack together.

    while looping:                                  while looping:
        for i in range(n):                              x_each = empty(n)
            push x onto x_kept                          for i in range(n):
            x = x + h * np.sin(x)                           x_each[i] = x
                                            ->              x = x + h * np.sin(x)
                                                        push the elements of x_each onto x_kept
    for trip in range(trips - 1, -1, -1):           for trip in range(trips - 1, -1, -1):
        for i in range(n - 1, -1, -1):                  x_each = pop n elements of x_kept
            x = pop x_kept                              for i in range(n - 1, -1, -1):
            ...                                             x = x_each[i]

How often the loops around run is not known before they do, how often the inner one does is, when it begins. So a trip
of it need not ask for room, in both sweeps the trips may go in any order, and several at a time. In the end such a row
is made where it is kept: on the stack.
"""

from __future__ import annotations

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Const,
    For,
    Keep,
    NewBuffer,
    Program,
    Restore,
    Room,
    Stmt,
    Store,
    Var,
    all_blocks,
    bound_inside,
    defined,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array
from adc.compiler.transforms import slots
from adc.compiler.transforms.kept import Kept

SHORTEST = 8  # trips, where that is known: those of shorter loops are written out


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with rows on its stacks, where inner loops keep one value in each trip."""
    statements = walk(program.body)
    if any(isinstance(s, Restore) and s.index is None for s in statements):
        _StackedRows(program, statements, evaluator).build()
    return program


def in_place(program: Program) -> Program:
    """The program with rows made where they are kept, if that is all that becomes of them."""
    touching: dict[Var, list[Stmt]] = {}
    for s in walk(program.body):
        for v in {*uses(s), *defined(s)}:
            if v.is_array:
                touching.setdefault(v, []).append(s)
    made: set[Stmt] = set()
    for block in all_blocks(program.body):
        for keep in [s for s in block if isinstance(s, Keep) and s.lengths]:
            found = _where_made(keep, block, touching)
            if found is not None:
                row, first = found
                made.add(touching[row][0])
                keep.in_place = True
                block.insert(block.index(first), Room(row, keep.buffer, keep.lengths, keep.origin))
    for block in all_blocks(program.body):
        block[:] = [s for s in block if s not in made]
    return program


def _where_made(keep: Keep, block: Block, touching: dict[Var, list[Stmt]]) -> tuple[Var, Stmt] | None:
    """The row that is kept, and the loop that makes it, if nothing else knows the row or the stack there."""
    row = keep.value
    if not isinstance(row, Var) or row.root is not row or len(keep.lengths) != 1:
        return None
    new, *others = touching[row]
    at = block.index(keep)
    if not (isinstance(new, Assign) and new.name == "empty" and new.target is row) or others[-1] is not keep:
        return None
    first = next((k for k, s in enumerate(block[:at]) if s is not new and not _is_apart(s, others)), at)
    between = walk(block[first:at])
    known = {v for s in between for v in (*defined(s), *bound_inside(s))}
    if not set(others[:-1]) <= set(between) or known & set(variables(keep.lengths)):
        return None
    if any(isinstance(s, (Keep, Restore, NewBuffer)) and s.buffer is keep.buffer for s in between):
        return None
    return row, block[first]


def _is_apart(s: Stmt, touching: list[Stmt]) -> bool:
    return set(walk([s])).isdisjoint(touching)


class _StackedRows:
    def __init__(self, program: Program, statements: Block, evaluator: Evaluator) -> None:
        self.ev = evaluator
        self.kept = Kept(program)
        loops = [s for s in statements if isinstance(s, For)]
        self.holding: dict[Stmt, For] = {s: loop for loop in loops for s in loop.body}
        self.restores = [s for s in statements if isinstance(s, Restore)]

    def build(self) -> None:
        for restore in self.restores:
            keep = self.kept.keeps.get(restore.buffer)
            if keep is not None and self._is_one_number(keep, restore):
                loop, reverse = self.holding.get(keep), self.holding.get(restore)
                if loop is not None and reverse is not None and self._is_mirrored(loop, reverse):
                    self._put_in_rows(keep, loop, restore, reverse)

    def _is_one_number(self, keep: Keep, restore: Restore) -> bool:
        """Whether a number is pushed in one place, and popped in one."""
        return (
            keep.index is None
            and not keep.lengths
            and not keep.buffer.lengths
            and isinstance(keep.value, Var)
            and not keep.value.is_array
            and self.kept.is_for_one(restore)
        )

    def _is_mirrored(self, loop: For, reverse: For) -> bool:
        """Whether one loop goes through the trips of the other backwards, as many as are known when they begin."""
        if self.ev.again.get(reverse.index) is not loop.index or loop.step not in (Const(1), Const(-1)):
            return False
        trips = slots.trips(loop, self.ev)
        long = trips is not None and (trips.known is None or trips.known >= SHORTEST)
        return long and slots.trips(reverse, self.ev) is not None

    def _put_in_rows(self, keep: Keep, loop: For, restore: Restore, reverse: For) -> None:
        value, buffer = keep.value, keep.buffer
        assert isinstance(value, Var)
        name = f"{value.name}_each"
        before: Block = []
        with self.ev.at(before), self.ev.origin_at(keep.origin):
            count = self._count(loop)
            row = self.ev.op("empty", plain_value(count), buffer.dtype)
        assert isinstance(row, Var)
        row.name, row.named = name, value.named
        keeping: Block = []
        with self.ev.at(keeping), self.ev.origin_at(keep.origin):
            place = slots.slot(loop, self.ev, loop.index, plain_value(loop.start))
            keeping.append(Store(row, (place,), value, origin=keep.origin))
        self.kept.replace(keep, keeping)
        pushed = Keep(buffer, None, row, keep.origin, (count,))
        self.kept.replace(loop, [*before, loop, pushed])

        taking: Block = []
        with self.ev.at(taking), self.ev.origin_at(restore.origin):
            count = self._count(reverse)
        length = self.ev.length(count)
        assert length is not None
        again = Var(name, Array(buffer.dtype, (length,)), named=value.named)
        taking.append(Restore(again, buffer, None, restore.origin, (count,)))
        self.kept.replace(reverse, [*taking, reverse])
        reading: Block = []
        with self.ev.at(reading), self.ev.origin_at(restore.origin):
            place = self._place(reverse)
            reading.append(Assign((restore.target,), "getitem", (again, (place,)), restore.origin))
        self.kept.replace(restore, reading)

    def _count(self, loop: For) -> Atom:
        trips = slots.trips(loop, self.ev)
        assert trips is not None
        count = self.ev.atom(self.ev.dim_value(trips.clamped()))
        made = next((s for s in self.ev.block if isinstance(s, Assign) and s.targets == (count,)), None)
        if made is not None and made.name != "dim" and isinstance(count, Var):
            count.name, count.named = "count", True
        return count

    def _place(self, reverse: For) -> Atom:
        """Which trip of the loop, counted from zero, a trip of the one that goes backwards undoes."""
        assert isinstance(reverse.step, Const)
        step = int(reverse.step.value)
        first = self.ev.op("subtract", plain_value(reverse.stop), step)
        pair = (reverse.index, first) if step < 0 else (first, reverse.index)
        return self.ev.atom(self.ev.op("subtract", *pair))
