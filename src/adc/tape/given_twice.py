"""A list, dict or object that a call is given twice is two to an engine, each with a gradient of its own.

As long as the function only reads it, nobody can tell. What it writes to one would not be seen in the other, and `is`
between them would be false: both are refused.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from adc import pytree
from adc.errors import ArgumentError, Location
from adc.tape.tensor import Tensor

__all__ = ["Twice", "found", "refuse", "refuse_writes"]


def found(named: Iterable[tuple[str, Any]]) -> tuple[str, str] | None:
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
    places = found(named)
    if places is not None:
        raise ArgumentError(
            f"the arguments `{places[0]}` and `{places[1]}` are one object, which the function writes to or asks for",
            where,
            "Each has a derivative of its own: what is written to one would not be seen in the other.",
            "Pass a copy of one of them: copy.deepcopy(...).",
        )


def refuse_writes(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    named: Iterable[tuple[str, Any]],
) -> None:
    """Raise ArgumentError where the function writes to something that stands at two places in its arguments.

    What runs gives each place a container of its own. So it is found by a run on copies that share as the caller's do.
    """
    named = list(named)
    if found(named) is None:
        return
    trees = [*args, *kwargs.values()]
    numbers = {id(x): x.primal[()] for tree in trees for x in pytree.leaves(tree) if isinstance(x, Tensor)}
    own_args, own_kwargs = copy.deepcopy((list(args), kwargs), numbers)
    twice = Twice(named)
    twice.run_on([*own_args, *own_kwargs.values()])
    function(*own_args, **own_kwargs)
    twice.check()


class Twice:
    """The arguments of a call in which something stands twice, while the function runs on containers of its own."""

    def __init__(self, named: Iterable[tuple[str, Any]]) -> None:
        self._named = [(name, tree) for name, tree in named if not pytree.is_leaf(tree)]
        self._before: list[tuple[Any, list[Any]]] | None = None

    def run_on(self, trees: Iterable[Any]) -> None:
        """Note what the containers hold that the function is given."""
        if self._named and found(self._named) is not None:
            held = (container for tree in trees for _, container in pytree.changeable(tree))
            self._before = [(container, pytree.leaves(container)) for container in held]

    def check(self) -> None:
        """Raise ArgumentError where the function has written to one."""
        for container, before in self._before or ():
            now = pytree.leaves(container)
            if len(now) != len(before) or any(a is not b for a, b in zip(now, before, strict=True)):
                refuse(self._named)
