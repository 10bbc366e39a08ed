"""What a value is while a program is made: a `Var`, a plain Python object known now, or one of the marks here."""

from __future__ import annotations

import ctypes
import types
from collections.abc import (
    Callable,
    ItemsView,
    KeysView,
    MutableMapping,
    MutableSequence,
    MutableSet,
    ValuesView,
)
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from adc.compiler.ir.nodes import Const, Var
from adc.errors import Location
from adc.pytree import whole
from adc.runtime.modules import package_of

Value = Any

# What stands for the contents of something else, which may change.
_VIEWS = (types.MappingProxyType, KeysView, ValuesView, ItemsView, memoryview, ctypes.Array)
_OF_C = (types.MemberDescriptorType, types.GetSetDescriptorType)
# What belongs to these does not change: their attributes are constants, their classes are looked after by rules.
SETTLED_MODULES = {"math", "cmath", "numpy", "scipy", "adc", "builtins", "operator", "functools", "itertools"}


def is_settled(cls: Any) -> bool:
    """Whether a class or function is one of those: of some types made in C `__module__` is that of their objects."""
    return package_of(cls) in SETTLED_MODULES or isinstance(cls.__module__, _OF_C)


def plain_value(x: Any) -> Value:
    """An operand as a value: constants are the plain objects that they hold."""
    if isinstance(x, Const):
        return x.value
    return tuple(map(plain_value, x)) if isinstance(x, tuple) else x


class Undefined:
    """The value of a name on a path that never assigned it."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


class Zero:
    """The tangent of an operand that has none: a zero that folds away in rule bodies."""

    def __repr__(self) -> str:
        return "zero"


ZERO = Zero()


@dataclass(frozen=True, eq=False)
class Maybe:
    """A value on the paths where `present` is true; on the others `absent`, which is None or UNDEFINED."""

    run_time: ClassVar[bool] = True
    present: Value
    value: Value
    absent: Undefined | None


@whole
@dataclass(frozen=True, eq=False)
class Choice:
    """One of several things that are not numbers, each known now: which, a number says when the program runs."""

    run_time: ClassVar[bool] = True
    place: Value  # among the options; of two of them, in the order (no, yes), it may be a truth value
    options: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Shown:
    """A value in a text, as a field of an f-string has it: `{value!conversion:spec}`. A `spec` may be one of `%`."""

    run_time: ClassVar[bool] = True
    value: Value
    conversion: str = ""
    spec: str = ""


class Text:
    """A text with parts that only the run knows: what is printed, and what an exception says; nothing else.

    What would ask it for its length, its characters or another text refuses instead.
    """

    run_time = True

    def __init__(self, parts: list[Value], refuse: Callable[[str, str, str], Exception]) -> None:
        self.parts = tuple(parts)
        self.refuse = refuse

    def refused(self) -> Exception:
        return self.refuse(
            "a text with a number in it that only the run knows is not supported here",
            "it can be printed, and be what an exception says",
            "take it out of the function",
        )

    def _asked(self, *_: Any) -> NoReturn:
        raise self.refused()

    __len__ = __iter__ = __contains__ = __getitem__ = __bool__ = __eq__ = __ne__ = _asked
    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __mul__ = __rmul__ = __mod__ = _asked
    __str__ = __repr__ = __format__ = __float__ = __int__ = __index__ = _asked
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(str, name):
            self._asked()
        raise AttributeError(name)


class PartlyDefined:
    """A name that holds something compile-time on one path only; reading it is refused."""

    run_time = True

    def __init__(self, name: str, value: Value, branch: Location | None) -> None:
        self.name = name
        self.value = value
        self.branch = branch


def emptied(value: Value) -> Value:
    """A container with every leaf UNDEFINED."""
    if isinstance(value, tuple):
        return rebuilt(value, [emptied(v) for v in value])
    return UNDEFINED


def rebuilt(like: Value, parts: list[Value]) -> Value:
    if isinstance(like, tuple):
        return type(like)(*parts) if hasattr(like, "_fields") else tuple(parts)
    result = type(like)(parts)
    if hasattr(like, "depth"):
        result.depth, result.made, result.taken = like.depth, like.made, like.taken
        result.original, result.outside = like, getattr(like, "outside", None)
    return result


def holds_array(value: Value) -> bool:
    return isinstance(value, np.ndarray) or (
        isinstance(value, (tuple, list)) and any(map(holds_array, value))
    )


def may_change(value: Value) -> bool:
    """Whether something from outside the function may hold other things at the next call, and be the same object.

    An object of a class of the user's does not count: what is read of it is its attributes.
    """
    if isinstance(value, tuple):
        return any(map(may_change, value))
    if isinstance(value, (list, dict, np.ndarray, *_VIEWS)):
        return True
    if not isinstance(value, (MutableSequence, MutableSet, MutableMapping)):
        return False
    return not hasattr(value, "__dict__") or not _looked_into(value)


def _looked_into(container: Any) -> bool:
    """Whether code of the user's reads what a container holds, in which each attribute is found: not `UserDict`."""
    word = "__contains__" if isinstance(container, MutableSet) else "__getitem__"
    found = getattr(type(container), word)
    return isinstance(found, types.FunctionType) and found.__module__ != "collections"


def kind(value: Value) -> str:
    if isinstance(value, Maybe):
        return f"{kind(value.value)} or {'None' if value.absent is None else 'nothing'}"
    if isinstance(value, Choice):
        return " or ".join(dict.fromkeys(map(kind, value.options)))
    if isinstance(value, PartlyDefined):
        return f"{kind(value.value)} on some paths only"
    if isinstance(value, Var):
        return f"{value.type.ndim}-d array" if value.is_array else "a number"
    if hasattr(value, "spoken"):
        return str(value.spoken)
    if hasattr(value, "holding"):
        return f"a {value.cls.__name__}"
    if hasattr(value, "tree") or (callable(value) and not isinstance(value, type)):
        return "a function"
    return "a list" if isinstance(value, list) or hasattr(value, "room") else f"a {type(value).__name__}"
