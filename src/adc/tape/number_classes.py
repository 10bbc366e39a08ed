"""`float(x)` and `complex(x, y)` in traced code are numbers of Python's, with the derivative of what they are made of.

The names stand for classes as well: `dtype=float`, `case float(v)`, `type(x) is float`, `class Metres(float)`. So
each stand-in is equal to the class it stands for, and makes plain numbers of what carries no derivative.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from decimal import Decimal
from types import FunctionType
from typing import Any

import numpy as np

from adc.errors import GraphCutError
from adc.tape import record, said
from adc.tape.node import here
from adc.tape.plain_types import isinstance_, number_of_pythons, stands_for
from adc.tape.state import modes
from adc.tape.tensor import Tensor

__all__ = ["complex_", "float_"]


def _carries(value: Any) -> bool:
    return value.__class__ is Tensor and value.node is not None and modes.enabled


def _element(t: Tensor) -> Tensor:
    """The only element, as a number."""
    return t[(0,) * t.ndim] if t.ndim else t


def _answer(value: Any) -> Any:
    """What the class of a user's object says of `float(value)`: Python takes no Tensor from it."""
    answer = type(value).__float__(value)
    if answer.__class__ is Tensor or isinstance(answer, builtins.float):
        return answer
    raise TypeError(f"{type(value).__name__}.__float__ returned non-float (type {type(answer).__name__})")


def _float(value: Any = 0.0, /) -> Any:
    if isinstance(value, str | bytes):
        said.read_back(number := builtins.float(value))
        return number
    if value.__class__ is not Tensor and isinstance(getattr(type(value), "__float__", None), FunctionType):
        value = _answer(value)
    if not _carries(value):
        return builtins.float(value)
    builtins.float(value.primal)  # what NumPy refuses
    element = _element(value)
    real = element.real if element.dtype.kind == "c" else element
    return number_of_pythons(real.astype(np.float64, copy=False))


def _complex(real: Any = 0.0, imag: Any = 0.0) -> Any:
    if not _carries(real) and not _carries(imag):
        return builtins.complex(*(v.primal if v.__class__ is Tensor else v for v in (real, imag)))
    real, imag = (_element(v) if v.__class__ is Tensor else builtins.complex(v) for v in (real, imag))
    whole = real + 1j * imag if imag.__class__ is Tensor or imag else real + 0.0
    return number_of_pythons(whole.astype(np.complex128, copy=False))


class _Number(type):
    """The class of the stand-ins. A class that traced code derives from one is as it would be."""

    _stands_for: type
    _make: Callable[..., Any]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return cls._make(*args, **kwargs) if _is_own(cls) else super().__call__(*args, **kwargs)

    def __eq__(cls, other: object) -> Any:
        same = cls is other or (_is_own(cls) and other is cls._stands_for)
        return same or NotImplemented  # a dtype is asked, then, as it is by the class: np.float64 == x.dtype

    def __hash__(cls) -> int:
        return hash(cls._stands_for) if _is_own(cls) else super().__hash__()

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance_(value, cls._stands_for) if _is_own(cls) else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, cls._stands_for) if _is_own(cls) else super().__subclasscheck__(kind)

    def __repr__(cls) -> str:
        return repr(cls._stands_for) if _is_own(cls) else super().__repr__()


def _is_own(cls: type) -> bool:
    return "_stands_for" in vars(cls)


class float_(float, metaclass=_Number):
    """`float` in traced code."""

    _stands_for = float
    _make = staticmethod(_float)
    dtype = np.dtype(float)  # where NumPy takes the class for a dtype


class complex_(complex, metaclass=_Number):
    """`complex` in traced code."""

    _stands_for = complex
    _make = staticmethod(_complex)
    dtype = np.dtype(complex)


def _of_numpy(kind: type[np.generic]) -> type:
    """`np.float64` and the like in traced code: classes that are called as functions, and name dtypes."""

    has_derivative = issubclass(kind, np.inexact)

    def make(value: Any = 0, /) -> Any:
        if not (has_derivative and modes.enabled and record.is_active(value)):
            return kind(record.plain(value))
        whole = record.operand(value)
        if whole.ndim:
            return whole.astype(kind, copy=False)  # NumPy hands an array of the dtype on
        return whole.astype(kind)[()]  # a number is its own

    return _Number(kind.__name__, (kind,), {"_stands_for": kind, "_make": staticmethod(make)})


def _of_exact(kind: type) -> type:
    """`Decimal`, whose numbers hold no derivative."""

    def make(*args: Any, **kwargs: Any) -> Any:
        if any(map(_carries, args)):
            raise GraphCutError(
                f"adc cannot turn a value with a derivative into a {kind.__name__}",
                here(),
                "The number would carry no derivative, in silence.",
                "Compute with floats, or say that the cut is meant: adc.stop_gradient(x).",
            )
        return kind(*record.plain(args), **record.plain(kwargs))

    return _Number(kind.__name__, (kind,), {"_stands_for": kind, "_make": staticmethod(make)})


stands_for(float, float_)
stands_for(complex, complex_)
for _kind in dict.fromkeys(np.dtype(code).type for code in "efdFD?" + np.typecodes["AllInteger"]):
    stands_for(_kind, _of_numpy(_kind))
stands_for(Decimal, _of_exact(Decimal))
