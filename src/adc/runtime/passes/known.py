"""A text of Numba's is the one that was read when what stands for it was written."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from numba.core import types as numba_types

__all__ = ["is_known", "put", "put_among", "types"]

types: Any = numba_types  # whose stubs lack half of it


@functools.cache
def is_known(text_of: Callable[..., Any] | ModuleType, hashes: frozenset[str]) -> bool:
    """Whether the hash of its source is one of these (False where there is no source)."""
    try:
        text = inspect.getsource(text_of)
    except OSError:
        return False
    return hashlib.sha256(text.encode()).hexdigest() in hashes


def put(owner: Any, name: str, standing_for: Callable[[Any], Any]) -> None:
    """Put what stands for a method of Numba's in its place, once, where there is such a method."""
    own = getattr(owner, name, None)
    if own is not None and own.__module__ != standing_for.__module__:
        setattr(owner, name, standing_for(own))


def put_among(entries: list[Any], standing_for: Callable[..., Callable[..., Any] | None]) -> None:
    """Put what stands for some of the functions that Numba has registered, asked of each entry, in their places."""
    entries[:] = [(standing_for(*entry) or entry[0], *entry[1:]) for entry in entries]
