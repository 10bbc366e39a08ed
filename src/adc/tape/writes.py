"""In-place writes are stamped, so that a pull never reads a value that has changed since it was kept.

The stamp belongs to the memory, not to a Tensor: views and detached Tensors share it by sharing the array
that owns the memory. A stamp is the write's place in the order of records; a node recorded before it that
kept this memory is stale.
"""

from __future__ import annotations

import types
import weakref
from typing import Any

import numpy as np

from adc.tape.node import FREED, Node, locate, orders, user_frame


class Stamp:
    """The last write to an array's memory, and how many there were."""

    __slots__ = ("code", "count", "lasti", "order", "owner")

    def __init__(self, owner: np.ndarray[Any, Any]) -> None:
        key = id(owner)
        self.owner = weakref.ref(owner, lambda _: _stamps.pop(key, None))
        self.order = 0
        self.count = 0
        self.code: types.CodeType | None = None
        self.lasti = 0


_stamps: dict[int, Stamp] = {}
last_write = [0]  # the order of the latest write anywhere: nodes after it need no check


def owner_of(array: Any) -> Any:
    """The array that owns the memory."""
    base = array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            array = base
        base = getattr(base, "base", None)  # of windows that slide NumPy puts an object of its own between
    return array


def stamp(array: np.ndarray[Any, Any]) -> None:
    """Note that the memory of `array` has been written to, from the user's line."""
    owner = owner_of(array)
    known = _stamps.get(id(owner))
    if known is None:
        known = _stamps[id(owner)] = Stamp(owner)
    known.order = last_write[0] = next(orders)
    known.count += 1
    frame = user_frame()
    if frame is not None:
        known.code, known.lasti = frame.f_code, frame.f_lasti


def version(array: Any) -> int:
    """How often the memory of `array` has been written to through Tensors."""
    known = _stamps.get(id(owner_of(array))) if isinstance(array, np.ndarray) else None
    return 0 if known is None else known.count


def check(node: Node) -> None:
    """Raise `RuntimeError`, naming both lines, when a value that `node` kept was written to since; or is freed."""
    if node.kept is None:
        raise RuntimeError(FREED)
    for value in (node.z, *node.kept):
        for array in value if isinstance(value, list | tuple) else (value,):
            if isinstance(array, np.ndarray):
                known = _stamps.get(id(owner_of(array)))
                if known is not None and known.order > node.order:
                    raise _stale(node, array, known)


def check_unchanged(array: Any, before: int, what: str) -> None:
    """Raise `RuntimeError`, naming the line, when `array` was written to since its version was `before`."""
    if version(array) != before:
        write = _stamps[id(owner_of(array))]
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"{what}, a {array.dtype} array of shape {list(array.shape)}.\n"
            f"{_line('written by', locate(write.code, write.lasti))}\n"
            "Write to a copy (`x = x.clone()` before the write), or use the out-of-place operation."
        )


def _stale(node: Node, array: np.ndarray[Any, Any], write: Stamp) -> RuntimeError:
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"the {array.dtype} array of shape {list(array.shape)} that {node.name()} kept.\n"
        f"{_line('kept by   ', node.location)}\n{_line('written by', locate(write.code, write.lasti))}\n"
        "Write to a copy (`x = x.clone()` before the write), or use the out-of-place operation."
    )


def _line(what: str, place: Any) -> str:
    return f"  {what} {place}: {place.text.strip()}" if place is not None else f"  {what} (unknown line)"
