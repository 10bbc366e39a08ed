"""Check the indices that may leave their arrays: compiled code would otherwise read, and write, somewhere else.

NumPy raises IndexError; loops over scalars do not. An index that is a loop counter within the loop's own bounds is
proven and costs nothing, and so is one that the test of a branch keeps inside (`x[i - 1] if i > 0 else x[i]`). One that
is affine in counters is checked once, at its extremes, in front of the loop (cse.py moves the check there); only an
index that comes from data is checked where it is used. An array of indices that no trip changes is looked through once,
in front of the loop:

    for t in range(n):                          inside = np.all((idx < m) & (idx >= -m))
        x = x[idx]                              if not (inside or n <= 0): raise IndexError(...)
                                                for t in range(n):
                                                    x = x[idx]

What the reverse sweep makes again of an index that the forward sweep has checked, in each trip that made it, is inside.

    for j in range(n):                              if not (n <= m or n <= 0): raise ...
        if r[j] < 1:                    ->          for j in range(n):
            e += q[j]                                   if r[j] < 1:
                                                            e += q[j]

Where a loop's own counter is the index in a branch, the code insists that the array is as long as the loop, so that the
loop is straight: a call with a shorter one is answered by code that checks each element that is read.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from adc.compiler.analysis.conditions import Conditions, certain
from adc.compiler.analysis.counters import Range
from adc.compiler.analysis.effects import Memory
from adc.compiler.analysis.positions import positions, remembered
from adc.compiler.analysis.touches import pace, paces, part, with_counter_at
from adc.compiler.frontend.lengths import length_of
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import (
    Assign,
    Atom,
    Block,
    Check,
    Const,
    For,
    If,
    Program,
    Restore,
    Slice,
    Stmt,
    Store,
    Var,
    While,
    bound_inside,
    defined,
    is_view,
    owners,
    variables,
    walk,
)
from adc.compiler.ir.types import is_integer
from adc.compiler.transforms import clone
from adc.rules import registry, shapes
from adc.rules.dims import Dim

Path = frozenset[tuple[Atom, bool]]
SHORTER = "an array that a branch reads is shorter than its loop"


def run(
    program: Program, evaluator: Evaluator, only: set[Stmt] | None = None, insists: bool = False
) -> Program:
    """The program with a check in front of every access, or of `only` those, not proven to stay within its array."""
    program.body = _Checker(program, evaluator, only, insists).block(program.body, ())
    return program


def insisted(error: Exception) -> bool:
    """Whether generated code raised since an array, which branches read, is shorter than the loop around them."""
    return str(error).startswith(SHORTER)


class _Checker:
    def __init__(self, program: Program, evaluator: Evaluator, only: set[Stmt] | None, insists: bool) -> None:
        self.ev = evaluator
        self.only = only
        self.insists = insists
        self.memory = Memory(evaluator.joined_roots)
        self.around: list[tuple[For | While | If, Block]] = []  # regions, and the block in front of each
        self.every: list[tuple[For, ...]] = []  # for each the loops whose every trip comes to it
        self.written = {s.array.root for s in walk(program.body) if isinstance(s, Store)}
        self.positions = positions(program, self.written)
        self.looked_through: dict[Var, list[Dim]] = {}  # arrays: the lengths that their elements are within
        self.views: dict[Var, Assign] = {}  # of arrays, that cannot leave them
        self.extremes: dict[Hashable, Range] = {}  # of loop counters
        self.limits: dict[
            tuple[str, Var], list[Dim]
        ] = {}  # of what is the smaller or the larger of two: these
        self.remembered: dict[Var, Dim] = {}  # integers: the largest counter of the loop that found them
        self.choices: dict[Var, tuple[Atom, Atom, Atom]] = {}  # integers that a test chooses between two
        self.inside: dict[Stmt, set[Var]] = {}  # what a region makes, a loop in each trip anew
        self.conditions = Conditions(program)
        self.path: list[tuple[Atom, bool]] = []  # the tests of the branches around, and whether they hold
        self.facts: list[Dim] = []  # what is zero or more there
        self.passed: list[tuple[frozenset[Dim], Dim]] = []  # and what is, if these are: loops that had trips
        # By index: the lengths that it was checked for wherever it was made, given the outcomes of these tests.
        self.checked: dict[Atom, list[tuple[Dim, Path]]] = {}

    def block(self, block: Block, around: tuple[For, ...]) -> Block:
        """`around`: the loops whose every trip runs this block."""
        out: Block = []
        for stmt in block:
            if isinstance(stmt, Check) and self.only is None and self._is_certain(stmt):
                continue
            with self.ev.at(out), self.ev.origin_at(stmt.origin):
                self._access(stmt, around)
                if (
                    isinstance(stmt, Assign)
                    and stmt.name == "remainder"
                    and length_of(stmt.target) is not None
                ):
                    stmt = self._remainder(stmt)
            if isinstance(stmt, Assign) and not stmt.targets[0].is_array:
                self._note_position(stmt)
            if isinstance(stmt, Assign) and stmt.name in ("minimum", "maximum") and not stmt.target.is_array:
                ends = (self.ev.length(a) for a in stmt.args)
                self.limits[stmt.name, stmt.target] = [d for d in ends if d is not None]
            if isinstance(stmt, Assign) and stmt.name == "where" and is_integer(stmt.target.type):
                self.choices[stmt.target] = stmt.args
            if isinstance(stmt, Assign) and self._stays_inside(stmt):
                self.views[stmt.target] = stmt
            if isinstance(stmt, Check):
                self._learn([(stmt.test, True)])
            if isinstance(stmt, (For, While, If)):
                self.around.append((stmt, out))
                self.every.append(around)
                self._region(stmt, around)
                self.every.pop()
                self.around.pop()
            if isinstance(stmt, For):
                self._remember(stmt)
            if (
                isinstance(stmt, Restore)
                and (highest := self.remembered.get(self.ev.first(stmt.target))) is not None
            ):
                self.facts.append(highest - Dim.symbol("value", stmt.target))
            out.append(stmt)
        return out

    def _note_position(self, stmt: Assign) -> None:
        """Note that a number is one of so many positions: an extreme's, or an element of what was looked through."""
        known = stmt.args[0].root if stmt.name == "getitem" else stmt.targets[0]
        if known in self.positions:
            found = Dim.symbol("value", stmt.target)
            self.facts += [found, self.positions[known] - 1 - found]
        for length in self.looked_through.get(known, ()):
            found = Dim.symbol("value", stmt.target)
            self.facts += [found + length, length - 1 - found]

    def _remember(self, loop: For) -> None:
        """Note behind a search that a position that it found is one of its counter."""
        if isinstance(loop.step, Const):
            for v, (begin, highest) in remembered(loop).items():
                if self._proven(highest - begin):
                    self.facts.append(highest - Dim.symbol("value", v))
                    if self.ev.is_throughout(highest):  # and so the same in the reverse sweep
                        self.remembered[v] = highest

    def _is_certain(self, check: Check) -> bool:
        """Whether what is checked cannot but hold here, as that there is something to divide by."""
        return any(certain(facts, self._proven) for facts in self.conditions.any_of(check.test))

    def _remainder(self, stmt: Assign) -> Assign:
        """Note that `i % n` is an index of n elements; where i is nearly one, it takes no division.

        `(j + 1) % n` is `j + 1 if j + 1 < n else j + 1 - n`.
        """
        i, n = map(length_of, stmt.args)
        if i is None or n is None or not self._proven(n - 1):
            return stmt
        found = Dim.symbol("value", stmt.target)
        self.facts += [found, n - 1 - found]
        number, length = stmt.args
        if self._proven(i) and self._proven(n + n - 1 - i):
            inside, moved = self.ev.op("less", number, length), self.ev.op("subtract", number, length)
        elif self._proven(n - 1 - i) and self._proven(i + n):
            inside, moved = self.ev.op("greater_equal", number, 0), self.ev.op("add", number, length)
        else:
            return stmt
        choice = tuple(self.ev.atom(v) for v in (inside, number, moved))
        return Assign(stmt.targets, registry.named("where"), choice, stmt.origin)

    def _region(self, stmt: For | While | If, around: tuple[For, ...]) -> None:
        """Go through the blocks of a statement, each with what is known in it."""
        before, passed = list(self.facts), len(self.passed)
        if isinstance(stmt, For):
            trip = self._note(stmt)
            stmt.body = self.block(stmt.body, (*around, stmt))
            self._leave(stmt, trip, passed, self.facts[len(before) :])
            self.facts = before
        elif isinstance(stmt, While):
            stmt.test_block = self.block(stmt.test_block, ())
            stmt.body = self._branch(stmt.body, stmt.test, True)
        else:
            stmt.then = self._branch(stmt.then, stmt.test, True)
            stmt.orelse = self._branch(stmt.orelse, stmt.test, False)

    def _leave(self, loop: For, trip: Dim | None, passed: int, found: list[Dim]) -> None:
        """Behind a loop what was `found` in it is known wherever it is known that the loop had a trip."""
        made = self._made_in(loop)
        within = [*self.passed[passed:], *((frozenset[Dim](), fact) for fact in found)]
        self.passed[passed:] = [
            (guards | {trip}, fact)
            for guards, fact in within
            if trip is not None and made.isdisjoint(v for d in (*guards, trip, fact) for v in owners(d))
        ]

    def _branch(self, block: Block, test: Atom, holds: bool) -> Block:
        """A block that runs where a test holds, or does not."""
        passed = len(self.passed)
        with self._where(test, holds):
            block = self.block(block, ())
        del self.passed[passed:]
        return block

    @contextmanager
    def _where(self, test: Atom, holds: bool) -> Iterator[None]:
        """What is known where a test holds, or does not."""
        before = list(self.facts)
        self.path.append((test, holds))
        self._learn(self.path)
        try:
            yield
        finally:
            self.path.pop()
            self.facts = before

    def _learn(self, path: Sequence[tuple[Atom, bool]]) -> None:
        """Note what tests that hold, or do not, say of integers."""
        for d, apart in self.conditions.facts(path):
            if not apart:
                self.facts.append(d)
            else:  # not zero, and so one or more where it is not negative
                self.facts.extend(e - 1 for e in (d, -d) if self._proven(e))

    def _proven(self, d: Dim) -> bool:
        """Whether a sum of lengths and counters is zero or more in every trip of the loops around."""
        loops = tuple(region for region, _ in self.around if isinstance(region, For))
        if self._not_negative(self._extreme(d, loops, 0)):
            return True
        symbols = {symbol for symbol, _ in d.terms}
        known = set(self.facts)
        return any(
            self._not_negative(self._extreme(d - fact, loops, 0))
            for guards, fact in (*(((), f) for f in self.facts), *self.passed)
            if any(symbol in symbols for symbol, _ in fact.terms) and known.issuperset(guards)
        )

    def _note(self, loop: For) -> Dim | None:
        """The least and the greatest value of a loop's counter, while it runs; what is zero or more in a trip."""
        first, stop = self.ev.length(loop.start), self.ev.length(loop.stop)
        assert isinstance(loop.step, Const)
        step = loop.step.value
        if first is None or stop is None:
            self.extremes[loop.index] = None, None
            return None
        low, high = (first, stop - 1) if step > 0 else (stop + 1, first)
        trip = high - low
        self.facts.append(trip)
        counter = Dim.symbol("value", loop.index)
        self.facts += [end - counter for end in self._either(high, "minimum")]
        self.facts += [counter - end for end in self._either(low, "maximum")]
        if low.known is not None and low.known >= 0 and high.const == -1 and len(high.terms) == 1:
            high = (high + 1).without_clamps() - 1  # in a trip there is something to count
        self.extremes[loop.index] = low, high
        return trip

    def _either(self, end: Dim, extreme: str) -> list[Dim]:
        """Both integers of which an end of a range is the smaller, or the larger, one."""
        return [
            end + (limit - Dim.symbol("value", v))
            for v, times in paces(end).items()
            if times == 1
            for limit in self.limits.get((extreme, v), ())
        ]

    def _access(self, stmt: Stmt, around: tuple[For, ...]) -> None:
        if self.only is not None and stmt not in self.only:
            return
        if isinstance(stmt, Assign) and stmt.name == "take_along_axis":
            array, indices, axis_taken = stmt.args
            if axis_taken == Const(None):
                self._item(indices, shapes.size(array.type.shape), 0, around)
            else:
                k = axis_taken.value % array.type.ndim
                self._item(indices, array.type.shape[k], k, around)
            return
        touch = part(stmt)
        if touch is None:
            return
        array, items = touch
        axis = 0
        for item in items:
            if item == Const(None):
                continue
            if isinstance(item, Var) and item.is_array and item.type.dtype == "bool":
                axis += item.type.ndim
                continue
            if not isinstance(item, Slice):
                self._item(item, array.type.shape[axis], axis, around)
            axis += 1

    def _item(self, item: Any, length: Dim, axis: int, around: tuple[For, ...]) -> None:
        ev = self.ev
        if isinstance(item, Var) and item.is_array:
            if item.root in self.positions:
                if not self._not_negative(length - self.positions[item.root]):
                    many, n = ev.dim_value(self.positions[item.root]), ev.dim_value(length)
                    self._require(ev.op("less_equal", many, n), axis)
                return
            if self._was_checked(item, length):
                return
            self._note_checked(item, length)
            place, remade = self._in_front(item, length)
            with ev.at(place):
                _, views, (item,) = clone.run([], remade, [item], ev, inside=True)
                place.extend(views)
                n = ev.dim_value(length)
                inside = ev.op(
                    "bitwise_and", ev.op("less", item, n), ev.op("greater_equal", item, ev.op("negative", n))
                )
                inside = ev.op("all", inside)
            self._require(inside, axis)
            if not self.around and item.root is item and item not in self.written:
                self.looked_through.setdefault(item, []).append(length)
            return
        if self._is_inside(item, length):
            return
        if self._insist(item, length):
            return
        value = length_of(item) or Dim.symbol("value", item)
        around = self._steady(length, around)
        low, high = self._extreme(value, around, 0), self._extreme(value, around, 1)
        if self._not_negative(length - 1 - high) and (
            self._not_negative(low) or self._not_negative(low + length)
        ):
            return
        if isinstance(item, Var):
            if self._was_checked(item, length):
                return
            self._note_checked(item, length)
        if any(loop.step.value not in (1, -1) for loop in around):  # type: ignore[union-attr]
            low = high = value  # the last trip's counter is not the bound
        if not self._not_negative(length - 1 - high):
            self._require(ev.op("less", ev.dim_value(high), ev.dim_value(length)), axis)
            self.facts.append(length - 1 - high)
        if not self._not_negative(low) and not self._not_negative(low + length):
            self._require(
                ev.op("greater_equal", ev.dim_value(low), ev.op("negative", ev.dim_value(length))), axis
            )
            self.facts.append(low + length)

    def _insist(self, item: Atom, length: Dim) -> bool:
        """Whether a counter is the index in a branch, and a check in front of that says that it is always inside."""
        regions = [region for region, _ in self.around]
        loops = [k for k, region in enumerate(regions) if isinstance(region, (For, While))]
        if not self.insists or not loops or not isinstance(regions[-1], If):
            return False
        k = loops[-1]
        in_front = self.around[k + 1][1]
        around = self._steady(length, self.every[k + 1])
        loop = next((loop for loop in around if loop.index is item), None)
        if loop is None or regions[k] not in around or loop.step not in (Const(1), Const(-1)):
            return False
        value = Dim.symbol("value", loop.index)
        low, high = self._extreme(value, around, 0), self._extreme(value, around, 1)
        if high == value or not self._not_negative(low):
            return False
        with self.ev.at(in_front):
            inside = self.ev.op("less", self.ev.dim_value(high), self.ev.dim_value(length))
            if inside is False:
                return False
            self.ev.block.append(Check(self.ev.atom(inside), "IndexError", (Const(SHORTER),), self.ev.origin))
        self.facts.append(length - 1 - value)
        return True

    def _is_inside(self, item: Atom, length: Dim) -> bool:
        """Whether an index is certainly one of an axis; of two that a test chooses between, each where it is chosen."""
        if isinstance(item, Var) and item in self.choices:
            test, *sides = self.choices[item]
            for holds, side in zip((True, False), sides, strict=True):
                with self._where(test, holds):
                    if not self._is_inside(side, length):
                        return False
            return True
        value = length_of(item) or Dim.symbol("value", item)
        return self._proven(length - 1 - value) and (self._proven(value) or self._proven(value + length))

    def _was_checked(self, item: Var, length: Dim) -> bool:
        """Whether an index of the reverse sweep is one that the forward sweep has checked for this length."""
        if item not in self.ev.again:
            return False
        path = self._path()
        return any(
            self.ev.equal.same(known, length) and tests <= path
            for known, tests in self.checked.get(self.ev.first(item), ())
        )

    def _note_checked(self, item: Var, length: Dim) -> None:
        """A check is made of an index: of each that is made, if it stands where they are made."""
        around = next((region for region, _ in reversed(self.around) if not isinstance(region, If)), None)
        everywhere = around is None or item in self._made_in(around)
        if everywhere and item.root not in self.ev.mutated:
            self.checked.setdefault(item, []).append((length, self._path()))

    def _path(self) -> Path:
        return frozenset((self.ev.first(test), holds) for test, holds in self.path)

    def _in_front(self, item: Var, length: Dim) -> tuple[Block, Block]:
        """The block in front of the outermost loop that leaves an array of indices, and a length, as they are.

        And the views that make the array there: `edges[:, 0]` in the loop is one of `edges` in front of it.
        """
        place, remade = self.ev.block, list[Stmt]()
        chain: list[Assign] = []
        for region, before in reversed(self.around):
            made = self._made_in(region)
            while item in made and item in self.views:
                chain.insert(0, self.views[item])
                item = chain[0].args[0]
            made_of = {item, *variables(tuple(s.args for s in chain)), *owners(length)}
            made_of.difference_update(s.target for s in chain)
            if not made_of.isdisjoint(made) or self.memory.of(item) in self.memory.effects(region).writes:
                break
            if not isinstance(region, If):
                place, remade = before, [*chain]
        return place, remade

    def _stays_inside(self, stmt: Assign) -> bool:
        """Whether a statement makes a view by slices and numbers that are within bounds whatever the lengths are."""
        if stmt.name != "getitem" or not is_view(stmt) or Const(None) in stmt.args[1]:
            return False
        return all(
            isinstance(i, Slice)
            or (isinstance(i, Const) and self._not_negative(n - 1 - i.value) and i.value >= 0)
            for i, n in zip(stmt.args[1], stmt.args[0].type.shape, strict=True)
        )

    def _made_in(self, region: For | While | If) -> set[Var]:
        if region not in self.inside:
            self.inside[region] = {v for s in walk([region]) for v in (*defined(s), *bound_inside(s))}
        return self.inside[region]

    def _steady(self, length: Dim, around: tuple[For, ...]) -> tuple[For, ...]:
        """The loops around, from within, as far as the length is the same in every trip."""
        made_of = set(owners(length))
        for k in range(len(around) - 1, -1, -1):
            if not made_of.isdisjoint(self._made_in(around[k])):
                return around[k + 1 :]
        return around

    def _extreme(self, value: Dim, around: tuple[For, ...], side: int) -> Dim:
        """The least (0) or greatest (1) value of an index over the loops around it, as far as it is affine in them."""
        for loop in reversed(around):
            coefficient = pace(value, loop.index)
            if coefficient == 0:
                continue
            rest = with_counter_at(value, loop.index, Dim(0))
            if not {loop.index, *self._made_in(loop)}.isdisjoint(owners(rest)):
                return value  # what else it is made of changes with the counter: both come to no end together
            at = side if coefficient > 0 else 1 - side
            bound = self.extremes[loop.index][at]
            if bound is None:
                return value
            value = with_counter_at(value, loop.index, bound)
        return value

    def _not_negative(self, d: Dim) -> bool:
        """Whether a length is certainly zero or more."""
        least = d.const
        for symbol, coefficient in d.terms:
            if symbol.kind in ("shape", "clamp", "cut", "product") and coefficient > 0:
                continue
            smallest = self.extremes.get(symbol.payload[0], (None, None))[0] if coefficient > 0 else None
            if smallest is None or smallest.known is None:
                inside = d.without_clamps()  # which make it larger
                return inside != d and self._not_negative(inside)
            least += coefficient * smallest.known
        return least >= 0

    def _require(self, test: Any, axis: int) -> None:
        message = f"index is out of bounds for axis {axis}"
        self.ev.block.append(Check(self.ev.atom(test), "IndexError", (Const(message),), self.ev.origin))
