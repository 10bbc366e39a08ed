"""What computes a function of NumPy on arrays: where NumPy's own spends its time on ceremony, the core of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["quick_primal"]

_add: Callable[..., Any] = np.add.reduce
_maximum: Callable[..., Any] = np.maximum.reduce
_minimum: Callable[..., Any] = np.minimum.reduce
_multiply: Callable[..., Any] = np.multiply.reduce
_NONE = np._NoValue
_NUMBERS = (float, np.float64)
_BOOLS = (bool, np.bool_)
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def quick_primal(function: Callable[..., Any]) -> Callable[..., Any]:
    """A quicker function with the same values for the usual arguments, if there is one.

    >>> quick_primal(np.mean)(np.arange(4.0)), quick_primal(np.sin) is np.sin
    (np.float64(1.5), True)
    """
    return _QUICK.get(function, function)


def _reduction(reduce: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction by its ufunc, as ndarray's methods compute it."""

    def quick(a: Any, axis: Any = None, *rest: Any, keepdims: bool = False, **kwargs: Any) -> Any:
        if a.__class__ is np.ndarray and not rest and not kwargs and a.dtype in _FLOATS:
            return reduce(a, axis, None, None, keepdims)
        return function(a, axis, *rest, keepdims=keepdims, **kwargs)

    return quick


def _mean(a: Any, axis: Any = None, *rest: Any, keepdims: bool = False, **kwargs: Any) -> Any:
    if (
        a.__class__ is np.ndarray
        and (axis is None or axis.__class__ is int)
        and not rest
        and not kwargs
        and a.dtype in _FLOATS
        and a.size
    ):
        total = _add(a, axis, None, None, keepdims)
        n = a.size if axis is None else a.shape[axis]
        return total / a.dtype.type(n)
    return np.mean(a, axis, *rest, keepdims=keepdims, **kwargs)


def _stack(arrays: Any, axis: Any = 0, **kwargs: Any) -> Any:
    if axis == 0 and not kwargs and arrays.__class__ is list and len(arrays) > 0:
        first = arrays[0]
        if first.__class__ is np.ndarray:
            shape = first.shape
            for a in arrays:
                if a.__class__ is not np.ndarray or a.shape != shape:
                    return np.stack(arrays, axis, **kwargs)
            return np.array(arrays)
    return np.stack(arrays, axis, **kwargs)


def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """`np.roll`, along the first axis in a third of the time."""
    if a.__class__ is np.ndarray and shift.__class__ is int and (axis == 0 or (axis is None and a.ndim == 1)):
        cut = len(a) - (shift % len(a) if len(a) else 0)
        return np.concatenate((a[cut:], a[:cut]))
    return np.roll(a, shift, axis)


def where(condition: Any, x: Any = _NONE, y: Any = _NONE) -> Any:
    """`np.where`, of single numbers in a tenth of the time: an array without axes, which may be written to."""
    if condition.__class__ in _BOOLS and x.__class__ in _NUMBERS and y.__class__ in _NUMBERS:
        return np.array(x if condition else y, np.float64)
    return np.where(condition) if x is _NONE else np.where(condition, x, y)


_QUICK: dict[Any, Callable[..., Any]] = {
    np.sum: _reduction(_add, np.sum),
    np.prod: _reduction(_multiply, np.prod),
    np.max: _reduction(_maximum, np.max),
    np.min: _reduction(_minimum, np.min),
    np.mean: _mean,
    np.stack: _stack,
    np.roll: roll,
    np.where: where,
}
