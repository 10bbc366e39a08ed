"""The options that a function is compiled with are read at once, not one by one through properties.

Numba compares them with those of the functions before whenever it looks for what an operation is made of, 400 times for
each function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import targetconfig

from adc.runtime.passes.known import is_known, put

# The texts of Numba's method that this one is known to stand for: that of 0.65 and 0.68.
KNOWN = frozenset({"12a29dc810f6a91beed3ce8a4c2071b278e37cc9031733f0deea8849bcb78611"})


def at_once(own: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    """What stands for Numba's method: the values, or else the defaults, of all options in their order."""
    defaults: dict[type, dict[str, Any]] = {}

    def values(self: Any) -> dict[str, Any]:
        if not is_known(own, KNOWN):
            return own(self)
        kind = type(self)
        if kind not in defaults:
            defaults[kind] = {name: option.default for name, option in kind.options.items()}
        return {**defaults[kind], **self._values}

    return values


put(targetconfig.TargetConfig, "values", at_once)
