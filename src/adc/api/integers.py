"""A function that fails on floats where it was given integers says so.

An integer with respect to which a gradient is wanted counts as a float, so on the tape the function gets one. Where it
needs the integer, as for `range(c.n)`, Python's or NumPy's TypeError speaks of a float that the user never passed.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from adc import pytree
from adc.api.arguments import Slot
from adc.errors import ArgumentError, Location

__all__ = ["needed"]

_OWN = str(Path(pytree.__file__).parent)


def needed(
    error: TypeError, slots: Sequence[Slot], values: Sequence[Any], plainly: Callable[[], Any]
) -> ArgumentError | None:
    """What to raise for a TypeError of the function on the tape; None where the integers are not its reason."""
    counted = [
        f"{slot.name}{path}"
        for slot, value in zip(slots, values, strict=True)
        if slot.wanted
        for path, given in pytree.flatten_with_paths(value)[0]
        if isinstance(given, int)
    ]
    if not counted:
        return None
    try:
        plainly()
    except Exception:
        return None  # the function fails on the integers, too
    named = ", ".join(f"`{path}`" for path in counted)
    return ArgumentError(
        f"a float stands here for an integer, and a gradient is wanted with respect to {named}",
        _users_line(error),
        why=f"An integer that is differentiated counts as a float: {error}.",
        repair="Pass it as another argument, or choose with argnums.",
    )


def _users_line(error: TypeError) -> Location | None:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(_OWN)]
    found = next((f for f in reversed(frames) if f.line and "site-packages" not in f.filename), None)
    if found is None or found.lineno is None:
        return None
    return Location(found.filename, found.lineno, 0, None, found.line or "")
