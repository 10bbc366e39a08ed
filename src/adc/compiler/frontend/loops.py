"""Loops become regions, or, where the body must know the trip, one copy of the body per trip."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, TypeGuard

import gast

from adc.compiler.frontend import first_trips, frozen, generators, later, tabled
from adc.compiler.frontend.containers import known_in
from adc.compiler.frontend.desugar_statements import with_test_inside
from adc.compiler.frontend.desugar_syntax import Names
from adc.compiler.frontend.frame import (
    FirstTripDiffers,
    Items,
    ListValue,
    NeedsUnrolling,
    Range,
    SurelyRaised,
    TestWrites,
)
from adc.compiler.frontend.list_loops import ListLoops, goes_over
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.scan import Liveness
from adc.compiler.frontend.trips import MAX_UNROLLED, Trip
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Const, If, Var, While, uses
from adc.errors import UnsupportedError

MOST_TRIPS_OF_RULES = (
    8  # of a loop in the body of a rule that is written out: one over axes, or a few elements
)
LONG_LIST = 8  # of positions, over which a loop is not written out
ENDLESS = 2**62  # trips of itertools.count()
FEW_WITH_EXIT = (
    4  # trips that are written out although the data decide about them, and a list could be an array
)


class Loops(ListLoops):
    """The part of the evaluator that decides how a loop is lowered."""

    def exec_For(self, node: Any) -> None:
        over = later.gone_over(self, node)
        flag = getattr(node, "flag", None)
        if flag is not None and isinstance(over, Items) and over.length is None:
            over = Items(ENDLESS, over.item)  # it is left before
        if node.orelse:
            raise self.refuse("`else` of a loop is not supported here")
        generator = generators.of(self, over)
        if generator is not None:
            generators.loop(self, node, generator)
            return
        items = self.iterable(over)
        known = self._known_trips(items)
        lists = [(items, len(items))] if isinstance(items, list) else getattr(items, "lists", [])
        short = known is not None and self.frame.unroll and len(known) <= MOST_TRIPS_OF_RULES
        if isinstance(items, list) and flag is None:
            assert known is not None
            if self._by_table(node, items, known):
                return
        if known is not None and (short or isinstance(items, list)):
            self._unrolled(node, known, flag, lists)
            return
        assert not isinstance(items, list)
        self._run_for(node, items, known, lists)

    def _by_table(self, node: Any, items: list[Value] | Items, known: Sequence[Trip]) -> bool:
        """Whether a loop over a list was lowered as one, which takes the parts of its elements from arrays.

        Written out, each element (the nodes on a boundary, the pairs of a basis) has a copy of the body.
        """
        numbered = isinstance(items, list) and all(type(item) is int for item in items)
        of_positions = numbered and len(known) >= LONG_LIST and _are_positions(node)
        if not of_positions and (self.lists_written_out or not self._is_long_for(node, known, self.copies)):
            return False
        mark, start = Mark(self), len(self.block)
        try:
            elements = list(items) if isinstance(items, list) else [trip() for trip in known]
            for read in (v for s in self.block[start:] for v in uses(s) if v.is_array):
                frozen.freeze(self, read)  # what the loop writes there, it would not see
            sources = [items] if isinstance(items, list) else [source for source, _ in items.lists]
            held = tabled.Held(self, [*elements, *sources])
            table = tabled.of(self, elements)
            if table is not None:
                (self._for if of_positions else self._run_for)(node, table)
            done = table is not None and held.unchanged(self)
        except (NeedsUnrolling, UnsupportedError):
            done = False
        if not done:
            mark.back()
        self.long_lists = self.long_lists or done
        return done

    def _run_for(
        self,
        node: Any,
        items: Range | Items,
        known: Sequence[Trip] | None = None,
        lists: list[tuple[list[Value], int]] | None = None,
        written: int = 0,
    ) -> None:
        """A loop as a region of its own, after its first trips where these change the rank of what it carries."""
        if known is not None and not known:
            return
        mark = Mark(self)
        try:
            self._region_or_trips(node, items, known, lists, written)
        except FirstTripDiffers as change:
            if not self._first_apart(node, items, change, written):
                raise
            mark.back()
            first_trips.require(self, self._comes(node, items), change)
            if first_trips.begun_as_array(self, node, change):
                self._run_for(node, items, known, lists, written)
                return
            self.bind(node.target, first_trips.item(items))
            self.execute_all(node.body)
            rest = first_trips.others(self, items)
            self._run_for(node, rest, self._known_trips(rest), None, written + 1)

    def _first_apart(self, node: Any, items: Range | Items, error: UnsupportedError, written: int) -> bool:
        """Whether the next trip of a `for` is given what it needs to be like the others, or is written out."""
        return first_trips.help_with(self, node, error, written) and first_trips.may_come(self, items)

    def _comes(self, node: Any, items: Range | Items) -> Value:
        """Whether the next trip of a `for` comes."""
        flag = getattr(node, "flag", None)
        if flag is None and first_trips.surely_comes(self, items):
            return True
        rng = items if isinstance(items, Range) else Range(0, items.length, 1)
        return self._running(flag, rng, rng.start)

    def _region_or_trips(
        self,
        node: Any,
        items: Range | Items,
        known: Sequence[Trip] | None,
        lists: list[tuple[list[Value], int]] | None,
        written: int,
    ) -> None:
        """A loop as a region of its own, or, where its body must know the trip, trip by trip."""
        flag = getattr(node, "flag", None)
        mark = Mark(self)
        try:
            if flag is not None:
                self._for_with_exit(node, items, flag)
            else:
                self._for(node, items)
        except NeedsUnrolling as needed:
            mark.back()
            again = functools.partial(self._run_for, node, items, written=written)
            over = goes_over(items, needed.container)
            if over and not needed.read:
                if known is None or len(known) > MAX_UNROLLED:
                    raise self.refuse(
                        "a list changes while a loop goes over it",
                        "the elements that come next are not known before the program runs",
                        "go over a copy: `for e in list(items)`",
                    ) from None
                self._unrolled(node, known, flag, lists or [])
                return
            if known is None:
                if flag is None and self._with_all_places(node, items, needed):
                    return
                if flag is None and self._bounded(node, items, needed):
                    return
                self._with_arrays_for_lists(again, needed, over)
                return
            if (
                len(known) > FEW_WITH_EXIT
                and isinstance(needed.container, ListValue)
                and (flag is not None or self._data_decide_its_length(node, known, needed.container))
            ):
                try:
                    self._with_arrays_for_lists(again, needed, over)
                    return
                except UnsupportedError:
                    mark.back()
            if (
                flag is None
                and isinstance(needed.container, ListValue)
                and self._in_places(node, items, known, needed, functools.partial(self._run_for, node, items))
            ):
                return
            if self._at_its_counter(node, items, known, needed):
                return
            if flag is None and self._from_the_second_on(node, items, known, needed, written):
                return
            if len(known) > MAX_UNROLLED:
                raise self.refuse(
                    f"a loop of {'any number of' if len(known) == ENDLESS else len(known)} trips over list elements "
                    "would have to be unrolled",
                    repair="use an array",
                ) from None
            if flag is None and isinstance(items, Items) and self._by_table(node, items, known):
                return
            self._unrolled(node, known, flag, lists or [])
        except UnsupportedError as error:
            if self._raises_in_a_trip(error):  # in the first, as a container is there
                mark.back()
                if known is None or len(known) > MAX_UNROLLED:
                    self._raises_if(self._comes(node, items), error)
                else:
                    self._unrolled(node, known, flag, lists or [])
                return
            if known is None or not self.for_some_sizes or len(known) > MAX_UNROLLED:
                raise
            if self._first_apart(node, items, error, written):
                raise
            mark.back()
            self._unrolled(node, known, flag, lists or [])

    def _at_its_counter(
        self, node: Any, items: Range | Items, known: Sequence[Trip], needed: NeedsUnrolling
    ) -> bool:
        """Whether a loop that reads a list of alike elements at its counter was lowered as one."""
        over = needed.container
        if not needed.read or not isinstance(over, ListValue) or getattr(node, "flag", None) is not None:
            return False
        if id(over) in self.tabled or not known_in(self.frame, over):  # or each trip makes one
            return False
        if not self._is_long_for(node, known, self.copies):
            return False
        mark = Mark(self)
        held = tabled.Held(self, [*over, over])
        try:
            table = tabled.of(self, list(over))
            if table is not None:
                self.tabled[id(over)] = table
                self._run_for(node, items, known)
            done = table is not None and held.unchanged(self)
        except (NeedsUnrolling, UnsupportedError):
            done = False
        finally:
            self.tabled.pop(id(over), None)
        if not done:
            mark.back()
        self.long_lists = self.long_lists or done
        return done

    def _from_the_second_on(
        self, node: Any, items: Range | Items, known: Sequence[Trip], needed: NeedsUnrolling, written: int
    ) -> bool:
        """Whether a loop whose first trip gives a dict its keys was lowered as that trip and a loop."""
        if written or not isinstance(needed.container, dict) or not self._is_long_for(node, known):
            return False
        mark = Mark(self)
        try:
            self.bind(node.target, first_trips.item(items))
            self.execute_all(node.body)
            rest = first_trips.others(self, items)
            self._run_for(node, rest, self._known_trips(rest), None, written + 1)
        except (UnsupportedError, NeedsUnrolling):
            mark.back()
            return False
        self.long_lists = True
        return True

    def _raises_in_a_trip(self, error: UnsupportedError) -> TypeGuard[SurelyRaised]:
        """Whether a trip of the loop is sure to raise, not only an operand in it that some trip may not evaluate."""
        return isinstance(error, SurelyRaised) and error.depth == self.region_depth + 1

    def _raises_if(self, comes: Value, raised: SurelyRaised) -> None:
        """A loop whose every trip raises does so if one comes, unless a `try` around it asks what is raised."""
        if comes is False:
            return
        if not isinstance(comes, Var):
            raise SurelyRaised(raised.exception, self.region_depth, raised.location) from raised
        if self.trying:
            raise raised
        region = If(comes, [], [], [], self.origin)
        with self.at(region.then), self.origin_at(raised.location):
            self.raise_here(raised.exception)
        self.block.append(region)

    def _with_test_inside(self, node: Any) -> None:
        """A `while` whose condition is evaluated in the body."""
        if not hasattr(node, "with_test_inside"):  # found again in the next trip of a loop around
            node.with_test_inside = with_test_inside(node, Names(self.frame.tree).fresh("more"))
        live = self.frame.liveness
        assert live is not None
        inside = Liveness(node.with_test_inside, live.after[id(node)], live.captured)
        live.after.update(inside.after)
        live.head.update(inside.head)
        self.execute_all(node.with_test_inside)

    def exec_While(self, node: Any, written: int = 0) -> None:
        if node.orelse:
            raise self.refuse("`else` of a loop is not supported here")
        region = While([], [], Const(True), [], self.origin)

        def test() -> Value:
            return self.condition(node.test)

        mark = Mark(self)
        try:
            self._lower_loop(node, region, test, lambda: self.execute_all(node.body))
        except TestWrites:
            mark.back()
            self._with_test_inside(node)
        except NeedsUnrolling as needed:
            mark.back()
            if not self._unrolled_while(node, mark):
                self._with_arrays_for_lists(lambda: self.exec_While(node, written), needed)
        except UnsupportedError as error:
            mark.back()
            if self._raises_in_a_trip(error):
                self._raises_if(test(), error)
                return
            if isinstance(error, FirstTripDiffers) and first_trips.help_with(self, node, error, written):
                comes = self.condition(node.test)
                if comes is False:
                    return
                if not (isinstance(comes, Var) and self.for_some_sizes):
                    first_trips.require(self, comes, error)
                    if not first_trips.begun_as_array(self, node, error):
                        self.execute_all(node.body)
                        written += 1
                    self.exec_While(node, written)
                    return
                mark.back()
            if not self._unrolled_while(node, mark):
                raise


def _are_positions(node: Any) -> bool:
    """Whether all that a loop does with its items is to read and write elements there."""
    if not isinstance(node.target, gast.Name):
        return False
    inside = [part for statement in node.body for part in gast.walk(statement)]
    slices = [part.slice for part in inside if isinstance(part, gast.Subscript)]
    positions = {id(part) for index in slices for part in gast.walk(index)}
    named = [part for part in inside if isinstance(part, gast.Name) and part.id == node.target.id]
    return bool(named) and all(isinstance(part.ctx, gast.Load) and id(part) in positions for part in named)
