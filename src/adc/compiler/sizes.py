"""What code takes for granted of the sizes of its arguments, where it holds for some sizes only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Sizes"]


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
