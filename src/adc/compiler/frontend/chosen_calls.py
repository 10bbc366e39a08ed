"""Calls of one of several functions, and calls with one of several texts or the like: one for each, in its branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.frontend import choices, templates
from adc.compiler.frontend.frame import Closure, Evaluated
from adc.compiler.frontend.values import Choice, Value
from adc.compiler.ir.nodes import Check, Const

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["of_one", "with_each"]

_EITHER = templates.later(
    """
def either(test, first, second, *args, **kwargs):
    if test:
        result = first(*args, **kwargs)
    else:
        result = second(*args, **kwargs)
    return result
"""
)


def of_one(ev: Core, function: Choice, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A call of one of several functions; None among them raises, as it does when it is called."""
    if all(isinstance(getattr(option, "__self__", None), str) for option in function.options):
        return choices.of_each(ev, lambda method: ev.call(method, args, kwargs), function)
    some = [k for k, option in enumerate(function.options) if option is not None]
    there = ev.is_option(function, *some)
    if there is not True:
        message = Const("'NoneType' object is not callable")
        ev.block.append(Check(ev.atom(there), "TypeError", (message,), ev.origin, user=True))

    def among(last: int) -> Value:
        option = function.options[some[last]]
        if last == 0:
            return option
        given = [ev.is_option(function, some[last]), option, among(last - 1)]
        return Evaluated(
            lambda *args, **kwargs: ev.call(Closure(_EITHER(), ev.frame, {}), [*given, *args], kwargs)
        )

    return ev.call(among(len(some) - 1), args, kwargs)


def with_each(
    ev: Core, function: Value, args: list[Value], kwargs: dict[str, Value], changes_nothing: bool
) -> Value:
    """A call with one of several texts or the like, which the function asks about."""

    def call(*given: Value) -> Value:
        return ev.call(function, [*given[: len(args)]], dict(zip(kwargs, given[len(args) :], strict=True)))

    turn = choices.of_each if changes_nothing else choices.of_each_in_turn
    return turn(ev, call, *args, *kwargs.values())
