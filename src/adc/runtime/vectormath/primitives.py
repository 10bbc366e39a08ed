"""The instructions that the kernels are written in: bit casts, selects, fused products, polynomials.

Each is a Numba intrinsic that becomes one LLVM instruction or a few, never a branch and never a call, so a
loop around a kernel stays a single block and the loop vectoriser takes it. They exist inside jitted code
only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

Code = tuple[Any, Any]

_INTEGER_OF = {types.float64: types.int64, types.float32: types.int32}
_FLOAT_OF = {integer: real for real, integer in _INTEGER_OF.items()}


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _bits(typing_context: Any, x: Any) -> Code:
    """The bit pattern of a float as a signed integer of the same width."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return _INTEGER_OF[x](x), emit


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _from_bits(typing_context: Any, i: Any) -> Code:
    """The float whose bit pattern is the integer `i`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))

    return _FLOAT_OF[i](i), emit


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _select(typing_context: Any, condition: Any, a: Any, b: Any) -> Code:
    """`a` if `condition` else `b`, both evaluated: a blend, where Python's `if` would be a branch."""
    unified = typing_context.unify_types(a, b)

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        condition, a, b = arguments
        return builder.select(context.cast(builder, condition, signature.args[0], types.boolean), a, b)

    return unified(types.boolean, unified, unified), emit


def _llvm_float_intrinsic(name: str, arity: int) -> Any:
    """An intrinsic on `arity` equal floats that is the LLVM intrinsic `name`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(signature.return_type)
        declared = builder.module.declare_intrinsic(name, [kind], ir.FunctionType(kind, [kind] * arity))
        return builder.call(declared, arguments)

    if arity == 1:

        @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
        def unary(typing_context: Any, x: Any) -> Code:
            return x(x), emit

        return unary
    if arity == 2:

        @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
        def binary(typing_context: Any, x: Any, y: Any) -> Code:
            return x(x, x), emit

        return binary

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def ternary(typing_context: Any, x: Any, y: Any, z: Any) -> Code:
        return x(x, x, x), emit

    return ternary


# The backends for LLVM 15 abort the process on llvm.maximum; numba went from there straight to LLVM 20.
HAS_MAXIMUM = binding.llvm_version_info >= (20,)


def _extremum(name: str, predicate: str) -> Any:
    """llvm.maximum or llvm.minimum, or compares and selects where LLVM cannot compile them."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = arguments
        if HAS_MAXIMUM:
            declared = builder.module.declare_intrinsic(name, [a.type], ir.FunctionType(a.type, [a.type] * 2))
            return builder.call(declared, arguments)
        # A NaN makes the first compare false, so a NaN in b comes through there, one in a by the second
        # select.
        chosen = builder.select(builder.fcmp_ordered(predicate, a, b), a, b)
        return builder.select(builder.fcmp_unordered("uno", a, a), a, chosen)

    @intrinsic  # type: ignore[untyped-decorator, unused-ignore]
    def binary(typing_context: Any, x: Any, y: Any) -> Code:
        return x(x, x), emit

    return binary


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _polynomial(typing_context: Any, x: Any, coefficients: Any) -> Code:
    """sum(c * x**k) over a constant tuple; even and odd powers side by side when it is long."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, packed = arguments
        terms = [builder.extract_value(packed, k) for k in range(len(signature.args[1]))]
        if len(terms) < TWO_CHAINS:
            return _horner(builder, x, terms)
        square = builder.fmul(x, x)
        odd = _horner(builder, square, terms[1::2])
        return builder.fadd(builder.fmul(odd, x), _horner(builder, square, terms[::2]))

    return x(x, coefficients), emit


# From this many coefficients on, the latency of one Horner chain is longer than what out-of-order execution
# hides.
TWO_CHAINS = 8


def _horner(builder: Any, x: Any, terms: list[Any]) -> Any:
    total = terms[-1]
    for term in reversed(terms[:-1]):
        total = builder.fadd(builder.fmul(total, x), term)
    return total


# A flag list that is not empty keeps Numba from adding the kernel's flags: no contraction inside error-free
# steps.
_EXACT = ("nsz",)


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _two_sum(typing_context: Any, a: Any, b: Any) -> Code:
    """(s, e) with s = fl(a + b) and s + e = a + b exactly (Knuth)."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = arguments
        s = builder.fadd(a, b, flags=_EXACT)
        b_part = builder.fsub(s, a, flags=_EXACT)
        a_part = builder.fsub(s, b_part, flags=_EXACT)
        b_lost = builder.fsub(b, b_part, flags=_EXACT)
        a_lost = builder.fsub(a, a_part, flags=_EXACT)
        e = builder.fadd(a_lost, b_lost, flags=_EXACT)
        return context.make_tuple(builder, signature.return_type, (s, e))

    return types.UniTuple(a, 2)(a, a), emit


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _fast_two_sum(typing_context: Any, a: Any, b: Any) -> Code:
    """(s, e) with s = fl(a + b) and s + e = a + b exactly, for |a| >= |b| or a = 0 (Dekker)."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = arguments
        s = builder.fadd(a, b, flags=_EXACT)
        e = builder.fsub(b, builder.fsub(s, a, flags=_EXACT), flags=_EXACT)
        return context.make_tuple(builder, signature.return_type, (s, e))

    return types.UniTuple(a, 2)(a, a), emit


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def _two_product(typing_context: Any, a: Any, b: Any) -> Code:
    """(p, e) with p = fl(a * b) and p + e = a * b exactly."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = arguments
        kind = a.type
        fma = builder.module.declare_intrinsic("llvm.fma", [kind], ir.FunctionType(kind, [kind] * 3))
        p = builder.fmul(a, b, flags=_EXACT)
        e = builder.call(fma, [a, b, builder.fneg(p)])
        return context.make_tuple(builder, signature.return_type, (p, e))

    return types.UniTuple(a, 2)(a, a), emit


# What the kernels see: the same objects, with the types that they have inside jitted code.
Pair = tuple[float, float]

bits: Callable[[float], int] = _bits
from_bits: Callable[[int], float] = _from_bits
select: Callable[[bool, float, float], float] = _select
polynomial: Callable[[float, tuple[float, ...]], float] = _polynomial
two_sum: Callable[[float, float], Pair] = _two_sum
fast_two_sum: Callable[[float, float], Pair] = _fast_two_sum
two_product: Callable[[float, float], Pair] = _two_product

magnitude: Callable[[float], float] = _llvm_float_intrinsic("llvm.fabs", 1)
rounded: Callable[[float], float] = _llvm_float_intrinsic("llvm.rint", 1)
square_root: Callable[[float], float] = _llvm_float_intrinsic("llvm.sqrt", 1)
with_sign: Callable[[float, float], float] = _llvm_float_intrinsic("llvm.copysign", 2)
# NaN if either is NaN: what np.maximum does, and from LLVM 20 on a form of reduction that is vectorised.
larger: Callable[[float, float], float] = _extremum("llvm.maximum", ">")
smaller: Callable[[float, float], float] = _extremum("llvm.minimum", "<")
# x * y + z, rounded once. Kernels whose error-free steps need it ask for it; elsewhere 'contract' fuses.
fused: Callable[[float, float, float], float] = _llvm_float_intrinsic("llvm.fma", 3)
