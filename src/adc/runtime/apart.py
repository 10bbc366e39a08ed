"""Functions that stay where they are: jitted code calls them by address, and does not take them in.

Numba copies a jitted function into the machine code of each of its callers, and LLVM optimises it there again: the
loops of a large gradient were compiled twice, and a Fourier transform cost seconds in every function that called it.
Here the caller holds a slot for each function and each tuple of argument types. In it lies the address of code that
names the function to Python, which compiles it, or finds it on disk, and puts its address there in place of its own.
So machine code on disk holds no address, and a call asks nothing.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import pickle
import traceback
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import llvmlite.binding
import numba
from llvmlite import ir
from numba.core import cgutils, sigutils, types
from numba.core.errors import TypingError
from numba.core.typing.templates import AbstractTemplate, signature
from numba.extending import lower_builtin, typeof_impl

from adc.runtime import calls
from adc.runtime.passes.lock_events import untold
from adc.runtime.tuning import tuned

__all__ = ["Apart", "apart"]

_RESOLVE = "adc_address_of"
_known: dict[str, Apart] = {}
_unliteral, _variadic = (getattr(types, name) for name in ("unliteral", "VarArg"))  # Numba's stubs lack them


class Apart:
    """A function as jitted code calls it, by address; Python calls it through such code."""

    def __init__(
        self,
        function: FunctionType,
        declared: str | None,
        flags: dict[str, Any],
        takes: Callable[[Any], Any] = tuple,
        returns: Callable[..., Any] | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self.__name__ = function.__name__
        self.function = function
        self.takes = takes
        self.returns = returns
        self.declared = None if declared is None else sigutils.normalize_signature(declared)
        self.name = f"{function.__module__}.{function.__qualname__} {_fingerprint(function)}"
        self._dispatcher = numba.njit(**flags, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
        self.type = types.Function(_template(self))
        _known[self.name] = self

    def __call__(self, *arguments: Any) -> Any:
        return self._caller(*arguments)

    @functools.cached_property
    def _caller(self) -> Any:
        return numba.njit(nogil=True)(lambda *arguments: self(*arguments))

    def compiled(self, arguments: tuple[Any, ...]) -> Any:
        """What Numba keeps of the function for arguments of these types."""
        with tuned(self.function):
            self._dispatcher.compile(arguments)
        made = self._dispatcher.overloads[arguments]
        if self.returns is not None and made.signature.return_type != self.returns(*arguments):
            raise TypingError(f"{self.__name__} returns {made.signature.return_type} for {arguments}")
        return made

    def call(self, context: Any, builder: Any, called: Any, values: Any) -> Any:
        """Emit a call by a caller that knows the argument types and the type of the result as `called`."""
        return calls.call(context, builder, self._address(context, builder, called), called, values)

    def place_of_result(self, context: Any, builder: Any, called: Any, values: Any) -> Any:
        """Emit such a call, and leave the result where it was written to, until the next one."""
        return calls.place_of_result(
            context, builder, self._address(context, builder, called), called, values
        )

    def _address(self, context: Any, builder: Any, called: Any) -> Any:
        """What lies in the slot of the function; before the first call, code that fills it."""
        module, name = builder.module, f"{self.name} of {called.args}"
        if name not in module.globals:
            kind = context.call_conv.get_function_type(called.return_type, called.args)
            slot = ir.GlobalVariable(module, kind.as_pointer(), name)
            slot.linkage = "internal"
            slot.initializer = self._filling(context, module, slot, called.args)
        return builder.load(module.get_global(name))

    def _filling(self, context: Any, module: Any, slot: Any, arguments: tuple[Any, ...]) -> Any:
        """What is called first in place of the function: it names it to Python, keeps its address, and calls it."""
        kind = slot.value_type
        filling = ir.Function(module, kind.pointee, f"filling {slot.name}")
        filling.linkage = "internal"
        filling.attributes.add("cold")
        filling.attributes.add("noinline")
        builder = ir.IRBuilder(filling.append_basic_block())
        told = pickle.dumps((self.name, arguments))
        text = cgutils.global_constant(module, "told", cgutils.make_bytearray(told))
        pointer, length = ir.IntType(8).as_pointer(), ir.IntType(64)
        resolve = cgutils.get_or_insert_function(
            module, ir.FunctionType(pointer, [pointer, length]), _RESOLVE
        )
        found = builder.call(resolve, [builder.bitcast(text, pointer), length(len(told))])
        with builder.if_then(cgutils.is_null(builder, found), likely=False):
            why = (f"{self.__name__} could not be compiled",)
            context.call_conv.return_user_exc(builder, RuntimeError, why)
        address = builder.bitcast(found, kind)
        builder.store(address, slot)
        builder.ret(builder.call(address, filling.args))
        return filling


def apart(
    declared: str | None = None,
    takes: Callable[[Any], Any] = tuple,
    returns: Callable[..., Any] | None = None,
    **flags: Any,
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, with Numba's `flags`, for jitted code that calls it by address.

    It is compiled for the types of the arguments that a call has, or only for the signature that is `declared`, as in
    `"float64(float64[::1], int64)"`: then arguments become of those types. `takes` says as what it takes arguments of
    some types, as arrays in any order of memory, where one function does for all of them. `returns` says of which type
    the result is, for arguments of some types: then it is compiled when it is first called, and not at all where no
    call comes to it; so are functions of which a signature is declared.

    >>> @apart(error_model="numpy")
    ... def halved(x):
    ...     return x / 2
    >>> numba.njit(lambda x: halved(x) + 1)(3)
    2.5
    """

    def decorate(function: Callable[..., Any]) -> Any:
        return Apart(function, declared, flags, takes, returns)  # type: ignore[arg-type]

    return decorate


def _fingerprint(function: FunctionType) -> str:
    """Tells functions of one name apart, and is the same in every process."""
    return hashlib.sha256(repr(_told(function.__code__)).encode()).hexdigest()[:16]


def _told(part: Any) -> Any:
    """What a code object, or a constant in one, says: neither where it lies in memory nor the order of a set."""
    if isinstance(part, CodeType):
        return part.co_code, [_told(c) for c in part.co_consts], part.co_names, part.co_varnames
    if isinstance(part, tuple):
        return [_told(p) for p in part]
    return sorted(map(repr, part)) if isinstance(part, frozenset) else part


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
def _resolve(told: int, length: int) -> int:
    """The address of a function, or zero where it cannot be compiled; why is printed."""
    try:
        name, arguments = pickle.loads(ctypes.string_at(told, length))
        with untold():
            compiled = _known[name].compiled(arguments)
            return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
    except Exception:
        # Not let out: what the caller got then would be whatever was in the register. It raises for a zero.
        traceback.print_exc()
        return 0


llvmlite.binding.add_symbol(_RESOLVE, ctypes.cast(_resolve, ctypes.c_void_p).value)


@typeof_impl.register(Apart)
def _typeof(value: Apart, context: Any) -> Any:
    return value.type


def _template(function: Apart) -> type:
    class Template(AbstractTemplate):  # type: ignore[misc,unused-ignore]
        key = function

        def generic(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
            if keywords:
                return None
            if function.declared is None:
                plain = function.takes(tuple(map(_unliteral, arguments)))
                if function.returns is not None:
                    return signature(function.returns(*plain), *plain)
                return signature(function.compiled(plain).signature.return_type, *plain)
            wanted, result = function.declared
            if len(arguments) != len(wanted) or None in map(self.context.can_convert, arguments, wanted):
                raise TypingError(f"{function.__name__} takes {wanted}, not {arguments}")
            return signature(result, *wanted)

    @lower_builtin(function, _variadic(types.Any))
    def _lower(context: Any, builder: Any, called: Any, values: Any) -> Any:
        return function.call(context, builder, called, values)

    return Template
