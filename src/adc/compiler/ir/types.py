"""What the compiler knows of a value before the program runs: dtype, rank, symbolic lengths, memory layout."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from adc.rules.dims import Dim, Shape

Layout = Literal["C", "A"]
DTYPES = frozenset(str(np.dtype(code)) for code in "?bhilqBHILQefdFD")
REALS = ("float64", "float32")  # of what is differentiated


@dataclass(frozen=True)
class Scalar:
    """One number. `weak`: a plain Python number, which takes the dtype of what it meets (NumPy 2, NEP 50).

    None of a truth value that is Python's on one path and NumPy's on another.
    """

    dtype: str
    weak: bool | None = False

    @property
    def ndim(self) -> int:
        return 0

    @property
    def shape(self) -> Shape:
        return ()

    def __str__(self) -> str:
        return {"float64": "float", "int64": "int"}.get(self.dtype, self.dtype) if self.weak else self.dtype


@dataclass(frozen=True)
class Array:
    """An ndarray. Lengths are symbolic; `layout` is "C" when C-contiguity is certain, "A" otherwise."""

    dtype: str
    shape: Shape
    layout: Layout = "C"

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        lengths = ", ".join("?" if d.known is None else str(d.known) for d in self.shape)
        return f"{self.dtype}[{lengths}]{'' if self.layout == 'C' else ' any layout'}"


Type = Scalar | Array


@functools.cache
def _kind(dtype: str) -> str:
    """NumPy's letter for a kind of numbers; asked of nearly every value, by nearly every stage."""
    return np.dtype(dtype).kind


def is_float(t: Type) -> bool:
    """Whether a value of this type can carry a derivative."""
    return _kind(t.dtype) in "fc"


def is_complex(t: Type) -> bool:
    return _kind(t.dtype) == "c"


def is_long(dtype: str) -> bool:
    """Whether numbers of a dtype, longer than those of compiled code, are ones of plain Python: in its byte order."""
    found = np.dtype(dtype)
    return found.kind in "fc" and found.isnative


def is_integer(t: Type) -> bool:
    return _kind(t.dtype) in "iu"


def is_plain_integer(t: Type | None) -> bool:
    """Whether it is the type of an integer of Python's."""
    return isinstance(t, Scalar) and t.weak is True and t.dtype == "int64"


def of_number(value: complex | np.generic) -> Scalar:
    """The type of a Python number, or of a NumPy scalar.

    >>> of_number(1.5), of_number(np.float32(1))
    (Scalar(dtype='float64', weak=True), Scalar(dtype='float32', weak=False))
    """
    if isinstance(value, np.generic):
        # np.float64 is a subclass of float: the exact type decides.
        return Scalar(str(value.dtype))
    if isinstance(value, bool):
        return Scalar("bool", True)
    if isinstance(value, int):
        return Scalar("int64", True)
    return Scalar("complex128" if isinstance(value, complex) else "float64", True)


def joined(a: Type, b: Type) -> Type | None:
    """The type of a variable that holds an `a` on one path and a `b` on another; None when there is none.

    Lengths that differ are left as `Dim(-1)`: the caller puts a symbol there.
    """
    dtype = join_dtypes(a, b)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        of_either = a.dtype == b.dtype == "bool" and a.weak != b.weak
        return Scalar(dtype, None if of_either else a.weak and b.weak)
    if isinstance(a, Array) and isinstance(b, Array) and a.ndim == b.ndim:
        shape = tuple(x if x == y else Dim(-1) for x, y in zip(a.shape, b.shape, strict=True))
        return Array(dtype, shape, a.layout if a.layout == b.layout else "A")
    return None


def join_dtypes(a: Type, b: Type) -> str:
    if a.dtype == b.dtype:
        return a.dtype
    if isinstance(a, Scalar) and a.weak and not (isinstance(b, Scalar) and b.weak):
        return str(np.result_type(np.dtype(b.dtype), _weak_sample(a.dtype)))
    if isinstance(b, Scalar) and b.weak and not (isinstance(a, Scalar) and a.weak):
        return str(np.result_type(np.dtype(a.dtype), _weak_sample(b.dtype)))
    return str(np.result_type(np.dtype(a.dtype), np.dtype(b.dtype)))


def _weak_sample(dtype: str) -> complex:
    return {"b": True, "i": 1, "f": 1.0, "c": 1j}[np.dtype(dtype).kind]


def with_dtype(t: Type, dtype: str) -> Type:
    return replace(t, dtype=dtype)
