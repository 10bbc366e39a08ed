"""`linearize`: the value of a function and its derivative as a linear map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc import pytree, tape
from adc.api import taped
from adc.api.call import Call
from adc.api.how import how
from adc.api.phases import Phased, TapedRun, phased
from adc.compiler import results
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.transforms import later, nested, phases
from adc.compiler.transforms.opaque import Inlined
from adc.config import Mode

__all__ = ["linearize"]

Keys = list[int | str]


class Linearized(Phased):
    """Value and the map from tangents to tangents."""

    label = "linearize"
    noun = "linearization"
    what = "Value and partials"
    second_label = "pushforward"
    second_what = "Tangent"
    settings = True

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        return phases.linearized(ev, self._function, args, kwargs, keys, self._has_aux)

    def inlined(
        self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys, direction: Any
    ) -> Any:
        return nested.pushed(ev, self._function, args, kwargs, keys, direction, self._has_aux)[1]

    def expected(self, call: Call, value: Any) -> Any:
        args, kwargs = self._python_call(call, call.values)
        return tuple(args[k] if isinstance(k, int) else kwargs[k] for k in self._keys(call.layout))

    def packed(self, call: Call, value: Any) -> Callable[[list[Any]], Any]:
        structure = pytree.flatten(value)[1]
        if structure is pytree.LEAF:
            return lambda found: found[0]
        return lambda found: pytree.unflatten(structure, found)

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        value, push, *aux = tape.linearize(
            self._function, *args, kwargs=kwargs, argnums=keys, has_aux=self._has_aux
        )

        def pushed(dots: Any) -> Any:
            with np.errstate(all="ignore"):
                return push(dots)

        return value, aux[0] if aux else None, TapedRun(pushed)


def linearize(
    function: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> Any:
    """The value of a function, and its derivative there as a function of directions.

    Args:
        function: any function of floats, arrays of floats and containers of them.
        primals: its arguments.
        has_aux: the function returns a pair `(result, aux)`.
        mode, strict: as for `grad`.

    Returns `(value, push)`, or `(value, push, aux)`. `push(*tangents)` takes one tangent per argument and returns the
    tangent of the value, as `jvp` does. The function runs once; each `push` costs the linear part alone. What it needs
    is released with `push`.

    Raises what `jvp` raises; `push` raises `ShapeError` and `ArgumentError` for tangents that do not fit.

    >>> value, push = linearize(lambda x: x * x, 3.0)
    >>> value, push(1.0), push(2.0)
    (9.0, 6.0, 12.0)
    """
    engine, args, named = _prepared(function, *primals, has_aux=has_aux, mode=mode, strict=strict)
    value, aux, run = engine(*args, **named)

    def push(*tangents: Any) -> Any:
        return run(tangents)

    push.__adc_inline__ = lambda ev, dots, _: run.__adc_inline__(ev, [tuple(dots)], {})  # type: ignore[attr-defined]
    return (value, push, aux) if has_aux else (value, push)


def _prepared(
    function: Callable[..., Any],
    *primals: Any,
    has_aux: bool = False,
    mode: Mode | None = None,
    strict: bool | None = None,
) -> tuple[Phased, tuple[Any, ...], dict[str, Any]]:
    """The two programs that a call of `linearize` runs, and what the first is called with."""
    engine, fixed, named = phased(
        Linearized, function, tuple(range(len(primals))), has_aux, how(mode, strict)
    )
    return engine, (*fixed, *taped.owned(primals)), named


def _inline(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A call of `linearize` inside a function that is being compiled."""
    function, *primals = args
    has_aux = bool(kwargs.get("has_aux", False))
    output, again = later.call(ev, function, primals, {})
    value, aux = results.split_aux(output, ev.origin) if has_aux else (output, None)

    def push(ev: Evaluator, tangents: Sequence[Any], _: dict[str, Any]) -> Any:
        same, args, _ = again(ev)
        if len(tangents) != len(args):
            raise ev.refuse(
                f"a linear map of {len(args)} tangents is given {len(tangents)}",
                repair="give one tangent per argument",
            )
        return nested.pushed(ev, same, args, {}, range(len(args)), tangents, has_aux)[1]

    return (value, Inlined(push), aux) if has_aux else (value, Inlined(push))


linearize.__adc_inline__ = _inline  # type: ignore[attr-defined]
linearize.__adc_prepare__ = _prepared  # type: ignore[attr-defined]
