"""Arrays that a traced function is lent, as arguments or from outside it, and a write to one that shares its memory.

A write to an argument goes to a copy, because the caller's arrays stay as they are. Another argument in the same memory
would not see it, as it would in NumPy: that is refused, as generated code does.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from adc import pytree
from adc.errors import ArgumentError, Location
from adc.runtime.copies import overlaps_itself
from adc.tape.node import here
from adc.tape.tensor import Tensor

__all__ = ["Lent", "aliased", "sees_a_write"]


class Lent:
    """What a traced function is lent, while it runs."""

    __slots__ = ("_arguments", "_arrays", "_function", "_places", "_written", "said")

    def __init__(self, function: Callable[..., Any], arguments: Mapping[int | str, Any]) -> None:
        self._function = function
        self._arguments = dict(arguments)
        leaves = pytree.leaves(list(arguments.values()))
        self._arrays = [leaf.primal if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        arrays = [k for k, array in enumerate(self._arrays) if isinstance(array, np.ndarray)]
        self._places = {
            id(self._arrays[k]): k for k in reversed(arrays)
        }  # of one array given twice, the first
        self._written: list[int] = []
        self.said: set[Any] = set()  # the numbers of which texts were made (said.py)

    def lend(self, array: np.ndarray[Any, Any]) -> None:
        """Note an array from outside the function. Raises ArgumentError if it shares memory that was written to."""
        self._arrays.append(array)
        k = self._places[id(array)] = len(self._arrays) - 1
        for j in self._written:
            self._check(j, k)

    def writes(self, array: Any) -> None:
        """Note a write to the array of a Tensor. Raises ArgumentError if it shares memory with another that is lent."""
        k = self._places.get(id(array))
        if k is None:
            return  # not lent, or moved away by an earlier write
        self._written.append(k)
        for j in range(len(self._arrays)):
            self._check(k, j)

    def _check(self, written: int, other: int) -> None:
        if sees_a_write(self._arrays, written, other):
            raise aliased(self._name(written), self._name(other), here())

    def named(self) -> Iterator[tuple[str, Any]]:
        """The arguments by the names of their parameters."""
        parameters = _parameters(self._function)
        for key, value in self._arguments.items():
            yield str(parameters[key] if isinstance(key, int) and key < len(parameters) else key), value

    def _name(self, k: int) -> str:
        names = [
            f"{name}{path}" for name, value in self.named() for path, _ in pytree.flatten_with_paths(value)[0]
        ]
        return names[k] if k < len(names) else "an array from outside"


def sees_a_write(arrays: Sequence[Any], written: int, other: int) -> bool:
    """Whether a write to one of some arrays may be seen in another, or in one more element of its own."""
    one, two = arrays[written], arrays[other]
    if written == other:
        return overlaps_itself(one)
    return isinstance(two, np.ndarray) and np.may_share_memory(one, two)


def aliased(written: str, shared: str, where: Location | None = None) -> ArgumentError:
    """What is said of a function that writes to an argument which shares its memory."""
    if written == shared:
        return ArgumentError(
            f"elements of the argument `{written}` share memory, and the function writes to it",
            where,
            "What is written to one would be seen in another.",
            "Pass a copy of it.",
        )
    return ArgumentError(
        f"the arguments `{written}` and `{shared}` may share memory, and the function writes to `{written}`",
        where,
        "What one argument is after the write would depend on how the other lies in it.",
        "Pass a copy of one of them.",
    )


def _parameters(function: Callable[..., Any]) -> list[str]:
    """The names of the positional parameters, as far as they are known."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
