"""Functions that stay where they are: jitted code calls them by address, and does not take them in.

Numba copies a jitted function into the machine code of each of its callers, and LLVM optimises it there again: a
Fourier transform cost seconds in every function that called it. The address of a function that stays apart lies in a
slot, which is entered in LLVM's symbol table under a name of ours, so that machine code on disk holds no address. The
slot is empty until the first call: that compiles the function, or finds it on disk.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numba
from llvmlite import ir
from numba.core import cgutils, sigutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from adc.runtime.kernels import options

__all__ = ["apart"]

_kept: list[Any] = []  # what machine code holds addresses of


def apart(signature: str) -> Callable[[Callable[..., Any]], Any]:
    """A kernel that jitted code, and nothing else, calls with one tuple: `function((a, b))`.

    The signature is Numba's, as in `"void(float64[::1], int64)"`.
    """
    arguments, result = sigutils.normalize_signature(signature)

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**options(), no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
        slot = ctypes.c_void_p()

        def fill() -> None:
            dispatcher.compile(arguments)
            compiled = dispatcher.overloads[arguments]
            slot.value = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)

        filling = ctypes.CFUNCTYPE(None)(fill)
        _kept.append((slot, filling))
        name = f"{function.__module__}.{function.__name__}"
        llvmlite.binding.add_symbol(name, ctypes.addressof(slot))
        llvmlite.binding.add_symbol(f"{name}_fill", ctypes.cast(filling, ctypes.c_void_p).value)
        return _call(name, arguments, result)

    return decorate


def _call(name: str, arguments: tuple[Any, ...], result: Any) -> Any:
    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def call(typing_context: Any, values: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
            slot = _slot(builder.module, name)
            with builder.if_then(cgutils.is_null(builder, builder.load(slot)), likely=False):
                fill = ir.FunctionType(ir.VoidType(), [])
                builder.call(cgutils.get_or_insert_function(builder.module, fill, f"{name}_fill"), [])
                with builder.if_then(cgutils.is_null(builder, builder.load(slot)), likely=False):
                    why = (f"{name} could not be compiled",)
                    context.call_conv.return_user_exc(builder, RuntimeError, why)
            kind = context.call_conv.get_function_type(result, arguments).as_pointer()
            function = builder.bitcast(builder.load(slot), kind)
            passed = [
                context.cast(builder, value, kind, wanted)
                for value, kind, wanted in zip(
                    cgutils.unpack_tuple(builder, given[0]), values.types, arguments, strict=True
                )
            ]
            status, value = context.call_conv.call_function(builder, function, result, arguments, passed)
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return value

        taken = len(values) == len(arguments) and all(
            typing_context.can_convert(kind, wanted) is not None
            for kind, wanted in zip(values.types, arguments, strict=True)
        )
        if not taken:
            raise TypingError(f"{name} takes {arguments}, not {values.types}")
        return result(values), generate

    return call


def _slot(module: Any, name: str) -> Any:
    if name in module.globals:
        return module.get_global(name)
    slot = ir.GlobalVariable(module, ir.IntType(8).as_pointer(), name)
    slot.linkage = "external"
    return slot
