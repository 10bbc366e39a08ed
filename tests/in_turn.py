"""What a run of the tests leaves out takes its turn: which it is changes with the sources.

With time all come first, and what fails once fails until the sources change.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import adc


@functools.cache
def _sources() -> bytes:
    files = sorted(Path(adc.__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).digest()


def _number(name: str) -> bytes:
    return hashlib.sha256(_sources() + name.encode()).digest()


def in_turn(items: Sequence[Any], name: Callable[[Any], str]) -> list[Any]:
    """Items in an order that is another one for other sources."""
    return sorted(items, key=lambda item: _number(name(item)))


def turn(name: str, parts: int) -> int:
    """Which of so many parts of its like something is among with these sources."""
    return _number(name)[0] % parts
