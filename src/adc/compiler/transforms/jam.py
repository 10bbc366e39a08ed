"""Go through a few rows of a recurrence abreast, each some trips behind the one before.

    for i in range(1, n):                           for i_first in range(1, n, 6):
        for j in range(1, m):                           for j_first in range(1, m + 10):
            a[i, j] = f(a[i, j - 1],        ->              for k in range(6):
                        a[i - 1, j + 1])                        i = i_first + k
                                                                j = j_first - 2 * k
                                                                if i < n and 1 <= j < m:
                                                                    a[i, j] = f(a[i, j - 1], a[i - 1, j + 1])

A trip waits for the one before it in its row, most of the time for additions to come out of the processor and for what
was stored to be loaded again. Trips of other rows need not wait for it: six rows of Gauss and Seidel's iteration take
0.25 of the time, in the reverse sweep half. Every element is made of the same numbers in the same order as before; sums
over all rows are added up in another. (Unroll-and-jam of a skewed nest: M. Wolfe, High Performance Compilers for
Parallel Computing, 1996, chapter 9.)

Rows of which each waits for the one before it, and that are linear recurrences, go one by one, some trips at a time
(`distribute`, `lookahead`): what each trip is made of besides vectorises then.

A number that a row carries on lies in an array with a place for each of the six. What stands before the inner loop is
done for all of them first, what stands behind it last; what it only computes, each trip computes again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from adc.compiler.analysis.conditions import Conditions
from adc.compiler.analysis.counters import ranges
from adc.compiler.analysis.dependence import Nest, Unknown
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.latency import waits
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Carried,
    Const,
    For,
    If,
    Keep,
    Mark,
    Merge,
    Program,
    Restore,
    Stmt,
    Store,
    Var,
    blocks,
    defined,
    is_of_numbers,
    owners,
    uses,
    variables,
    walk,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms import clone
from adc.compiler.transforms.distribute import Distribution
from adc.compiler.transforms.rewrite import operand, substitute
from adc.compiler.transforms.vectorise import accumulation, in_order
from adc.errors import Location
from adc.rules import registry
from adc.rules.dims import Dim

ROWS = 6  # abreast
MOST = 100  # statements of a trip
SHORTEST = 8  # trips of a row, where that is known
RAISING = ("floor_divide", "remainder", "power")  # of integers
LONGEST = 4  # trips that a row may be behind the one before


def run(program: Program, evaluator: Evaluator, strict: bool) -> Program:
    """The program with rows of recurrences abreast."""
    jammer = _Jammer(program, evaluator, strict)
    program.body = jammer.block(program.body)
    return program


class _Jammer:
    def __init__(self, program: Program, evaluator: Evaluator, strict: bool) -> None:
        self.ev = evaluator
        self.memory = Memory(evaluator.joined_roots)
        self.counters = ranges(program.body)
        self.conditions = Conditions(program)
        self.distribution = Distribution(program, evaluator, strict)

    def block(self, block: Block) -> Block:
        out: Block = []
        for s in block:
            jam = self._jam(s) if isinstance(s, For) else None
            if jam is not None:
                out += jam.made()
                continue
            for inner in blocks(s):
                inner[:] = self.block(inner)
            out.append(s)
        return out

    def _jam(self, loop: For) -> _Jam | None:
        """How the rows of a nest go abreast, if they may and it is of use."""
        loops = [s for s in loop.body if isinstance(s, For)]
        if len(loops) != 1 or not _counts(loop) or not _counts(loops[0]):
            return None
        inner = loops[0]
        statements = walk(inner.body)
        plain = all(_is_plain(s) for s in (*statements, *loop.body) if s is not inner)
        if not plain or len(statements) > MOST or _is_short(inner):
            return None
        nest = Nest(loop, inner, self.memory, self.counters, self.conditions)
        if not (nest.is_recurrence() or (inner.carried and in_order(inner))) or not waits(inner):
            return None
        try:
            lags = nest.lags(ROWS)
        except Unknown:
            return None
        # What a row has just made is better not waited for.
        lag = max(0, *lags) + 1 if lags else 0
        if lag > LONGEST or not nest.moves_out(ROWS):
            return None
        if lag and self.distribution.looks_ahead(inner):
            return None
        jam = _Jam(nest, lag, self.ev)
        return jam if jam.may_be(self.memory) else None


def _counts(loop: For) -> bool:
    return loop.step in (Const(1), Const(-1))


def _is_plain(s: Stmt) -> bool:
    """Whether a statement works on numbers and elements alone, and cannot fail."""
    if isinstance(s, Assign):
        return is_of_numbers(s)
    if isinstance(s, (Keep, Restore)):
        return s.index is not None and not any(v.is_array for v in uses(s))
    return isinstance(s, (Store, If, Mark))


def _is_fixed(end: Atom, nest: Nest) -> bool:
    """Whether an end of the inner loop is the same in all rows."""
    value = length_of(end)
    return value is not None and end not in nest.own and not any(v in nest.own for v in owners(value))


def _is_short(loop: For) -> bool:
    start, stop = length_of(loop.start), length_of(loop.stop)
    known = None if start is None or stop is None else (stop - start).known
    return known is not None and abs(known) < SHORTEST


@dataclass(eq=False)
class _State:
    """A number that a row carries on, and the array of it for the rows abreast."""

    carried: Carried
    array: Var


class _Jam:
    """The nest of three loops in place of one of two."""

    def __init__(self, nest: Nest, lag: int, ev: Evaluator) -> None:
        self.nest = nest
        self.outer, self.inner = nest.outer, nest.inner
        self.before, _, self.behind = nest.parts
        self.by_row, self.by_trip = nest.directions
        self.lag = lag  # of a row behind the one before, in trips
        self.is_fixed = all(_is_fixed(end, nest) for end in (self.inner.start, self.inner.stop))
        self.ev = ev
        # The counters of the first row of a group, and of the trips that it is in; which row of the group it is.
        self.group, self.trip = (
            Var(f"{s.index.name}_first", s.index.type, named=True) for s in (self.outer, self.inner)
        )
        self.row = Var("k", Scalar("int64", True), named=False)
        total = {c.phi for c in self.outer.carried}
        self.sums = [c for c in self.inner.carried if c.init in total]
        self.states = [_State(c, _places_for(c)) for c in self.inner.carried if c not in self.sums]
        added = {c.init for c in self.sums}
        self.sums_behind = [c for c in self.outer.carried if c.phi not in added]

    def may_be(self, memory: Memory) -> bool:
        """Whether what goes round is sums and numbers of each row, and what trips compute again stays the same."""
        if any(s.array.type.dtype == "object" or s.carried.phi.is_array for s in self.states):
            return False
        inner, outer = self.inner.carried, self.outer.carried
        if not all(_is_added_up(c, inner, self.inner.body) for c in self.sums) or not all(
            _is_added_up(c, outer, self.behind) for c in self.sums_behind
        ):
            return False
        handed = {c.init: c.result for c in self.sums}
        if any(handed[c.phi] is not c.out for c in outer if c not in self.sums_behind):
            return False
        read = Counter(v for s in walk(self.outer.body) for v in uses(s))
        if any(read[c.phi] != 1 for c in outer) or any(read[c.result] for c in self.sums):
            return False
        if any(isinstance(s, (Keep, Restore)) for s in walk([*self.before, *self.behind])):
            return False  # a second text of them would have a buffer of its own
        ends = self._needed([self.inner.start, self.inner.stop])
        if not self.is_fixed and any(s.name in ("getitem", *RAISING) for s in ends if isinstance(s, Assign)):
            return False  # also done for rows that are not there
        written = memory.effects(self.outer).writes
        again = [
            *self._needed([self.inner.start, self.inner.stop, *_read(self.inner.body)]),
            *self._needed(_read(self.behind)),
        ]
        return all(isinstance(s, Assign) for s in again) and not any(
            root in written for s in again for root in memory.effects(s).accesses
        )

    def made(self) -> Block:
        """The arrays of what rows carry on, and the nest."""
        origin = self.outer.origin
        out: Block = []
        for state in self.states:
            shape = (Const(ROWS),)
            dtype = Const(np.dtype(state.array.type.dtype))
            out.append(Assign((state.array,), registry.named("empty"), (shape, dtype), origin))
        group: Block = []
        if self.states or any(not isinstance(s, (Assign, Mark)) for s in self.before):
            stores: Block = [Store(s.array, (self.row,), s.carried.init, False, origin) for s in self.states]
            group.append(self._over_rows([*self.before, *stores], [], origin))
        with self.ev.at(group), self.ev.origin_at(self.inner.origin):
            start, stop = self._ends()
        group.append(self._trips(start, stop))
        carried = self.outer.carried
        if self.behind:
            loads: Block = [
                Assign((s.carried.result,), "getitem", (s.array, (self.row,)), origin) for s in self.states
            ]
            last = self._over_rows(
                [*self._needed(_read(self.behind)), *loads, *self.behind], self.sums_behind, origin
            )
            group.append(last)
            carried = [c for c in carried if c not in self.sums_behind]
            for c, inside in zip(self.sums_behind, last.carried, strict=True):
                phi = _like(c.phi)
                carried.append(Carried(phi, c.init, inside.result, c.result))
                inside.init = phi
        step = Const(self.by_row * ROWS)
        out.append(For(self.group, self.outer.start, self.outer.stop, step, carried, group, origin))
        return out

    def _ends(self) -> tuple[Atom, Atom]:
        """Between which trips of the first row all rows of a group have theirs."""
        ev, inner = self.ev, self.inner
        behind = self.by_trip * self.lag
        if self.is_fixed:
            stop = ev.length(inner.stop)
            assert stop is not None
            return inner.start, ev.atom(ev.dim_value(stop + behind * (ROWS - 1)))
        needed = self._needed([inner.start, inner.stop])
        (first,), computed, ends = clone.run(
            [self.outer.index], needed, [inner.start, inner.stop], ev, inside=True
        )
        ev.block += [Assign((first,), "alias", (self.group,), inner.origin), *computed]
        (index, k), body, others = clone.run(
            [self.outer.index, self.row], needed, [inner.start, inner.stop], ev, inside=True
        )
        body.insert(0, _shifted(index, self.group, self.by_row, k, inner.origin))
        carried = []
        for name, end, other in zip(("start", "stop"), ends, others, strict=True):
            phi, result = (Var(name, Scalar("int64", True), named=True) for _ in range(2))
            extreme = "minimum" if (name == "start") == (self.by_trip > 0) else "maximum"
            with ev.at(body):
                value = other.value if isinstance(other, Const) else other
                place = ev.op("add", value, ev.op("multiply", behind, k))
                carried.append(Carried(phi, end, ev.atom(ev.extreme(extreme, phi, place)), result))
        ev.block.append(For(k, Const(1), Const(ROWS), Const(1), carried, body, inner.origin))
        return carried[0].result, carried[1].result

    def _trips(self, start: Atom, stop: Atom) -> For:
        """The loop over the trips of all rows of a group."""
        origin = self.inner.origin
        needed = self._needed([self.inner.start, self.inner.stop, *_read(self.inner.body)])
        own = [v for s in needed for v in defined(s)]
        _, again, copied = clone.run([], needed, own, self.ev, inside=True)
        table: dict[Var, Atom] = dict(zip(own, copied, strict=True))
        inside = substitute(self.inner.body, table)
        loads: Block = [
            Assign((s.carried.phi,), "getitem", (s.array, (self.row,)), origin) for s in self.states
        ]
        stores: Block = [Store(s.array, (self.row,), s.carried.out, False, origin) for s in self.states]
        body: Block = [_shifted(self.outer.index, self.group, self.by_row, self.row, origin)]
        tests = [_inside(self.outer.index, self.outer.stop, self.by_row, origin)]
        # What the ends are made of is also worked out for rows that are not there, and loads nothing.
        ends = [] if self.is_fixed else self._needed([self.inner.start, self.inner.stop])
        body += [copy for s, copy in zip(needed, again, strict=True) if s in ends]
        again = [copy for s, copy in zip(needed, again, strict=True) if s not in ends]
        counter = self.inner.index
        if self.lag or not self.is_fixed:
            lag = self.row
            if self.lag != 1:
                lag = Var("lag", Scalar("int64", True), named=False)
                body.append(Assign((lag,), registry.named("multiply"), (Const(self.lag), self.row), origin))
            body.append(_shifted(counter, self.trip, -self.by_trip, lag, origin))
            begun = "greater_equal" if self.by_trip > 0 else "less_equal"
            tests.append(_compared(begun, counter, operand(self.inner.start, table), origin))
            tests.append(_inside(counter, operand(self.inner.stop, table), self.by_trip, origin))
        else:
            body.append(Assign((counter,), "alias", (self.trip,), origin))
        merges, of_rows, of_trips = [], [], []
        for c in self.sums:
            chosen, phi, result = _like(c.phi), _like(c.phi), _like(c.phi)
            merges.append(Merge(chosen, c.out, c.phi))
            of_rows.append(Carried(c.phi, phi, chosen, result))
            of_trips.append(Carried(phi, c.init, result, c.result))
        body.append(If(_all_of(tests, body), [*again, *loads, *inside, *stores], [], merges, origin))
        rows = For(self.row, Const(0), Const(ROWS), Const(1), of_rows, body, origin)
        return For(self.trip, start, stop, self.inner.step, of_trips, [rows], origin)

    def _over_rows(self, block: Block, sums: list[Carried], origin: Location | None) -> For:
        """A loop over the rows of a group that there are, with a text and variables of its own."""
        params = [self.row, self.outer.index, *(c.phi for c in sums)]
        (row, index, *phis), inside, outs = clone.run(
            params, block, [c.out for c in sums], self.ev, inside=True
        )
        body: Block = [_shifted(index, self.group, self.by_row, row, origin)]
        test = _all_of([_inside(index, self.outer.stop, self.by_row, origin)], body)
        merges = [Merge(_like(phi), out, phi) for phi, out in zip(phis, outs, strict=True)]
        carried = [
            Carried(phi, c.init, m.result, _like(phi)) for phi, c, m in zip(phis, sums, merges, strict=True)
        ]
        body.append(If(test, inside, [], merges, origin))
        return For(row, Const(0), Const(ROWS), Const(1), carried, body, origin)

    def _needed(self, read: Iterable[Atom]) -> Block:
        """What stands before the inner loop and computes what is read."""
        needed = set(variables(tuple(read)))
        found: Block = []
        for s in reversed(self.before):
            if needed.intersection(defined(s)):
                found.append(s)
                needed.update(_read([s]))
        return found[::-1]


def _read(block: Block) -> list[Var]:
    return [v for s in walk(block) for v in uses(s)]


def _is_added_up(c: Carried, carried: list[Carried], body: Block) -> bool:
    """Whether a number that goes round is a sum (or a product, or an extreme) that nothing else reads."""
    loop = For(Var("", c.phi.type), Const(0), Const(1), Const(1), carried, body)
    chain = accumulation(c, loop)
    values = {c.phi, *(s.target for s in chain)}
    return bool(chain) and sum(v in values for s in walk(body) for v in uses(s)) == len(chain)


def _places_for(c: Carried) -> Var:
    """An array for a number that each of the rows abreast carries."""
    name = f"{c.phi.name}_abreast" if c.phi.named else "abreast"
    return Var(name, Array(c.phi.type.dtype, (Dim(ROWS),), "C"), named=c.phi.named)


def _like(v: Var) -> Var:
    return Var(v.name, v.type, named=v.named)


def _shifted(counter: Var, first: Var, sign: int, by: Var, origin: Location | None) -> Assign:
    return Assign((counter,), registry.named("add" if sign > 0 else "subtract"), (first, by), origin)


def _inside(counter: Var, stop: Atom, step: int, origin: Location | None) -> Assign:
    return _compared("less" if step > 0 else "greater", counter, stop, origin)


def _compared(name: str, one: Atom, other: Atom, origin: Location | None) -> Assign:
    holds = Var("inside", Scalar("bool"), named=False)
    return Assign((holds,), registry.named(name), (one, other), origin)


def _all_of(tests: list[Assign], block: Block) -> Var:
    """Whether all tests hold, with the statements that say so at the end of a block."""
    block += tests
    holds = tests[0].target
    for test in tests[1:]:
        both = Var("inside", Scalar("bool"), named=False)
        block.append(Assign((both,), registry.named("bitwise_and"), (holds, test.target), test.origin))
        holds = both
    return holds
