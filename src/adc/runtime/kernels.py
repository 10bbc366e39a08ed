"""The inner loops of generated code, as functions whose arrays are known not to overlap what they write.

LLVM checks at run time that arrays do not overlap before it runs a vectorised loop, and gives up beyond a handful of
arrays. A kernel writes only to arrays that generated code has just allocated, so the check is needless. Numba has the
flag for it, but no public name.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numba
from numba.core import cpu
from numba.core import options as known_options

from adc.runtime.apart import apart


def options() -> dict[str, Any]:
    """What kernels are compiled with; `noalias` only where this version of Numba can be told."""
    common = {"cache": True, "error_model": "numpy", "nogil": True}
    mapping = getattr(known_options, "_mapping", None)
    if mapping is None:
        return common
    if not hasattr(cpu.CPUTargetOptions, "noalias"):
        cpu.CPUTargetOptions.noalias = mapping("noalias")
    return {**common, "noalias": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a loop of generated code, to be called by address. What it writes must not overlap other arguments."""
    return apart(**_options_of(function))(function)


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a short loop deep inside others, which its caller takes in: a call would cost more than its trips."""
    return numba.njit(**_options_of(function))(function)


def section(function: Callable[..., Any]) -> Any:
    """Compile a part of a large function, to be called by address. Its arguments may overlap."""
    return apart(**{k: v for k, v in _options_of(function).items() if k != "noalias"})(function)


def _options_of(function: Callable[..., Any]) -> dict[str, Any]:
    if os.path.exists(function.__code__.co_filename):
        return options()
    return {**options(), "cache": False}  # typed at a prompt: there is no file to keep it beside
