"""What a function can reach beside its arguments, as a text that changes when any of it does.

A call that runs on the tape runs again in the reverse sweep. It must leave no trace: what it names of its module, its
closure and the objects among its arguments is compared before and after.
"""

from __future__ import annotations

import collections
import contextvars
import functools
import sys
import threading
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adc.runtime.detours import own_code
from adc.runtime.modules import package_of
from adc.tape.users_code import current

__all__ = ["State", "code_of", "contents", "is_users", "reached", "state"]

_MOST = 10_000  # objects that are looked at
_OPAQUE = (types.ModuleType, type, types.BuiltinFunctionType, np.ufunc, np.dtype, np.generic)
_ATOMS = (int, float, complex, str, bytes, bool, type(None))
_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_LIBRARIES = {"adc", "numpy", "scipy", "numba", *sys.stdlib_module_names}


@dataclass
class State:
    """The objects that were found, and what they held."""

    parts: list[Any] = field(default_factory=list)
    alive: list[Any] = field(default_factory=list)  # so that no identity is given out twice
    arrays: list[Any] = field(default_factory=list)
    complete: bool = True

    def same(self, other: State) -> bool:
        return self.parts == other.parts


def state(roots: list[Any]) -> State:
    """The state behind some functions and arguments; not `complete` when there is too much of it.

    >>> count = {"calls": 0}
    >>> def f(x):
    ...     count["calls"] += 1
    ...     return x
    >>> before = state([f])
    >>> _ = f(1.0)
    >>> before.same(state([f]))
    False
    """
    found = State()
    seen: set[int] = set()
    todo = list(reversed(roots))
    while todo:
        value = todo.pop()
        if isinstance(value, _ATOMS):
            found.parts.append((type(value), repr(value)))
            continue
        if type(value) is tuple:
            found.parts.append(len(value))
            todo += reversed(value)
            continue
        found.parts.append(id(value))
        if id(value) in seen or isinstance(value, _OPAQUE):
            continue
        seen.add(id(value))
        found.alive.append(value)
        if len(seen) > _MOST:
            found.complete = False
            break
        if isinstance(value, np.ndarray):
            found.arrays.append(value)
            found.parts.append(
                (value.shape, value.dtype.str, value.tobytes() if value.dtype != object else "")
            )
            continue
        inside = list(_inside(value))
        found.parts.append(len(inside))
        todo += reversed(inside)
    return found


def reached(roots: list[Any]) -> Iterator[Any]:
    """What some functions and arguments hold, and what that and the methods of objects hold in turn.

    Of what may be many objects these are the first.
    """
    seen: set[int] = set()
    todo = list(roots)
    while todo and len(seen) < _MOST:
        value = todo.pop()
        if isinstance(value, type) and id(value) not in seen and _is_users_class(value):
            seen.add(id(value))
            yield value
            todo += [held for held in vars(value).values() if not isinstance(held, _OPAQUE)]
        if isinstance(value, (*_ATOMS, *_OPAQUE, np.ndarray)) or id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        todo += _inside(value)
        todo += type(value).__mro__ if not isinstance(value, types.FunctionType) else ()


def _is_users_class(cls: type) -> bool:
    """Whether a class was made by a statement of the user's: those of C code keep nothing."""
    return bool(cls.__flags__ & _MADE_BY_PYTHON) and package_of(cls) not in _LIBRARIES


def contents(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object of the user's, and of what each thread has its own of."""
    if isinstance(value, threading.local):
        yield from list(vars(value).items())
        return
    if package_of(type(value)) in _LIBRARIES:
        return
    yield from list(getattr(value, "__dict__", {}).items())
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            yield name, getattr(value, name, None)


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, types.FunctionType):
        if not is_users(value):
            return
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
        for cell in value.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:
                yield "an empty cell"
        for names, holder in named_by(value):
            for name in names:
                yield holder[name]
    elif isinstance(value, types.MethodType):
        yield value.__func__
        yield value.__self__
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield item
    elif isinstance(value, (list, tuple, collections.deque)):
        yield from value
    elif isinstance(value, functools.partial):
        yield from (value.func, value.args, value.keywords)
    elif isinstance(value, (set, frozenset)):
        yield from sorted(value, key=id)
    elif isinstance(value, contextvars.ContextVar):
        yield current(value)
    elif package_of(type(value)) == "adc":
        yield getattr(value, "__adc_primal__", None)  # a transform holds what it transforms
    else:
        yield from contents(value)


def named_by(function: types.FunctionType) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """The names that the code of a function has, with what holds them: its module, those that it names, and itself."""
    named = {name: None for code in code_of(own_code(function)) for name in code.co_names}
    around = function.__globals__
    yield [name for name in named if name in around], around
    for name in named:
        module = around.get(name)
        if isinstance(module, types.ModuleType) and module.__name__.partition(".")[0] not in _LIBRARIES:
            yield [inner for inner in named if inner in vars(module)], vars(module)
    yield [name for name in vars(function) if not name.startswith("__")], vars(function)


def is_users(function: types.FunctionType) -> bool:
    """Whether a function is no library's; what is typed in a docstring of adc is the user's, too."""
    return package_of(function) not in _LIBRARIES or function.__code__.co_filename.startswith("<doctest")


def code_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function and of those that are defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_of(constant)
