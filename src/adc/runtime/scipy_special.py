"""Numba knows the functions of scipy.special: jitted code calls SciPy's own compiled kernels.

SciPy publishes its kernels as C functions (`scipy.special.cython_special`). Each is entered in LLVM's
symbol table under a name of ours, so that machine code on disk refers to it by name and holds no address of
this process; a module that was compiled with them imports this one. Importing this module again, or in
another process, enters the same names.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any, cast

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload
from scipy import special
from scipy.special import cython_special

__all__ = ["KERNELS"]

KERNELS: dict[str, tuple[str, ...]] = {}
"""From a function's name to the types of its parameters in C: "double", "long" or "Py_ssize_t"."""

_NUMBERS = ("double", "long", "Py_ssize_t")


def _signature(capsule: Any) -> str:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return bytes(name(capsule)).decode()


def _address(capsule: Any) -> int:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, _signature(capsule).encode()))


def _parameters(signature: str) -> tuple[str, ...] | None:
    """The parameters of a kernel from numbers to one double; None for kernels of another form.

    >>> _parameters("double (long, double, int __pyx_skip_dispatch)")
    ('long', 'double')
    """
    result, _, rest = signature.partition(" (")
    *kinds, last = [part.strip() for part in rest.rstrip(")").split(",")]
    if result != "double" or last != "int __pyx_skip_dispatch" or any(kind not in _NUMBERS for kind in kinds):
        return None
    return tuple(kinds)


def _public_name(entry: str) -> str:
    """`__pyx_fuse_1_1eval_legendre` is one of the kernels of `eval_legendre`."""
    if not entry.startswith("__pyx_fuse_"):
        return entry
    return entry.removeprefix("__pyx_fuse_").lstrip("0123456789_")


def _kernels() -> dict[str, tuple[Any, tuple[str, ...]]]:
    """For each function, the kernel that takes the most doubles."""
    found: dict[str, tuple[Any, tuple[str, ...]]] = {}
    for entry, capsule in cython_special.__pyx_capi__.items():
        parameters = _parameters(_signature(capsule))
        name = _public_name(entry)
        if parameters is None or not isinstance(getattr(special, name, None), np.ufunc):
            continue
        if name not in found or parameters.count("double") > found[name][1].count("double"):
            found[name] = (capsule, parameters)
    return found


def _caller(symbol: str, parameters: tuple[str, ...]) -> Callable[..., Any]:
    """An intrinsic that calls a kernel with doubles and integers."""

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def call(typing_context: Any, arguments: Any) -> Any:
        wanted = [types.float64 if kind == "double" else types.int64 for kind in parameters]

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            parts = [
                context.cast(builder, value, source, target)
                for value, source, target in zip(
                    cgutils.unpack_tuple(builder, values[0]), arguments.types, wanted, strict=True
                )
            ]
            double, whole, flag = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
            kind = ir.FunctionType(double, [*(double if k == "double" else whole for k in parameters), flag])
            function = cgutils.get_or_insert_function(builder.module, kind, symbol)
            return builder.call(function, [*parts, flag(0)])

        return types.float64(arguments), generate

    return cast("Callable[..., Any]", call)


def _typed(name: str, symbol: str, parameters: tuple[str, ...]) -> Callable[..., Any]:
    """The overload of a function: scalars only, float32 if all floats are (as SciPy's ufuncs have it)."""
    caller = _caller(symbol, parameters)

    def choose(*arguments: Any) -> Any:
        if len(arguments) != len(parameters) or not all(
            isinstance(a, (types.Float, types.Integer, types.Boolean)) for a in arguments
        ):
            return None
        single = any(a is types.float32 for a in arguments) and not any(a is types.float64 for a in arguments)
        return _bodies(caller, len(parameters))[int(single)]

    choose.__name__ = name
    return _with_arity(choose, len(parameters))


def _bodies(caller: Any, arity: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A plain function that calls the kernel, and one that rounds to float32."""
    single = np.float32
    if arity == 1:
        return (lambda a: caller((a,))), (lambda a: single(caller((a,))))
    if arity == 2:
        return (lambda a, b: caller((a, b))), (lambda a, b: single(caller((a, b))))
    if arity == 3:
        return (lambda a, b, c: caller((a, b, c))), (lambda a, b, c: single(caller((a, b, c))))
    return (lambda a, b, c, d: caller((a, b, c, d))), (lambda a, b, c, d: single(caller((a, b, c, d))))


def _with_arity(choose: Callable[..., Any], arity: int) -> Callable[..., Any]:
    """Numba reads the parameters of an overload from its signature."""
    forms: tuple[Callable[..., Any], ...] = (
        lambda a: choose(a),
        lambda a, b: choose(a, b),
        lambda a, b, c: choose(a, b, c),
        lambda a, b, c, d: choose(a, b, c, d),
    )
    return forms[arity - 1]


def _register() -> None:
    for name, (capsule, parameters) in _kernels().items():
        if not 1 <= len(parameters) <= 4:
            continue
        symbol = f"adc_scipy_special_{name}"
        llvmlite.binding.add_symbol(symbol, _address(capsule))
        KERNELS[name] = parameters
        overload(getattr(special, name))(_typed(name, symbol, parameters))


_register()


@overload(special.zeta)
def _zeta(x: Any, q: Any) -> Any:
    """Hurwitz's zeta function for x > 1 and q > 0, by Euler-Maclaurin summation (as in Cephes)."""
    if not all(isinstance(a, (types.Float, types.Integer)) for a in (x, q)):
        return None

    def zeta(x: Any, q: Any) -> Any:
        if x <= 1.0 or q <= 0.0:
            return math.inf if x == 1.0 or q == math.floor(q) else math.nan
        total = 0.0
        n = 0
        while q + n < 12.0 or n < 9:
            total += (q + n) ** -x
            n += 1
        w = q + n
        power = w**-x
        total += power * w / (x - 1.0) + 0.5 * power
        # Bernoulli numbers over factorials: B_2k / (2k)!
        term = x * power / w
        total += term / 12.0
        term *= (x + 1.0) * (x + 2.0) / (w * w)
        total -= term / 720.0
        term *= (x + 3.0) * (x + 4.0) / (w * w)
        total += term / 30240.0
        term *= (x + 5.0) * (x + 6.0) / (w * w)
        total -= term / 1209600.0
        term *= (x + 7.0) * (x + 8.0) / (w * w)
        total += term / 47900160.0
        term *= (x + 9.0) * (x + 10.0) / (w * w)
        total -= term * 691.0 / 1307674368000.0
        term *= (x + 11.0) * (x + 12.0) / (w * w)
        return total + term / 74724249600.0

    return zeta


@overload(special.polygamma)
def _polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, through Hurwitz's zeta function (of positive x)."""

    def polygamma(n: Any, x: Any) -> Any:
        if n == 0:
            return special.psi(x)
        sign = 1.0 if n % 2 == 1 else -1.0
        return sign * math.gamma(n + 1.0) * special.zeta(n + 1.0, x)

    return polygamma
