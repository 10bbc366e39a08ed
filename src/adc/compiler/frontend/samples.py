"""What NumPy and Python say of operands whose values are not known yet is said of samples of their types."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adc.compiler.frontend import infer
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var

__all__ = ["raised_by", "refused_operands", "sample"]

_LENGTH = 2  # of every axis of the samples: of equal lengths most operations fit


def sample(value: Value) -> Any:
    """A value of the type of an operand; what is known is its own sample."""
    if isinstance(value, (list, tuple)):
        return type(value)([sample(v) for v in value])
    return infer.concrete(value, lambda symbol: _LENGTH) if isinstance(value, Var) else value


def raised_by(
    function: Callable[..., Any], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Exception | None:
    """What a function raises of samples of the arguments."""
    try:
        given = [sample(a) for a in args]
        named = {k: sample(v) for k, v in kwargs.items()}
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*given, **named)
    except Exception as error:
        return error
    return None


def refused_operands(function: Callable[..., Any], x: Value, y: Value) -> TypeError | None:
    """What Python raises of an operator for these types: of a number and a default of None, or of a text."""
    if not all(v is None or isinstance(v, (Var, str, int, float, complex, np.generic)) for v in (x, y)):
        return None
    error = raised_by(function, [x, y], {})
    return error if isinstance(error, TypeError) else None
