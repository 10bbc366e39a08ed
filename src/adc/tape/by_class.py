"""What `functools.singledispatch` and `singledispatchmethod` make asks for a class: of a Tensor, for NumPy's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

from adc.tape.plain_types import class_of

__all__ = ["METHOD", "chosen_function", "chosen_method", "is_by_class"]

_CODE = cast(Any, functools.singledispatch(lambda _: None)).__code__
METHOD = cast(Any, functools.singledispatchmethod).__get__

Translate = Callable[[Any], Any]


def is_by_class(function: Any) -> bool:
    """Whether a function is what `functools.singledispatch` makes."""
    return function.__code__ is _CODE


def chosen_function(function: Any, translate: Translate) -> Callable[..., Any]:
    """What stands for such a function."""

    @functools.wraps(function, updated=())
    def chosen(*args: Any, **kwargs: Any) -> Any:
        if not args:
            return function(**kwargs)  # says what is missing
        return translate(function.dispatch(class_of(args[0])))(*args, **kwargs)

    return chosen


def chosen_method(translate: Translate) -> Callable[..., Any]:
    """What stands for `METHOD`, by which an object or its class comes to such a method."""

    def method(found: Any, owner: Any, kind: Any = None) -> Callable[..., Any]:
        @functools.wraps(found.func, updated=())
        def chosen(*args: Any, **kwargs: Any) -> Any:
            bound = found.dispatcher.dispatch(class_of(args[0])).__get__(owner, kind)
            return translate(bound)(*args, **kwargs)

        return chosen

    return method
