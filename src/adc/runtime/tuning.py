"""How LLVM is told to vectorise: where rows are checked not to overlap, how remainders run, how wide vectors are.

The first two are switches of LLVM's own, for the whole process, and an unknown one may end the process: only versions
that were tried are told, and only while code of adc is compiled.

- A state `s` of which a trip of the outer loop reads `s[k]` and writes `s[k + 1]`: LLVM makes the check of the inner
  loop in front of the outer one, for the memory of all its trips, which does overlap, and then runs the loop that is
  not vectorised. At each row, two rows do not overlap (an LSTM takes 0.63 of the time).
- What is left behind the last whole vector is at most half a vector if vectors of half the width take their turn. LLVM
  lets them only behind many elements in a trip; rows of 14 are then mostly remainder (0.69 to 0.86).
- Processors that have vectors of 512 bits get 256 by default, where these once slowed the whole processor down. In a
  loop over a whole array the wide ones take 0.75 to 0.95 of the time; rows, in loops within loops within loops, may be
  too short for them (the LSTM took 1.3), and keep the default unless the function is `wide`.
- Of a loop over `p[i, 0]`, whose steps are as long as a row, LLVM supposes that a row has one element, vectorises it
  for that case and leaves all others scalar, unless the function is `strided` (points in the plane 0.27 of the time).
  Elsewhere the supposition is good: it holds for rows that LLVM does not know to be such.
- LLVM asks what each statement of a loop costs in vectors of each width, and makes the loop once more for what is left
  behind the last one. Of hundreds of statements that takes as long as all the rest of its work. In a function that is
  to go in `whole_vectors` the widest are taken, and what is left goes element by element.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import binding
from numba.core import cpu
from numba.core.compiler_lock import global_compiler_lock

__all__ = ["compiling", "compiling_now", "straight", "strided", "tuned", "whole_vectors", "wide"]

_TRIED = (20, 22)  # versions of LLVM
_SWITCHES = {"-hoist-runtime-checks=": ("false", "true"), "-epilogue-vectorization-minimum-VF=": ("2", "16")}
_OF_STRIDED = {"-enable-mem-access-versioning=": ("false", "true")}
_WIDTH = "-force-vector-width="  # 0 where LLVM is to choose
_WIDE = '"prefer-vector-width"="512"'
_SLOWED_DOWN = ("skylake-avx512", "cascadelake", "cooperlake")  # by wide vectors

DEEP = 3  # loops in each other

_depth = 0  # of `tuned` in `tuned`: a kernel is compiled while its caller is
_wide = False
_strided = False
_whole = False
_name = ""  # of the function that is being compiled
_straight = False  # whether no loop is in it


@contextmanager
def tuned(function: Callable[..., Any]) -> Iterator[None]:
    """Compile a function inside; it may be entered again for one that the function calls.

    >>> from numba import njit
    >>> def double(x):
    ...     return 2.0 * x
    >>> with tuned(double):
    ...     njit(double)(1.5)
    3.0
    """
    global _depth, _wide, _name, _straight
    with global_compiler_lock:
        if _depth == 0:
            _switch(_SWITCHES, 0)
        before, _depth, _wide = (_wide, _strided, _whole), _depth + 1, _has_long_rows(function)
        outer = _name, _straight
        _name, _straight = function.__qualname__, not _goes_back(function)
        _tell(hasattr(function, "strided"), hasattr(function, "whole_vectors"))
        try:
            yield
        finally:
            _depth, _wide = _depth - 1, before[0]
            _name, _straight = outer
            _tell(*before[1:])
            if _depth == 0:
                _switch(_SWITCHES, 1)


def compiling() -> bool:
    """Whether a function of adc's is being compiled."""
    return _depth > 0


def compiling_now(name: str) -> bool:
    """Whether the function of that name is the one of adc's that is being compiled."""
    return name == _name != ""


def straight(name: str) -> bool:
    """The same, and no loop is in it."""
    return _straight and compiling_now(name)


def wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """Say of a function that its rows are long: it is compiled with vectors as wide as the processor has them."""
    function.wide = True  # type: ignore[attr-defined]
    return function


def strided(function: Callable[..., Any]) -> Callable[..., Any]:
    """Say of a function that its loops step from row to row, not from element to element."""
    function.strided = True  # type: ignore[attr-defined]
    return function


def whole_vectors(function: Callable[..., Any]) -> Callable[..., Any]:
    """Say of a function that its loops are large, and go over float64 that lie one after another."""
    function.whole_vectors = True  # type: ignore[attr-defined]
    return function


def _tell(strided: bool, whole: bool) -> None:
    """Let LLVM compile a function of that kind, and those that are inlined into it."""
    global _strided, _whole
    if strided != _strided:
        _switch(_OF_STRIDED, 0 if strided else 1)
        _strided = strided
    if whole != _whole:
        _switch({_WIDTH: (str(_numbers_in_a_vector()), "0")}, 0 if whole else 1)
        _whole = whole


@functools.cache
def _numbers_in_a_vector() -> int:
    """How many float64 the widest vectors hold that are worth it on this processor."""
    features = binding.get_host_cpu_features()
    if features.get("avx512f") and _takes_wide():
        return 8
    return 4 if features.get("avx") else 2


@functools.cache
def _takes_wide() -> bool:
    return binding.get_host_cpu_name() not in _SLOWED_DOWN


def _has_long_rows(function: Callable[..., Any]) -> bool:
    return hasattr(function, "wide") or _depth_of_loops(function) < DEEP


def _switch(switches: dict[str, tuple[str, str]], to: int) -> None:
    if binding.llvm_version_info[0] in _TRIED:
        for switch, values in switches.items():
            binding.set_option("", switch + values[to])


def _depth_of_loops(function: Callable[..., Any]) -> int:
    """How many `for` stand in each other, as the byte code of a function has it."""
    loops = [(i.offset, i.argval) for i in dis.get_instructions(function) if i.opname == "FOR_ITER"]
    return max((sum(begin <= inner < end for begin, end in loops) for inner, _ in loops), default=0)


def _goes_back(function: Callable[..., Any]) -> bool:
    """Whether the byte code of a function has a jump to what lies before."""
    return any(
        i.opcode in dis.hasjrel + dis.hasjabs and i.argval <= i.offset for i in dis.get_instructions(function)
    )


def _marked(post_lowering: Callable[..., None]) -> Callable[..., None]:
    """Numba's last step with a module, which then marks its functions where wide vectors are wanted."""

    def run(self: Any, module: Any, library: Any) -> None:
        post_lowering(self, module, library)
        if _wide:
            for function in module.functions:
                if not function.is_declaration:
                    set.add(function.attributes, _WIDE)  # llvmlite lists the attributes without values only

    run.of_adc = True  # type: ignore[attr-defined]
    return run


if not hasattr(cpu.CPUContext.post_lowering, "of_adc") and _takes_wide():
    cpu.CPUContext.post_lowering = _marked(cpu.CPUContext.post_lowering)
