"""A derivative that stands under a name of its module, as a decorated function does, is pickled by that name."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["by_name"]


def by_name(derivative: Any) -> str | None:
    """The name; None for a derivative that has none, or under whose name the function itself stands.

    >>> import math
    >>> by_name(math.sin), by_name(object())
    ('sin', None)
    """
    name: str | None = getattr(derivative, "__qualname__", None)  # partial applications have none
    if name is None:
        return None
    found: Any = sys.modules.get(getattr(derivative, "__module__", ""))
    for part in name.split("."):
        found = getattr(found, part, None)
    return name if found is derivative else None
