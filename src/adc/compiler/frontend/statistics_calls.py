"""Results of Python's `statistics` have the type of what is counted: numbers of Python's, integers of integers."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np

from adc.compiler.frontend.core import Core
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar
from adc.rules.operation import Operation

# Python cuts these, of NumPy's integers, to an integer.
_CUT = {statistics.mean, statistics.variance, statistics.pvariance}


def of_known_numbers(function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """The result of a call with numbers that are all known, computed at once; None of other calls."""
    if getattr(function, "__module__", None) != "statistics" or kwargs:
        return None
    if not all(isinstance(a, (list, tuple)) and all(type(v) in (int, float) for v in a) for a in args):
        return None
    try:
        return function(*args)
    except statistics.StatisticsError:
        return None  # raised where the line is reached


def check(ev: Core, function: Any, args: list[Value]) -> None:
    """Refuse integers of NumPy's where Python cuts the result to one, too."""
    if function not in _CUT or not args:
        return
    elements = _elements(args[0])
    if all(_is_integer(ev, v) for v in elements) and any(_is_of_numpy(ev, v) for v in elements):
        raise ev.refuse(
            f"`statistics.{function.__name__}` of NumPy's integers is not compiled",
            "Python cuts the result to an integer, too",
            "take `statistics.fmean`, `np.mean` or `np.var`, or floats; the tape computes it as Python does",
        )


def typed(ev: Core, operation: Operation, args: list[Value], result: Any) -> Value:
    """The result as a number of Python's, unless the data are NumPy's and tell its type."""
    least = operation.extra["as_data"]
    of_data = least is not None and len(args) >= least
    if of_data and any(_is_of_numpy(ev, v) for a in args for v in _elements(a)):
        return result
    if hasattr(result, "_make"):
        return result._make(typed(ev, operation, args, part) for part in result)
    return float(result) if isinstance(result, np.floating) else ev.plain(result)


def _elements(data: Value) -> list[Value]:
    return list(data) if isinstance(data, (list, tuple)) else [data]


def _is_integer(ev: Core, value: Value) -> bool:
    known = ev.type_of(value)
    return known is not None and np.dtype(known.dtype).kind in "iub"


def _is_of_numpy(ev: Core, value: Value) -> bool:
    known = ev.type_of(value)
    if isinstance(value, Var):
        return not (isinstance(known, Scalar) and known.weak)
    return isinstance(value, (np.ndarray, np.generic))
