"""The inner loops of generated code, as functions whose arrays are known not to overlap what they write.

LLVM checks at run time that arrays do not overlap before it runs a vectorised loop, and gives up beyond a handful of
arrays. A kernel writes only to arrays that generated code has just allocated, so the check is needless. Numba has the
flag for it, but no public name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from llvmlite import binding
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


def _options_of(function: Callable[..., Any]) -> dict[str, Any]:
    if os.path.exists(function.__code__.co_filename):
        return options()
    return {**options(), "cache": False}  # typed at a prompt: there is no file to keep it beside


@contextmanager
def rows_checked_apart() -> Iterator[None]:
    """Let what is compiled inside check at each row, and not for all rows at once, that two rows do not overlap.

    A state `s` of which a trip of the outer loop reads `s[k]` and writes `s[k + 1]`: LLVM makes the check of the inner
    loop in front of the outer one, for the memory of all its trips, which does overlap, and then runs the loop that is
    not vectorised (the LSTM took 1.29 ms in place of 0.79). The switch is one of LLVM's own, for the whole process, and
    an unknown one would end the process: only versions that were tried are told.
    """
    known = binding.llvm_version_info[0] == 20
    if known:
        binding.set_option("", "-hoist-runtime-checks=false")
    try:
        yield
    finally:
        if known:
            binding.set_option("", "-hoist-runtime-checks=true")
