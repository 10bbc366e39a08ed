"""A function of adc's that has just been lowered is tidied, and optimised once: with all that it calls.

Numba runs all of LLVM's passes over each function as soon as it is lowered, and again over the module when what it
calls is linked in. What the first run does beyond three passes (variables in registers, branches, instructions) is
done by the second; it was a sixth of the time that the gradient of a function of a hundred lines took to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import binding
from numba.core import codegen, config

from adc.runtime import tuning
from adc.runtime.passes.known import is_known, put

# The texts of Numba's method that this one is known to stand for: that of 0.65 and 0.68.
KNOWN = frozenset({"e006d96632459d8c18d95d50b5e6d251cb0e759e84c65d03f51ec3e33fee85f5"})


def three(own: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
    """What stands for Numba's method: the passes over one function, and who has built them."""

    def _function_pass_manager(self: Any, **options: Any) -> tuple[Any, Any]:
        if not tuning.compiling() or not is_known(own, KNOWN):
            return own(self, **options)
        manager = binding.create_new_function_pass_manager()
        manager.add_sroa_pass()
        manager.add_simplify_cfg_pass()
        manager.add_instruction_combine_pass()
        if config.LLVM_REFPRUNE_PASS:
            manager.add_refprune_pass(codegen._parse_refprune_flags())
        return manager, self._pass_builder(**options)

    return _function_pass_manager


put(codegen.CPUCodegen, "_function_pass_manager", three)
