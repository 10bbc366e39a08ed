"""What a rule body calls on small arrays at half of NumPy's price: the same functions, without the ceremony.

A pull of the tape runs the rule's body, and on arrays of ten elements `np.broadcast_to` takes longer than all the
arithmetic. Each function here does the plain case itself and hands everything else (Tensors, odd arguments) to NumPy.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from adc.runtime.modules import module_of
from adc.tape.primals import roll, where

__all__ = ["quickened"]

_FEW = 1024  # elements: up to here copying costs less than a view by np.broadcast_to

_ndarray = np.ndarray
_empty = np.empty
_add_reduce: Callable[..., Any] = np.add.reduce


def _broadcast_to(array: Any, shape: Any) -> Any:
    kind = array.__class__
    if (kind is _ndarray or kind is np.float64) and shape.__class__ is tuple:
        size = 1
        for n in shape:
            size *= n
        if size <= _FEW:
            made = _empty(shape, array.dtype)
            made[...] = array
            return made
    return np.broadcast_to(array, shape)


def _expand_dims(a: Any, axis: Any) -> Any:
    if a.__class__ is _ndarray and axis.__class__ is int:
        ndim = a.ndim + 1
        if -ndim <= axis < ndim:
            k = axis % ndim
            return a.reshape((*a.shape[:k], 1, *a.shape[k:]))
    return np.expand_dims(a, axis)


def _reshape(a: Any, shape: Any) -> Any:
    return a.reshape(shape) if a.__class__ is _ndarray else np.reshape(a, shape)


def _transpose(a: Any, axes: Any = None) -> Any:
    return a.transpose(axes) if a.__class__ is _ndarray else np.transpose(a, axes)


def _sum(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if a.__class__ is _ndarray:
        return _add_reduce(a, axis, None, None, keepdims)
    return np.sum(a, axis=axis, keepdims=keepdims)


def _shape(a: Any) -> Any:
    try:
        return a.shape
    except AttributeError:
        return np.shape(a)


def _ndim(a: Any) -> Any:
    try:
        return a.ndim
    except AttributeError:
        return np.ndim(a)


def _size(a: Any) -> Any:
    try:
        return a.size
    except AttributeError:
        return np.size(a)


class _QuickNumpy:
    """NumPy's namespace with quick versions of a few functions."""

    broadcast_to = staticmethod(_broadcast_to)
    expand_dims = staticmethod(_expand_dims)
    reshape = staticmethod(_reshape)
    transpose = staticmethod(_transpose)
    sum = staticmethod(_sum)
    shape = staticmethod(_shape)
    ndim = staticmethod(_ndim)
    size = staticmethod(_size)
    roll = staticmethod(roll)
    where = staticmethod(where)

    def __getattr__(self, name: str) -> Any:
        value = getattr(np, name)
        self.__dict__[name] = value
        return value


_QUICK_NUMPY = _QuickNumpy()
_made: dict[types.FunctionType, types.FunctionType] = {}


def quickened(function: Callable[..., Any]) -> Callable[..., Any]:
    """A rule body, and the helpers of rules that it calls, with the quick functions in place of NumPy's.

    >>> def rule(z_bar, shape):
    ...     return np.broadcast_to(z_bar, shape)
    >>> quickened(rule)(np.float64(2.0), (2,))
    array([2., 2.])
    """
    if not isinstance(function, types.FunctionType):
        return function
    known = _made.get(function)
    if known is not None:
        return known
    namespace: dict[str, Any] = {}
    made = types.FunctionType(
        function.__code__, namespace, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    _made[function] = made  # before its helpers, which may call it
    namespace.update(function.__globals__)
    for name in function.__code__.co_names:
        value = namespace.get(name)
        if value is np:
            namespace[name] = _QUICK_NUMPY
        elif isinstance(value, types.FunctionType) and module_of(value).startswith("adc.rules"):
            namespace[name] = quickened(value)
    return made
