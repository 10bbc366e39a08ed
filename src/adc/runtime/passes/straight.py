"""A long function that only calls others is not optimised as a loop is: what it does itself takes no time.

    n = x.shape[0]
    y = rt.empty(n)
    loss_grad_loop(n, x, y)
    for k in range(3):
        loss_grad_loop_2(n, k, x, y)
    ...                            # hundreds of lines

What it costs to run are the functions that it calls, which have machine code of their own. LLVM took as long for it as
for all of them together, most of that to choose registers. Such a function gets the lowest level of LLVM's passes and
the choice of registers that takes no time. Whether it is one its own instructions say, with all that was taken in:
each trip of a loop in it calls a function, and a number in it is computed for every few calls at most.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from typing import Any

from llvmlite import binding
from numba.core import codegen, config

from adc.runtime import tuning
from adc.runtime.passes.known import is_known, put

__all__ = ["only_calls"]

# The texts of Numba's methods that these are known to stand for: those of 0.65 and 0.68.
OPTIMISED = frozenset({"e405bd473752613ba43e3becff2b625a039c11f111dff9498ac9bfd215e74846"})
FINISHED = frozenset({"95bbf4fcbb90ed9904c2ec85158b65a3dff8fab80d1d8af31c25b6885d5a1a5b"})

LONG = 2000  # lines of LLVM's text, from which on a tenth of a second is at stake

_BLOCK = re.compile(r'^("[^"]*"|[-\w.$]+):', re.MULTILINE)
_TARGET = re.compile(r'label %("[^"]*"|[-\w.$]+)')
_ARITHMETIC = re.compile(r" = f(?:add|sub|mul|div|rem|neg|cmp) | (?:call|invoke) [^@\n]*double @")
_BY_ADDRESS = re.compile(r"  %\S+ = call i32 %")  # of a function that is not taken in
_CALL = re.compile(r"^  (?:%\S+ = )?(?:tail )?call ", re.MULTILINE)


def only_calls(text: str) -> bool:
    """Whether all that a module's functions, in LLVM's text, do again and again are calls, and few compute anything.

    >>> only_calls("define i32 @f() {\\nentry:\\n  %0 = call i32 %g()\\n  ret i32 %0\\n}")
    True
    >>> only_calls("define void @f() {\\nentry:\\n  br label %loop\\nloop:\\n  br label %loop\\n}")
    False
    >>> only_calls("define void @f() {\\nentry:\\n  br label %a\\na:\\n  %0 = call i32 %g()\\n  br label %a\\n}")
    True
    """
    if len(_ARITHMETIC.findall(text)) * 10 > len(_CALL.findall(text)):
        return False
    return not any(map(_goes_back, text.split("\ndefine ")[1:] or [text]))


def _goes_back(function: str) -> bool:
    """Whether a way through its blocks leads back to where it began, and calls no function on it."""
    block, targets, calling = "", {"": set[str]()}, set[str]()
    for line in function.split("\n"):
        begins = _BLOCK.match(line)
        if begins:
            block = begins[1]
            targets[block] = set()
        elif "label %" in line:
            targets[block].update(_TARGET.findall(line))
        elif _BY_ADDRESS.match(line):
            calling.add(block)
    for block in calling:
        targets[block].clear()
    try:
        TopologicalSorter(targets).prepare()
    except CycleError:
        return True
    return False


def optimising(own: Callable[[Any], None]) -> Callable[[Any], None]:
    """What stands for Numba's method: the passes over the module of a function, with all that it takes in."""

    def _optimize_final_module(self: Any) -> None:
        if not (config.LLVM_REFPRUNE_PASS and tuning.compiling_now(self.name) and is_known(own, OPTIMISED)):
            own(self)
            return
        make = self._codegen._module_pass_manager
        passes, builder = make(loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap")
        passes.run(self._final_module, builder)
        text = str(self._final_module)
        self.straight = text.count("\n") > LONG and only_calls(text)
        passes, builder = make(opt=1) if self.straight else make()
        passes.run(self._final_module, builder)

    return _optimize_final_module


def finishing(own: Callable[[Any], None]) -> Callable[[Any], None]:
    """What stands for Numba's method: machine code is made of a module."""

    def _finalize_final_module(self: Any) -> None:
        if not (
            getattr(self, "straight", False) and self._object_caching_enabled and is_known(own, FINISHED)
        ):
            own(self)
            return
        made = _fast_machine(self._codegen).emit_object(self._final_module)
        self._compiled_object = made  # as if it were from disk: it is taken from there, and then forgotten
        own(self)
        self._compiled, self._compiled_object = True, made

    _finalize_final_module.__wrapped__ = own  # type: ignore[attr-defined]
    return _finalize_final_module


@functools.cache
def _fast_machine(of: Any) -> Any:
    """What writes machine code for the processor of Numba's code generator, and does not take long."""
    options: dict[str, Any] = {"opt": 0}
    of._customize_tm_options(options)
    return binding.Target.from_triple(binding.get_process_triple()).create_target_machine(**options)


put(codegen.CPUCodeLibrary, "_optimize_final_module", optimising)
put(codegen.CPUCodeLibrary, "_finalize_final_module", finishing)
