"""Loops become regions, or, where the body must know the trip, one copy of the body per trip."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import gast

from adc.compiler.frontend import (
    element_kinds,
    first_trips,
    frozen,
    generators,
    growing,
    positions,
    rooms,
    tabled,
)
from adc.compiler.frontend.carrying import Carrying
from adc.compiler.frontend.containers import Contents, known_in, known_to, same_container
from adc.compiler.frontend.frame import (
    FirstTripDiffers,
    Growing,
    Items,
    ListValue,
    NeedsUnrolling,
    Range,
    SurelyRaised,
)
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Const, For, Var, While, uses
from adc.compiler.ir.types import Scalar
from adc.errors import AdcError, UnsupportedError
from adc.rules.dims import Dim

MOST_STACKED = 60
MAX_UNROLLED = 10_000
MOST_TRIPS_OF_RULES = (
    8  # of a loop in the body of a rule that is written out: one over axes, or a few elements
)
LONG_LIST = 8  # of positions, over which a loop is not written out
ENDLESS = 2**62  # trips of itertools.count()
FEW_WITH_EXIT = (
    4  # trips that are written out although the data decide about them, and a list could be an array
)
Trip = Callable[[], Value]  # gives the item of a trip


class _Trips(Sequence[Trip]):
    """The trips of a loop, of which there may be millions: each is made when it is asked for."""

    def __init__(self, item: Callable[[int], Value], numbers: range) -> None:
        self._item, self._numbers = item, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, k: Any) -> Any:
        return functools.partial(self._item, self._numbers[k])


class Loops(Carrying):
    """The part of the evaluator that runs loops."""

    def exec_For(self, node: Any) -> None:
        over = self.evaluate(node.iter)
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
            over = _goes_over(items, needed.container)
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
                and self._in_places(node, items, known, needed)
            ):
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
        except SurelyRaised:  # in the first trip, as a container is there
            if known is None or len(known) > MAX_UNROLLED:
                raise
            mark.back()
            self._unrolled(node, known, flag, lists or [])
        except UnsupportedError as error:
            if known is None or not self.for_some_sizes or len(known) > MAX_UNROLLED:
                raise
            if self._first_apart(node, items, error, written):
                raise
            mark.back()
            self._unrolled(node, known, flag, lists or [])

    def _data_decide_its_length(self, node: Any, known: Sequence[Trip], container: ListValue) -> bool:
        """Whether a list has other elements after one branch of a trip than after the other."""
        names = [name for name, value in self.frame.env.items() if value is container]
        mark = Mark(self)
        try:
            self.bind(node.target, known[0]())
            self.execute_all(node.body)
            return any(isinstance(self.frame.env.get(name), Growing) for name in names)
        except (UnsupportedError, NeedsUnrolling):
            return False
        finally:
            mark.back()

    def _is_long_for(self, node: Any, known: Sequence[Trip], copies: int = 1) -> bool:
        """Whether the trips of a loop, written out as often as the loop is, are too much text."""

        def trip(k: int) -> None:
            self.bind(node.target, known[k]())
            self.execute_all(node.body)

        return self.is_long(len(known), trip, copies)

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

    def _in_places(
        self, node: Any, items: Range | Items, known: Sequence[Trip], needed: NeedsUnrolling
    ) -> bool:
        """Whether a loop whose trips would be too much text was lowered as one, which fills arrays or carries items."""

        if not self._is_long_for(node, known):
            return False
        mark = Mark(self)
        try:
            done = self._with_all_places(node, items, needed)
        except UnsupportedError:
            done = False
        if not done:
            mark.back()
        assert isinstance(needed.container, ListValue)
        again = functools.partial(self._run_for, node, items)
        over = _goes_over(items, needed.container)
        if not done and not over and self._item_by_item(needed.container, again):
            return True
        if not done:  # a list that a dict or an object holds
            try:
                self._with_arrays_for_lists(again, needed, over)
                done = True
            except (UnsupportedError, NeedsUnrolling):
                mark.back()
        self.long_lists = self.long_lists or done
        return done

    def _known_trips(self, items: list[Value] | Range | Items) -> Sequence[Trip] | None:
        """What gives the item of each trip, when the trip begins: the trips before may have changed it."""
        if isinstance(items, list):
            return _Trips(functools.partial(operator.getitem, items), range(len(items)))
        if isinstance(items, Range):
            if not self.is_static((items.start, items.stop, items.step)):
                return None
            return _Trips(int, range(items.start, items.stop, items.step))
        if not isinstance(items.length, int):
            return None
        return _Trips(items.item, range(items.length))

    def _unrolled(
        self, node: Any, trips: Sequence[Trip], flag: str | None, lists: list[tuple[list[Value], int]]
    ) -> None:
        with self.written_out(len(trips)):
            for position, trip in enumerate(trips):
                if flag is not None:
                    running = self.frame.env[flag]
                    if isinstance(running, Var):
                        # The exit depends on data: the rest of the trips run under the flag.
                        for left in itertools.islice(trips, position, None):
                            self._trip_if(flag, node, left)
                        return
                    if not running:
                        return
                self.bind(node.target, trip())
                self.execute_all(node.body)
                if any(len(items) != count for items, count in lists):
                    raise self.refuse(
                        "a list changes its length while a loop goes over it",
                        "the trips of the loop are counted when it begins",
                        "go over a copy: `for e in list(items)`",
                    )

    def _bounded(self, node: Any, items: Range | Items, needed: NeedsUnrolling) -> bool:
        """A loop over a list of known length beside something else: as many trips, some of which may not come."""
        lists = [] if isinstance(items, Range) else items.lists
        if not any(needed.container is each for each, _ in lists) or positions.uniform(
            self, needed.container
        ):
            return False
        assert isinstance(items, Items)
        begun = f"begun {self.region_depth}"  # no user name has a space
        for k in range(min(count for _, count in lists)):
            self.frame.env[begun] = self.op("less", k, items.length)
            self._trip_if(begun, node, functools.partial(items.item, k))
        return True

    def _trip_if(self, flag: str, node: Any, trip: Trip) -> None:
        """One unrolled trip of a loop, inside `if flag:`."""
        assert self.frame.liveness is not None
        test = gast.copy_location(gast.Name(flag, gast.Load(), None, None), node)
        guard = gast.copy_location(gast.If(test=test, body=[_Trip(node, trip)], orelse=[]), node)
        after = self.frame.liveness.after
        after[id(guard)] = self.frame.liveness.head[id(node)]
        try:
            self.exec_If(guard)
        finally:
            del after[id(guard)]

    def exec__Trip(self, node: Any) -> None:
        self.bind(node.target, node.item())
        self.execute_all(node.body)

    def _with_all_places(self, node: Any, items: Range | Items, needed: NeedsUnrolling) -> bool:
        """A loop whose every trip adds as much: the lists are given their places before it. False if that fails."""
        added = rooms.added_in(node, self.frame.env)
        contents = Contents(self.frame)
        lists = {
            name: value
            for name in added
            if not contents.shared(value := self.frame.env[name])
            and value.depth == self.loop_depth
            and not self.from_outside(value)
            and not known_to(self.frame.caller, value)
        }
        if not any(needed.container is v for v in lists.values()):
            return False
        mark = Mark(self)
        kinds: dict[int, element_kinds.ElementFound] = {}
        failure: AdcError | None = None  # of the first guess at what the elements are
        while True:
            trips = rooms.trips_of(self, items)
            grown = {
                name: growing.begun(self, name, lists[name], kinds.get(id(lists[name])), trips, added[name])
                for name in lists
            }
            self.frame.env.update(grown)
            try:
                self._for(node, items, list(grown.values()))
                break
            except element_kinds.ElementFound as found:
                mark.back()
                if found.key not in (id(v) for v in lists.values()):
                    raise
                kinds[found.key] = found
            except AdcError as error:
                failure = failure or error
                guesses = [key for key, kind in kinds.items() if kind.guessed]
                for key in guesses:
                    again = element_kinds.guessed_again(kinds[key])
                    if again is None:
                        raise element_kinds.failed_guess(self, failure) from None
                    kinds[key] = again
                if not guesses:
                    raise
                mark.back()
            except (rooms.Irregular, NeedsUnrolling):
                mark.back()
                return False
        for name, each in grown.items():
            each.room = None
            each.count = self.op("add", self.op("multiply", trips, added[name].per_trip), len(lists[name]))
            if each.values is None:
                self.frame.env[name] = self.new_list([])  # the loop is dead code: its range is empty
        return True

    def _with_arrays_for_lists(
        self, run: Callable[[], None], needed: NeedsUnrolling, over: bool = False
    ) -> None:
        """A loop of a run-time number of trips that changes lists, or reads numbers at run-time positions.

        `over`: it takes its items from the list, which then stays as it is.
        """
        container = needed.container
        if (
            isinstance(container, ListValue)
            and container.depth == self.loop_depth
            and (not needed.read or any(isinstance(item, list) for item in container))
        ):
            mark = Mark(self)
            try:
                self.with_growing(container, run)
            except UnsupportedError as error:
                mark.back()
                if over or not self._item_by_item(container, run):
                    raise error from None
        elif isinstance(container, (tuple, ListValue)) and container and positions.uniform(self, container):
            if positions.key(container) in self.stacked:
                raise self._cannot_unroll()  # it is read at a position, and changed as well
            if len(self.stacked) > MOST_STACKED:
                raise self._cannot_unroll()  # the loop makes it anew whenever its body is evaluated
            self.stacked[positions.key(container)] = container
            if needed.display is not None:
                self.stacked[id(needed.display)] = needed.display
            run()
        elif (
            isinstance(container, ListValue)
            and container.depth == self.loop_depth
            and not over
            and self._item_by_item(container, run)
        ):
            return
        elif self.loop_depth:
            raise needed
        else:
            raise (needed.refusal or self._cannot_unroll()) from None

    def _item_by_item(self, container: ListValue, run: Callable[[], None]) -> bool:
        """A loop that carries each item of a list of so many, which it writes at positions known now, if it can be."""
        if id(container) in self.itemwise or self.from_outside(container):
            return False
        if not known_in(self.frame, container):
            return False  # the body makes it, and a new one whenever it is evaluated
        mark = Mark(self)
        self.itemwise[id(container)] = container
        try:
            run()
            return True
        except (UnsupportedError, NeedsUnrolling):
            mark.back()
            return False
        finally:
            del self.itemwise[id(container)]

    def _for(self, node: Any, items: Range | Items, grown: list[Growing] | None = None) -> None:
        rng = items if isinstance(items, Range) else Range(0, items.length, 1)
        index = Var("i", Scalar("int64", True), named=False)
        index.dim = Dim.symbol("value", index)
        start, stop = self.length(rng.start), self.length(rng.stop)
        if start is not None and stop is not None:
            self.ranges[index] = (start, stop - 1) if rng.step > 0 else (stop + 1, start)
        if isinstance(items, Range) and isinstance(node.target, gast.Name):
            index.name, index.named = node.target.id, True
        region = For(index, self.atom(rng.start), self.atom(rng.stop), Const(rng.step), [], [], self.origin)

        given = [(each, each.room) for each in grown or () if each.room is not None]
        before = [each.count for each, _ in given]
        known = self._known_trips(items)
        trips = None if known is None else len(known)
        outer = self.block

        def body() -> None:
            for (each, room), count in zip(given, before, strict=True):
                done = self.op("multiply", rooms.ordinal(self, items, index), room.per_trip)
                each.count, room.appended = self.op("add", done, count), 0
            with self.draws.inside(region, outer, trips, lambda: rooms.ordinal(self, items, index)):
                self.bind(node.target, items.item(index) if isinstance(items, Items) else index)
                self.execute_all(node.body)
            for each, room in given:
                if room.appended != room.per_trip:
                    raise rooms.Irregular(each.name)

        self._lower_loop(node, region, None, body)

    def exec_While(self, node: Any, written: int = 0) -> None:
        if node.orelse:
            raise self.refuse("`else` of a loop is not supported here")
        region = While([], [], Const(True), [], self.origin)

        def test() -> Value:
            return self.condition(node.test)

        mark = Mark(self)
        try:
            self._lower_loop(node, region, test, lambda: self.execute_all(node.body))
        except NeedsUnrolling as needed:
            mark.back()
            if not self._unrolled_while(node, mark):
                self._with_arrays_for_lists(lambda: self.exec_While(node, written), needed)
        except UnsupportedError as error:
            mark.back()
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

    def _unrolled_while(self, node: Any, mark: Mark) -> bool:
        """A `while` trip by trip, where it is known of each that it comes. False, and nothing done, if it is not."""
        if not self.for_some_sizes:
            return False
        for _ in range(MAX_UNROLLED):
            test = self.condition(node.test)
            if isinstance(test, Var):
                mark.back()
                return False
            if not test:
                return True
            self.execute_all(node.body)
        raise self.refuse(f"a loop of more than {MAX_UNROLLED} trips would have to be unrolled")

    def _cannot_unroll(self) -> UnsupportedError:
        return self.refuse(
            "a container changes in, or is indexed by, a loop whose number of trips is only known at run time",
            "lists, dicts and objects live at compile time only",
            "use an array, or one name only for what changes",
        )

    def _for_with_exit(self, node: Any, items: Range | Items, flag: str) -> None:
        """A `for` that may end early: a while over its counter."""
        rng = items if isinstance(items, Range) else Range(0, items.length, 1)
        word = node.target.id if isinstance(node.target, gast.Name) else "item"
        counter = f"next {word} {self.region_depth}"  # no user name has a space
        self.frame.env[counter] = rng.start
        region = While([], [], Const(True), [], self.origin)

        def test() -> Value:
            return self._running(flag, rng, self.frame.env[counter])

        def body() -> None:
            k = self.frame.env[counter]
            self.frame.env[counter] = self.op("add", k, rng.step)
            self.bind(node.target, items.item(k) if isinstance(items, Items) else k)
            self.execute_all(node.body)

        self._lower_loop(node, region, test, body, extra={counter, flag})
        del self.frame.env[counter]

    def _running(self, flag: str | None, rng: Range, k: Value) -> Value:
        """Whether a loop goes on, with `k` the next of its counter."""
        running = True if flag is None else self.frame.env[flag]
        more = self.op("less" if rng.step > 0 else "greater", k, rng.stop)
        if not isinstance(running, Var):
            return more if running else False
        if self.is_static(more):
            return running if more else False
        return self.choose(running, lambda: more, lambda: False)


class _Trip(gast.Pass):  # type: ignore[misc]
    """One unrolled trip of a loop, as a statement: what it assigns is seen by those who look for names."""

    _fields = ("target", "body")

    def __init__(self, loop: Any, item: Trip) -> None:
        super().__init__()
        gast.copy_location(self, loop)
        self.target, self.body = loop.target, loop.body
        self.item = item


def _goes_over(items: Range | Items, container: Any) -> bool:
    """Whether a loop takes its items from a list."""
    return isinstance(items, Items) and any(same_container(container, each) for each, _ in items.lists)


def _are_positions(node: Any) -> bool:
    """Whether all that a loop does with its items is to read and write elements there."""
    if not isinstance(node.target, gast.Name):
        return False
    inside = [part for statement in node.body for part in gast.walk(statement)]
    slices = [part.slice for part in inside if isinstance(part, gast.Subscript)]
    positions = {id(part) for index in slices for part in gast.walk(index)}
    named = [part for part in inside if isinstance(part, gast.Name) and part.id == node.target.id]
    return bool(named) and all(isinstance(part.ctx, gast.Load) and id(part) in positions for part in named)
