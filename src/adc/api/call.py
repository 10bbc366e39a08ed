"""The arguments of one call of a transformed function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from adc.api import functions
from adc.api.arguments import Instead, Slot, read, slots_of
from adc.api.parameters import Layout
from adc.compiler.frontend import columns
from adc.compiler.frontend.outside import Place
from adc.errors import ArgumentError

__all__ = ["Call"]


@dataclass(eq=False)
class Call:
    """The arguments of one call, for the ways that need more than the inputs."""

    of: Callable[..., Any]  # the user's function, to which a refusal points
    layout: Layout
    values: Sequence[Any]
    wanted: Sequence[bool]
    key: tuple[Any, ...]
    into: bool = False  # the caller's arrays take the gradients
    instead: Instead = None  # what stands for a list
    before: int = 0  # how much of the key is not of the values
    moving: frozenset[str] = frozenset()  # integers outside the function that other calls found to be others
    defaults: Mapping[str, Place] = field(default_factory=dict)  # `Parameters.left_out`

    def slots(self) -> list[Slot]:
        try:
            slots = slots_of(self.layout, self.values, self.wanted, self.instead)
        except ArgumentError as error:
            error.at(functions.location(self.of))
            raise
        return (
            [replace(slot, default=self.defaults.get(slot.name)) for slot in slots]
            if self.defaults
            else slots
        )

    def is_tentative(self) -> bool:
        """Whether something stands for a list, which the function may not be able to do with."""
        return any(columns.are_in(slot.structure) for slot in self.slots())

    def take_lists_apart(self, inputs: list[Any]) -> None:
        """Nothing stands for a list any more: neither in the key nor in `inputs`, which are read anew."""
        key = list(self.key[: self.before])
        inputs.clear()
        read(self.values, self.wanted, key, inputs)
        self.key, self.instead = tuple(key), None
