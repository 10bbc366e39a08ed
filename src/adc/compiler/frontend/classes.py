"""The class of a value as the program sees it: `type(x)`, `isinstance(x, c)`, and what chooses by the class."""

from __future__ import annotations

import builtins
import functools
import itertools
import types
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from adc.compiler.frontend import instances
from adc.compiler.frontend.expressions import BoundMethod
from adc.compiler.frontend.frame import (
    Bound,
    Closure,
    Evaluated,
    Generator,
    Growing,
    Instance,
    Once,
    Partial,
    Range,
    reads_of,
)
from adc.compiler.frontend.growing import Method
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.values import Choice, Maybe, Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Scalar
from adc.errors import UnsupportedError
from adc.rules import model_kinds, registry

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.core import Core

_BY_CLASS = cast(Any, functools.singledispatch(lambda _: None)).__code__
_STANDING_FOR: dict[type, type] = {
    Growing: list,
    Range: range,
    Generator: types.GeneratorType,
    Closure: types.FunctionType,
    Partial: functools.partial,
    BoundMethod: types.BuiltinMethodType,
    Method: types.BuiltinMethodType,
    Bound: types.MethodType,
}
# They ask what a value is, and go over nothing.
QUESTIONS = (builtins.isinstance, builtins.hasattr, builtins.callable, builtins.type)
# What is gone over once is of one of these; which of them is not kept.
_ITERATORS = (
    *map(type, ((_ for _ in ()), iter([]), iter(()), zip(), map(abs, []), filter(None, []), enumerate([]))),
    reversed,
    itertools.chain,
    np.ndenumerate,
)


def of(ev: Core, value: Value) -> type:
    """The class of a value."""
    (cls, *others) = candidates(ev, value)
    if others and is_gone_over_once(value):
        raise _asked_of_an_iterator(ev)
    if others:
        raise ev.refuse(
            "it is asked of what class an array without axes is",
            "it is a number in compiled code, and may be one of NumPy's as well",
            "ask for `np.ndim(x)`",
        )
    return cls


def is_gone_over_once(value: Value) -> bool:
    """Whether a value is what a generator expression, `iter`, `zip` or the like gives."""
    return isinstance(value, Once) or reads_of(value) is not None


def _asked_of_an_iterator(ev: Core) -> UnsupportedError:
    return ev.refuse(
        "it is asked of what class an iterator is, or what it has",
        "generators, iterators, and what zip(), map() and the like give are one kind of thing in compiled code",
        "ask what it is made of, or make a list of it",
    )


def candidates(ev: Core, value: Value) -> tuple[type, ...]:
    """The classes that a value may be of: what stands for an array without axes may be what NumPy made a number of."""
    if is_gone_over_once(value):
        return _ITERATORS if getattr(value, "of", None) is None else (types.GeneratorType,)
    cls = _found(ev, value)
    return (cls, np.ndarray) if ev.is_without_axes(value) else (cls,)


def _found(ev: Core, value: Value) -> type:
    if isinstance(value, Instance):
        model = getattr(value.cls, "__adc_model__", None)
        if model_kinds.is_model(value.cls):
            return cast(type, instances.told(ev, model_kinds.kind, value.cls))
        return model if isinstance(model, type) else value.cls
    if isinstance(value, Var):
        if value.is_array:
            return np.ndarray
        number = np.dtype(value.type.dtype).type
        weak = isinstance(value.type, Scalar) and value.type.weak
        return type(np.ones((), number).item()) if weak else number
    if isinstance(value, Growing) and value.row_of is not None:
        raise ev.refuse(
            f"it is asked whether an element of the list `{value.name}` is a list or a tuple",
            "the length of the list is only known at run time, and its elements are rows of numbers",
            "ask before it is put into the list",
        )
    for stand_in, cls in _STANDING_FOR.items():
        if isinstance(value, stand_in):
            return cls
    if id(value) in ev.classes_of_dicts:
        return ev.classes_of_dicts[id(value)][1]
    if type(value) in (OrderedDict, defaultdict):
        return type(value)
    plain = {list, dict}.intersection(type(value).__mro__)  # lists and dicts of the evaluator
    return next(iter(plain), type(value))


def _isinstance(self: Calls, value: Value, classes: Value) -> Value:
    self.now(isinstance, [None, classes], {})  # `list[float]` is no class
    if isinstance(value, Maybe):
        held = _isinstance(self, value.value, classes)
        return self.choose(value.present, lambda: held, lambda: isinstance(None, classes))
    if (
        isinstance(value, Growing)
        and value.row_of is not None
        and issubclass(list, classes) == issubclass(tuple, classes)
    ):
        return issubclass(list, classes)
    if isinstance(value, Instance) and model_kinds.is_model(value.cls):
        return any(
            instances.told(self, model_kinds.is_one, value.cls, c) for c in model_kinds.one_by_one(classes)
        )
    if isinstance(value, (Var, Instance, *_STANDING_FOR)) or (
        is_gone_over_once(value) or self.is_without_axes(value)
    ):
        answers = {issubclass(cls, classes) for cls in candidates(self, value)}
        return answers.pop() if len(answers) == 1 else issubclass(of(self, value), classes)
    if id(value) in self.classes_of_dicts:
        return issubclass(of(self, value), classes)
    return isinstance(value, classes)


def _callable(self: Calls, value: Value) -> Value:
    """`callable(x)`: a question to the class of an object, not to what stands for the object here."""
    if isinstance(value, Maybe):
        held = _callable(self, value.value)
        return self.choose(value.present, lambda: held, lambda: False)
    if isinstance(value, Choice):
        return self.is_option(value, *(k for k, o in enumerate(value.options) if _callable(self, o) is True))
    if isinstance(value, Instance):
        return _says(value.cls, "__call__")
    if is_gone_over_once(value):
        return False
    return callable(value) or isinstance(value, (BoundMethod, Closure, Evaluated, Method, Partial))


def _says(cls: type, name: str) -> bool:
    """Whether the objects of a class have an attribute of it: those that its metaclass gives are the class's alone.

    `__slots__` leave room for attributes, which an object has once it was given them.
    """
    found = [vars(base)[name] for base in cls.__mro__ if name in vars(base)]
    return bool(found) and not isinstance(found[0], types.MemberDescriptorType)


def stands_for_another(value: Value) -> bool:
    """Whether a value is of a class of the compiler's, which the program does not know."""
    return isinstance(value, tuple(_STANDING_FOR)) or is_gone_over_once(value)


def has_attribute(ev: Core, value: Value, name: str) -> bool:
    """`hasattr` of such a one: what the class has that it stands for."""
    answers = {_gives(cls, name) for cls in candidates(ev, value)}
    if len(answers) > 1:
        raise _asked_of_an_iterator(ev)
    return answers.pop()


def _gives(cls: type, name: str) -> bool:
    """Whether the objects of a class have an attribute; a method has those of its function, too."""
    of_function = types.FunctionType.__mro__ if cls is types.MethodType else ()
    return name == "__class__" or any(name in vars(base) for base in (*cls.__mro__, *of_function))


def may_have(ev: Core, value: Instance, name: str) -> bool:
    """Whether an object that the program makes has an attribute, unless a property or `__getattr__` says otherwise."""
    if name in value or name == "__class__" or _says(value.cls, name):
        return True
    if model_kinds.is_model(value.cls) and model_kinds.may_have(value.cls, name):
        raise ev.refuse(*registry.no_attribute(name))
    return _says(value.cls, "__getattr__")


def by_class(function: Value) -> bool:
    """Whether a function is what `functools.singledispatch` makes."""
    return isinstance(function, types.FunctionType) and function.__code__ is _BY_CLASS


def chosen(ev: Core, function: Any, args: list[Value]) -> Value:
    """The function that such a one calls for its first argument, as long as it would."""
    if not args:
        raise ev.refuse(f"{function.__name__}() requires at least 1 positional argument")
    return ev.taken(Place(instances.dispatched, function, of(ev, args[0])), function.__name__)


TABLE: dict[Any, Callable[..., Value]] = {builtins.isinstance: _isinstance, builtins.callable: _callable}
