"""A generated text, as it is shown."""

from __future__ import annotations

__all__ = ["Text"]


class Text(str):
    """A generated text: a string that shows itself as it is at the prompt.

    >>> Text("x_bar = 2.0 * x")
    x_bar = 2.0 * x
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return self.rstrip("\n")
