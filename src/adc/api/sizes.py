"""Code for the sizes of one call: what cannot be compiled for arguments of any size may be for those of this call.

    def power(x, n):
        return 1.0 if n == 0 else x * power(x, n - 1)

has an end when `n` is known. First the ints among the arguments are taken as they are, then the lengths of the arrays,
too. Such code is made again for other sizes, and kept beside that for the sizes before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from adc.api.arguments import Leaf, Slot
from adc.compiler.sizes import Sizes

__all__ = ["MOST_SIZES", "MOST_STATEMENTS", "as_they_are", "attempts", "taken_for_granted"]

MOST_SIZES = 8  # of one kind of arguments; a function called with more of them runs on the tape in mode auto
MOST_STATEMENTS = 600  # with a copy of the code for each trip and call, more would take Numba too long


def attempts(slots: list[Slot], some_sizes: bool) -> Iterator[list[Slot]]:
    """The arguments as the compiler is to know them: of any size, then, with `some_sizes`, as they are."""
    yield slots
    if not some_sizes:
        return
    leaves = [leaf for slot in slots for leaf in slot.inputs() if not slot.wanted]
    if any(_is_int(leaf) for leaf in leaves):
        yield [_known(slot, lengths=False) for slot in slots]
    if any(isinstance(leaf.value, np.ndarray) for slot in slots for leaf in slot.inputs()):
        yield as_they_are(slots)


def as_they_are(slots: list[Slot]) -> list[Slot]:
    """The arguments with ints and lengths known."""
    return [_known(slot, lengths=True) for slot in slots]


def _known(slot: Slot, lengths: bool) -> Slot:
    return replace(
        slot, leaves=tuple(replace(leaf, taken_as=_taken_as(leaf, lengths)) for leaf in slot.leaves)
    )


def _taken_as(leaf: Leaf, lengths: bool) -> Literal["any", "number", "lengths"]:
    if _is_int(leaf):
        return "number"
    return "lengths" if lengths and leaf.is_input and isinstance(leaf.value, np.ndarray) else "any"


def _is_int(leaf: Leaf) -> bool:
    return leaf.is_input and isinstance(leaf.value, (int, np.integer))


def taken_for_granted(slots: list[Slot]) -> Sizes | None:
    """The sizes that code for these arguments holds for; None where it holds for all."""
    inputs = [leaf for slot in slots for leaf in slot.inputs()]
    known = [(k, leaf) for k, leaf in enumerate(inputs) if leaf.taken_as != "any"]
    if not known:
        return None
    facts = tuple((k, leaf.value.shape if leaf.taken_as == "lengths" else leaf.value) for k, leaf in known)
    return Sizes(facts, tuple(_told(leaf) for _, leaf in known))


def _told(leaf: Leaf) -> str:
    if leaf.taken_as == "number":
        return f"{leaf.path} = {leaf.value}"
    return f"{leaf.path} of shape {leaf.value.shape}"
