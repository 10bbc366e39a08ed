"""What a region may change in place: the lists and dicts that the code in it can reach.

Containers exist while the code is evaluated, not when it runs. So a branch that changes one is evaluated on contents
that are put back afterwards, and what the two branches left is merged element by element.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from adc.compiler.frontend.frame import (
    Closure,
    Frame,
    Generator,
    Growing,
    Items,
    Iterated,
    ListValue,
    Once,
    Partial,
    reads_of,
)
from adc.compiler.frontend.values import rebuilt
from adc.errors import Location, UnsupportedError

Container = list[Any] | dict[Any, Any] | Growing


class Differs(UnsupportedError):
    """A branch leaves a list with other elements than the other branch does."""

    def __init__(self, items: Any, location: Location | None) -> None:
        super().__init__(
            "a list has other elements after one branch than after the other",
            location=location,
            repair="Use an array.",
        )
        self.items = items


class PutIn(Differs):
    """A branch puts a list, dict or object into a row of a list, which the code around the branch knows, too."""


class Contents:
    """The lists and dicts that a frame can reach, by all of its names or some, and what they held at first."""

    def __init__(self, frame: Frame, names: Collection[str] | None = None) -> None:
        self.held: dict[int, tuple[Container, Container]] = {}
        self.paths: dict[int, int] = {}
        self._seen: set[tuple[int, str]] = set()  # names in frames
        self._visit_frame(frame, frame.env if names is None else names)
        inner = frame.parent
        while inner is not None:
            self._visit_frame(inner, inner.env)
            inner = inner.parent

    def _visit_frame(self, frame: Frame, names: Iterable[str]) -> None:
        for name in names:
            if name in frame.env and (id(frame), name) not in self._seen:
                self._seen.add((id(frame), name))
                self._visit(frame.env[name])
        if frame.leaves is not None and (id(frame), "") not in self._seen:
            self._seen.add((id(frame), ""))
            self._visit(frame.leaves)

    def _visit_closure(self, closure: Closure) -> None:
        """What the code of a function that was defined in the program can reach."""
        frame: Frame | None = closure.frame
        while frame is not None:
            self._visit_frame(frame, closure.reads)
            frame = frame.parent
        for item in closure.defaults.values():
            self._visit(item)

    def _visit(self, value: Any) -> None:
        if isinstance(value, Growing) and value.room is not None:
            return  # its loop keeps the books
        if isinstance(value, (list, dict, Growing)):
            self.paths[id(value)] = self.paths.get(id(value), 0) + 1
            if id(value) not in self.held:
                self.held[id(value)] = (value, value.copy())
                for item in _items(value):
                    self._visit(item)
                if reads_of(value) is not None:
                    self._visit(reads_of(value))
        elif isinstance(value, (Items, Iterated)):
            self._visit(value.reads)
        elif isinstance(value, Once):
            self._visit(value.state)
            self._visit(value.of)
        elif isinstance(value, Generator):
            self._visit(value.state)
            if not value.state.get("taken"):  # or its loop has the arguments, under names of its own
                self._visit_frame(value.frame, list(value.frame.env))
        elif isinstance(value, tuple):
            for item in value:
                self._visit(item)
        elif isinstance(value, Closure):
            self._visit_closure(value)
        elif isinstance(value, (functools.partial, Partial)):
            for item in (value.func, *value.args, *value.keywords.values()):
                self._visit(item)

    def shared(self, container: Container) -> bool:
        """Whether a container is known under more than one name."""
        return self.paths.get(id(container), 0) > 1

    def is_changed(self, container: object) -> bool:
        """Whether a container holds something else than at first."""
        known = self.held.get(id(container))
        return known is not None and not same_contents(known[1], known[0])

    def keep(self, container: Container) -> None:
        """Let what a container holds now be what it held at first."""
        self.held[id(container)] = (container, container.copy())

    def taken(self) -> list[Container]:
        """What the containers hold now; afterwards they hold again what they held at first."""
        now = [container.copy() for container, _ in self.held.values()]
        for container, before in self.held.values():
            refill(container, before)
        return now

    def as_left(self, value: Any, outcome: list[Container]) -> Any:
        """A value as one branch left it: a container has meanwhile been given back what it held before."""
        if not isinstance(value, (list, dict, Growing)) or id(value) not in self.held:
            return value
        contents = outcome[list(self.held).index(id(value))]
        if isinstance(value, ListValue):
            assert isinstance(contents, list)
            return rebuilt(value, contents)
        return contents

    def changes(self, *outcomes: list[Container]) -> Iterator[tuple[Container, tuple[Container, ...]]]:
        """The containers that one of the outcomes changed, with what each outcome left in them."""
        for k, (container, before) in enumerate(self.held.values()):
            left = tuple(outcome[k] for outcome in outcomes)
            if not all(same_contents(before, contents) for contents in left):
                yield container, left


def refill(container: Container, contents: Container) -> None:
    """Make a container hold something else, in place."""
    if isinstance(container, list):
        assert isinstance(contents, list)
        container[:] = contents
    elif isinstance(container, Growing):
        assert isinstance(contents, Growing)
        container.become(contents.state())
    else:
        assert isinstance(contents, dict)
        container.clear()
        container.update(contents)


def same_places(a: Container, b: Container) -> bool:
    """Whether two states of a container have the same elements, whatever their values."""
    if isinstance(a, Growing) or isinstance(b, Growing):
        return isinstance(a, Growing) and isinstance(b, Growing) and a.like(b)
    return list(a) == list(b) if isinstance(a, dict) else len(a) == len(b)


def known_to(frame: Frame | None, container: Container) -> bool:
    """Whether a function that has called this one can reach a container."""
    while frame is not None:
        if id(container) in Contents(frame).held:
            return True
        frame = frame.caller
    return False


def same_container(seen: object, container: object) -> bool:
    """Whether a container is another one, or stands for it in the body of a loop."""
    while seen is not None:
        if seen is container:
            return True
        seen = getattr(seen, "original", None)
    return False


def known_in(frame: Frame | None, container: object) -> bool:
    """Whether a function that is running, or one that has called it, can reach a container."""
    while frame is not None:
        if any(same_container(held, container) for held, _ in Contents(frame).held.values()):
            return True
        frame = frame.caller
    return False


def references(frame: Frame | None, value: object) -> int:
    """How many names and places of containers hold a value, here and in the functions that have called this one."""
    count = 0
    while frame is not None:
        inner: Frame | None = frame
        while inner is not None:
            count += sum(v is value for v in inner.env.values())
            inner = inner.parent
        for container, _ in Contents(frame).held.values():
            count += sum(v is value for v in _items(container))
        frame = frame.caller
    return count


def exchange(frame: Frame, old: Container, new: Container) -> bool:
    """Put one list in the place of another wherever code may find it; False where it is not or also elsewhere."""
    places = _Places(old, new)
    places.frame(frame)
    for each in (old, new):
        if isinstance(each, ListValue):
            each.grows = each is old
    return places.found > 0 and places.all_found


class _Places:
    def __init__(self, old: Container, new: Container) -> None:
        self.old, self.new = old, new
        self.all_found = True
        self.found = 0
        self._seen: set[int] = set()

    def frame(self, frame: Frame | None) -> None:
        while frame is not None and id(frame) not in self._seen:
            self._seen.add(id(frame))
            for name, value in list(frame.env.items()):
                frame.env[name] = self.value(value)
            if frame.leaves is not None:
                self.value(frame.leaves)
            self.frame(frame.caller)
            frame = frame.parent

    def value(self, value: Any) -> Any:
        if value is self.old:
            self.found += 1
            return self.new
        if isinstance(value, (list, dict)):
            if id(value) not in self._seen:
                self._seen.add(id(value))
                for k, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
                    value[k] = self.value(item)
        elif isinstance(value, tuple):
            parts = [self.value(item) for item in value]
            if any(a is not b for a, b in zip(parts, value, strict=True)):
                return rebuilt(value, parts)
        elif isinstance(value, Closure):
            self.frame(value.frame)
        elif isinstance(value, (functools.partial, Partial)):
            held = (value.func, *value.args, *value.keywords.values())
            self.all_found = self.all_found and all(self.value(item) is item for item in held)
        return value


def _items(container: Container) -> list[Any]:
    if isinstance(container, Growing):
        return list(container.state())
    return list(container.values()) if isinstance(container, dict) else container


def same_contents(a: Container, b: Container) -> bool:
    """Whether two states of a container have the same elements with the same values."""
    return same_places(a, b) and all(x is y for x, y in zip(_items(a), _items(b), strict=True))
