"""`vjp`: the value of a function, and the map from an adjoint of its result to those of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np

from adc import pytree, tape
from adc.api import functions, taped
from adc.api.call import Call
from adc.api.how import how
from adc.api.parameters import refuse_no_argnums
from adc.api.phases import Phased, TapedRun, phased
from adc.compiler import results
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.transforms import later, nested, phases
from adc.compiler.transforms.opaque import Inlined
from adc.config import Mode
from adc.tape import record

__all__ = ["Pullback", "Pulled", "vjp"]

Keys = list[int | str]
R = TypeVar("R")
Aux = TypeVar("Aux")


class Pulled(Phased):
    """Value, and adjoints of the arguments from adjoints of the result."""

    label = "forward"
    noun = "pull"
    what = "Forward sweep"
    second_label = "pullback"
    second_what = "Reverse sweep"

    def derive(self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys) -> Any:
        return phases.pulled(ev, self._function, args, kwargs, keys, self._has_aux)

    def inlined(
        self, ev: Evaluator, args: list[Any], kwargs: dict[str, Any], keys: Keys, direction: Any
    ) -> Any:
        bars = nested.pulled(ev, self._function, args, kwargs, keys, lambda _: direction, self._has_aux)[2]
        return tuple(bars)

    def expected(self, call: Call, value: Any) -> Any:
        return value

    def packed(self, call: Call, value: Any) -> Callable[[list[Any]], Any]:
        slots = call.slots()
        structures = [slots[k].structure for k in self._chosen(call.layout)]
        if all(structure is pytree.LEAF for structure in structures):
            return tuple

        def pack(found: list[Any]) -> Any:
            trees = []
            for structure in structures:
                trees.append(pytree.unflatten(structure, found[: structure.size]))
                found = found[structure.size :]
            return tuple(trees)

        return pack

    def on_tape(self, args: tuple[Any, ...], kwargs: dict[str, Any], keys: Keys) -> Any:
        value, pull, *aux = tape.vjp(
            self._function, *args, kwargs=kwargs, argnums=keys, has_aux=self._has_aux
        )
        leaves = [record.plain(leaf) for leaf in pytree.leaves(value)]
        if not any(np.asarray(leaf).dtype.kind in "fc" for leaf in leaves):
            where = functions.location(self._function)
            raise results.not_a_number(record.plain(value), where, self._has_aux)
        return value, aux[0] if aux else None, TapedRun(pull)


class Pullback:
    """What `vjp` returns beside the value: call it with an adjoint of the result, as often as you like."""

    def __init__(self, run: Callable[[Any], tuple[Any, ...]], name: str, mode: Mode) -> None:
        self._run = run
        self._name = name
        self._first = mode

    @property
    def mode(self) -> Mode:
        """The engine that ran the reverse sweep last; before, that of the forward sweep."""
        return getattr(self._run, "mode", self._first)

    def __repr__(self) -> str:
        return f"<pullback of {self._name}>"

    def __call__(self, bar: Any) -> tuple[Any, ...]:
        """One gradient per differentiated argument, for an adjoint of the result."""
        return self._run(bar)


@overload
def vjp(
    function: Callable[..., R],
    *primals: Any,
    argnums: Any = ...,
    has_aux: Literal[False] = ...,
    mode: Mode | None = ...,
    strict: bool | None = ...,
    **kwargs: Any,
) -> tuple[R, Pullback]: ...
@overload
def vjp(
    function: Callable[..., tuple[R, Aux]],
    *primals: Any,
    argnums: Any = ...,
    has_aux: Literal[True],
    mode: Mode | None = ...,
    strict: bool | None = ...,
    **kwargs: Any,
) -> tuple[R, Pullback, Aux]: ...
def vjp(
    function: Callable[..., Any],
    *primals: Any,
    argnums: Any = None,
    has_aux: bool = False,
    mode: Mode | None = None,
    strict: bool | None = None,
    **kwargs: Any,
) -> Any:
    """The value of a function and its pullback: reverse mode for results of any shape and container.

    Args:
        function: any function of arrays and floats; its result may be a number, an array or a container of them.
        primals: its arguments. Arrays are copied: writing to them later does not change the pullback.
        kwargs: its keyword arguments.
        argnums: the arguments to pull back to, by default all positional ones.
        has_aux: the function returns a pair `(result, aux)`.
        mode, strict: as for `grad`.

    Returns `(value, pullback)`, or `(value, pullback, aux)` with `has_aux`. `pullback(bar)` takes an adjoint
    with the container, shapes and dtypes of the value and returns a tuple, one gradient per argument in
    `argnums`: the sum of the rows of the Jacobian, weighted by `bar`. The forward sweep runs once, when `vjp`
    is called; each pullback is a reverse sweep. What it needs is released with `pullback`.

    Raises `ShapeError` for an adjoint of another shape, `ArgumentError` for one of another structure and for
    arguments that have no derivative, and what the function itself raises.

    >>> value, pullback = vjp(lambda x: 3.0 * x, np.array([1.0, 2.0]))
    >>> value, pullback(np.array([1.0, 0.0]))
    (array([3., 6.]), (array([3., 0.]),))
    """
    engine, args, kwargs = _prepared(
        function, *primals, argnums=argnums, has_aux=has_aux, mode=mode, strict=strict, **kwargs
    )
    value, aux, run = engine(*args, **kwargs)
    pullback = Pullback(run, engine._spoken, engine.mode)
    return (value, pullback, aux) if has_aux else (value, pullback)


def _prepared(
    function: Callable[..., Any],
    *primals: Any,
    argnums: Any = None,
    has_aux: bool = False,
    mode: Mode | None = None,
    strict: bool | None = None,
    **kwargs: Any,
) -> tuple[Phased, tuple[Any, ...], dict[str, Any]]:
    """The two programs that a call of `vjp` runs, and what the first is called with."""
    refuse_no_argnums(0 if argnums is None else argnums, has_aux)
    chosen = tuple(range(len(primals))) if argnums is None else argnums
    chosen = tuple(chosen) if isinstance(chosen, (tuple, list)) else (chosen,)
    engine, fixed, named = phased(Pulled, function, chosen, has_aux, how(mode, strict))
    args, kwargs = taped.owned((primals, {**named, **kwargs}))
    return engine, (*fixed, *args), kwargs


def _inline(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A call of `vjp` inside a function that is being compiled."""
    function, *primals = args
    named = dict(kwargs)
    has_aux, argnums = named.pop("has_aux", False), named.pop("argnums", None)
    named.pop("mode", None), named.pop("strict", None)
    chosen = range(len(primals)) if argnums is None else argnums if isinstance(argnums, tuple) else (argnums,)
    output, again = later.call(ev, function, primals, named)
    value, aux = results.split_aux(output, ev.origin) if has_aux else (output, None)

    def pull(ev: Evaluator, bars: Sequence[Any], _: dict[str, Any]) -> Any:
        same, args, kwargs = again(ev)
        return tuple(nested.pulled(ev, same, args, kwargs, list(chosen), lambda _: bars[0], has_aux)[2])

    return (value, Inlined(pull), aux) if has_aux else (value, Inlined(pull))


vjp.__adc_inline__ = _inline  # type: ignore[attr-defined]
vjp.__adc_prepare__ = _prepared  # type: ignore[attr-defined]
