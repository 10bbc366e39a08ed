"""A text of Numba's is the one that was read when what stands for it was written."""

from __future__ import annotations

import functools
import hashlib
import inspect
import linecache
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from numba.core import types as numba_types

__all__ = ["is_known", "put", "put_among", "types"]

types: Any = numba_types  # whose stubs lack half of it


@functools.cache
def is_known(text_of: Callable[..., Any] | ModuleType, hashes: frozenset[str]) -> bool:
    """Whether the hash of its source is one of these (False where there is no source)."""
    if isinstance(text_of, FunctionType) and _hash(by_indentation(text_of)) in hashes:
        return True
    try:
        return _hash(inspect.getsource(text_of)) in hashes
    except OSError:
        return False


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def by_indentation(function: FunctionType) -> str:
    """The text of a function, most often: up to the next line that is indented no further than its first one.

    Python's own `inspect.getsource` reads token by token: 35 ms for the two dozen texts that a first call asks about.

    >>> by_indentation(by_indentation) == inspect.getsource(by_indentation)
    True
    """
    code = function.__code__
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    start = next((k for k, line in enumerate(lines) if line.lstrip().startswith("def ")), len(lines))
    end = start + 1
    while end < len(lines):
        line = lines[end].lstrip()
        if line and not line.startswith(")") and _indent(lines[end]) <= _indent(lines[start]):
            break
        end += 1
    return "".join(lines[:end]).rstrip() + "\n"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def put(owner: Any, name: str, standing_for: Callable[[Any], Any]) -> None:
    """Put what stands for a method of Numba's in its place, once, where there is such a method."""
    own = getattr(owner, name, None)
    if own is not None and own.__module__ != standing_for.__module__:
        setattr(owner, name, standing_for(own))


def put_among(entries: list[Any], standing_for: Callable[..., Callable[..., Any] | None]) -> None:
    """Put what stands for some of the functions that Numba has registered, asked of each entry, in their places."""
    entries[:] = [(standing_for(*entry) or entry[0], *entry[1:]) for entry in entries]
