"""Operators, comparisons and conditions on objects: what their classes say of them."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend import identity
from adc.compiler.frontend.frame import Instance, SurelyRaised
from adc.compiler.frontend.instances import OPERATORS, called, class_of, method
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar
from adc.rules import registry
from adc.rules.objects_beside_arrays import is_left_to_the_object

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

COMPARISONS = {
    gast.Eq: ("__eq__", "__eq__"),
    gast.NotEq: ("__ne__", "__ne__"),
    gast.Lt: ("__lt__", "__gt__"),
    gast.LtE: ("__le__", "__ge__"),
    gast.Gt: ("__gt__", "__lt__"),
    gast.GtE: ("__ge__", "__le__"),
}


def applies(ev: Core, function: Any, x: Value, y: Value) -> bool:
    """Whether objects say what a binary operator does."""
    word = OPERATORS.get(function, "")
    return (
        isinstance(x, Instance)
        or isinstance(y, Instance)
        or method(ev, x, f"__{word}__") is not None
        or method(ev, y, f"__r{word}__") is not None
    )


def compares(ev: Core, op: Any, x: Value, y: Value) -> bool:
    """Whether objects say what a comparison is; `in` asks what is looked for."""
    if isinstance(op, (gast.In, gast.NotIn)):
        return False
    name, mirrored = COMPARISONS[type(op)]
    return (
        isinstance(x, Instance)
        or isinstance(y, Instance)
        or method(ev, x, name) is not None
        or method(ev, y, mirrored) is not None
    )


def truth(ev: Core, owner: Value) -> Value:
    """Whether an object counts as true."""
    if method(ev, owner, "__bool__") is not None:
        answer = called(ev, owner, "__bool__")
        kind = ev.type_of(answer)
        if isinstance(kind, Scalar) and (kind.dtype != "bool" or kind.weak is False):
            name = np.dtype(kind.dtype).type.__name__
            raised = TypeError(
                f"__bool__ should return bool, returned {name if kind.weak else f'numpy.{name}'}"
            )
            raise SurelyRaised(raised, ev.region_depth, ev.origin)
        return answer
    if method(ev, owner, "__len__") is not None:
        length = called(ev, owner, "__len__")
        return ev.op("not_equal", length, 0)
    return True


def compared(ev: Core, op: Any, x: Value, y: Value) -> Value:
    """`x < y` where one of them is an object; `==` is `is` where its class does not say otherwise."""
    name, mirrored = COMPARISONS[type(op)]
    asked = [(x, y, name), (y, x, mirrored)]
    for owner, other, word in reversed(asked) if _is_of_a_class_under(y, x) else asked:
        found = method(ev, owner, word)
        if found is None:
            continue
        if owner is y:
            _refuse_elements(ev, x, y, word)
        if found.func.__code__.co_filename != "<string>":
            answer = ev.call(found, [other], {})
            if answer is NotImplemented:
                continue
            return answer
        if class_of(other) is class_of(owner):  # what a dataclass says of itself
            if sys.version_info >= (3, 13) and isinstance(op, gast.Eq):
                return _field_by_field(ev, x, y)
            return ev.compare(op, fields_compared(ev, x), fields_compared(ev, y))
    if isinstance(op, (gast.Eq, gast.NotEq)):
        if isinstance(op, gast.NotEq) and (method(ev, x, "__eq__") or method(ev, y, "__eq__")):
            same = compared(ev, gast.Eq(), x, y)
            return ev.op("logical_not", same) if isinstance(same, Var) else not same
        one = identity.same(ev, x, y)
        if isinstance(op, gast.Eq):
            return one
        return ev.op("logical_not", one) if isinstance(one, Var) else not one
    raise ev.refuse(f"`{name}` is not defined for these objects", repair="compare their attributes")


def _is_of_a_class_under(y: Value, x: Value) -> bool:
    """Whether the class of an operand is under that of the one before it: Python asks it first."""
    lower, upper = class_of(y), class_of(x)
    if not (isinstance(lower, type) and isinstance(upper, type)):
        return False
    return lower is not upper and issubclass(lower, upper)


def _refuse_elements(ev: Core, x: Value, y: Value, name: str) -> None:
    """Refuse `x * y` of an array and an object: NumPy asks the object for each element, or makes an array of it."""
    cls = class_of(y)
    sequence = isinstance(cls, type) and issubclass(cls, (tuple, list))
    known = ev.type_of(x)
    numpys = isinstance(known, Array) or (sequence and isinstance(known, Scalar) and not known.weak)
    if cls is None or not numpys or is_left_to_the_object(cls) or registry.model_of(y) is not None:
        return
    raise ev.refuse(
        f"an array or number of NumPy's stands before a `{cls.__name__}`, which has `{name}`",
        "NumPy makes an array of the object, or asks it for each element of the array",
        "write the object first, or `__array_ufunc__ = None` into its class, which leaves it to the object",
    )


def _differ(y: Value, x: Value, name: str) -> bool:
    """Whether the classes of two operands have other methods of this name."""
    return getattr(class_of(y), name, None) is not getattr(class_of(x), name, None)


def _field_by_field(ev: Core, x: Value, y: Value) -> Value:
    """Whether two dataclasses are equal, from Python 3.13 on: NaN in a field equals none, as it did in tuples."""
    same: Value = True
    if x is not y:
        for a, b in zip(fields_compared(ev, x), fields_compared(ev, y), strict=True):
            same = ev.both(same, lambda a=a, b=b: ev.compare(gast.Eq(), a, b))  # type: ignore[misc]
    return same


def fields_compared(ev: Core, x: Value) -> tuple[Value, ...]:
    """What a dataclass compares of an object, of the program or from outside."""
    cls = x.cls if isinstance(x, Instance) else type(x)
    return tuple(ev.attribute(x, f.name) for f in dataclasses.fields(cls) if f.compare)


def augmented(ev: Core, function: Any, x: Value, y: Value) -> Value:
    """`x += y`: what `__iadd__` returns where the class has it."""
    called = method(ev, x, f"__i{OPERATORS.get(function, '')}__")
    found = NotImplemented if called is None else ev.call(called, [y], {})
    return ev.binary(function, x, y) if found is NotImplemented else found


def binary(ev: Core, function: Any, x: Value, y: Value) -> Value:
    """`x + y` where one of them is an object."""
    word = OPERATORS.get(function, "")
    asked = [(x, y, f"__{word}__"), (y, x, f"__r{word}__")]
    first = _is_of_a_class_under(y, x) and _differ(y, x, f"__r{word}__")
    for owner, other, name in reversed(asked) if first else asked:
        called = method(ev, owner, name)
        if called is not None and owner is y:
            _refuse_elements(ev, x, y, name)
        found = NotImplemented if called is None else ev.call(called, [other], {})
        if found is not NotImplemented:
            return found
    models = [v if registry.model_of(v) is None else ev.model(v) for v in (x, y)]
    if models != [x, y]:
        return binary(ev, function, *models)
    raise ev.refuse(
        f"operator {function.__name__} is not defined for these objects", repair="call a method by its name"
    )
