"""What a user calls a function: `def`, lambda, method, partial, callable object, Numba dispatcher."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from adc.compiler.frontend import source
from adc.compiler.frontend.frame import Closure
from adc.errors import Location, SourceError, UnsupportedError

__all__ = ["depth_of_caller", "has_code", "is_method", "location", "taken_apart"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def taken_apart(function: Any) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """The Python function behind a callable, and the arguments that the callable gives it already.

    Raises SourceError for what has no Python text: builtins, classes, things that cannot be called.

    >>> def f(x, y): ...
    >>> taken_apart(functools.partial(f, 1.0))[1]
    (1.0,)
    """
    if isinstance(function, functools.partial):
        inner, args, kwargs = taken_apart(function.func)
        return inner, (*args, *function.args), {**kwargs, **function.keywords}
    if isinstance(function, types.MethodType):
        inner, args, kwargs = taken_apart(function.__func__)
        return inner, (*args, function.__self__), kwargs
    if isinstance(function, (staticmethod, classmethod)):
        return taken_apart(function.__func__)
    if hasattr(function, "__adc_inline__") or isinstance(function, Closure):
        return function, (), {}
    dispatched = getattr(function, "py_func", None)
    if isinstance(dispatched, types.FunctionType):
        return dispatched, (), {}
    if has_code(function) or hasattr(function, "__adc_primal__"):
        return function, (), {}
    call = getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(call, types.FunctionType):
        return call, (function,), {}
    source.of(function)  # says why not
    return function, (), {}


def has_code(function: Any) -> bool:
    """Whether calling this runs Python code, so that the tape can follow it even where there is no text."""
    inner = function
    while isinstance(inner, functools._lru_cache_wrapper):
        inner = inner.__wrapped__
    return isinstance(inner, types.FunctionType)


def location(function: Callable[..., Any]) -> Location | None:
    """Where a function begins, for an error about the whole of it; None where there is no text."""
    try:
        text = source.of(function)
    except (SourceError, UnsupportedError):
        return None
    return Location(text.file, text.first_line, 0, None, text.line(text.first_line))


def is_method(function: Callable[..., Any]) -> bool:
    """Whether a function stands in a class body and takes the instance first."""
    outer = getattr(function, "__qualname__", "").rpartition(".")[0]
    if not outer or outer.endswith("<locals>"):
        return False
    first = next(iter(inspect.signature(function).parameters), "")
    return first in ("self", "cls")


def depth_of_caller() -> int:
    """The `stacklevel` at which a warning points to the user's call rather than into adc."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
