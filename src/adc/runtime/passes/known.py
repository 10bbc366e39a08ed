"""A text of Numba's is the one that was read when what stands for it was written."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["is_known"]


@functools.cache
def is_known(text_of: Callable[..., Any] | ModuleType, hashes: frozenset[str]) -> bool:
    """Whether the hash of its source is one of these (False where there is no source)."""
    try:
        text = inspect.getsource(text_of)
    except OSError:
        return False
    return hashlib.sha256(text.encode()).hexdigest() in hashes
