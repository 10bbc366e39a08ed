"""What was made for a function is kept with it, and found again for one that is the same under another name.

`adc.jvp(lambda x: g(x, data), ...)` in a loop makes a function each time, of one code. Two functions of one code are
the same as long as their variables from outside hold the same objects, and that is looked at whenever one stands in for
the other. The function that was seen last is kept for each code, with what it holds, until Python's collector goes over
all objects the next time: what only such a function holds is let go with it.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc.runtime.detours import own_code

__all__ = ["MOST_SPECIALISATIONS", "alike", "kept_on", "shared_by_all_of", "shared_by_code"]

MOST_SPECIALISATIONS = 256  # kinds of arguments of one function; the oldest goes first
_PLACE, _OWN_PLACE = "__adc_made__", "__adc_derived__"
_MOST = 256  # codes; the oldest goes first
_MOST_OBJECTS = 4  # kept under a method
_MOST_MADE = 32  # codes for which what was made is kept when their functions are gone


class Table(dict[Any, Any]):
    """What is kept. A copy of a function, as one in another process, begins with an empty one."""

    def __reduce__(self) -> tuple[type[Table], tuple[()]]:
        return Table, ()


_by_code: dict[types.CodeType, tuple[types.FunctionType, Table]] = {}
_made_by_code: dict[types.CodeType, Table] = {}


def _let_go(
    phase: str,
    info: dict[str, int],
    tables: tuple[dict[Any, Any], ...] = (_by_code, _made_by_code),  # a module that ends has lost its names
) -> None:
    if phase == "start" and info["generation"] == 2:
        for table in tables:
            table.clear()


gc.callbacks.append(_let_go)


@dataclass(frozen=True, eq=False)
class _Itself:
    """An object that is another one than its equals."""

    held: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


def kept_on(function: Callable[..., Any], key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """What was made for a function and a key; made now, if it is new.

    >>> def scaled(a):
    ...     return lambda x: a * x
    >>> first = kept_on(scaled(2.0), ("doctest",), object)
    >>> kept_on(scaled(2.0), ("doctest",), object) is first, kept_on(scaled(3.0), ("doctest",), object) is first
    (True, False)
    """
    attributes: dict[str, Any] = getattr(function, "__dict__", {})
    known = attributes.get(_PLACE)
    # functools.wraps copies it to functions that are not its own
    if known is not None and known[0] is function:
        table: Table = known[1]
    else:
        table = _table_of(function, attributes)
    found = table.get(key)
    if found is None:
        found = table[key] = make()
    return found


def shared_by_all_of(function: Callable[..., Any], key: tuple[Any, ...], most: int) -> list[Any]:
    """The list that this very function object, and none that is the same, keeps under a key: of the latest so many.

    A method keeps it for its object, which lives as long as that is one of the latest few; so does `__call__` of a
    user's class.

    >>> def area(r):
    ...     return 3.0 * r * r
    >>> shared_by_all_of(area, ("doctest",), 1).append("code")
    >>> shared_by_all_of(area, ("doctest",), 1), shared_by_all_of(len, ("doctest",), 1)
    (['code'], [])
    """
    if type(function) is not types.FunctionType:
        function, of = _as_method(function)
        key, most = (*key, _Itself(of)), _MOST_OBJECTS
    if type(function) is not types.FunctionType:
        return []
    known = function.__dict__.get(_OWN_PLACE)
    if known is None or known[0] is not function:  # functools.wraps copies it
        known = function.__dict__[_OWN_PLACE] = function, Table()
    table: Table = known[1]
    found: list[Any] = table.setdefault(key, [])
    _keep_latest(table, most)
    return found


def shared_by_code(function: Callable[..., Any], key: tuple[Any, ...], most: int) -> list[Any]:
    """The list that all functions of one code keep under a key: of the latest so many, for the latest few codes.

    >>> def scaled(a):
    ...     return lambda x: a * x
    >>> shared_by_code(scaled(2.0), ("doctest",), 1).append("code")
    >>> shared_by_code(scaled(3.0), ("doctest",), 1), shared_by_code(len, ("doctest",), 1)
    (['code'], [])
    """
    if type(function) is not types.FunctionType:
        return []
    code = own_code(function)
    known = _made_by_code.pop(code, None)
    table = _made_by_code[code] = Table() if known is None else known
    _keep_latest(_made_by_code, _MOST_MADE)
    found: list[Any] = table.setdefault(key, [])
    _keep_latest(table, most)
    return found


def _as_method(function: Any) -> tuple[Any, Any]:
    """The function behind a method, or an object that is called, and the object; of others neither is a function."""
    if type(function) is types.MethodType:
        return function.__func__, function.__self__
    call = getattr(type(function), "__call__", None)  # noqa: B004
    return (None if hasattr(function, "__adc_inline__") else call), function


def _keep_latest(table: dict[Any, Any], most: int) -> None:
    for oldest in list(table)[: max(0, len(table) - most)]:
        table.pop(oldest, None)  # another thread, or a collection, may have let it go


def _table_of(function: Any, attributes: dict[str, Any]) -> Table:
    """The table of a function that has none of its own: that of one which is the same, or a new one."""
    if not isinstance(function, types.FunctionType):
        table = Table()
        attributes[_PLACE] = function, table
        return table
    code = own_code(function)
    known = _by_code.get(code)
    if known is not None and _are_same(known[0], function):
        # Another cell may come to hold another object: then it is looked at again at each call.
        if _cells(known[0]) == _cells(function):
            attributes[_PLACE] = function, known[1]
        return known[1]
    table = Table()
    attributes[_PLACE] = function, table
    _by_code.pop(code, None)
    _by_code[code] = function, table
    _keep_latest(_by_code, _MOST)
    return table


def _cells(function: types.FunctionType) -> list[int]:
    return [id(cell) for cell in function.__closure__ or ()]


def alike(a: types.FunctionType, b: types.FunctionType) -> bool:
    """Whether two functions have one code, which reads the same but for arrays that are defaults, and from cells."""
    if a.__globals__ is not b.__globals__ or own_code(a) is not own_code(b):
        return False
    if any(f.__dict__.keys() - {_PLACE, _OWN_PLACE} for f in (a, b)):
        return False
    mine, its = a.__kwdefaults__ or {}, b.__kwdefaults__ or {}
    if list(mine) != list(its):
        return False
    return all(
        len(x) == len(y) and all(map(_are_arrays_or_same, x, y))
        for x, y in ((a.__defaults__ or (), b.__defaults__ or ()), (mine.values(), its.values()))
    )


def _are_arrays_or_same(x: Any, y: Any) -> bool:
    return type(x) is type(y) is np.ndarray or x is y or _is_same_number(x, y)


def _are_same(a: types.FunctionType, b: types.FunctionType) -> bool:
    """Whether two functions of one code do the same: with the same defaults, and objects in their closures."""
    if not alike(a, b):
        return False
    held = [(*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()) for f in (a, b)]
    try:
        contents = [tuple(c.cell_contents for c in f.__closure__ or ()) for f in (a, b)]
    except ValueError:
        return False  # a variable that is not assigned yet
    return _all_same(*held) and _all_same(*contents)


def _all_same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return len(a) == len(b) and all(x is y or _is_same_number(x, y) for x, y in zip(a, b, strict=True))


def _is_same_number(x: Any, y: Any) -> bool:
    """Whether two numbers or texts cannot be told apart (0.0 and -0.0 can)."""
    return type(x) is type(y) and type(x) in (int, float, bool, str) and repr(x) == repr(y)
