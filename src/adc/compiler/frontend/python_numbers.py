"""The built-in functions of Python that make numbers (float, int, round), and those of math that make integers."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.frame import Growing
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar, is_float, is_integer
from adc.rules import decimal_rounding

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def to_float(self: Calls, x: Value = 0.0) -> Value:
    if isinstance(x, Var):
        if x.is_array:
            raise self.refuse(
                "float() of an array", "only size-1 arrays can be converted", "index an element"
            )
        if x.type.dtype == "bool":
            x = self.cast(x, "int64", weak=True)
        return self.plain(x) if x.type.dtype == "float64" else self.cast(x, "float64", weak=True)
    return self.now(float, [x], {})


def to_double(self: Calls, x: Value = 0.0) -> Value:
    """np.float64(x): beside single precision it counts as double, which a float of Python's does not.

    Of an array it is that array, or a copy in double precision.
    """
    if isinstance(x, (list, tuple, Growing)) or (isinstance(x, Var) and x.is_array):
        return self.call(np.asarray, [x], {"dtype": np.float64})
    if isinstance(x, Var) and not x.is_array and x.type.dtype in ("float32", "float64"):
        return self.strong(self.cast(x, "float64"))
    number = to_float(self, x)
    return (
        self.assign("alias", (number,), Scalar("float64")) if isinstance(number, Var) else np.float64(number)
    )


def _int(self: Calls, x: Value = 0, base: Value = None) -> Value:
    if not isinstance(x, Var):
        return self.now(int, [x] if base is None else [x, base], {})
    if x.is_array:
        raise self.refuse(
            "int() of an array", "only size-1 arrays can be converted", "index an element, or x.astype(int)"
        )
    if is_float(x.type):
        x = self.op("trunc", x)
    return self.plain(x) if x.type.dtype == "int64" else self.cast(x, "int64", weak=True)


def _index(self: Calls, x: Value) -> Value:
    """`operator.index(k)`: an integer as one of Python's; floats are none."""
    if isinstance(x, Var) and not x.is_array and is_integer(x.type):
        return _int(self, x)
    if isinstance(x, Var):
        raise self.refuse("operator.index() of what is no integer", repair="use int(...)")
    return self.now(operator.index, [x], {})


def of_pythons(self: Calls, x: Value) -> Value:
    """A number as one of Python's, as `item` gives it."""
    if not isinstance(x, Var) or x.is_array:
        return x
    kind = np.dtype(x.type.dtype).kind
    if kind == "b":
        return self.plain(x)
    return _int(self, x) if kind in "iu" else to_float(self, x) if kind == "f" else x


def _whole(function: Callable[[float], int], operation: str) -> Callable[..., Value]:
    """`math.floor` and its like: integers, unlike NumPy's functions of that name."""

    def whole(self: Calls, x: Value) -> Value:
        if not isinstance(x, Var):
            return self.now(function, [x], {})
        if x.is_array:
            raise self.refuse(
                f"math.{function.__name__} of an array", "it takes a number", f"use np.{operation}"
            )
        return self.cast(self.op(operation, x), "int64", weak=True) if is_float(x.type) else _int(self, x)

    return whole


def _complex(self: Calls, real: Value = 0.0, imag: Value = 0.0) -> Value:
    if not isinstance(real, Var) and not isinstance(imag, Var):
        return complex(real, imag)
    if any(isinstance(v, Var) and v.is_array for v in (real, imag)):
        raise self.refuse("complex() of an array", "only numbers can be converted", "write x + 1j * y")
    whole = self.op("add", real, self.op("multiply", 1j, imag)) if isinstance(imag, Var) or imag else real
    return self.plain(self.cast(whole, "complex128", weak=True))


def _bool(self: Calls, x: Value = False) -> Value:
    return self.plain(self.truth(x))


def _pow(self: Calls, base: Value, exponent: Value, mod: Value = None) -> Value:
    if mod is None:
        return self.binary(operator.pow, base, exponent)
    if not self.is_static((base, exponent, mod)):
        raise self.refuse("pow() with a modulus takes what is known only", repair="write `x**n % m`")
    return self.now(pow, [base, exponent, mod], {})


def _divmod(self: Calls, x: Value, y: Value) -> Value:
    return self.op("floor_divide", x, y), self.op("remainder", x, y)


def _round(self: Calls, number: Value, ndigits: Value = None) -> Value:
    x = number
    if ndigits is not None:
        if not isinstance(x, Var):
            return round(x, ndigits)
        if (
            x.type == Scalar("float64", weak=True)
            and type(ndigits) is int
            and abs(ndigits) <= decimal_rounding.DIGITS
        ):
            return self.plain(self.inline_rule(decimal_rounding.rounded, [x, ndigits]))
        found = self.call(np.round, [x, ndigits], {})
        return self.plain(found) if isinstance(x.type, Scalar) and x.type.weak else found
    return self.cast(self.op("rint", x), "int64", weak=True) if isinstance(x, Var) else round(x)


TABLE: dict[Any, Callable[..., Value]] = {
    builtins.pow: _pow,
    builtins.float: to_float,
    builtins.int: _int,
    builtins.bool: _bool,
    operator.truth: _bool,
    operator.index: _index,
    builtins.complex: _complex,
    builtins.divmod: _divmod,
    builtins.round: _round,
    math.floor: _whole(math.floor, "floor"),
    math.ceil: _whole(math.ceil, "ceil"),
    math.trunc: _whole(math.trunc, "trunc"),
    operator.not_: lambda self, x: self.negated(x),
}
