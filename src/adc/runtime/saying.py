"""Compiled code prints by Python's own `print`, so that a text looks as it does in Python.

    rt.say("loss {:.3f}\\n", "float64", False, loss)        print(f"loss {loss:.3f}")

Jitted code hands the values over as Python's objects; what kind they were is said by name, as Numba makes numbers of
Python's of all numbers.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

__all__ = ["say"]

(_unliteral,) = (getattr(types, name) for name in ("unliteral",))  # which stubs of Numba lack
_PYTHONS = {"bool": bool, "int": int, "float": float, "complex": complex}


class _Formatter(string.Formatter):
    """`str.format`, and `{:%5.2f}` for what `"%5.2f" % value` gives."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return format_spec % (value,) if format_spec.startswith("%") else format(value, format_spec)


_formatter = _Formatter()


def say(text: str, kinds: str, flush: bool, *values: Any) -> None:
    """Print a text with fields for `values`; `kinds` says of each what it was.

    >>> say("{:.2f} {!r} {!r} {:%5d}|", "float float64 list int", False, 0.5, 0.5, np.ones(2, int), 3)
    0.50 np.float64(0.5) [np.int64(1), np.int64(1)]     3|
    """
    said = [_as(kind, value) for kind, value in zip(kinds.split(), values, strict=True)]
    print(_formatter.format(text, *said), end="", flush=flush)


def _as(kind: str, value: Any) -> Any:
    """A number or a list as it was in the program. Of arrays Numba gives the array."""
    if kind == "array":
        return value
    if kind in ("list", "plain"):
        return _listed(value, kind == "plain")
    if kind in _PYTHONS:
        return _PYTHONS[kind](value)
    return np.dtype(kind).type(value)


def _listed(values: Any, plain: bool) -> Sequence[Any]:
    found: list[Any] = values.tolist() if plain else list(values)
    return found


@infer_global(say)
class _Typed(AbstractTemplate):  # type: ignore[misc]  # Numba's are untyped
    def generic(self, arguments: Any, keywords: Any) -> Any:
        return signature(types.none, *map(_unliteral, arguments))


@lower_builtin(say, types.VarArg(types.Any))
def _said(context: Any, builder: Any, called: Any, arguments: Any) -> Any:
    """The call of Python's `say`; what it raises goes up to the caller."""
    python = context.get_python_api(builder)
    lock = python.gil_ensure()
    manager = context.get_env_manager(builder)
    module = python.import_module(context.insert_const_string(builder.module, __name__))
    function = python.object_getattr_string(module, "say")
    given = []
    for kind, value in zip(called.args, arguments, strict=True):
        if context.enable_nrt:
            context.nrt.incref(builder, kind, value)
        given.append(python.from_native_value(kind, value, manager))
    result = python.call_function_objargs(function, given)
    for made in (*given, function, module):
        python.decref(made)
    raised = cgutils.is_null(builder, result)
    with builder.if_then(builder.not_(raised), likely=True):
        python.decref(result)
    python.gil_release(lock)
    with builder.if_then(raised, likely=False):
        context.call_conv.return_exc(builder)
    return context.get_dummy_value()
