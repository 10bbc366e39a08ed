"""Loops that change lists, or read them at positions of the run: as arrays, at places known before, or item by item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adc.compiler.frontend import cached_properties, element_kinds, growing, positions, rooms
from adc.compiler.frontend.containers import Contents, known_in, known_to, same_container
from adc.compiler.frontend.frame import Growing, Instance, Items, ListValue, NeedsUnrolling, Range
from adc.compiler.frontend.marks import Mark
from adc.compiler.frontend.trips import Trip, Trips
from adc.errors import AdcError, UnsupportedError

MOST_STACKED = 60


class ListLoops(Trips):
    """The part of the evaluator that makes a loop over, or into, lists one region."""

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

        return self.is_long(node, len(known), trip, copies)

    def _in_places(
        self,
        node: Any,
        items: Range | Items,
        known: Sequence[Trip],
        needed: NeedsUnrolling,
        again: Callable[[], None],
    ) -> bool:
        """Whether a loop whose trips would be too much text was lowered as one, which fills arrays or carries items.

        `again` lowers the loop, as it is then.
        """
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
        over = goes_over(items, needed.container)
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
            if positions.key(container) in self.stacked:  # it is read at a position, and changed as well
                raise needed if self.loop_depth else self._cannot_unroll()
            if len(self.stacked) > MOST_STACKED:
                raise self._cannot_unroll()  # the loop makes it anew whenever its body is evaluated
            self.stacked[positions.key(container)] = container
            if needed.display is not None:
                self.stacked[id(needed.display)] = needed.display
            run()
        elif (
            needed.read
            and not over
            and len(self.stacked) <= MOST_STACKED
            and positions.settle_records(self, container)
        ):
            self.stacked[positions.key(container)] = container
            run()
        elif (
            isinstance(container, ListValue)
            and container.depth == self.loop_depth
            and not over
            and self._item_by_item(container, run)
        ):
            return
        elif (
            isinstance(container, Instance)
            and id(container) in Contents(self.frame).held
            and cached_properties.make_room(container)
        ):
            run()
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


def goes_over(items: Range | Items, container: Any) -> bool:
    """Whether a loop takes its items from a list."""
    return isinstance(items, Items) and any(same_container(container, each) for each, _ in items.lists)
