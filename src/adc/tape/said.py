"""A number that is read back from a text that was made of it would be a constant, in silence.

A text carries no derivative, and most are only printed. So what texts were made of is remembered while a function is
traced; a text that says exactly that is refused where it is read as a number. One that was rounded is a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.errors import GraphCutError
from adc.tape.node import Node, here
from adc.tape.state import modes

__all__ = ["note", "read_back", "refuse_bytes"]

_MOST = 1000  # elements of an array that its text shows


def note(node: Node | None, primal: Any) -> None:
    """A text is made of a number or array."""
    if modes.lent is None or node is None or not modes.enabled or np.size(primal) > _MOST:
        return
    for number in np.ravel(primal).tolist():
        if isinstance(number, float):
            modes.lent.said.add(number)
    if np.ndim(primal) == 0 and np.asarray(primal).dtype == np.float32:
        modes.lent.said.add(float(str(primal)))  # in fewer digits


def refuse_bytes(node: Node | None) -> None:
    """Bytes are made of an array. A program does so to remember a result under them, or to read the numbers back."""
    if modes.lent is not None and node is not None and modes.enabled:
        raise GraphCutError(
            "adc cannot make bytes of an array with a derivative",
            here(),
            "What is remembered under them, or read back from them, would be a constant, in silence.",
            "Keep the array; a cache of results belongs outside the function that is differentiated.",
        )


def read_back(numbers: Any) -> None:
    """Numbers are read from a text. Refuses those of which a text was made."""
    if modes.lent is not None and any(number in modes.lent.said for number in np.ravel(numbers).tolist()):
        raise GraphCutError(
            "adc cannot read a number with a derivative back from a text made of it",
            here(),
            "It would be a constant, in silence.",
            "Keep the number; round(x, 3) rounds it.",
        )
