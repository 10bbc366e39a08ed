"""A loop as a region, or trip by trip: what the other modules of loops are made of."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import gast

from adc.compiler.frontend import positions, rooms
from adc.compiler.frontend.carrying import Carrying
from adc.compiler.frontend.frame import Growing, Items, NeedsUnrolling, Range
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Const, For, Var, While
from adc.compiler.ir.types import Scalar
from adc.errors import UnsupportedError
from adc.rules.dims import Dim

MAX_UNROLLED = 10_000
Trip = Callable[[], Value]  # gives the item of a trip


class _Trips(Sequence[Trip]):
    """The trips of a loop, of which there may be millions: each is made when it is asked for."""

    def __init__(self, item: Callable[[int], Value], numbers: range) -> None:
        self._item, self._numbers = item, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, k: Any) -> Any:
        return functools.partial(self._item, self._numbers[k])


class Trips(Carrying):
    """The part of the evaluator that lowers a loop whose kind is known."""

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
        with self.written_out(len(trips), node):
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


class _Trip(gast.Pass):  # type: ignore[misc]
    """One unrolled trip of a loop, as a statement: what it assigns is seen by those who look for names."""

    _fields = ("target", "body")

    def __init__(self, loop: Any, item: Trip) -> None:
        super().__init__()
        gast.copy_location(self, loop)
        self.target, self.body = loop.target, loop.body
        self.item = item
