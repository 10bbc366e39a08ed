"""Derivatives of any order along given directions, as programs: what `check_grads` compares.

A chain such as ("rev", "fwd") is the push of the pull. Each of its steps has a direction: a tangent of the chosen
arguments for a push, an adjoint of what comes before for a pull.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from adc import pytree, tape
from adc.api.arguments import Slot
from adc.api.composite import Composite
from adc.api.functions import taken_apart
from adc.api.how import How
from adc.api.parameters import Layout, Parameters
from adc.compiler import pipeline
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.transforms import nested
from adc.tape.substitute import traced

__all__ = ["Chain", "Derived", "Step"]

Step = Literal["fwd", "rev"]
Chain = tuple[Step, ...]
Keys = list[int | str]


class Derived(Composite):
    """The derivative of a function that a chain says: a function of the slots of its arguments, and of directions."""

    label = "derived"
    noun = "derivative along directions"
    what = "Derivative along directions"
    shares = False  # it is made for one call

    def __init__(
        self,
        function: Callable[..., Any],
        layout: Layout,
        slots: Sequence[int],
        chain: Chain,
        asked: How,
    ) -> None:
        count = len(layout.names)

        def at(*values_and_directions: Any) -> Any:
            positional, named = self.call_of(values_and_directions[:count])
            return function(*positional, **named)

        names = [*(f"a{k}" for k in range(count)), *(f"direction{k}" for k in range(len(chain)))]
        at.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
        )
        at.__name__ = at.__qualname__ = getattr(function, "__name__", "function")
        super().__init__(at, tuple(slots), value=True, has_aux=False, asked=asked)
        self.target = self._primal = function
        self.layout = layout
        self.parameters = Parameters(function)
        self.keys: Keys = [k if k < layout.positional else layout.names[k] for k in slots]
        self.chain = chain

    def _request(self, layout: Layout, slots: list[Slot]) -> pipeline.Request:
        return replace(super()._request(layout, slots), function=taken_apart(self.target)[0])

    def call_of(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The values of all slots as a call of the function."""
        arguments = self.layout.arguments(values, self.parameters.variadic)
        bound = inspect.BoundArguments(self.parameters.signature, arguments)
        return bound.args, bound.kwargs

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        count = len(self.layout.names)
        positional, named = self.call_of(args[:count])
        return _Level(self.target, self.keys, self.chain, args[count:]).__adc_inline__(ev, positional, named)

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        count = len(self.layout.names)
        positional, named = self.call_of(args[:count])
        found = self._taped(self.chain, args[count:])(*positional, **named)
        return pytree.map_structure(lambda x: x.detach().numpy() if isinstance(x, tape.Tensor) else x, found)

    def _taped(self, chain: Chain, directions: Sequence[Any]) -> Callable[..., Any]:
        if not chain:
            return traced(self.target)
        inner, direction = self._taped(chain[:-1], directions[:-1]), directions[-1]

        def derivative(*args: Any, **kwargs: Any) -> Any:
            if chain[-1] == "rev":
                return tape.vjp(inner, *args, kwargs=kwargs, argnums=self.keys)[1](direction)
            return tape.jvp(inner, args, direction, kwargs=kwargs, argnums=self.keys)[1]

        return derivative


@dataclass(frozen=True)
class _Level:
    """The first steps of a chain, as something that can be called in a program."""

    function: Any
    keys: Keys
    chain: Chain
    directions: Sequence[Any]

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if not self.chain:
            return ev.call(self.function, list(args), kwargs)
        inner = _Level(self.function, self.keys, self.chain[:-1], self.directions[:-1])
        direction = self.directions[-1]
        if self.chain[-1] == "fwd":
            return nested.pushed(ev, inner, args, kwargs, self.keys, direction)[1]
        return tuple(nested.pulled(ev, inner, args, kwargs, self.keys, lambda _: direction)[2])
