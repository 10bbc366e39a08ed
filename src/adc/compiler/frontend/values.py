"""What a value is while a program is made: a `Var`, a plain Python object known now, or one of the marks here."""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Var

Value = Any


class Undefined:
    """The value of a name on a path that never assigned it."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


class Zero:
    """The tangent of an operand that has none: a zero that folds away in rule bodies."""

    def __repr__(self) -> str:
        return "zero"


ZERO = Zero()


class PartlyDefined:
    """A name that holds something compile-time on one path only; reading it is refused."""

    def __init__(self, name: str, value: Value) -> None:
        self.name = name
        self.value = value


def rebuilt(like: Value, parts: list[Value]) -> Value:
    if isinstance(like, tuple):
        return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)
    result = type(like)(parts)
    if hasattr(like, "depth"):
        result.depth = like.depth
    return result


def holds_array(value: Value) -> bool:
    return isinstance(value, np.ndarray) or (
        isinstance(value, (tuple, list)) and any(map(holds_array, value))
    )


def kind(value: Value) -> str:
    if isinstance(value, Var):
        return f"{value.type.ndim}-d array" if value.is_array else "a number"
    return "a list" if isinstance(value, list) or hasattr(value, "room") else f"a {type(value).__name__}"
