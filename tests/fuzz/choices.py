"""Where the decisions of a random program come from: Hypothesis, which can shrink them, or a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from hypothesis import strategies as st


class Choices(Protocol):
    """Decides what the next piece of a program is."""

    def pick(self, options: Iterable[Any]) -> Any: ...

    def between(self, low: int, high: int) -> int: ...

    def coin(self) -> bool: ...


class Drawn:
    """Decisions that Hypothesis makes, remembers and makes smaller."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self._draw = draw

    def pick(self, options: Iterable[Any]) -> Any:
        return self._draw(st.sampled_from(list(options)))

    def between(self, low: int, high: int) -> int:
        return int(self._draw(st.integers(low, high)))

    def coin(self) -> bool:
        return bool(self._draw(st.booleans()))


class Seeded:
    """Decisions that a number determines, the same under every version of Python and Hypothesis."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def pick(self, options: Iterable[Any]) -> Any:
        known = list(options)
        return known[self.between(0, len(known) - 1)]

    def between(self, low: int, high: int) -> int:
        # Only random() is promised to give the same numbers in later versions.
        return low + int(self._random.random() * (high - low + 1))

    def coin(self) -> bool:
        return self._random.random() < 0.5
