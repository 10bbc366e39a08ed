"""What a loop changes, and what no variable of its function stands for, is carried under a name of its own.

    def make(tau):                      plant = make(0.7)
        y = 0.0                         for u in inputs:
        def step(u):                        s += plant(u)            # the loop carries y
            nonlocal y
            y += (u - y) / tau
            return y
        return step

So are objects that a comprehension changes, which is a function of its own: `[controller.update(e) for e in errors]`.
The body finds the dict or object itself, with what it holds when a trip begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adc.compiler.frontend.carried_places import Path, alike
from adc.compiler.frontend.containers import Container, refill
from adc.compiler.frontend.frame import Instance, NeedsUnrolling
from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.values import Value


class Outside:
    """Dicts and objects that only functions around, or functions that are called, have a name for."""

    def __init__(self) -> None:
        self._held: dict[str, dict[Any, Value]] = {}

    def __contains__(self, container: object) -> bool:
        return any(container is each for each in self._held.values())

    def take(self, changed: list[Container], before: dict[str, Value]) -> set[str]:
        """Names for containers that the loop changes, with what they held before it. Raises NeedsUnrolling."""
        outer = [c for c in changed if not any(c is not o and _lies_in(c, o) for o in changed)]
        names = set()
        for container in outer:
            known = [*before.values(), *self._held.values()]
            if not isinstance(container, dict) or any(_lies_in(container, value) for value in known):
                raise NeedsUnrolling(container)
            if any(_lies_in(each, container) for each in self._held.values()):
                raise NeedsUnrolling(container)
            name = f"{_word(container)} outside {len(self._held)}"  # no user name has a space
            self._held[name] = container
            before[name] = container.copy()
            names.add(name)
        return names

    def begin(self, env: dict[str, Value]) -> dict[str, Value]:
        """Let the containers hold what a trip begins with, and give the variables that there are beside them."""
        for name, container in self._held.items():
            refill(container, env[name])
        return {name: value for name, value in env.items() if name not in self._held}

    def leave(self, left: dict[str, Value]) -> None:
        """Note what a trip leaves in the containers."""
        for name, container in self._held.items():
            left[name] = alike(container, dict(container))

    def itself(self, noted: Any, before: dict[str, Value]) -> Any:
        """The container of which `noted` is what it held before the loop."""
        return next((each for name, each in self._held.items() if before[name] is noted), noted)

    def paths(self) -> Iterator[Path]:
        return ((name,) for name in self._held)

    def end(self, env: dict[str, Value]) -> None:
        """Let the containers hold what the loop leaves in them, and forget their names."""
        for name, container in self._held.items():
            refill(container, env.pop(name))


def _lies_in(container: object, value: Value) -> bool:
    return any(container is each for each in held_in(value))


def _word(container: dict[Any, Value]) -> str:
    """What the variables of a container are called after: it, or the one thing in it."""
    if isinstance(container, Instance):
        return container.cls.__name__.lower()
    only = next(iter(container), None)
    return only if len(container) == 1 and isinstance(only, str) and only.isidentifier() else "state"
