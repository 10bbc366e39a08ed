"""What a Tensor is in the function as NumPy runs it: an array, a number of NumPy's, or one of Python's.

The tape computes with NumPy's numbers. An operator between Python's gives one of Python's, and so does a function of
`math`: the pull of what is recorded says so (`Pull.pythons`).
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any, get_args

import numpy as np

from adc import pytree
from adc.errors import UnsupportedError
from adc.rules import model_kinds, operation
from adc.tape import library_objects, operators
from adc.tape.entry import Entry, Pull
from adc.tape.node import Node, here, is_own, orders
from adc.tape.operators import is_pythons
from adc.tape.tensor import Tensor, make

__all__ = [
    "CLASSES",
    "INPUT",
    "NUMBER",
    "class_of",
    "isinstance_",
    "number_of_pythons",
    "sample",
    "stands_for",
    "strong",
    "type_",
]


INPUT = Pull("InputBackward", lambda z_bar, z, kept: (z_bar,), (), False, (True,))
NUMBER = (
    INPUT.of_pythons()
)  # of an argument that is a number of Python's, and of what `item` and `float` give

_PYTHONS = {"f": float, "c": complex, "b": bool, "i": int, "u": int}


def number_of_pythons(t: Tensor) -> Tensor:
    """A number of NumPy's as one of Python's, with its derivative."""
    assert t.node is not None
    node = Node()
    node.pull, node.edges, node.kept, node.z = NUMBER, (t.node,), (), None
    node.shape, node.dtype, node.order, node.hooks = (), t.dtype, next(orders), None
    node.code, node.lasti = t.node.code, t.node.lasti
    return make(t.primal[()], node)  # also of an array without axes


def strong(value: Any) -> Any:
    """A number of Python's as one of NumPy's, which has a dtype of its own beside others; anything else as it is."""
    if value.__class__ is not Tensor:
        return operation.strong(value)
    if not is_pythons(value):
        return value
    if value.node is None:
        return make(value.primal, None)
    number = number_of_pythons(value)
    assert number.node is not None
    number.node.pull = INPUT
    return number


def of_math(function: Any, entry: Entry) -> Callable[[tuple[Any, ...]], bool] | None:
    """Of a function of `math` or `statistics`: what tells from its arguments that it gives a number of Python's."""
    if getattr(function, "__module__", None) not in ("math", "cmath", "statistics"):
        return None
    least = 1 if "as_operands" in entry.operation.extra else entry.operation.extra.get("as_data")
    return _always if least is None else lambda args: len(args) < least or _all_pythons(args)


def _always(args: tuple[Any, ...]) -> bool:
    return True


def computes_in_double(function: Any, entry: Entry) -> bool:
    """Whether a function has a rule made of NumPy's, and takes numbers as doubles, as those of `math` do."""
    return of_math(function, entry) is _always and entry.operation.body is not None


def in_double(value: Any) -> Any:
    """What is in single precision, also in a tuple or list, in double."""
    if builtins.isinstance(value, tuple | list):
        return builtins.type(value)(map(in_double, value))
    wide = operation.DOUBLES.get(getattr(value, "dtype", None))
    return value if wide is None else value.astype(wide)


def _all_pythons(args: tuple[Any, ...]) -> bool:
    return all(map(is_pythons, pytree.leaves(args)))


def as_numpys(result: Any, before: int) -> None:
    """Say of what was recorded since then by a function of NumPy, in operators, that it is NumPy's."""
    for part in result if builtins.isinstance(result, tuple | list) else (result,):
        if part.__class__ is Tensor and part.node is not None and part.node.order > before:
            part.node.pull = part.node.pull.of_numpys()


def as_pythons(result: Any) -> Any:
    """Numbers with a derivative as numbers of Python's."""
    if builtins.isinstance(result, tuple):
        parts = map(as_pythons, result)
        return result._make(parts) if hasattr(result, "_make") else tuple(parts)
    if result.__class__ is not Tensor or result.node is None or result.ndim or is_pythons(result):
        return result
    return number_of_pythons(result)


def sample(t: Tensor) -> Any:
    """The value as NumPy's function has it."""
    primal = t.primal
    if builtins.isinstance(primal, np.ndarray) or primal.dtype.kind not in _PYTHONS or not is_pythons(t):
        return primal
    return _PYTHONS[primal.dtype.kind](primal)


def check_division(x: Any, y: Any) -> None:
    """Raise what the function raises where it divides by zero: of two of Python's numbers, `ZeroDivisionError`."""
    if _in_users_code(3) and are_pythons(x, y):
        raise ZeroDivisionError("float division by zero")


def check_power(x: Any, y: Any) -> None:
    """Raise what the function raises where a power is not finite: of two of Python's numbers, OverflowError."""
    base, exponent = (v.primal.item() if v.__class__ is Tensor else v for v in (x, y))
    if np.ndim(exponent) or not (np.isfinite(base) and np.isfinite(exponent)):
        return
    if not _in_users_code(3) or not are_pythons(x, y):
        return
    if builtins.isinstance(base**exponent, complex) and not builtins.isinstance(base, complex):
        raise UnsupportedError(
            "the power of a negative number of Python's is complex, and the tape's is not",
            here(),
            repair="Start with a complex number: complex(x) ** y.",
        )


def _in_users_code(depth: int = 2) -> bool:
    """Whether the operator under way is one of traced code, and not of the body of a rule."""
    frame = sys._getframe(depth)
    return not is_own(str(frame.f_globals.get("__name__", "")), frame.f_code.co_filename)


def are_pythons(*values: Any) -> bool:
    """Whether all are numbers of Python's."""
    return all(map(is_pythons, values))


operators.ask(check_division, check_power, _in_users_code)


def isinstance_(value: Any, kinds: Any) -> bool:
    """`isinstance` in traced code: a Tensor is what its value is in the function as NumPy runs it."""
    if model_kinds.is_model(type(value)):
        return any(
            library_objects.is_of(value, kind)
            if builtins.isinstance(kind, type)
            else builtins.isinstance(value, kind)  # which asks again, of the library's class
            for kind in model_kinds.one_by_one(kinds)
        )
    if not builtins.isinstance(value, Tensor) or _names_tensors(kinds):
        return builtins.isinstance(value, kinds)
    return builtins.isinstance(sample(value), kinds)


def _names_tensors(kinds: Any) -> bool:
    """Whether the class of Tensors is one that is asked for, and not one that they are like, as Iterable."""
    named = kinds if builtins.isinstance(kinds, tuple) else get_args(kinds) or (kinds,)
    return any(_names_tensors(k) if builtins.isinstance(k, tuple) else k is Tensor for k in named)


def hasattr_(value: Any, name: str) -> bool:
    """`hasattr` in traced code, which asks what a Tensor is in the function as NumPy runs it."""
    if builtins.isinstance(value, Tensor):
        return builtins.hasattr(sample(value), name)
    found = builtins.hasattr(value, name)
    if not found and model_kinds.is_model(type(value)):
        library_objects.require_none(type(value), name)
    return found


def class_of(value: Any) -> type:
    """The class of a value in the function as NumPy runs it."""
    return type(sample(value) if builtins.isinstance(value, Tensor) else value)


CLASSES: list[tuple[type, type]] = []
"""Classes of Python's, and what traced code gets where it names them; `type(x)` is that, too."""


def stands_for(original: type, stand_in: type) -> None:
    """Say what traced code gets where it names a class."""
    stand_in.__name__, stand_in.__qualname__ = original.__name__, original.__qualname__
    stand_in.__module__ = original.__module__
    CLASSES.append((original, stand_in))


def _named(found: type) -> type:
    return next((stand_in for original, stand_in in CLASSES if found is original), found)


class _Asked(type):
    """The class of the stand-in for `type`, which is a class too: `isinstance(x, type)`, `class Meta(type)`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is not type_:  # a metaclass of the user's
            return super().__call__(*args, **kwargs)
        if len(args) != 1 or kwargs:
            return type(*args, **kwargs)
        found = class_of(*args)
        return library_objects.class_of_model(found) if model_kinds.is_model(found) else _named(found)

    def __instancecheck__(cls, value: Any) -> bool:
        return builtins.isinstance(value, type) if cls is type_ else super().__instancecheck__(value)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, type) if cls is type_ else super().__subclasscheck__(kind)


class type_(type, metaclass=_Asked):
    """`type` in traced code."""


stands_for(type, type_)
