"""Transforms that are made while the function is lowered: their result is one program, compiled as a whole.

A subclass says in `derive` what its call means in a program that is being built. So it does the same at the top, inside
a function that is being compiled, and under other transforms.
"""

from __future__ import annotations

import inspect
import types
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adc import pytree
from adc.api import taped
from adc.api.arguments import Slot
from adc.api.asking import Extent
from adc.api.call import Call
from adc.api.functions import has_code, taken_apart
from adc.api.how import How
from adc.api.keeping import kept_on
from adc.api.left_behind import LeftBehind
from adc.api.parameters import Layout, Parameters
from adc.api.pickles import by_name
from adc.api.specialise import Specialisation
from adc.api.value import Value
from adc.compiler import pipeline
from adc.compiler.analysis.roots import written_roots
from adc.compiler.frontend import lower
from adc.compiler.frontend.frame import Bound
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.ir.nodes import walk
from adc.runtime.copies import overlap
from adc.tape import given_twice

__all__ = ["BoundComposite", "Composite", "Directional", "directional"]


class Composite(Value):
    """A function of the arguments of another one, such as its Jacobian."""

    label = ""  # the end of the generated function's name, and how it is spoken of
    what = ""  # of the function: how the generated docstring begins

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._exactly: set[Specialisation] = set()  # those whose `written` is known
        super().__init__(*args, **kwargs)

    def __init_subclass__(cls) -> None:
        cls.noun = cls.__dict__.get("noun") or cls.label

    @abstractmethod
    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: list[int | str]) -> Any:
        """The result for values of a program that is being built; `keys` are the differentiated arguments."""

    @abstractmethod
    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: list[int | str]) -> Any:
        """The result by operator recording."""

    def __repr__(self) -> str:
        return f"<{self.label} of {getattr(self._function, '__qualname__', self._function)}>"

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        unbound = instance is None or isinstance(self._given, staticmethod)
        return self if unbound else BoundComposite(self, instance)

    def __reduce__(self) -> Any:
        # Under a decorator the function's own name means the transform, which pickle would refuse.
        return by_name(self) or (type(self), self._arguments())

    def _arguments(self) -> tuple[Any, ...]:
        """What makes this transform again."""
        return self._given, self._argnums, self._has_aux, self._how

    def _made_with(self) -> tuple[Any, ...] | None:
        return self._arguments()[1:]

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call of this transform means inside a function that is being compiled."""
        return self.derive(ev, *self._inner_call(ev, args, kwargs))

    def _request(self, layout: Layout, slots: list[Slot]) -> pipeline.Request:
        keys, signature = self._keys(layout), self._parameters.signature

        def evaluate(ev: Evaluator, arguments: dict[str, Any]) -> Any:
            bound = inspect.BoundArguments(signature, arguments)
            return self.derive(ev, list(bound.args), bound.kwargs, keys)

        request = super()._request(layout, slots)
        label = self.label.replace(" ", "_")
        return replace(request, has_aux=False, evaluate=evaluate, label=label, what=self.what)

    def primal(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """The result of the function alone, for values of a program that is being built."""
        return ev.result(self._function, args, kwargs)

    def _made(self, call: Call, extent: Extent = "any") -> Specialisation:
        made = super()._made(call, extent)
        containers = [c for value in call.values for c in pytree.changeable(value)]
        # Whether it matters that one of them stands twice is found when one does.
        made.tells_apart = made.context is not None and len(containers) > 1
        return made

    def _engine(self, context: pipeline.Context, inputs: list[Any]) -> Specialisation:
        made = super()._engine(context, inputs)
        if sum(isinstance(x, np.ndarray) for x in inputs) > 1:
            # Which of them the function writes to is found when it matters.
            made.written = tuple(range(len(inputs)))
        return made

    def _refuse_aliases(self, known: Specialisation, inputs: list[Any], call: Call) -> None:
        """The program writes to copies, and does not tell what the function writes to: it is lowered by itself."""
        if known not in self._exactly and overlap(inputs):
            known.written = self._written(known)
            self._exactly.add(known)
        if known in self._exactly:
            super()._refuse_aliases(known, inputs, call)

    def _refuse_twice(self, known: Specialisation, call: Call) -> None:
        """As with aliases: the function, lowered by itself, tells whether it writes to its containers."""
        named = self._named(call)
        if given_twice.found(named) is None:
            return
        if self._lowered_primal(known).evaluator.origins.tells_apart:
            given_twice.refuse(named)

    def _named(self, call: Call) -> list[tuple[str, Any]]:
        """What the function is given, by the names of its parameters."""
        return list(zip(call.layout.names, call.values, strict=True))

    def _written(self, known: Specialisation) -> tuple[int, ...]:
        """The inputs that the function writes to."""
        lowered = self._lowered_primal(known)
        written = written_roots(walk(lowered.program.body), lowered.evaluator.joined_roots)
        return tuple(k for k, p in enumerate(lowered.program.params) if p in written)

    def _lowered_primal(self, known: Specialisation) -> lower.Lowered:
        assert known.context is not None
        request = known.context.request
        signature = self._parameters.signature

        def evaluate(ev: Evaluator, arguments: dict[str, Any]) -> Any:
            bound = inspect.BoundArguments(signature, arguments)
            return self.primal(ev, list(bound.args), bound.kwargs)

        return lower.run(request.function, request.bind, evaluate, request.outside)

    def _run_on_tape(self, call: Call) -> Any:
        # Ints that are differentiated have become floats in the slots.
        values = [
            pytree.unflatten(slot.structure, [leaf.value for leaf in slot.leaves]) if slot.wanted else value
            for slot, value in zip(call.slots(), call.values, strict=True)
        ]
        given = self._python_call(call, call.values)
        given_twice.refuse_writes(self._function, *given, self._named(call))
        args, kwargs = self._python_call(call, taped.owned(values))
        left = LeftBehind(self._of(), [*args, *kwargs.values()])
        with np.errstate(all="ignore"), left.noted():
            found = self.on_tape(args, kwargs, self._keys(call.layout))
        left.made_plain()
        return found


class BoundComposite:
    """A transform of a method, taken from an instance."""

    __slots__ = ("__self__", "composite")

    def __init__(self, composite: Composite, instance: Any) -> None:
        self.composite = composite
        self.__self__ = instance

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.composite(self.__self__, *args, **kwargs)

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """As that of the transform, from an instance."""
        return self.composite.__adc_inline__(ev, (self.__self__, *args), kwargs)

    def __repr__(self) -> str:
        return f"{self.composite!r} of {self.__self__!r}"

    def __reduce__(self) -> Any:
        return type(self), (self.composite, self.__self__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.composite, name)


class Directional(Composite):
    """A function of primals and directions, one after the other: `jvp`, `hvp` and their kin.

    In front of them stand the `fixed` first arguments, which are not differentiated: `self` of a method, those of a
    partial. So a method of many instances has one transform.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        count: int,
        has_aux: bool,
        asked: How,
        fixed: int = 0,
        named: tuple[str, ...] = (),
    ) -> None:
        def at(*arguments: Any, **keywords: Any) -> Any:
            return function(*arguments[: fixed + count], **keywords)

        names = _argument_names(function, fixed + count)
        dots = _apart([f"{name}_dot" for name in names[fixed:]], [*names, *named])
        at.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                *(inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in (*names, *dots)),
                *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in named),
            ]
        )
        at.__name__ = at.__qualname__ = getattr(function, "__name__", "function")
        chosen = tuple(range(fixed, fixed + 2 * count))
        super().__init__(at, chosen, value=True, has_aux=has_aux, asked=asked)
        self.target = function
        self.count = count
        self.fixed = fixed
        self.named = named
        self._primal = function

    def _of(self) -> Callable[..., Any]:
        return self.target

    @property
    def _of_users(self) -> Callable[..., Any]:
        return taken_apart(self.target)[0]

    def _arguments(self) -> tuple[Any, ...]:
        return self.target, self.count, self._has_aux, self._how, self.fixed, self.named

    def _request(self, layout: Layout, slots: list[Slot]) -> pipeline.Request:
        return replace(super()._request(layout, slots), function=self.target)

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: list[int | str]) -> Any:
        return self.derived(ev, *self._parts(args, kwargs))

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: list[int | str]) -> Any:
        return self.taped(*self._parts(args, kwargs))

    def _parts(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, Sequence[Any], Sequence[Any]]:
        """The function of the primals alone, the primals, the directions."""
        start, end = self.fixed, self.fixed + self.count
        target = Bound(self.target, *args[:start], **kwargs) if start or kwargs else self.target
        return target, args[start:end], args[end:]

    def primal(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any]) -> Any:
        function, primals, _ = self._parts(args, kwargs)
        return ev.result(function, list(primals), {})

    def _named(self, call: Call) -> list[tuple[str, Any]]:
        named, start = super()._named(call), self.fixed + self.count
        return named[:start] + named[start + self.count :]

    def _refuse_aliases(self, known: Specialisation, inputs: list[Any], call: Call) -> None:
        if not overlap(inputs):
            return
        # A direction in the memory of an argument stays as it is.
        slots = call.slots()
        primals = sum(1 for slot in slots[: self.fixed + self.count] for _ in slot.inputs())
        dots = sum(
            1 for slot in slots[self.fixed + self.count : self.fixed + 2 * self.count] for _ in slot.inputs()
        )
        without = [*inputs[:primals], *[None] * dots, *inputs[primals + dots :]]
        super()._refuse_aliases(known, without, call)

    @abstractmethod
    def derived(self, ev: Evaluator, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """The result for values of a program that is being built."""

    @abstractmethod
    def taped(self, function: Any, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """The result by operator recording."""


def _argument_names(function: Callable[..., Any], count: int) -> list[str]:
    try:
        parameters = Parameters(function)
    except (TypeError, ValueError):  # a builtin: what is wrong with it is said when its source is looked for
        return [f"x{k}" for k in range(count)]
    names = [] if parameters.variadic else list(parameters.layout.names)[:count]
    return [*names, *_apart([f"x{k}" for k in range(len(names), count)], names)]


def _apart(names: list[str], taken: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        while name in taken or name in found:
            name += "_"
        found.append(name)
    return found


def directional(
    kind: type[Directional], function: Callable[..., Any], count: int, has_aux: bool, asked: How
) -> tuple[Directional, tuple[Any, ...], dict[str, Any]]:
    """The transform of this kind of a function of so many arguments, made once and kept on the function; and the
    arguments that the function has already."""
    if function.__class__ is types.FunctionType or has_code(function):
        return _of_function(kind, function, count, has_aux, asked), (), {}
    target, fixed, named = taken_apart(function)
    transform = kept_on(
        target,
        (kind, count, has_aux, asked, len(fixed), tuple(named)),
        lambda: kind(target, count, has_aux, asked, len(fixed), tuple(named)),
    )
    return transform, fixed, named


def _of_function(
    kind: type[Directional], function: Callable[..., Any], count: int, has_aux: bool, asked: How
) -> Directional:
    made: Directional = kept_on(
        function, (kind, count, has_aux, asked), lambda: kind(function, count, has_aux, asked)
    )
    return made
