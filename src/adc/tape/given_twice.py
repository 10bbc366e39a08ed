"""A list, dict or object that a call is given twice is two to an engine, each with a gradient of its own.

As long as the function only reads it, nobody can tell. What it writes to one would not be seen in the other, and `is`
between them would be false: both are refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from adc import pytree
from adc.errors import ArgumentError, Location

__all__ = ["Twice", "refuse"]


def _found(named: Iterable[tuple[str, Any]]) -> tuple[str, str] | None:
    """The first container that stands at two places: how a message speaks of them."""
    places: dict[int, str] = {}
    for name, tree in named:
        for path, container in pytree.changeable(tree, name):
            other = places.setdefault(id(container), path)
            if other is not path:
                return other, path
    return None


def refuse(named: Iterable[tuple[str, Any]], where: Location | None = None) -> None:
    """Raise ArgumentError where something that can be written to stands at two places in the arguments."""
    found = _found(named)
    if found is not None:
        raise ArgumentError(
            f"the arguments `{found[0]}` and `{found[1]}` are one object, which the function writes to or asks for",
            where,
            "Each has a derivative of its own: what is written to one would not be seen in the other.",
            "Pass a copy of one of them: copy.deepcopy(...).",
        )


class Twice:
    """The arguments of a call in which something stands twice, while the function runs on containers of its own."""

    def __init__(self, named: Iterable[tuple[str, Any]]) -> None:
        self._named = [(name, tree) for name, tree in named if not pytree.is_leaf(tree)]
        self._before: list[tuple[Any, list[Any]]] | None = None

    def run_on(self, trees: Iterable[Any]) -> None:
        """Note what the containers hold that the function is given."""
        if self._named and _found(self._named) is not None:
            held = (container for tree in trees for _, container in pytree.changeable(tree))
            self._before = [(container, pytree.leaves(container)) for container in held]

    def check(self) -> None:
        """Raise ArgumentError where the function has written to one."""
        for container, before in self._before or ():
            now = pytree.leaves(container)
            if len(now) != len(before) or any(a is not b for a, b in zip(now, before, strict=True)):
                refuse(self._named)
