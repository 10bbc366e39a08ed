"""What a region may change in place: the lists and dicts that the code in it can reach.

Containers exist while the code is evaluated, not when it runs. So a branch that changes one is evaluated on contents
that are put back afterwards, and what the two branches left is merged element by element.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from adc.compiler.frontend.frame import Closure, Frame, Partial

Container = list[Any] | dict[Any, Any]


class Contents:
    """The lists and dicts that a frame can reach, and what they held when this was made."""

    def __init__(self, frame: Frame) -> None:
        self.held: dict[int, tuple[Container, Container]] = {}
        self.paths: dict[int, int] = {}
        self._frames: set[int] = set()
        self._visit_frame(frame)

    def _visit_frame(self, frame: Frame | None) -> None:
        while frame is not None and id(frame) not in self._frames:
            self._frames.add(id(frame))
            for value in frame.env.values():
                self._visit(value)
            frame = frame.parent

    def _visit(self, value: Any) -> None:
        if isinstance(value, (list, dict)):
            self.paths[id(value)] = self.paths.get(id(value), 0) + 1
            if id(value) not in self.held:
                self.held[id(value)] = (value, value.copy())
                for item in _items(value):
                    self._visit(item)
        elif isinstance(value, tuple):
            for item in value:
                self._visit(item)
        elif isinstance(value, Closure):
            self._visit_frame(value.frame)
            for item in value.defaults.values():
                self._visit(item)
        elif isinstance(value, (functools.partial, Partial)):
            for item in (value.func, *value.args, *value.keywords.values()):
                self._visit(item)

    def shared(self, container: Container) -> bool:
        """Whether a container is known under more than one name."""
        return self.paths.get(id(container), 0) > 1

    def taken(self) -> list[Container]:
        """What the containers hold now; afterwards they hold again what they held at first."""
        now = [container.copy() for container, _ in self.held.values()]
        for container, before in self.held.values():
            refill(container, before)
        return now

    def changes(self, *outcomes: list[Container]) -> Iterator[tuple[Container, tuple[Container, ...]]]:
        """The containers that one of the outcomes changed, with what each outcome left in them."""
        for k, (container, before) in enumerate(self.held.values()):
            left = tuple(outcome[k] for outcome in outcomes)
            if not all(_same(before, contents) for contents in left):
                yield container, left


def refill(container: Container, contents: Container) -> None:
    """Make a container hold something else, in place."""
    if isinstance(container, list):
        assert isinstance(contents, list)
        container[:] = contents
    else:
        assert isinstance(contents, dict)
        container.clear()
        container.update(contents)


def same_places(a: Container, b: Container) -> bool:
    """Whether two states of a container have the same elements, whatever their values."""
    return list(a) == list(b) if isinstance(a, dict) else len(a) == len(b)


def _items(container: Container) -> list[Any]:
    return list(container.values()) if isinstance(container, dict) else container


def _same(a: Container, b: Container) -> bool:
    return same_places(a, b) and all(x is y for x, y in zip(_items(a), _items(b), strict=True))
