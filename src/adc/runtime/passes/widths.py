"""How many bytes a value takes is asked of LLVM once for each type.

Numba asks for every variable that it makes room for, by a module of one global that is printed and parsed: a twentieth
of the time that a gradient took to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import base

from adc.runtime.passes.known import put


def asked_once(own: Callable[[Any, Any], int]) -> Callable[[Any, Any], int]:
    """What stands for Numba's method: two types of one text are one type."""
    bytes_of: dict[tuple[Any, str], int] = {}

    def get_abi_sizeof(self: Any, ty: Any) -> int:
        key = (self.target_data, str(ty))
        if key not in bytes_of:
            bytes_of[key] = own(self, ty)
        return bytes_of[key]

    return get_abi_sizeof


put(base.BaseContext, "get_abi_sizeof", asked_once)
