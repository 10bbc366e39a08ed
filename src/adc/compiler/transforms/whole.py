"""Loops that go over the rows or columns of arrays become statements on whole arrays.

    for i in range(n):                      y[:] = np.tanh(x @ w.T)
        y[i] = np.tanh(w @ x[i])

    for k in range(m):                      c[i, :j] += np.sum(a[i] * a[:j], axis=1)
        c[i, :j] += a[i, k] * a[:j, k]

That is worth it where the loop multiplies vectors by a matrix, since BLAS multiplies matrices several times faster, or
where it goes over columns: the loops that are made of the statements go along rows. A loop over rows stays.

Each trip may read what it has written, at its own row or column, and nothing that other trips write; what all of them
add to becomes a sum. (Allen & Kennedy, *Automatic translation of Fortran programs to vector form*, 1987, without the
splitting of loops.) A loop without trips asks nothing of the shapes in it, whole arrays must fit: where they do not,
and the user's function raises nothing, such a call has code of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.equalities import Equalities
from adc.compiler.analysis.touches import offset, part
from adc.compiler.frontend import infer
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    VIEWS,
    Assign,
    Atom,
    Block,
    Check,
    Const,
    For,
    Index,
    Program,
    Slice,
    Stmt,
    Store,
    Var,
    change_blocks,
    defined,
    length_variables,
    uses,
    variables,
)
from adc.compiler.ir.types import Array, Scalar, is_float, is_integer
from adc.compiler.transforms.batched import (
    PRODUCTS,
    REDUCTIONS,
    SOLVERS,
    Batched,
    CannotBatch,
    aligned,
    batched,
    known_short,
)
from adc.compiler.transforms.rewrite import operand, substitute
from adc.errors import ShapeError, UnsupportedError
from adc.rules.dims import Dim

WEAK_NUMBERS = tuple(Scalar(dtype, True) for dtype in ("float64", "complex128", "bool"))
SHORT = 8  # products of vectors and matrices of known lengths up to this one stay as they are: they are written out


def run(program: Program, evaluator: Evaluator) -> Program:
    """The program with statements on whole arrays in place of the loops for which that is worth it."""
    equal = evaluator.equal
    finder = _Finder(program, evaluator)
    try:
        program.body = finder.block(program.body)
    finally:
        evaluator.equal = equal
    program.body = substitute(program.body, finder.table)
    program.results = [operand(r, finder.table) for r in program.results]
    return program


class _Finder:
    def __init__(self, program: Program, ev: Evaluator) -> None:
        self.ev = ev
        self.memory = Memory(ev.joined_roots)
        self.known = Equalities(program)
        ev.equal = self.known.equal
        self.table: dict[Var, Atom] = {}  # what loops carried -> what it is now

    def block(self, block: Block) -> Block:
        return self.ev.rebuilt(block, self._statement)

    def _statement(self, stmt: Stmt) -> None:
        with self.known.inside(stmt):
            change_blocks(stmt, self.block)
        if not isinstance(stmt, For) or not self._whole(stmt):
            self.known.passed(stmt)
            self.ev.block.append(stmt)

    def _whole(self, loop: For) -> bool:
        """Whether statements on whole arrays could be appended in place of a loop."""
        if not _is_worth_it(loop):
            return False
        made: Block = []
        lengths = self.ev.equal.snapshot()
        insisted = self.known.if_trips(loop)
        for pair, _ in insisted:
            self.ev.equal.union(*pair)
        try:
            with self.ev.at(made):
                results = _Loop(loop, self.ev, self.memory, self.known).run()
        except (CannotBatch, UnsupportedError, ShapeError):
            self.ev.equal.restore(lengths)
            return False
        for _, check in insisted:
            self.known.insist(check)
        self.table.update(results)
        self.ev.block.extend(made)
        return True


def _is_worth_it(loop: For) -> bool:
    """Whether a loop multiplies by a matrix, or goes over columns."""
    if loop.step not in (Const(1), Const(-1)):
        return False
    inside = {t for s in loop.body if isinstance(s, Assign) for t in s.targets}
    for s in loop.body:
        if not isinstance(s, (Assign, Store, Check)):
            return False
        if isinstance(s, Assign) and s.name in PRODUCTS | SOLVERS:
            a, b = s.args
            shared = any(isinstance(x, Var) and x not in inside and x.type.ndim == 2 for x in (a, b))
            if (a in inside or b in inside) and shared and not known_short(s, SHORT):
                return True
        *front, last = _index(s) or (None,)
        if any(isinstance(i, Slice) for i in front) and offset(loop.index, last) is not None:
            return True
    return False


def _may_come_first(s: Stmt) -> bool:
    """Whether what is the same in all trips may be done once, also where there is no trip."""
    if isinstance(s, Check):
        return not s.user
    if not isinstance(s, Assign):
        return False
    if isinstance(s.op, str):
        return s.op in ("getitem", "dim", "cast", "alias")
    return infer.is_elementwise(s.op) or s.name in PRODUCTS | SOLVERS | REDUCTIONS | VIEWS | {"arange"}


def _index(s: Stmt) -> Index:
    """The index at which a statement reads or writes; none where it does something else."""
    _, index = part(s) or (None, ())
    return index


class _Loop:
    """The statements on whole arrays that stand for one loop."""

    def __init__(self, loop: For, ev: Evaluator, memory: Memory, equalities: Equalities) -> None:
        self.loop = loop
        self.ev = ev
        self.memory = memory
        self.equalities = equalities
        self.known: dict[Var, Batched] = {}  # what differs from trip to trip -> what it is in all of them
        self.counts: set[Var] = {loop.index}  # integers that differ from trip to trip
        start, stop = length_of(loop.start), length_of(loop.stop)
        if start is None or stop is None:
            raise CannotBatch
        if loop.step == Const(-1):
            start, stop = stop + 1, start + 1
        if not ev.never_negative(start):
            raise CannotBatch
        self.start, self.length = start, stop - start
        if not ev.never_negative(self.length):
            self.length = self.length.clamped()
        self.readers = Counter(v for s in loop.body for v in uses(s))
        self.readers.update(v for c in loop.carried for v in variables(c.out))

    def run(self) -> dict[Var, Atom]:
        """Append the statements; what the loop carried, as it is called after them. Raises CannotBatch."""
        self._check_memory()
        behind = self._preferred()
        sums = {c.phi: c for c in self.loop.carried}
        results: dict[Var, Atom] = {}
        for s in self.loop.body:
            with self.ev.origin_at(s.origin):
                if isinstance(s, Store):
                    self._store(s)
                elif isinstance(s, Assign) and any(v in sums for v in uses(s)):
                    carried = next(sums[v] for v in uses(s) if v in sums)
                    results[carried.result] = self._sum(s, carried.phi, carried.init, carried.out)
                elif isinstance(s, Assign) and self._differs(s):
                    self._assign(s, behind)
                elif self._differs(s) or not _may_come_first(s):
                    raise CannotBatch
                else:
                    self.ev.block.append(s)
                    self.equalities.passed(s)
        if len(results) != len(sums):
            raise CannotBatch
        return results

    # --- what may be done -------------------------------------------------------------------------------------

    def _check_memory(self) -> None:
        """What is written belongs to one trip, or is only added to by all of them."""
        own = {t for s in self.loop.body if isinstance(s, Assign) for t in s.targets}
        stores = [s for s in self.loop.body if isinstance(s, Store)]
        for root in {self.memory.of(s.array) for s in stores}:
            mine = [s for s in stores if self.memory.of(s.array) is root]
            if any(s.array in own or s.array is not mine[0].array for s in mine):
                raise CannotBatch
            found = [self._place(s.index) for s in mine]
            others = [s for s in self.loop.body if isinstance(s, Assign) and self._touches(s, root, own)]
            if None in found:
                if any(f is not None for f in found) or others or not all(s.accumulate for s in mine):
                    raise CannotBatch
                continue
            for s in others:
                if s.op != "getitem" or s.args[0] is not mine[0].array:
                    raise CannotBatch
                found.append(self._place(s.args[1]))
            if len(set(found)) != 1:
                raise CannotBatch

    def _touches(self, s: Assign, root: Var, own: set[Var]) -> bool:
        """Whether a statement reads memory by itself, and not through what another one of the body has taken of it."""
        return s.op != "dim" and any(
            v.is_array and v not in own and self.memory.of(v) is root for v in uses(s)
        )

    def _place(self, index: Index) -> tuple[int, Dim] | None:
        """The axis along which an index goes with the trips, and how far from the counter; None where with none."""
        found = None
        axis = 0
        for item in index:
            if item == Const(None):
                continue
            if self._counts(item):
                distance = None if isinstance(item, Slice) else offset(self.loop.index, item)
                if distance is None or found is not None:
                    raise CannotBatch
                found = axis, distance
            elif isinstance(item, Var) and item.is_array:
                raise CannotBatch
            axis += 1
        return found

    def _counts(self, item: Any) -> bool:
        """Whether an item of an index, or an end of a slice, is made of the counter."""
        own = self.loop.index
        return any(v is own or own in length_variables(v) for v in variables(item))

    def _differs(self, s: Stmt) -> bool:
        return any(v in self.known or v in self.counts for v in uses(s))

    def _preferred(self) -> int:
        """How many axes come behind that of the trips, where arrays are read and written."""
        for s in self.loop.body:
            index = _index(s)
            place = None
            for k, item in enumerate(index):
                if self._counts(item):
                    place = k
            if place is not None and any(isinstance(i, Slice) for i in index):
                return sum(isinstance(i, Slice) for i in index[place + 1 :])
        return 1

    # --- the statements ---------------------------------------------------------------------------------------

    def _assign(self, s: Assign, behind: int) -> None:
        if len(s.targets) != 1:
            raise CannotBatch
        target = s.target
        if not target.is_array and is_integer(target.type):
            self._count(s)
            return
        is_row = s.op == "getitem" and s.args[0] not in self.known
        if (
            any(v in self.counts for v in (*length_variables(target), *variables(() if is_row else s.args)))
            or target.type in WEAK_NUMBERS
        ):
            raise CannotBatch
        begin = len(self.ev.block)
        made = self._row(s) if is_row else batched(s, self.known, behind, self.ev)
        if made.array.type.dtype != target.type.dtype:
            raise CannotBatch
        if target.named and any(made.array in defined(new) for new in self.ev.block[begin:]):
            made.array.name, made.array.named = target.name, True
        self.known[target] = made

    def _count(self, s: Assign) -> None:
        """An integer: a length, or what the counter makes of a position."""
        if s.op == "dim":
            x, k = self.known[s.args[0]], s.args[1].value
            self.ev.block.append(Assign(s.targets, "dim", (x.array, Const(k + (k >= x.axis))), s.origin))
        elif any(v in self.counts for v in length_variables(s.target)):
            self.counts.add(s.target)
        else:
            raise CannotBatch

    def _row(self, s: Assign) -> Batched:
        """The rows that all trips take from an array."""
        array, index = s.args
        whole, axis = self._slices(array, index)
        if all(i == FULL for i in whole):
            return Batched(array, axis)
        taken = self.ev.getitem(array, whole)
        assert isinstance(taken.type, Array)
        shape = taken.type.shape
        taken.type = replace(taken.type, shape=(*shape[:axis], self.length, *shape[axis + 1 :]))
        return Batched(taken, axis)

    def _slices(self, array: Var, index: Index) -> tuple[Index, int]:
        """An index for all trips, and which axis of what it takes counts them."""
        place = self._place(index)
        if place is None:
            raise CannotBatch
        axis, distance = place
        items: list[Any] = []
        taken = at = 0
        for item in index:
            if item != Const(None):
                if taken == axis:
                    at = sum(isinstance(i, Slice) or i == Const(None) for i in items)
                    item = self._range(array.type.shape[axis], distance)
                taken += 1
            items.append(item)
        return tuple(items), at

    def _range(self, length: Dim, distance: Dim) -> Slice:
        """The slice that the trips go over, where each has the element at a distance from the counter."""
        ev = self.ev
        start = self.start + distance
        stop = start + self.length
        if not ev.never_negative(start):
            raise CannotBatch
        fits = ev.equal.same(stop, length) or ev.never_negative(length - stop)
        if not fits:
            test = ev.op("less_equal", ev.dim_value(stop), ev.dim_value(length))
            if test is False:
                raise CannotBatch
            if start.known != 0:
                test = ev.op("logical_or", test, ev.op("less_equal", ev.dim_value(self.length), 0))
            message = Const("index is out of bounds for its axis")
            ev.block.append(Check(ev.atom(test), "IndexError", (message,), ev.origin))
        first = None if start.known == 0 else ev.atom(ev.dim_value(start))
        from_end = (stop - length).known
        last: Atom | None = None
        if ev.equal.same(stop, length):
            pass
        elif from_end is not None and from_end < 0:
            last = Const(from_end)
        else:
            last = ev.atom(ev.dim_value(stop))
        return Slice(first, last, None) if first is not None or last is not None else FULL

    def _store(self, s: Store) -> None:
        ev = self.ev
        value = self.known.get(s.value) if isinstance(s.value, Var) else None
        if value is None and isinstance(s.value, Var) and (s.value in self.counts):
            raise CannotBatch
        if self._place(s.index) is None:
            if value is None or not is_float(value.array.type):
                raise CannotBatch
            rank = sum(isinstance(i, Slice) or i == Const(None) for i in s.index)
            if value.ndim != rank:
                raise CannotBatch
            ev.write(s.array, s.index, self._total(value), accumulate=True)
            return
        index, axis = self._slices(s.array, s.index)
        rank = sum(isinstance(i, Slice) for i in index)
        stored: Value = (
            value if value is not None else s.value.value if isinstance(s.value, Const) else s.value
        )
        ev.write(s.array, index, aligned(stored, rank - 1 - axis, ev), s.accumulate)

    def _sum(self, s: Assign, phi: Var, init: Atom, out: Atom) -> Atom:
        """What a loop adds up."""
        ev = self.ev
        terms = [a for a in s.args if a is not phi]
        if s.name != "add" or s.target is not out or self.readers[phi] != 1 or self.readers[s.target] != 1:
            raise CannotBatch
        value = self.known.get(terms[0]) if len(terms) == 1 and isinstance(terms[0], Var) else None
        if value is None or not is_float(value.array.type) or value.ndim != phi.type.ndim:
            raise CannotBatch
        first = init.value if isinstance(init, Const) else init
        made = ev.op("add", first, self._total(value))
        if not isinstance(made, Var) or made.type.dtype != s.target.type.dtype:
            raise CannotBatch
        if phi.named:
            made.name, made.named = phi.name, True
        return made

    def _total(self, value: Batched) -> Value:
        """The sum over all trips, in one with a sum over the elements of each that nothing else reads."""
        last = self.ev.block[-1] if self.ev.block else None
        if (
            value.ndim == 0
            and isinstance(last, Assign)
            and last.targets == (value.array,)
            and last.name == "sum"
        ):
            of = last.args[0]
            whole = isinstance(of, Var) and last.args[2] == Const(False) and of.type.ndim > 1
            if (
                whole
                and sum(v.array is value.array and self.readers[k] > 1 for k, v in self.known.items()) == 0
            ):
                self.ev.block.pop()
                return self.ev.op("sum", of)
        return self.ev.op("sum", value.array, axis=value.axis if value.ndim else None)
