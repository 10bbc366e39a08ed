"""The inner loops of generated code, as functions whose arrays are known not to overlap what they write.

LLVM checks at run time that arrays do not overlap before it runs a vectorised loop, and gives up beyond a handful of
arrays. A kernel writes only to arrays that generated code has just allocated, so the check is needless. Numba has the
flag for it, but no public name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import cpu, options


def _options() -> dict[str, Any]:
    """What kernels are compiled with; `noalias` only where this version of Numba can be told."""
    common = {"cache": True, "error_model": "numpy", "nogil": True}
    mapping = getattr(options, "_mapping", None)
    if mapping is None:
        return common
    if not hasattr(cpu.CPUTargetOptions, "noalias"):
        cpu.CPUTargetOptions.noalias = mapping("noalias")
    return {**common, "noalias": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop of generated code. The arrays that it writes must not overlap any other of its arguments."""
    return numba.njit(**_options())(function)
