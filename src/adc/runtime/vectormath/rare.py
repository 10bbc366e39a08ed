"""A scalar library call that a vector loop makes only for lanes that need it.

A kernel that is right on all but a few inputs ends with

    return library_sin(magnitude(x) > LIMIT, x, y)

which is sin(x) from the C library where the condition holds and y elsewhere, and the loop around it still
vectorises: the call names vector variants of its function (the "vector-function-abi-variant" attribute),
which are defined here in the same module. A variant tests whether any lane asks, returns y at once if none
does, and otherwise calls the library lane by lane. The price in the usual case is one call and one
predicted branch per vector.

Where LLVM picks a width without a variant it calls the scalar function for each lane, which tests before it
does anything: slower, never wrong.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

Code = tuple[Any, Any]

SCIPY_FLAG = ir.IntType(32)(0)  # which SciPy's kernels take behind their numbers


@dataclass(frozen=True)
class _Lanes:
    """What numbers a function takes, the integers of their width that say which lanes ask, and the vectors of them."""

    number: Any
    flag: Any
    widths: tuple[int, ...]


_DOUBLES = _Lanes(ir.DoubleType(), ir.IntType(64), (2, 4, 8))
_SINGLES = _Lanes(ir.FloatType(), ir.IntType(32), (4, 8, 16))


def library_function(symbol: str, single: bool = False) -> Callable[[bool, float, float], float]:
    """An intrinsic (rare, x, otherwise): the C library's `symbol` of x if `rare`, else `otherwise`."""

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def call_library(typing_context: Any, rare: Any, x: Any, otherwise: Any) -> Code:
        number = types.float32 if single else types.float64
        return number(types.boolean, number, number), _emitter(symbol, _SINGLES if single else _DOUBLES)

    function: Callable[[bool, float, float], float] = call_library
    return function


def library_function_of_two(symbol: str) -> Callable[[bool, float, float, float], float]:
    """The same for a function of two arguments: (rare, x, y, otherwise)."""

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def call_library(typing_context: Any, rare: Any, x: Any, y: Any, otherwise: Any) -> Code:
        double = types.float64
        return double(types.boolean, double, double, double), _emitter(symbol, _DOUBLES)

    function: Callable[[bool, float, float, float], float] = call_library
    return function


def scipy_function(name: str) -> Callable[[bool, float, float], float]:
    """An intrinsic (rare, x, otherwise): the function of scipy.special for `rare`, else `otherwise`."""
    symbol = f"adc_scipy_special_{name}"
    _named(symbol, name)

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def call_scipy(typing_context: Any, rare: Any, x: Any, otherwise: Any) -> Code:
        double = types.float64
        return double(types.boolean, double, double), _emitter(symbol, _DOUBLES, (SCIPY_FLAG,))

    function: Callable[[bool, float, float], float] = call_scipy
    return function


def _named(symbol: str, name: str) -> None:
    """Give a kernel of SciPy's a name in machine code, also in a process that has not loaded SciPy.

    There it is a call of Python's function, which loads it. adc.runtime.scipy_special names the kernel itself.
    """
    if binding.address_of_symbol(symbol) is not None:
        return

    def evaluate(x: float, flag: int) -> float:
        return float(getattr(importlib.import_module("scipy.special"), name)(x))

    callback = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_int)(evaluate)
    _CALLBACKS.append(callback)
    binding.add_symbol(symbol, ctypes.cast(callback, ctypes.c_void_p).value)


_CALLBACKS: list[Any] = []  # of which machine code holds the address


class _Attributes(ir.values.AttributeSet):  # type: ignore[misc, unused-ignore]
    """Call attributes as LLVM spells them: llvmlite's own set refuses names that it does not list."""

    def add(self, name: str) -> None:
        set.add(self, name)


def _emitter(symbol: str, lanes: _Lanes, flags: tuple[Any, ...] = ()) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rare, *values = arguments
        scalar, attribute = _variants(builder.module, symbol, lanes, len(values) - 1, flags)
        # A whole word of ones for true: on vectors that is the form a comparison leaves anyway.
        call = builder.call(scalar, [*values, builder.sext(rare, lanes.flag)])
        call.attributes = _Attributes([attribute])
        return call

    return emit


def _variants(module: Any, symbol: str, lanes: _Lanes, arity: int, flags: tuple[Any, ...]) -> tuple[Any, str]:
    """The scalar function in `module`, made with its variants if it is not there, and the attribute."""
    name = f"adc_rare_{symbol}"
    parameters = "v" * (arity + 2)
    attribute = ",".join(f"_ZGV_LLVM_N{width}{parameters}_{name}({name}_{width})" for width in lanes.widths)
    scalar = module.globals.get(name)
    if scalar is None:
        scalar = _scalar(module, symbol, name, lanes, arity, flags)
        vectors = [_vector(module, scalar, f"{name}_{width}", lanes, width, arity) for width in lanes.widths]
        _keep(module, vectors)
    return scalar, f'"vector-function-abi-variant"="{attribute}"'


def _scalar(module: Any, symbol: str, name: str, lanes: _Lanes, arity: int, flags: tuple[Any, ...]) -> Any:
    number = lanes.number
    library_type = ir.FunctionType(number, [number] * arity + [flag.type for flag in flags])
    library = module.globals.get(symbol) or ir.Function(module, library_type, symbol)
    function = _function(module, ir.FunctionType(number, [number] * (arity + 1) + [lanes.flag]), name)
    *arguments, otherwise, rare = function.args
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    slow, done = function.append_basic_block("slow"), function.append_basic_block("done")
    builder.cbranch(builder.icmp_signed("!=", rare, lanes.flag(0)), slow, done)
    builder.position_at_end(done)
    builder.ret(otherwise)
    builder.position_at_end(slow)
    builder.ret(builder.call(library, [*arguments, *flags]))
    return function


def _vector(module: Any, scalar: Any, name: str, lanes: _Lanes, width: int, arity: int) -> Any:
    vector, flags = ir.VectorType(lanes.number, width), ir.VectorType(lanes.flag, width)
    function = _function(module, ir.FunctionType(vector, [vector] * (arity + 1) + [flags]), name)
    rare, otherwise = function.args[-1], function.args[-2]
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    slow, done = function.append_basic_block("slow"), function.append_basic_block("done")
    packed = ir.IntType(width)
    on = builder.icmp_signed("!=", rare, ir.Constant(flags, [0] * width))
    builder.cbranch(builder.icmp_unsigned("!=", builder.bitcast(on, packed), packed(0)), slow, done)
    builder.position_at_end(done)
    builder.ret(otherwise)
    builder.position_at_end(slow)
    result = otherwise
    for lane in range(width):
        at = ir.IntType(32)(lane)
        value = builder.call(scalar, [builder.extract_element(argument, at) for argument in function.args])
        result = builder.insert_element(result, value, at)
    builder.ret(result)
    return function


def _function(module: Any, signature: Any, name: str) -> Any:
    function = ir.Function(module, signature, name)
    # Every module that uses it carries it, so that code from Numba's disk cache is complete; the linker
    # keeps one.
    function.linkage = "linkonce_odr"
    for attribute in ("noinline", "nounwind", "readnone"):
        function.attributes.add(attribute)
    return function


def _keep(module: Any, functions: list[Any]) -> None:
    """Keep functions that nothing calls yet until the vectoriser has run."""
    pointer = ir.IntType(8).as_pointer()
    earlier = module.globals.get("llvm.compiler.used")
    kept = list(earlier.initializer.constant) if earlier is not None else []
    kept += [function.bitcast(pointer) for function in functions]
    if earlier is not None:
        del module.globals["llvm.compiler.used"]
    array = ir.ArrayType(pointer, len(kept))
    used = ir.GlobalVariable(module, array, "llvm.compiler.used")
    used.linkage = "appending"
    used.section = "llvm.metadata"
    used.initializer = ir.Constant(array, kept)
