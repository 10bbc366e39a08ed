"""The statements on whole arrays that stand for one loop (`whole`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from adc.compiler.analysis.equalities import Equalities
from adc.compiler.analysis.sharing import Sharing
from adc.compiler.frontend import infer
from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value, plain_value
from adc.compiler.ir.nodes import (
    VIEWS,
    Assign,
    Atom,
    Block,
    Carried,
    Check,
    Const,
    For,
    Slice,
    Stmt,
    Store,
    Var,
    defined,
    length_variables,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, Scalar, is_float, is_integer
from adc.compiler.transforms import candidates
from adc.compiler.transforms.batched import (
    PRODUCTS,
    REDUCTIONS,
    SOLVERS,
    Batched,
    CannotBatch,
    aligned,
    batched,
    moved,
)
from adc.compiler.transforms.multiplied import product
from adc.compiler.transforms.strips.rows import sums as adds_up
from adc.compiler.transforms.trips import Trips

TRUTH = Scalar("bool", True)  # of Python: counts as a number, which those in arrays do not


@dataclass(frozen=True)
class _Total:
    """What a loop carries and adds to, and what that is so far."""

    carried: Carried
    value: Value


class WholeLoop:
    """The statements on whole arrays that stand for one loop."""

    def __init__(
        self, loop: For, ev: Evaluator, names: Sharing, equalities: Equalities, *, multiplies: bool = False
    ) -> None:
        self.loop = loop
        self.multiplies = multiplies  # sums of products are products of vectors and matrices
        self.ev = ev
        self.sharing = names
        self.equalities = equalities
        self.known: dict[Var, Batched] = {}  # what differs from trip to trip -> what it is in all of them
        self.trips = Trips(loop, self.known, ev)
        self.counts: set[Var] = {loop.index}  # integers that the counter makes, others in each trip
        self.statements = walk(loop.body)
        self.own = self._own_arrays()
        self.readers = Counter(v for s in self.statements for v in uses(s))
        self.readers.update(v for c in loop.carried for v in variables(c.out))
        self.totals: dict[Var, _Total] = {}
        self.results: dict[Var, Atom] = {}

    def run(self) -> dict[Var, Atom]:
        """Append the statements; what the loop carried, as it is called after them. Raises CannotBatch."""
        self._check_memory()
        self.behind = self._preferred()
        self.totals = {
            c.phi: _Total(c, c.init.value if isinstance(c.init, Const) else c.init) for c in self.loop.carried
        }
        self._append(self.loop.body)
        if len(self.results) != len(self.loop.carried):
            raise CannotBatch
        return self.results

    def _append(self, block: Block) -> None:
        for s in block:
            with self.ev.origin_at(s.origin):
                if isinstance(s, Store):
                    self._store(s)
                elif isinstance(s, Assign) and s.name == "copy" and not self.multiplies:
                    raise CannotBatch  # such a loop stays: that over the columns of a Jacobian takes them one by one
                elif isinstance(s, For):
                    self._nested(s)
                elif isinstance(s, Assign) and any(v in self.totals for v in uses(s)):
                    self._add(s)
                elif isinstance(s, Assign) and (s.targets[0] in self.own or self._differs(s)):
                    self._assign(s, self.behind)
                elif self._differs(s) or not _may_come_first(s):
                    raise CannotBatch
                else:
                    self.ev.block.append(s)
                    self.equalities.passed(s)

    # --- what may be done -------------------------------------------------------------------------------------

    def _own_arrays(self) -> set[Var]:
        """The arrays that each trip makes for itself and writes to."""
        written = {s.array for s in self.statements if isinstance(s, Store)}
        made = (t for s in self.statements if isinstance(s, Assign) for t in s.targets)
        return {t for t in made if t in written and t.root is t}

    def _check_memory(self) -> None:
        """What is written belongs to one trip, or is only added to by all of them."""
        own = {t for s in self.statements if isinstance(s, Assign) for t in s.targets}
        stores = [s for s in self.statements if isinstance(s, Store)]
        for array in {s.array for s in stores} - self.own:
            mine = [s for s in stores if s.array is array]
            if array in own or any(self._may_share(s.array, array) for s in stores if s.array is not array):
                raise CannotBatch
            found = [self.trips.place(s.index) for s in mine]
            others = [s for s in self.statements if isinstance(s, Assign) and self._touches(s, array, own)]
            if None in found:
                if any(f is not None for f in found) or others or not all(s.accumulate for s in mine):
                    raise CannotBatch
                continue
            for s in others:
                if s.op != "getitem" or s.args[0] is not array:
                    raise CannotBatch
                found.append(self.trips.place(s.args[1]))
            if len(set(found)) != 1:
                raise CannotBatch

    def _touches(self, s: Assign, array: Var, own: set[Var]) -> bool:
        """Whether a statement reads memory by itself, and not through what another one of the body has taken of it."""
        return s.op != "dim" and any(
            v.is_array and v not in own and self._may_share(v, array) for v in uses(s)
        )

    def _may_share(self, one: Var, other: Var) -> bool:
        return one.root is other.root or (
            self.sharing.memory.of(one) is self.sharing.memory.of(other)
            and self.sharing.may_share(one.root, other.root)
        )

    def _differs(self, s: Stmt) -> bool:
        return any(v in self.known or v in self.counts for v in uses(s))

    def _preferred(self) -> int:
        """How many axes come behind that of the trips, where arrays are read and written."""
        for s in self.statements:
            index = candidates.index_of(s)
            place = None
            for k, item in enumerate(index):
                if self.trips.counts(item):
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
        if target in self.own:
            own = self._own_in_all_trips(s)
            own.name, own.named = target.name, target.named
            self.known[target] = Batched(own, 0)
            return
        is_row = s.op == "getitem" and s.args[0] not in self.known
        if (
            any(v in self.counts for v in (*length_variables(target), *variables(() if is_row else s.args)))
            or target.type == TRUTH
        ):
            raise CannotBatch
        begin = len(self.ev.block)
        if is_row:
            made = self._row(s)
        elif s.op == "getitem":
            made = self._as_it_was(s, self._picked(s) or batched(s, self.known, behind, self.ev))
        else:
            made = batched(s, self.known, behind, self.ev)
        if made.array.type.dtype != target.type.dtype:
            raise CannotBatch
        if target.named and any(made.array in defined(new) for new in self.ev.block[begin:]):
            made.array.name, made.array.named = target.name, True
        self.known[target] = made

    def _own_in_all_trips(self, s: Assign) -> Var:
        """What each trip makes for itself, with an axis for the trips in front."""
        ev = self.ev
        array = s.target
        if self._differs(s):
            return moved(batched(s, self.known, 0, ev), 0, ev).array
        lengths = ev.shape_values((self.trips.length, *array.type.shape))
        dtype = np.dtype(array.type.dtype)
        if s.name in ("zeros", "empty", "ones"):
            made: Var = ev.op(s.name, lengths, dtype=dtype)
            return made
        if not _may_come_first(s):
            raise CannotBatch
        ev.block.append(s)
        made = ev.op("empty", lengths, dtype=dtype)
        ev.write(made, (FULL,) * made.type.ndim, array)
        return made

    def _row(self, s: Assign) -> Batched:
        return self._as_it_was(s, self.trips.row(s))

    def _picked(self, s: Assign) -> Batched | None:
        """The element that each trip picks of what it has, at positions of its own."""
        x, index = s.args
        if not any(v in self.known for v in variables(index)):
            return None
        if not all(isinstance(i, Var) and i in self.known and not i.is_array for i in index):
            raise CannotBatch
        trips = self.ev.op("arange", self.ev.dim_value(self.trips.length))
        places = (trips, *(self.known[i].array for i in index))
        return Batched(self.ev.getitem(moved(self.known[x], 0, self.ev).array, places), 0)

    def _as_it_was(self, s: Assign, made: Batched) -> Batched:
        """What a statement read, though it is written over later."""
        if self._changes_while_read(s):
            made = Batched(self.ev.op("copy", made.array), made.axis)
        return made

    def _changes_while_read(self, s: Assign) -> bool:
        """Whether an element is used after it was written over: the number is what it was, a view would not be."""
        body = self.loop.body
        if s not in body or any(isinstance(t, For) for t in body):
            return not s.target.is_array and any(
                self._may_share(t.array, s.args[0]) for t in self.statements if isinstance(t, Store)
            )
        later = body[body.index(s) + 1 :]
        writes = [
            k for k, t in enumerate(later) if isinstance(t, Store) and self._may_share(t.array, s.args[0])
        ]
        return (
            bool(writes)
            and not s.target.is_array
            and any(s.target in uses(t) for t in later[writes[0] + 1 :])
        )

    def _count(self, s: Assign) -> None:
        """An integer: a length, what the counter makes of a position, or a position of data."""
        if s.op == "dim":
            x, k = self.known[s.args[0]], s.args[1].value
            self.ev.block.append(Assign(s.targets, "dim", (x.array, Const(k + (k >= x.axis))), s.origin))
        elif s.target in self.trips.wrapped or any(v in self.counts for v in length_variables(s.target)):
            self.counts.add(s.target)
        elif s.op == "getitem" and s.args[0] not in self.known:
            self.known[s.target] = self._row(s)
        elif not any(v in self.counts for v in variables(s.args)):
            self.known[s.target] = batched(s, self.known, 0, self.ev)
        else:
            raise CannotBatch

    def _store(self, s: Store) -> None:
        ev = self.ev
        value = self.known.get(s.value) if isinstance(s.value, Var) else None
        if value is None and isinstance(s.value, Var) and (s.value in self.counts):
            raise CannotBatch
        if s.array in self.own:
            self._store_own(s, value)
            return
        place = self.trips.place(s.index)
        by_data = any(v in self.known for v in variables(s.index))
        if place is not None and by_data:
            raise CannotBatch
        if place is None:
            if value is None or not is_float(value.array.type):
                raise CannotBatch
            rank = sum(isinstance(i, Slice) or i == Const(None) for i in s.index)
            if value.ndim != rank:
                raise CannotBatch
            if by_data:
                rows = moved(value, 0, ev).array
                ev.write(s.array, self.trips.positions(s.index, s.array), rows, accumulate=True)
                return
            ev.write(s.array, s.index, self._total(value, s.array.type.dtype), accumulate=True)
            return
        if place.wraps:
            raise CannotBatch
        index, axis = self.trips.slices(s.array, s.index, place)
        rank = sum(isinstance(i, Slice) for i in index)
        ev.write(s.array, index, aligned(value or plain_value(s.value), rank - 1 - axis, ev), s.accumulate)

    def _store_own(self, s: Store, value: Batched | None) -> None:
        """Write to what each trip has made for itself."""
        if any(v in self.known or v in self.counts or v.is_array for v in variables(s.index)):
            raise CannotBatch
        rank = sum(isinstance(i, Slice) for i in s.index)
        array = self.known[s.array].array
        stored = aligned(value or plain_value(s.value), rank, self.ev)
        self.ev.write(array, (FULL, *s.index), stored, s.accumulate)

    def _add(self, s: Assign) -> None:
        """Add what all trips add to what a loop carries, or take it off."""
        before = next(v for v in uses(s) if v in self.totals)
        terms = [a for a in s.args if a is not before]
        is_sum = s.name == "add" or (s.name == "subtract" and s.args[0] is before)
        if not is_sum or self.readers[before] != 1 or self.readers[s.target] != 1 or len(terms) != 1:
            raise CannotBatch
        value = self.known.get(terms[0]) if isinstance(terms[0], Var) else None
        if value is None:
            raise CannotBatch
        self._added(before, s.name, value, s.target)

    def _added(self, before: Var, operation: str, value: Batched, after: Var) -> None:
        """What all trips have, added to what was `before`, is what comes `after`."""
        ev = self.ev
        carried, total = self.totals[before].carried, self.totals[before].value
        if not is_float(value.array.type) or value.ndim != carried.phi.type.ndim:
            raise CannotBatch
        made = ev.op(operation, total, self._total(value, carried.phi.type.dtype))
        if after is not carried.out:
            self.totals[after] = _Total(carried, made)
            return
        if not isinstance(made, Var) or made.type.dtype != after.type.dtype:
            raise CannotBatch
        if carried.phi.named:
            made.name, made.named = carried.phi.name, True
        self.results[carried.result] = made

    # --- loops inside -----------------------------------------------------------------------------------------

    def _nested(self, s: For) -> None:
        """A loop that all trips go through alike: what it carries is an array, with a number for each trip."""
        ev = self.ev
        if any(v in self.known or v in self.counts for v in _ends(s)):
            raise CannotBatch
        carried, sums = [], []
        for c in s.carried:
            init: Atom = c.init
            if isinstance(init, Var) and init in self.totals:
                if self.readers[init] != 1 or not adds_up(c.phi, c.out, s.body):
                    raise CannotBatch
                sums.append((init, c.result))
                init = Const(np.dtype(c.phi.type.dtype).type(0).item())
            kind = Array(c.phi.type.dtype, (self.trips.length,), "C")
            phi, result = (Var(v.name, kind, named=v.named) for v in (c.phi, c.result))
            carried.append(Carried(phi, self._numbers(init, kind), phi, result))
            self.known[c.phi] = Batched(phi, 0)
        body: Block = []
        with self.equalities.inside(s), ev.at(body):
            self._append(s.body)
            for mine, c in zip(carried, s.carried, strict=True):
                assert isinstance(mine.phi.type, Array)
                mine.out = self._numbers(c.out, mine.phi.type)
                roots = {v.root for v in (mine.init, mine.out) if isinstance(v, Var)}
                ev.joined_roots[mine.phi] = ev.joined_roots[mine.result] = roots
                self.known[c.result] = Batched(mine.result, 0)
        ev.block.append(For(s.index, s.start, s.stop, s.step, carried, body, s.origin))
        for before, result in sums:
            self._added(before, "add", self.known[result], result)

    def _numbers(self, x: Atom, kind: Array) -> Var:
        """A number of each trip, or the same for all, as an array; no view of one that is written to elsewhere."""
        ev = self.ev
        found = self.known.get(x) if isinstance(x, Var) else None
        if found is not None:
            array = ev.op("copy", found.array) if found.array.root is not found.array else found.array
        else:
            value = x.value if isinstance(x, Const) else x
            array = ev.op("full", ev.shape_values(kind.shape), value, dtype=np.dtype(kind.dtype))
        if not isinstance(array, Var) or array.type.ndim != 1 or array.type.dtype != kind.dtype:
            raise CannotBatch
        return array

    def _total(self, value: Batched, dtype: str) -> Value:
        """The sum over all trips, in one with a sum over the elements of each that nothing else reads.

        Each term is added in the precision of the sum.
        """
        if value.array.type.dtype != dtype:
            value = Batched(self.ev.cast(value.array, dtype), value.axis)
        if self.multiplies:
            found = product(value.array, value.axis, self.ev.block, self.ev)
            if found is not None:
                return found
        made = next(
            (s for s in self.ev.block if isinstance(s, Assign) and s.targets == (value.array,)),
            None,
        )
        if value.ndim == 0 and made is not None and made.name == "sum":
            of = made.args[0]
            whole = isinstance(of, Var) and made.args[2] == Const(False) and of.type.ndim > 1
            if (
                whole
                and sum(v.array is value.array and self.readers[k] > 1 for k, v in self.known.items()) == 0
            ):
                self.ev.block.remove(made)
                return self.ev.op("sum", of)
        return self.ev.op("sum", value.array, axis=value.axis if value.ndim else None)


def _ends(loop: For) -> Iterator[Var]:
    """What the ends of a loop are made of."""
    for end in (loop.start, loop.stop, loop.step):
        if isinstance(end, Var):
            yield from (end, *length_variables(end))


def _may_come_first(s: Stmt) -> bool:
    """Whether what is the same in all trips may be done once, also where there is no trip."""
    if isinstance(s, Check):
        return not s.user
    if not isinstance(s, Assign):
        return False
    if isinstance(s.op, str):
        return s.op in ("getitem", "dim", "cast", "alias")
    return infer.is_elementwise(s.op) or s.name in PRODUCTS | SOLVERS | REDUCTIONS | VIEWS | {
        "arange",
        "copy",
    }
