"""What is done with one of several texts, members of an enum or the like is done with each, in a branch of its own.

    unit = "C" if hot else "F"            unit is 1 if hot else 0
    y = x * scale[unit]                   y = x * (2.0 if unit == 1 else 1.8)

Only their places are numbers of the program; a loop carries those. A function that is chosen is called in the same way
(`Calls`), and may be handed on as it is.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from adc.compiler.frontend.frame import Closure, SurelyRaised
from adc.compiler.frontend.values import Choice, Value, rebuilt
from adc.compiler.ir.nodes import Block, Check, Const, Var

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["are_asked", "key", "of_each", "of_each_in_turn"]


def are_asked(values: Iterable[Value]) -> bool:
    """Whether some value is one of several that are no functions: which of them, counts for what takes the value."""
    return any(isinstance(v, Choice) and not all(map(_is_function, v.options)) for v in values)


def of_each(ev: Core, apply: Callable[..., Value], *values: Value) -> Value:
    """`apply(*values)`, which changes nothing, for what the run chooses."""
    choice = _first(values)
    if choice is None:
        return apply(*values)
    found: dict[int, tuple[Block, Value]] = {}  # what is made of the option at each place
    raised: SurelyRaised | None = None
    ev.region_depth += 1
    try:
        for k in range(len(choice.options)):
            block: Block = []
            try:
                with ev.at(block):
                    found[k] = block, of_each(ev, apply, *_where_chosen(values, choice, k))
            except SurelyRaised as error:
                if ev.trying:
                    raise
                raised = error
    finally:
        ev.region_depth -= 1
    if raised is not None:
        _require(ev, choice, found, raised)
    results = [result for _, result in found.values()]
    if not any(block for block, _ in found.values()):
        if all(isinstance(r, bool) for r in results):
            return ev.is_option(choice, *(k for k, (_, r) in found.items() if r))
        if raised is None and all(_is_plain_choice(ev, r) for r in results):
            return Choice(choice.place, tuple(results))

    def made(k: int) -> Value:
        block, result = found[k]
        ev.block.extend(block)
        return result

    return _selected(ev.chosen, ev, choice, list(found), made)


def of_each_in_turn(ev: Core, apply: Callable[..., Value], *values: Value) -> Value:
    """`apply(*values)`, which may change what the names and containers of the program hold."""
    choice = _first(values)
    if choice is None:
        return apply(*values)

    def made(k: int) -> Value:
        return of_each_in_turn(ev, apply, *_where_chosen(values, choice, k))

    return _selected(ev.chosen_in_turn, ev, choice, [*range(len(choice.options))], made)


def key(value: Value) -> Value:
    """A key of a dict: truth values of the run are one of two."""
    if isinstance(value, tuple):
        return rebuilt(value, [key(part) for part in value])
    if isinstance(value, Var) and not value.is_array and value.type.dtype == "bool":
        return Choice(value, (False, True))
    return value


def _is_function(option: Value) -> bool:
    """Whether a value is there to be called; an object that may be called, too, has more to it."""
    if option is None or isinstance(option, Closure):
        return True
    own = isinstance(inspect.getattr_static(type(option), "__call__", None), types.FunctionType)
    return callable(option) and not own and not isinstance(option, type)


def _first(values: tuple[Value, ...]) -> Choice | None:
    return next((v for v in values if isinstance(v, Choice)), None)


def _where_chosen(values: tuple[Value, ...], choice: Choice, k: int) -> list[Value]:
    """The values where the run chooses an option: what is chosen by the same number is known, too."""
    alike = len(choice.options)
    return [
        v.options[k] if isinstance(v, Choice) and v.place is choice.place and len(v.options) == alike else v
        for v in values
    ]


def _require(ev: Core, choice: Choice, places: Collection[int], raised: SurelyRaised) -> None:
    """The program goes on only with the options at these places: what is done with the others raises."""
    if not places:
        raise raised
    error = type(raised.exception).__name__
    message = (Const(str(raised.exception)),)
    ev.block.append(Check(ev.atom(ev.is_option(choice, *places)), error, message, ev.origin, user=True))


def _is_plain_choice(ev: Core, value: Value) -> bool:
    return value is not None and not isinstance(value, Choice) and ev.is_choice(value)


def _selected(
    choose: Callable[..., Value], ev: Core, choice: Choice, places: list[int], made: Callable[[int], Value]
) -> Value:
    """`made(k)` of the place that the run chooses among these."""

    def among(last: int) -> Value:
        k = places[last]
        if last == 0:
            return made(k)
        return choose(ev.is_option(choice, k), lambda: made(k), lambda: among(last - 1))

    return among(len(places) - 1)
