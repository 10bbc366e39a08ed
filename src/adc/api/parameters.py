"""Which parameter of a function gets what in a call, of positional arguments, keywords and defaults."""

from __future__ import annotations

import inspect
import operator
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc.api.keeping import MOST_SPECIALISATIONS, shared_by_all_of
from adc.compiler.frontend.frame import Closure
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.outside import Place
from adc.errors import ArgumentError
from adc.runtime.detours import own_code, taken_signature

__all__ = ["Layout", "Parameters", "parameters_of", "refuse_no_argnums"]

_MISSING: Any = inspect.Parameter.empty


@dataclass(frozen=True)
class Layout:
    """The slots of one way to call a function: one per parameter, one per item of `*args` and `**kwargs`."""

    names: tuple[str, ...]
    positional: int  # how many of them argnums may count
    places: tuple[tuple[str, Any], ...]  # parameter and, for *args and **kwargs, the position or key inside

    def arguments(self, values: Sequence[Any], variadic: dict[str, type]) -> dict[str, Any]:
        """The values by parameter, those of `*args` and `**kwargs` collected again."""
        found: dict[str, Any] = {name: kind() for name, kind in variadic.items()}
        for (parameter, inside), value in zip(self.places, values, strict=True):
            if inside is None:
                found[parameter] = value
            elif variadic[parameter] is tuple:
                found[parameter] = (*found[parameter], value)
            else:
                found[parameter][inside] = value
        return found


def _place_of_default(function: types.FunctionType | None, default: Any) -> Place | None:
    """Where a function holds a default."""
    for attribute in ("__defaults__", "__kwdefaults__"):
        held = getattr(function, attribute, None) or ()
        for key, value in held.items() if isinstance(held, dict) else enumerate(held):
            if value is default:
                return Place(operator.getitem, Place(getattr, function, attribute), key)
    return None


def _told(function: types.FunctionType) -> tuple[int, ...]:
    """What a function says of its parameters itself, as `inspect.signature` takes it."""
    return tuple(id(function.__dict__.get(name)) for name in ("__wrapped__", "__signature__"))


def refuse_no_argnums(argnums: Any, has_aux: Any = False) -> None:
    """Raise ArgumentError for `argnums` without any, or that cannot name one, and a `has_aux` that says nothing.

    So that `adc.grad(f, x)` is refused where it is written.
    """
    several = isinstance(argnums, (tuple, list))
    if several and not argnums:
        raise ArgumentError(
            f"argnums={argnums!r} names no argument", repair="Name those to differentiate with respect to."
        )
    for one in argnums if several else (argnums,):
        if not isinstance(one, (int, np.integer, str)) or isinstance(one, bool):
            raise ArgumentError(
                f"argnums {'holds' if several else 'is'} no position or name, but a `{type(one).__name__}`",
                repair="Give a position, a name, or a tuple of them; arguments go to what is returned: adc.grad(f)(x).",
            )
    if not isinstance(has_aux, (bool, np.bool_)):
        raise ArgumentError(
            f"has_aux is not True or False, but a `{type(has_aux).__name__}`",
            repair="Arguments go to what is returned: adc.grad(f)(x).",
        )


class Parameters:
    """How a function takes its arguments.

    >>> def f(x, y=2.0, *, z=3.0): ...
    >>> Parameters(f).bind((1.0,), {"z": 5.0})[1]
    (1.0, 2.0, 5.0)
    """

    def __init__(self, function: Callable[..., Any], skip: int = 0) -> None:
        plain = function if isinstance(function, types.FunctionType) else None
        self._name = getattr(function, "__name__", "the function")
        self._of = None if plain is None else weakref.ref(plain)  # which may hold this
        if plain is not None:
            self._code, self._positional = own_code(plain), plain.__defaults__
            self._named = dict(plain.__kwdefaults__ or {})
            self._told = _told(plain)
        self.signature = (
            function.__signature__ if isinstance(function, Closure) else taken_signature(function)
        )
        parameters = list(self.signature.parameters.values())[skip:]
        self.signature = self.signature.replace(parameters=parameters)
        self.variadic: dict[str, type] = {
            p.name: tuple if p.kind is p.VAR_POSITIONAL else dict
            for p in parameters
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        }
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self.layout = Layout(
            tuple(p.name for p in parameters), len(positional), tuple((p.name, None) for p in parameters)
        )
        self._positions = {p.name: k for k, p in enumerate(parameters) if p.kind is not p.POSITIONAL_ONLY}
        self._defaults = [p.default for p in parameters]
        self.mutable = {
            p.name: (p.default, place)
            for p in parameters
            if isinstance(p.default, (list, dict)) and (place := _place_of_default(plain, p.default))
        }
        # For each number of positional arguments, the defaults that complete them; None where one is missing.
        self.completions: list[tuple[Any, ...] | None] = (
            []
            if self.variadic
            else [
                None if any(d is _MISSING for d in self._defaults[k:]) else tuple(self._defaults[k:])
                for k in range(len(positional) + 1)
            ]
        )

    def current(self) -> bool:
        """Whether the function takes its arguments still so: what reloads a module puts new code in old functions."""
        of = None if self._of is None else self._of()
        if of is None:
            return True
        named = of.__kwdefaults__
        return (
            (of.__code__ is self._code or own_code(of) is self._code)
            and _told(of) == self._told
            and of.__defaults__ is self._positional
            and (
                not named
                or (len(named) == len(self._named) and all(named.get(k) is v for k, v in self._named.items()))
            )
        )

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Layout, tuple[Any, ...]]:
        """The slots of a call and their values, defaults filled in. Raises TypeError as Python would."""
        if not self.variadic and len(args) <= self.layout.positional:
            values: list[Any] = [*args, *self._defaults[len(args) :]]
            for name, value in kwargs.items():
                position = self._positions.get(name, -1)
                if position < len(args):
                    break  # unknown, or given twice: the signature says so below
                values[position] = value
            else:
                if not any(v is _MISSING for v in values):
                    return self.layout, tuple(values)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            said = self._unknown(kwargs) or error  # a name that is misspelt is also one that is missing
            raise TypeError(f"{self._name}{self.signature}: {said}") from None
        bound.apply_defaults()
        names: list[str] = []
        places: list[tuple[str, Any]] = []
        values = []
        positional = 0
        for name, value in bound.arguments.items():
            kind = self.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                names += [f"{name}_{k}" for k in range(len(value))]
                places += [(name, k) for k in range(len(value))]
                values += value
                positional += len(value)
            elif kind is inspect.Parameter.VAR_KEYWORD:
                names += list(value)
                places += [(name, key) for key in value]
                values += value.values()
            else:
                names.append(name)
                places.append((name, None))
                values.append(value)
                positional += kind is not inspect.Parameter.KEYWORD_ONLY
        return Layout(tuple(names), positional, tuple(places)), tuple(values)

    def _unknown(self, kwargs: Mapping[str, Any]) -> str | None:
        """What is said of a keyword that no parameter has; None where each has one."""
        parameters = self.signature.parameters
        if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            return None
        name = next((name for name in kwargs if name not in parameters), None)
        return None if name is None else f"got an unexpected keyword argument {name!r}"

    def bind_inside(
        self, ev: Evaluator, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Layout, tuple[Any, ...]]:
        """`bind` for a call in a program that is being built, which reads the defaults anew at each of its calls."""
        layout, values = self.bind(args, kwargs)
        given = self.signature.bind(*args, **kwargs).arguments
        if len(given) == len(self.signature.parameters):
            return layout, values
        if isinstance(function, types.FunctionType):
            ev.defaults[function] = function.__defaults__
        arguments = layout.arguments(values, self.variadic)
        ev.take_defaults(function, arguments, given)
        found = [
            arguments[name] if inside is None else arguments[name][inside] for name, inside in layout.places
        ]
        return layout, tuple(found)

    def left_out(self, layout: Layout, values: Sequence[Any], wanted: Sequence[bool]) -> dict[str, Place]:
        """The parameters that a call leaves to a list or dict of the function's, which keeps what is written to it.

        With each, where that list or dict is found.
        """
        if not self.mutable:
            return {}
        return {
            name: self.mutable[name][1]
            for (name, inside), value, is_wanted in zip(layout.places, values, wanted, strict=True)
            if inside is None and not is_wanted and name in self.mutable and value is self.mutable[name][0]
        }

    def wanted(
        self, argnums: Any, layout: Layout, of: str, hidden: int = 0, instance: bool = False
    ) -> tuple[int, ...]:
        """The slots that `argnums` names. Raises ArgumentError for one that is not there, or named twice.

        The first `hidden` ones are not counted: those of a partial, or the instance of a method, which has a name.
        """
        asked = argnums if isinstance(argnums, tuple) else (argnums,)
        found = tuple(self._slot(a, layout, of, hidden, instance) for a in asked)
        if len(set(found)) != len(found):
            raise ArgumentError(
                f"argnums={argnums!r} names an argument of {of} twice", repair="Name each once."
            )
        return found

    def _slot(self, asked: Any, layout: Layout, of: str, hidden: int, instance: bool) -> int:
        if isinstance(asked, str):
            named = 0 if instance else hidden
            if asked in layout.names[named:]:
                return layout.names.index(asked, named)
        elif isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
            alone = instance and len(layout.names) == 1 and not self.variadic  # a method of its instance
            counted = 0 if alone else hidden
            k = int(asked) + (layout.positional if asked < 0 else counted)
            if counted <= k < layout.positional:
                return k
        listed = ", ".join(layout.names[hidden:]) or "none"
        uncounted = f" `{layout.names[0]}` is not counted, and goes by its name." if instance else ""
        raise ArgumentError(
            f"argnums={asked!r} is no argument of {of}",
            why=f"Its arguments are: {listed}.{uncounted}",
            repair="Give a position, a name, or a tuple of them; a keyword-only argument goes by its name.",
        )


def parameters_of(function: Callable[..., Any]) -> Parameters:
    """How a function takes its arguments, as another transform of it may have found out.

    >>> def f(x, y=2.0): ...
    >>> parameters_of(f) is parameters_of(f)
    True
    """
    known = shared_by_all_of(function, ("parameters",), MOST_SPECIALISATIONS)
    if not (known and known[0].current()):
        known[:] = [Parameters(function)]
    found: Parameters = known[0]
    return found
