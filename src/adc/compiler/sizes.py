"""What code takes for granted of the sizes of its arguments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Sizes", "has_short_rows"]

FEW, MANY = 4, 16


@dataclass(frozen=True)
class Sizes:
    """Numbers and shapes of the inputs, by their places; `told` says them as a reader knows them.

    >>> sizes = Sizes(((0, (3,)), (2, 5)), ("x of shape (3,)", "n = 5"))
    >>> sizes.hold([np.ones(3), 0.5, 5]), sizes.hold([np.ones(3), 0.5, 4])
    (True, False)
    >>> print(sizes)
    x of shape (3,), n = 5
    """

    facts: tuple[tuple[int, int | tuple[int, ...]], ...]
    told: tuple[str, ...]

    def hold(self, inputs: Sequence[Any]) -> bool:
        """Whether the inputs of a call have these sizes."""
        return all(_size(inputs[k]) == size for k, size in self.facts)

    def __str__(self) -> str:
        return ", ".join(self.told)


def _size(value: Any) -> int | tuple[int, ...]:
    return value.shape if isinstance(value, np.ndarray) else int(value)


def has_short_rows(shape: tuple[int, ...]) -> bool:
    """Whether an array holds many points of two to four coordinates: code is made for that number of coordinates.

    Loops over them are written out, and the loops over the points vectorise. Of a few points it is not worth code of
    its own.

    >>> has_short_rows((100, 3)), has_short_rows((3, 3)), has_short_rows((100, 30)), has_short_rows((100,))
    (True, False, False, False)
    >>> has_short_rows(())
    False
    """
    *points, count = shape or (1,)
    return 1 < count <= FEW and math.prod(points) >= MANY
