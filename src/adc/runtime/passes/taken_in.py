"""A function that its callers take in gets no machine code of its own.

Numba makes machine code of each function as soon as it is compiled, and asks where in memory that Python may call it
lies, also where nothing for Python has been made. Its callers have a copy of what it is in LLVM's language. So the
machine code waits here until somebody asks for an address in it, or for the code itself, to keep it on disk.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from typing import Any

from numba import _dynfunc
from numba.core import codegen, cpu
from numba.core.compiler_lock import global_compiler_lock

from adc.runtime import tuning
from adc.runtime.passes import straight
from adc.runtime.passes.known import is_known, put

# The texts of Numba's methods that these are known to stand for, or to go before: those of 0.65 and 0.68. One of these
# alone would not do.
_KNOWN = {
    codegen.CPUCodeLibrary._finalize_final_module: straight.FINISHED,
    codegen.JITCodeLibrary.get_pointer_to_function: frozenset(
        {"1bce3f385d25b31c91fff96be087f55e7ec446d816d2df9f68bac48db840858e"}
    ),
    codegen.CodeLibrary._get_compiled_object: frozenset(
        {"13a61024bb35cbb6effe76c6a9182d60a64dfde475f80cb95c199a7f94a212f1"}
    ),
    cpu.CPUContext.get_executable: frozenset(
        {"3892c8a654a2ca69d9c478cf9bbcfd4e42b1e21c02a3f7980fc52b8397a1b0f0"}
    ),
}


@functools.cache
def _all_are_known() -> bool:
    return all(is_known(own, hashes) for own, hashes in _KNOWN.items())


def waiting(own: Callable[[Any], None]) -> Callable[[Any], None]:
    """What stands for Numba's method that makes machine code: it waits, but for what has come from disk."""

    def _finalize_final_module(self: Any) -> None:
        if self._shared_module is not None or not (tuning.compiling() and _all_are_known()):
            own(self)
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
        self.waits = own

    return _finalize_final_module


def with_machine_code(own: Callable[..., Any]) -> Callable[..., Any]:
    """What goes before a method of Numba's that reads the machine code of a library."""

    def read(self: Any, *arguments: Any) -> Any:
        _make(self)
        return own(self, *arguments)

    return read


def _make(library: Any) -> None:
    """The machine code of what waits, which then knows the environments of all that it has taken in."""
    with global_compiler_lock:
        own = vars(library).pop("waits", None)
        if own is None:
            return
        own(library)
        for name, environment in _environments(library, set()):
            address = library.codegen._engine.get_global_value_address(name)
            if address:
                ctypes.c_void_p.from_address(address).value = id(environment)


def _environments(library: Any, seen: set[Any]) -> Iterator[tuple[str, Any]]:
    """Under which names the functions that wait, of all that a library has taken in, look for constants of Python's."""
    for linked in library._linking_libraries:
        if linked not in seen:
            seen.add(linked)
            if "environment" in vars(linked):
                yield linked.environment
            yield from _environments(linked, seen)


def not_for_python(own: Callable[..., Any]) -> Callable[..., Any]:
    """What stands for Numba's method that makes a function that Python may call: there may be no code for it."""

    def get_executable(self: Any, library: Any, described: Any, environment: Any) -> Any:
        library._ensure_finalized()
        if "waits" not in vars(library) or _has(library, described.llvm_cpython_wrapper_name):
            return own(self, library, described, environment)
        library.environment = self.get_env_name(described), environment
        name = described.qualname.split(".")[-1]
        return _dynfunc.make_function(described.lookup_module(), name, "", 0, environment, (library,))

    return get_executable


def _has(library: Any, name: str) -> bool:
    try:
        library.get_function(name)
    except NameError:
        return False
    return True


put(codegen.CPUCodeLibrary, "_finalize_final_module", waiting)
put(codegen.JITCodeLibrary, "get_pointer_to_function", with_machine_code)
put(codegen.CodeLibrary, "_get_compiled_object", with_machine_code)
put(cpu.CPUContext, "get_executable", not_for_python)
