"""What the containers of the evaluator stand for, where code asks whether two are one, or writes to one of them.

    state = busy if x > 0 else idle         one of two: which, the branch decides
    for i in range(n): ... state ...        in the body, what `state` was before the loop, unless a trip leaves another
    for item in items: ...                  a copy, where the list lives in an array

A list, tuple, dict or object of each of these is one of the evaluator's own, with what its places hold. That it is not
the other object says nothing about the user's program.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from adc.compiler.frontend.containers import Container, Contents
from adc.compiler.frontend.frame import Growing
from adc.compiler.frontend.outside import Place, is_own_dict
from adc.compiler.frontend.values import Maybe, Value
from adc.compiler.ir.nodes import If

__all__ = [
    "CONTAINERS",
    "Chosen",
    "Copied",
    "FromOutside",
    "Left",
    "Origins",
    "StandsFor",
    "at",
    "containers_in",
    "holds_as_well",
]

CONTAINERS = (tuple, list, dict, Growing)
Path = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Chosen:
    """One of two, as a branch decides."""

    region: If
    then: Value
    orelse: Value


@dataclass(eq=False)
class StandsFor:
    """In the body of a loop, what the loop found; true as long as no trip leaves another in its place."""

    original: Value
    asked: bool = False  # whether something in the body relies on it


@dataclass(frozen=True, eq=False)
class Copied:
    """A copy of something that may be known elsewhere."""


@dataclass(frozen=True, eq=False)
class FromOutside:
    """Found outside the function, at a place that may hold the same as another one."""

    place: Place


Origin = Chosen | StandsFor | Copied | FromOutside


def holds_as_well(value: Any, place: Place) -> bool:
    """Whether what is outside the function is also at another place."""
    return value is place.read()


class Origins:
    """Where the containers come from that the user's program has no object of its own for."""

    def __init__(self) -> None:
        self._of: dict[
            int, tuple[Value, Origin]
        ] = {}  # the containers are kept alive, and with them their ids
        self._options: dict[int, dict[int, Value]] = {}  # of what the run chooses, by their ids
        self._chosen_from: dict[int, list[Value]] = {}
        self._ages: dict[int, int] = {}
        self._callers: dict[int, Value] = {}
        self.tells_apart = False  # whether it matters that none of the caller's containers is given twice

    def note(self, container: Value, origin: Origin) -> None:
        self._of[id(container)] = container, origin
        self._ages[id(container)] = len(self._ages)

    def of(self, container: Value) -> Origin | None:
        """None for a container that is what it is in the user's program."""
        found = self._of.get(id(container))
        return None if found is None else found[1]

    def chosen(self, merged: Value, *among: Value) -> None:
        """Note that a container of the evaluator's may be one of several."""
        options = self._options.setdefault(id(merged), {})
        for one in among:
            for option in self.may_be(one):
                if id(option) not in options:
                    options[id(option)] = option
                    self._chosen_from.setdefault(id(option), []).append(merged)

    def may_be(self, container: Value) -> list[Value]:
        """The containers of the user's that one may be: itself, or those that the run chose from."""
        original = self.original(container)
        options = self._options.get(id(original))
        return [original] if options is None else list(options.values())

    def original(self, container: Value) -> Value:
        """What a container stands for in the bodies of loops."""
        return [*self.stood_for(container)][-1]

    def stood_for(self, container: Value) -> Iterator[Value]:
        """A container, and those for which it stands in the bodies of loops, from the inner loop to the outer."""
        yield container
        while isinstance(origin := self.of(container), StandsFor):
            container = origin.original
            yield container

    def others(self, container: Value) -> list[Value]:
        """What else the program may have for the same container of the user's, where the run has chosen it."""
        found = self.may_be(container)
        merged = [each for option in found for each in self._chosen_from.get(id(option), ())]
        return [each for each in (*found, *merged) if each is not container] if merged else []

    def may_be_one(self, x: Value, y: Value, asked: dict[tuple[int, int], bool]) -> bool:
        """Whether the run may have one container of the user's for both; `asked` are the answers so far."""
        x, y = self.original(x), self.original(y)
        if x is y:
            return True
        if self._age(x) > self._age(
            y
        ):  # what was chosen last is taken apart first, down to what both come from
            x, y = y, x
        pair = id(x), id(y)
        if pair not in asked:
            asked[pair] = False
            asked[pair] = any(self.may_be_one(a, b, asked) for a, b in self._sides(x, y))
        return asked[pair]

    def _age(self, container: Value) -> int:
        return self._ages.get(id(container), -1)

    def _sides(self, x: Value, y: Value) -> list[tuple[Value, Value]]:
        """The pairs of which one must be one container, if the two are; none for two of the user's."""
        of_x, of_y = self.of(x), self.of(y)
        if isinstance(of_y, Chosen):
            if isinstance(of_x, Chosen) and of_x.region is of_y.region:
                return [(of_x.then, of_y.then), (of_x.orelse, of_y.orelse)]
            return [(x, of_y.then), (x, of_y.orelse)]
        return [(x, option) for option in self._options.get(id(y), {}).values()]

    def give(self, container: Value) -> None:
        """Note that a container is one of the caller's."""
        self._callers[id(container)] = container

    def is_callers(self, container: Value) -> bool:
        """Whether a container is one of the caller's."""
        return id(container) in self._callers

    def told_apart(self, container: Value) -> None:
        """Note that it matters which container one is, if it may be one of the caller's."""
        container = self.original(container)
        origin = self.of(container)
        if isinstance(origin, (Chosen, Copied)):
            self.tells_apart = self.tells_apart or bool(self._callers)
        elif origin is None:
            self.tells_apart = self.tells_apart or id(container) in self._callers

    def note_copies(self, value: Value) -> None:
        """All containers in a value are copies."""
        for _, container in containers_in(value, ()):
            self.note(container, Copied())


@dataclass(frozen=True, eq=False)
class Left:
    """What the two sides of a branch left in the containers that both found."""

    containers: Contents
    outcomes: list[list[Container]]
    merged: dict[tuple[int, int], Value] = field(default_factory=dict)  # by what each side has in its place

    def on(self, side: int, value: Value) -> Value:
        """A value as it was at the end of one side."""
        return self.containers.as_left(value, self.outcomes[side])


def containers_in(value: Value, path: Path) -> Iterator[tuple[Path, Value]]:
    """The containers in a value, itself included, with where they stand."""
    if isinstance(value, Maybe):
        yield from containers_in(value.value, (*path, "value"))
    if isinstance(value, CONTAINERS):
        yield path, value
    if is_own_dict(value):
        for key, inner in value.items():
            yield from containers_in(inner, (*path, key))
    elif isinstance(value, (tuple, list)):
        for k, inner in enumerate(value):
            yield from containers_in(inner, (*path, k))


def at(value: Value, path: Path) -> Value:
    """What stands at a path of `containers_in`; None where there is nothing."""
    for step in path:
        if isinstance(value, Maybe):
            value = value.value
        elif isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, (tuple, list)) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value
