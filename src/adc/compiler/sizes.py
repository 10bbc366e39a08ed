"""What code takes for granted of the sizes of its arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Sizes", "short_axes"]

FEW, MANY = 4, 16


@dataclass(frozen=True)
class Sizes:
    """Numbers and shapes of the inputs, by their places; `told` says them as a reader knows them.

    In a shape, None is a length that may be any.

    >>> sizes = Sizes(((0, (None, 3)), (2, 5)), ("x of shape (?, 3)", "n = 5"))
    >>> sizes.hold([np.ones((9, 3)), 0.5, 5]), sizes.hold([np.ones((9, 3)), 0.5, 4])
    (True, False)
    >>> print(sizes)
    x of shape (?, 3), n = 5
    """

    facts: tuple[tuple[int, float | tuple[int | None, ...]], ...]
    told: tuple[str, ...]

    def hold(self, inputs: Sequence[Any]) -> bool:
        """Whether the inputs of a call have these sizes."""
        return all(_has(inputs[k], size) for k, size in self.facts)

    def __str__(self) -> str:
        return ", ".join(self.told)


def _has(value: Any, size: float | tuple[int | None, ...]) -> bool:
    if not isinstance(value, np.ndarray):
        return bool(value == size)
    return isinstance(size, tuple) and all(
        m is None or n == m for n, m in zip(value.shape, size, strict=True)
    )


def short_axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The last lengths of an array of many points of two to four coordinates, or of many matrices of such lengths.

    Code is made for these lengths: loops over them are written out, and the loops over the points vectorise. Of a few
    points it is not worth code of its own.

    >>> short_axes((100, 3)), short_axes((100, 4, 4)), short_axes((5, 4, 4))
    ((3,), (4, 4), (4,))
    >>> short_axes((3, 3)), short_axes((100, 30)), short_axes((100,)), short_axes(())
    ((), (), (), ())
    """
    first = len(shape)
    while first > 0 and 1 < shape[first - 1] <= FEW and math.prod(shape[: first - 1]) >= MANY:
        first -= 1
    return shape[first:]
