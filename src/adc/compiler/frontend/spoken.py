"""What an exception says is numbers and texts: an object is its class and what it holds.

    raise ValueError(point)         raise ValueError(('Point(x=', x, ', y=', y, ')'))

Its own `__repr__` is not run: where that raises, the function itself is run and raises its own.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.values import Choice, Shown, Text, Value
from adc.compiler.ir.nodes import Const, Var

_UNKNOWN = "..."


def said(value: Value) -> Any:
    """A value as numbers, texts, and tuples of these."""
    if value is None or isinstance(value, (str, numbers.Number, np.generic, np.ndarray, Var, Const)):
        return value
    if isinstance(value, Text):
        return tuple(said(part) for part in value.parts)
    if isinstance(value, Shown):
        return said(value.value)
    if isinstance(value, (tuple, list)):
        return tuple(said(item) for item in value)
    if isinstance(value, Instance) and issubclass(value.cls, BaseException):
        return said(value["args"][0] if len(value["args"]) == 1 else value["args"])
    if isinstance(value, Instance):
        fields = ((f"{name}=", held) for name, held in value.items())
        return _listed(f"{value.cls.__name__}(", fields, ")")
    if isinstance(value, dict):
        return _listed("{", ((f"{key!r}: ", held) for key, held in value.items()), "}")
    if isinstance(value, (set, frozenset, range)):
        return str(value)
    if isinstance(value, Choice):
        return _UNKNOWN
    name = getattr(value, "__name__", None)
    return f"<{name}>" if isinstance(name, str) else _UNKNOWN


def _listed(opening: str, entries: Any, closing: str) -> tuple[Any, ...]:
    found: list[Any] = []
    text = opening
    for k, (label, held) in enumerate(entries):
        found += [text + (", " if k else "") + label, said(held)]
        text = ""
    return (*found, text + closing)
