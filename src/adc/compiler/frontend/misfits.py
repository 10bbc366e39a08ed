"""Calls that NumPy refuses are refused in NumPy's words, on the user's line."""

from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy as np

from adc.compiler.frontend import infer
from adc.compiler.frontend.core import Core
from adc.compiler.frontend.expressions import BoundMethod
from adc.compiler.frontend.frame import SurelyRaised
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.errors import AdcError
from adc.rules import registry
from adc.rules.fitting import unfit

_LENGTH = 2  # of every axis of the samples: of equal lengths most operations fit


def refuse(ev: Core, function: Value, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Raise where the function takes no arguments of this number and these names."""
    if isinstance(function, BoundMethod):
        error = unfit(getattr(np.ndarray, function.name), 1 + len(args), kwargs)
    else:
        error = unfit(function, len(args), kwargs)
    if error is not None:
        raise SurelyRaised(error, ev.region_depth, ev.origin)


def said(
    ev: Core, function: Value, args: list[Value], kwargs: dict[str, Value], error: Exception
) -> Exception:
    """What to raise where a call ended in `error`: NumPy's own refusal, if it refuses samples of the arguments, too."""
    if isinstance(error, AdcError) or hasattr(error, "__adc_raised__") or not _is_known(function):
        return error
    try:
        given = [_sample(a) for a in args]
        named = {k: _sample(v) for k, v in kwargs.items()}
        called = (
            getattr(_sample(function.array), function.name) if isinstance(function, BoundMethod) else function
        )
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            called(*given, **named)
    except Exception as numpys:
        if isinstance(numpys, (TypeError, np.exceptions.AxisError)) or isinstance(error, type(numpys)):
            return SurelyRaised(numpys, ev.region_depth, ev.origin)
    return error


def _is_known(function: Value) -> bool:
    if isinstance(function, BoundMethod):
        return True
    return getattr(function, "__module__", None) != builtins.__name__ and registry.find(function) is not None


def _sample(value: Value) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([_sample(v) for v in value])
    return infer.concrete(value, lambda symbol: _LENGTH) if isinstance(value, Var) else value
