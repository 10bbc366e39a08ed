"""How a transformed function takes its arguments: those of a call by slots, and which of them are differentiated."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from adc.api.arguments import Instead, read, refuse_foreign_among
from adc.api.call import Call
from adc.api.functions import is_method, location, taken_apart, takes, wider_for
from adc.api.parameters import Layout, parameters_of
from adc.compiler.frontend import lower
from adc.errors import ArgumentError

__all__ = ["Binding"]


class Binding:
    """A function whose calls are read as inputs of generated code."""

    instead: Instead = None  # what stands for a list among the arguments
    shares = True  # whether it takes code that another transform of the function has made

    def __init__(self, given: Callable[..., Any], function: Callable[..., Any], argnums: Any) -> None:
        self._given = given
        self._function, self._fixed_args, self._fixed_kwargs = taken_apart(function)
        self._argnums = tuple(argnums) if isinstance(argnums, list) else argnums
        # argnums counts the arguments that a caller sees: not those fixed already, nor `self`.
        self._hidden = len(self._fixed_args) + (is_method(self._function) and not self._fixed_args)
        self._take_parameters()

    def _take_parameters(self) -> None:
        """How the function takes its arguments: asked anew when it has other code, or other defaults."""
        self._parameters = parameters_of(self._function)
        # Indexed by the number of positional arguments: the short way through a plain call.
        plain = not (self._fixed_args or self._fixed_kwargs or self._parameters.mutable)
        self._completions = self._parameters.completions if plain else []
        self._take_wanted()

    def _take_wanted(self) -> None:
        """Which arguments of a plain call are differentiated, in which order."""
        self._order: tuple[int, ...] | None = None
        self._wanted: tuple[bool, ...] = ()
        if not self._parameters.variadic:
            self._order = self._chosen(self._parameters.layout)
            self._wanted = self._flags(self._parameters.layout)

    def __set_name__(self, owner: type, name: str) -> None:
        # A decorated method: the instance comes first, whatever the parameter is called.
        outer = getattr(self._given, "__qualname__", "").rpartition(".")[0]
        if self._hidden == 0 and outer == owner.__qualname__ and not isinstance(self._given, staticmethod):
            self._hidden = 1
            self._take_wanted()

    def _of(self) -> Callable[..., Any]:
        """What it is a transform of."""
        return self._given

    def _made_with(self) -> tuple[Any, ...] | None:
        """What else than its class tells it from other transforms of the function; None where they share nothing."""
        return None

    def _likeness(self) -> tuple[type, str] | None:
        """What is the same for transforms that make the same code of the same function; None where none do."""
        made_with = self._made_with() if self.shares else None
        return None if made_with is None else (type(self), repr(made_with))

    @property
    def _of_users(self) -> Callable[..., Any]:
        """The user's function, to which a refusal of its arguments points."""
        return self._function

    @property
    def _spoken(self) -> str:
        return getattr(self._function, "__name__", "the function")

    def _read(
        self,
        layout: Layout,
        values: Sequence[Any],
        wanted: Sequence[bool],
        key: list[Any],
        inputs: list[Any],
        into: bool = False,
    ) -> Call:
        """The call with such values, whose inputs are appended to `inputs`."""
        before = len(key)
        instead = None if into else self.instead  # the caller's arrays are those of the elements
        try:
            read(values, wanted, key, inputs, instead)
        except ArgumentError as error:
            raise self._told_by_name(error, layout, values, wanted) from None
        return self._call_of(layout, values, wanted, key, instead, before, into)

    def _told_by_name(
        self, error: ArgumentError, layout: Layout, values: Sequence[Any], wanted: Sequence[bool]
    ) -> ArgumentError:
        """What `read` refuses, with the name of the argument and the function that it is for."""
        try:
            refuse_foreign_among(layout.names, values, wanted)
        except ArgumentError as named:
            error = named
        return error.at(location(self._of_users))

    def _call_of(
        self,
        layout: Layout,
        values: Sequence[Any],
        wanted: Sequence[bool],
        key: list[Any],
        instead: Instead = None,
        before: int = 0,
        into: bool = False,
    ) -> Call:
        defaults = self._parameters.left_out(layout, values, wanted)
        function = self._of_users
        return Call(function, layout, values, wanted, tuple(key), into, instead, before, defaults=defaults)

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        if not kwargs and len(args) < len(self._completions):
            completion = self._completions[len(args)]
            if completion is not None:
                return self._parameters.layout, args + completion, self._wanted, []
        args, kwargs = (*self._fixed_args, *args), {**self._fixed_kwargs, **kwargs}
        try:
            layout, values = self._parameters.bind(args, kwargs)
        except TypeError:
            self._widen(args, kwargs)
            layout, values = self._parameters.bind(args, kwargs)
        if layout is self._parameters.layout:
            return self._with_defaults(layout, values, self._wanted, [])
        return self._with_defaults(layout, values, self._flags(layout), [layout])

    def _widen(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Let a function of a library take arguments that its rule has no parameters for, from this call on."""
        wider = wider_for(self._given, args, kwargs)
        if wider is not None and wider is not self._function:
            self._function = wider
            self._take_parameters()

    def _with_defaults(
        self, layout: Layout, values: tuple[Any, ...], wanted: tuple[bool, ...], key: list[Any]
    ) -> tuple[Any, ...]:
        """What `_bound` gives: code that reads lists and dicts which are defaults is not that for given ones."""
        left_out = self._parameters.left_out(layout, values, wanted)
        return layout, values, wanted, [*key, *left_out] if left_out else key

    def _flags(self, layout: Layout) -> tuple[bool, ...]:
        """For each slot whether it is differentiated."""
        chosen = set(self._chosen(layout))
        return tuple(k in chosen for k in range(len(layout.names)))

    def _chosen(self, layout: Layout) -> tuple[int, ...]:
        """The slots that argnums names, in its order."""
        if self._order is not None and layout is self._parameters.layout:
            return self._order
        hidden = self._hidden
        instance = hidden > 0 and not self._fixed_args
        return self._parameters.wanted(self._argnums, layout, f"{self._spoken}()", hidden, instance)

    def _python_call(self, call: Call, values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Slot values as the positional and keyword arguments of the function."""
        arguments = call.layout.arguments(values, self._parameters.variadic)
        for name in call.defaults:
            if call.layout.names.index(name) > max(self._chosen(call.layout)):
                del arguments[name]  # the function has it itself, and no copy of it
        bound = inspect.BoundArguments(self._parameters.signature, arguments)
        return bound.args, bound.kwargs

    def _keys(self, layout: Layout) -> list[int | str]:
        """The differentiated arguments as `_python_call` passes them: positions, or names."""
        return [k if k < layout.positional else layout.names[k] for k in self._chosen(layout)]

    def _inner_call(
        self, ev: lower.Evaluator, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any], list[int | str]]:
        """A call inside a function that is being compiled: how the inner function is called, and `_keys`."""
        if not self._parameters.current():
            self._take_parameters()
        fixed, named = self._fixed_args, self._fixed_kwargs
        if isinstance(self._given, functools.partial):
            _, fixed, named = taken_apart(ev.applied(self._given, self._spoken))
        args, kwargs = (*fixed, *args), {**named, **kwargs}
        if not takes(self._function, args, kwargs):
            self._widen(args, kwargs)
        layout, values = self._parameters.bind_inside(ev, self._function, args, kwargs)
        arguments = layout.arguments(values, self._parameters.variadic)
        bound = inspect.BoundArguments(self._parameters.signature, arguments)
        return list(bound.args), bound.kwargs, self._keys(layout)
