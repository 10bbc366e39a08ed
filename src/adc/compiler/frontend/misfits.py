"""Calls that NumPy refuses are refused in NumPy's words, on the user's line."""

from __future__ import annotations

import builtins
import functools
import operator

import numpy as np

from adc.compiler.frontend.core import Core
from adc.compiler.frontend.expressions import BoundMethod
from adc.compiler.frontend.frame import SurelyRaised
from adc.compiler.frontend.samples import raised_by
from adc.compiler.frontend.values import Value
from adc.errors import AdcError
from adc.rules import registry
from adc.rules.fitting import unfit

_PLAIN = (round, sorted, max, min, isinstance, issubclass, complex, functools.reduce)
_AXES = {"axis", "axes", "axis1", "axis2"}


def refuse(ev: Core, function: Value, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Raise where the function takes no arguments of this number and these names, or NumPy no such axes."""
    error: Exception | None
    if isinstance(function, BoundMethod):
        kind = np.ndarray if hasattr(np.ndarray, function.name) else np.float64
        error = unfit(getattr(kind, function.name), 1 + len(args), kwargs)
    else:
        error = unfit(function, len(args), kwargs)
    if error is None and _names_odd_axes(ev, function, args, kwargs):
        error = _of_numpy(function, args, kwargs)
        text = str(error).lower()
        if isinstance(error, ValueError) and "axes" not in text and "axis" not in text:
            error = None  # of the samples' lengths
    if error is not None:
        raise SurelyRaised(error, ev.region_depth, ev.origin)


def _names_odd_axes(ev: Core, function: Value, args: list[Value], kwargs: dict[str, Value]) -> bool:
    """Whether an axis is given that the first operand does not have, or the same twice."""
    if isinstance(function, BoundMethod):
        operation, args = registry.find_method(function.name), [function.array, *args]
    else:
        operation = registry.find(function)
    known = ev.type_of(args[0]) if args else None
    if operation is None or known is None:
        return False
    named = {p.name: v for p, v in zip(operation.parameters, args, strict=False)} | kwargs
    for name in _AXES & set(named):
        axes = named[name] if isinstance(named[name], (tuple, list)) else (named[name],)
        if not all(type(k) is int for k in axes):
            continue
        if any(not -known.ndim <= k < known.ndim for k in axes):
            return True
        if len({k % known.ndim for k in axes}) < len(axes):
            return True
    return False


def said(
    ev: Core, function: Value, args: list[Value], kwargs: dict[str, Value], error: Exception
) -> Exception:
    """What to raise where a call ended in `error`: NumPy's own refusal, if it refuses samples of the arguments, too."""
    if isinstance(error, AdcError) or hasattr(error, "__adc_raised__"):
        return error
    if _is_plain(function):
        pythons = raised_by(function, args, kwargs)
        same = type(pythons) is type(error) and str(pythons) == str(error)
        return SurelyRaised(error, ev.region_depth, ev.origin) if same else error
    if not _is_known(function):
        return error
    numpys = _of_numpy(function, args, kwargs)
    if isinstance(numpys, (TypeError, np.exceptions.AxisError)) or (
        numpys is not None and (isinstance(error, type(numpys)) or _are_numbers(ev, function, args))
    ):
        return SurelyRaised(numpys, ev.region_depth, ev.origin)
    return error


def _are_numbers(ev: Core, function: Value, args: list[Value]) -> bool:
    """Whether no operand has axes: what NumPy says of samples is then not of their lengths."""
    given = [function.array, *args] if isinstance(function, BoundMethod) else args
    return all(known is None or known.ndim == 0 for known in map(ev.type_of, given))


def _of_numpy(function: Value, args: list[Value], kwargs: dict[str, Value]) -> Exception | None:
    """What NumPy raises of samples of the arguments."""
    if isinstance(function, BoundMethod):
        function, args = operator.methodcaller(function.name, *args, **kwargs), [function.array]
        return raised_by(function, args, {})
    return raised_by(function, args, kwargs)


def _is_plain(function: Value) -> bool:
    """Whether a function is one of Python's that does nothing but compute, or the class of a named tuple."""
    named_tuple = isinstance(function, type) and issubclass(function, tuple)
    return named_tuple or any(function is f for f in _PLAIN)


def _is_known(function: Value) -> bool:
    if isinstance(function, BoundMethod):
        return True
    return getattr(function, "__module__", None) != builtins.__name__ and registry.find(function) is not None
