"""What a function leaves outside is an auxiliary value of the transforms that evaluate it in a block of their own.

They may evaluate it several times, and change what they evaluated: it is left once, with the values that come out.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from adc.compiler import results
from adc.compiler.frontend.frame import Growing
from adc.compiler.frontend.left_places import PlaceFound
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.frontend.values import Maybe, Value
from adc.compiler.leaves import without_lists

__all__ = ["left_once"]

P = ParamSpec("P")
R = TypeVar("R", bound=tuple[Any, ...])


@dataclass(frozen=True)
class _Leaving:
    """A function that returns what it leaves, beside its auxiliary values."""

    function: Any
    has_aux: bool

    def __adc_inline__(self, ev: Evaluator, args: Sequence[Value], kwargs: dict[str, Value]) -> Value:
        now = ev.left_outside.now
        before = dict(now)
        output = ev.result(self.function, list(args), dict(kwargs))
        left = {
            name: _taken_apart(ev, name, value) for name, value in now.items() if value is not before[name]
        }
        now.update(before)
        value, aux = results.split_aux(output, ev.origin) if self.has_aux else (output, None)
        return value, (aux, left)


def _taken_apart(ev: Evaluator, name: str, value: Value) -> Value:
    known = next(k for k in ev.left_outside.places if k.name == name)
    if isinstance(value, Maybe) and known.kind == "assigned":
        raise PlaceFound(known.place, name, "read", known.location)
    if isinstance(value, (Maybe, Growing)):
        raise ev.refuse_leaving(
            f"what `{name}` outside a function depends on paths, and the function is differentiated within another",
            "return it, with `has_aux=True`",
        )
    return without_lists(value)


def left_once(place: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a transform of a function, whose results have the auxiliary values at this place."""

    def decorated(transform: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(transform)

        @functools.wraps(transform)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            ev: Any = args[0]
            if not ev.left_outside.places:
                return transform(*args, **kwargs)
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = bound.arguments
            given["function"] = _Leaving(given["function"], given["has_aux"])
            given["has_aux"] = True
            found: Any = transform(*bound.args, **bound.kwargs)
            aux, left = found[place]
            for name, value in left.items():
                ev.left_outside.now[name] = with_lists(value, ev)
            return (*found[:place], aux, *found[place + 1 :])  # type: ignore[return-value]

        return run

    return decorated
