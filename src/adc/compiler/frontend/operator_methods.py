"""Operators written as methods, and methods of types: they mean the operator, and the method of the first argument.

x.__add__(y)      A.__matmul__(b)      x.__setitem__(0, v)      operator.setitem(x, 0, v)
np.ndarray.sum(x)      float.__neg__(a)      list.append(items, v)
"""

from __future__ import annotations

import builtins
import operator
import types
from typing import TYPE_CHECKING

import gast
import numpy as np

from adc.compiler.frontend.frame import Evaluated, Instance, ListValue, SurelyRaised
from adc.compiler.frontend.instances import OPERATORS
from adc.compiler.frontend.values import Value
from adc.compiler.ir.types import Array, Scalar

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_BINARY = {word: function for function, word in OPERATORS.items()}
_UNARY = {
    "__neg__": operator.neg,
    "__pos__": operator.pos,
    "__invert__": operator.invert,
    "__abs__": builtins.abs,
    "__len__": builtins.len,
    "__iter__": builtins.iter,
    "__float__": builtins.float,
    "__int__": builtins.int,
    "__bool__": builtins.bool,
    "__complex__": builtins.complex,
}
_COMPARISONS = {
    "__lt__": gast.Lt,
    "__le__": gast.LtE,
    "__gt__": gast.Gt,
    "__ge__": gast.GtE,
    "__eq__": gast.Eq,
    "__ne__": gast.NotEq,
}
_CONTAINERS = (list, dict, tuple, str)
_NUMBERS = (int, float, complex, np.generic)
_OF_TYPES = (types.WrapperDescriptorType, types.MethodDescriptorType)


def of_value(ev: Core, base: Value, name: str) -> Evaluated | None:
    """The method of an array, a number or a container that an operator calls; None where there is no such."""
    if not hasattr(_class(ev, base), name):
        return None
    if name in _UNARY:
        return Evaluated(lambda: ev.call(_UNARY[name], [base], {}))
    if name in _COMPARISONS:
        return Evaluated(lambda y: ev.compare(_COMPARISONS[name](), base, _operand(ev, base, y, name)))
    match name:
        case "__getitem__":
            return Evaluated(lambda index: ev.subscript(base, index))
        case "__setitem__":
            return Evaluated(lambda index, value: ev.set_item(base, index, value))
        case "__contains__":
            return Evaluated(lambda item: ev.compare(gast.In(), item, base))
    word = name.strip("_")
    if word in _BINARY:
        return Evaluated(lambda y: ev.binary(_BINARY[word], base, _operand(ev, base, y, name)))
    if word[:1] == "r" and word[1:] in _BINARY:
        return Evaluated(lambda y: ev.binary(_BINARY[word[1:]], _operand(ev, base, y, name), base))
    if word[:1] == "i" and word[1:] in _BINARY:
        return Evaluated(lambda y: ev.augmented(_BINARY[word[1:]], base, y))
    return None


def meant(ev: Core, function: Value, args: list[Value]) -> tuple[Value, list[Value]]:
    """The function that a call means, and its arguments: those of a call of anything else are what they were."""
    if function is operator.setitem and len(args) == 3:
        return Evaluated(lambda: ev.set_item(*args)), []
    if isinstance(function, types.MethodWrapperType):
        base = function.__self__
        known = isinstance(base, (*_NUMBERS, *_CONTAINERS)) and not isinstance(base, Instance)
        return (known and of_value(ev, base, function.__name__)) or function, args
    if not isinstance(function, _OF_TYPES) or not args or isinstance(args[0], Instance):
        return function, args
    cls = function.__objclass__
    if not issubclass(cls, (np.ndarray, *_NUMBERS, *_CONTAINERS)):
        return function, args
    if ev.call(builtins.isinstance, [args[0], cls], {}) is not True:
        raise SurelyRaised(
            TypeError(f"descriptor '{function.__name__}' requires a '{cls.__name__}' object"),
            ev.region_depth,
            ev.origin,
        )
    return meant(ev, ev.attribute(args[0], function.__name__), args[1:])


def _class(ev: Core, base: Value) -> type:
    """The class that says which methods there are."""
    kind = ev.type_of(base)
    if isinstance(kind, Array):
        return np.ndarray
    if isinstance(kind, Scalar):
        number = np.zeros((), kind.dtype)[()]
        return type(number.item() if kind.weak else number)
    return list if isinstance(base, ListValue) else type(base)


def _operand(ev: Core, base: Value, y: Value, name: str) -> Value:
    """The operand of an operator's method, which is asked alone: Python's numbers know none but their own kind."""
    mine, other = ev.type_of(base), ev.type_of(y)
    fits = True
    if isinstance(mine, Scalar) and mine.weak:
        fits = isinstance(other, Scalar) and np.can_cast(other.dtype, mine.dtype)
    if isinstance(y, Instance) or not fits:
        raise ev.refuse(
            f"`{name}` of a number or an array is given what it may know nothing of",
            "the method gives NotImplemented where the operator asks the other operand",
            "write the operator",
        )
    return y
