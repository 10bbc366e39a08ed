"""Which functions of the user's may be called by traced code without their names being looked up there.

Methods, properties and operators of a class; functions in lists, dicts and attributes of objects. They are found
where the class, the object or the container is met, and what traced code leaves in an object is plain afterwards.
"""

from __future__ import annotations

import collections
import contextvars
import functools
import sys
import sysconfig
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adc.rules import registry
from adc.runtime.modules import module_of, package_of
from adc.tape.entry import Form
from adc.tape.node import Node
from adc.tape.tensor import Tensor

__all__ = ["NUMERICAL", "Outside", "current", "is_of_a_library"]

NUMERICAL = {"numpy", "scipy", "math", "cmath", "operator", "statistics"}
AS_THEY_ARE = {"adc", "numba", *sys.stdlib_module_names} - NUMERICAL
_MOST = 10_000  # objects that are looked at
_MOST_HELD = 1000  # items of a list or dict that is looked at again afterwards
_FIRST = 100  # items of one container: they are much alike
_LEAVES = (
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    np.ndarray,
    np.generic,
    Tensor,
    types.ModuleType,
    Node,
    Form,
)
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib")})


def is_of_a_library(function: types.FunctionType) -> bool:
    """Whether a function is no code of the user's, nor the body of a rule."""
    root = package_of(function)
    return root in NUMERICAL or (root in AS_THEY_ARE and not _is_ours_to_trace(function))


def _is_ours_to_trace(function: types.FunctionType) -> bool:
    """Rule bodies are plain functions too, and so is what is typed in a docstring of adc."""
    return _is_of_a_rule(function) or function.__code__.co_filename.startswith("<doctest")


def _is_of_a_rule(thing: Any) -> bool:
    """Whether a function is the body of a rule, or a class that of what stands for an object of a library."""
    return module_of(thing).startswith("adc.rules")


class Outside:
    """What a traced function has met of the user's classes, objects and containers."""

    def __init__(self, home: str) -> None:
        self._home = home  # the package of the function: its own code even where it is installed
        self._seen: dict[int, Any] = {}  # by identity; kept alive
        # Dicts, lists and the like, and the Tensors that they held.
        self._held: list[tuple[Any, dict[int, Any]]] = []

    def functions(self, value: Any) -> Iterator[types.FunctionType]:
        """The user's functions that a value leads to, those that were found already left out."""
        todo = [value]
        passed: set[int] = (
            set()
        )  # tuples, which are not kept: they are those of one call, and may hold large arrays
        while todo and len(self._seen) < _MOST:
            value = todo.pop()
            if isinstance(value, _LEAVES) or id(value) in self._seen or id(value) in passed:
                continue
            if value.__class__ is tuple:
                passed.add(id(value))
            else:
                self._seen[id(value)] = value
            if isinstance(value, types.FunctionType):
                if self._is_users(value):
                    yield value
            elif isinstance(value, type):
                todo += self._of_class(value)
            else:
                todo += self._inside(value)

    def _is_users(self, function: types.FunctionType) -> bool:
        file = function.__code__.co_filename
        return (
            not is_of_a_library(function)
            and file != "<string>"  # what `dataclass` and `NamedTuple` write
            and (
                package_of(function) == self._home
                or not file.startswith(_INSTALLED)
                or _is_of_a_rule(function)
            )
            and registry.find(function) is None
        )

    def _of_class(self, kind: type) -> Iterator[Any]:
        for cls in kind.__mro__:
            if self._is_of_users(cls) or _is_of_a_rule(cls):
                for item in vars(cls).values():
                    yield from _parts(item)

    def _inside(self, value: Any) -> Iterator[Any]:
        if isinstance(value, (list, tuple, collections.deque, set, frozenset)):
            items: Any = value
        elif isinstance(value, dict):
            items = value.values()
        elif isinstance(value, types.MethodType):
            items = (value.__func__, value.__self__)
        elif isinstance(value, functools.partial):
            items = (value.func, *value.args, *value.keywords.values())
        elif isinstance(value, contextvars.ContextVar):
            items = (current(value),)
            self._held.append((value, _tensors(items)))
        else:
            items = ()
        kind = type(value)
        if isinstance(value, (list, dict)) and len(value) <= _MOST_HELD:
            self._held.append((value, _tensors(items)))
        for item, _ in zip(items, range(_FIRST), strict=False):
            yield item
        if module_of(kind) != "builtins":
            yield kind
            has_own = self._is_of_users(kind) or isinstance(value, threading.local)
            attributes = getattr(value, "__dict__", None) if has_own else None
            if isinstance(attributes, dict):
                self._held.append((attributes, _tensors(attributes.values())))
                yield from attributes.values()

    def _is_of_users(self, kind: type) -> bool:
        return package_of(kind) not in AS_THEY_ARE | NUMERICAL

    def holds(self, attributes: Any) -> None:
        """Note a dict that traced code writes to."""
        if isinstance(attributes, dict) and not any(known is attributes for known, _ in self._held):
            self._held.append((attributes, _tensors(attributes.values())))

    def settle(self) -> None:
        """Constants that traced code put into objects, lists and dicts from outside are arrays there."""
        for holder, before in self._held:
            for value, put in list(_places(holder)):
                if value.__class__ is Tensor and value.node is None and id(value) not in before:
                    put(value.primal)


def current(variable: contextvars.ContextVar[Any]) -> Any:
    """What a context variable holds here, its own default included; None where that is nothing."""
    try:
        return variable.get()
    except LookupError:
        return None


def _places(holder: Any) -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    """What a dict, a list or a context variable holds, and what puts something else there."""
    if isinstance(holder, contextvars.ContextVar):
        yield current(holder), holder.set
        return
    for place, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
        yield value, functools.partial(holder.__setitem__, place)


def _tensors(values: Any) -> dict[int, Any]:
    return {id(v): v for v in values if v.__class__ is Tensor}


def _parts(item: Any) -> tuple[Any, ...]:
    """The functions of an entry of a class."""
    if isinstance(item, (staticmethod, classmethod)):
        return _parts(item.__func__)
    if isinstance(item, property):
        return (item.fget, item.fset, item.fdel)
    if isinstance(item, (functools.cached_property, functools.partialmethod)):
        return (item.func,)
    return (item,)
