"""A run of the user's function of which nothing is kept, to see what it returns: what it leaves outside is undone.

The run that counts leaves it again. Where the function raises, its error is the user's, and what it left stays, as in
Python. Arrays that it writes to outside are not looked at: generated code and the tape write to copies.
"""

from __future__ import annotations

import collections
import contextvars
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from adc.api.reachable import contents, named_by, reached
from adc.tape.users_code import current

__all__ = ["as_now", "undone"]

_NOTHING = object()


@contextmanager
def undone(*roots: Any) -> Iterator[None]:
    """While the user's code runs, of which these are the functions and arguments."""
    back = as_now(*roots)
    yield
    back()


def as_now(*roots: Any) -> Callable[[], None]:
    """What lets everything that these functions and arguments reach hold again what it holds now."""
    back = [put for holder in reached(list(roots)) for put in _restorers(holder)]

    def put_back() -> None:
        for put in back:
            put()

    return put_back


def _restorers(holder: Any) -> Iterator[Callable[[], None]]:
    """What lets an object hold again what it holds now."""
    if isinstance(holder, types.FunctionType):
        for cell in holder.__closure__ or ():
            yield _of_attributes(cell, ["cell_contents"])
        for names, held in named_by(holder):
            yield _of_entries(held, names)
        own = vars(holder)
        known = set(own)
        yield lambda: [own.pop(name) for name in own.keys() - known if not name.startswith("__")].clear()
    elif isinstance(holder, (list, collections.deque)):
        yield _of_sequence(holder)
    elif isinstance(holder, dict):
        yield _of_dict(holder)
    elif isinstance(holder, set):
        yield _of_set(holder)
    elif isinstance(holder, contextvars.ContextVar):
        was = current(holder)
        yield lambda: None if current(holder) is was else (holder.set(was), None)[1]
    elif isinstance(holder, threading.local):
        yield _of_dict(vars(holder))
    elif isinstance(holder, type):
        names = [
            name
            for name, value in vars(holder).items()
            if not (name.startswith("__") or hasattr(type(value), "__get__"))
        ]
        yield _of_attributes(holder, names)
    else:
        if isinstance(vars(holder) if hasattr(holder, "__dict__") else None, dict):
            yield _of_dict(vars(holder))
        yield _of_attributes(holder, [name for name, _ in contents(holder)])


def _of_sequence(items: Any) -> Callable[[], None]:
    was = list(items)

    def back() -> None:
        if not _same(list(items), was):
            items.clear()
            items.extend(was)

    return back


def _of_set(items: set[Any]) -> Callable[[], None]:
    was = set(items)

    def back() -> None:
        if items != was:
            items.clear()
            items.update(was)

    return back


def _of_dict(table: dict[Any, Any]) -> Callable[[], None]:
    was = dict(table)

    def back() -> None:
        if list(table) != list(was) or not _same([*table.values()], [*was.values()]):
            table.clear()
            table.update(was)

    return back


def _of_entries(table: dict[str, Any], names: list[str]) -> Callable[[], None]:
    was = {name: table[name] for name in names}
    return lambda: table.update({name: value for name, value in was.items() if table.get(name) is not value})


def _of_attributes(holder: Any, names: list[str]) -> Callable[[], None]:
    was = {name: value for name in names if (value := getattr(holder, name, _NOTHING)) is not _NOTHING}
    put = type.__setattr__ if isinstance(holder, type) else object.__setattr__

    def back() -> None:
        for name, value in was.items():
            if getattr(holder, name, _NOTHING) is not value:
                put(holder, name, value)

    return back


def _same(now: list[Any], was: list[Any]) -> bool:
    return len(now) == len(was) and all(a is b for a, b in zip(now, was, strict=True))
