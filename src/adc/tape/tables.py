"""Tables of functions in modules of a library, of which its code reads one by a name: `filter_dict["cheby1"][0]`."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

__all__ = ["translated"]


def translated(value: Any, translate: Callable[[Any], Any]) -> Any:
    """A dict with stand-ins for the functions that it holds, also in lists and tuples; None where it holds none.

    >>> translated({"id": (translated, True)}, lambda function: function.__name__)
    {'id': ('translated', True)}
    """
    if value.__class__ is not dict or not any(map(_has_functions, value.values())):
        return None
    return {key: _item(held, translate) for key, held in value.items()}


def _has_functions(held: Any) -> bool:
    if held.__class__ in (list, tuple):
        return any(map(_has_functions, held))
    return isinstance(held, types.FunctionType)


def _item(held: Any, translate: Callable[[Any], Any]) -> Any:
    if held.__class__ in (list, tuple):
        return held.__class__([_item(v, translate) for v in held])
    return translate(held) if isinstance(held, types.FunctionType) else held
