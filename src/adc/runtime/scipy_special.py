"""Numba knows the functions of scipy.special: jitted code calls SciPy's own compiled kernels.

SciPy publishes its kernels as C functions (`scipy.special.cython_special`). Each is entered in LLVM's
symbol table under a name of ours, so that machine code on disk refers to it by name and holds no address of
this process; a module that was compiled with them imports this one. Importing this module again, or in
another process, enters the same names.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable
from numba.np.numpy_support import as_dtype
from scipy import special
from scipy.special import cython_special

__all__ = ["KERNELS"]

COMPLEX = "__pyx_t_double_complex"
_DOUBLE, _WHOLE, _FLAG = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
# A complex number is passed and returned as two doubles in registers, on x86-64 and on ARM; Windows passes its address.
_KINDS = ("double", "long", "Py_ssize_t", *((COMPLEX,) if sys.platform != "win32" else ()))


@dataclass(frozen=True)
class Kernel:
    """The C form of a function: the kinds of its parameters, and of what it returns or writes to pointers."""

    parameters: tuple[str, ...]
    results: tuple[str, ...]
    returns: bool

    @property
    def is_complex(self) -> bool:
        """Whether it takes complex numbers."""
        return COMPLEX in self.parameters


KERNELS: dict[str, list[Kernel]] = {}
"""The kernels of each function: one, or one for real and one for complex numbers."""


def _signature(capsule: Any) -> str:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return bytes(name(capsule)).decode()


def _address(capsule: Any) -> int:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, _signature(capsule).encode()))


def _kernel(signature: str) -> Kernel | None:
    """The kernel that has a signature; None for one of another form.

    >>> _kernel("double (long, double, int __pyx_skip_dispatch)")
    Kernel(parameters=('long', 'double'), results=('double',), returns=True)
    >>> _kernel("void (double, double *, double *)")
    Kernel(parameters=('double',), results=('double', 'double'), returns=False)
    """
    result, _, rest = signature.partition(" (")
    parts = [part.strip() for part in rest.rstrip(")").split(",")]
    if result == "void":
        parameters = tuple(part for part in parts if not part.endswith("*"))
        results = tuple(part.rstrip(" *") for part in parts[len(parameters) :])
    elif parts.pop() == "int __pyx_skip_dispatch":
        parameters, results = tuple(parts), (result,)
    else:
        return None
    known = all(kind in _KINDS for kind in parameters) and set(results) in (
        {"double"},
        {COMPLEX} & set(_KINDS),
    )
    return Kernel(parameters, results, result != "void") if known else None


def _public_name(entry: str) -> str:
    """`__pyx_fuse_1_1eval_legendre` is one of the kernels of `eval_legendre`."""
    if not entry.startswith("__pyx_fuse_"):
        return entry
    return entry.removeprefix("__pyx_fuse_").lstrip("0123456789_")


def _kernels() -> dict[str, dict[bool, tuple[Any, Kernel]]]:
    """For each function, the kernel of real and that of complex numbers that takes the most doubles."""
    found: dict[str, dict[bool, tuple[Any, Kernel]]] = {}
    for entry, capsule in cython_special.__pyx_capi__.items():
        kernel = _kernel(_signature(capsule))
        name = _public_name(entry)
        if kernel is None or not isinstance(getattr(special, name, None), np.ufunc):
            continue
        kernels = found.setdefault(name, {})
        _, other = kernels.get(kernel.is_complex, (None, None))
        if other is None or kernel.parameters.count("double") > other.parameters.count("double"):
            kernels[kernel.is_complex] = capsule, kernel
    return found


_IN_C = {"double": _DOUBLE, COMPLEX: ir.LiteralStructType([_DOUBLE, _DOUBLE])}
_IN_NUMBA = {"double": types.float64, COMPLEX: types.complex128}
_SINGLE = {"double": types.float32, COMPLEX: types.complex64}


def _caller(symbol: str, kernel: Kernel, single: bool) -> Callable[..., Any]:
    """An intrinsic that calls a kernel with a tuple of numbers; of several results it makes a tuple."""

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def call(typing_context: Any, arguments: Any) -> Any:
        wanted = [_IN_NUMBA.get(kind, types.int64) for kind in kernel.parameters]
        computed = [_IN_NUMBA[kind] for kind in kernel.results]
        results = [_SINGLE[kind] for kind in kernel.results] if single else computed

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            given: list[Any] = []
            for value, source, target in zip(
                cgutils.unpack_tuple(builder, values[0]), arguments.types, wanted, strict=True
            ):
                number = context.cast(builder, value, source, target)
                is_pair = target is types.complex128
                given += cgutils.unpack_tuple(builder, number, 2) if is_pair else [number]
            places = [cgutils.alloca_once(builder, _IN_C[kind]) for kind in kernel.results]
            given += [_FLAG(0)] if kernel.returns else places
            returned = _IN_C[kernel.results[0]] if kernel.returns else ir.VoidType()
            form = ir.FunctionType(returned, [value.type for value in given])
            found = builder.call(cgutils.get_or_insert_function(builder.module, form, symbol), given)
            parts = [found] if kernel.returns else [builder.load(place) for place in places]
            rounded = [context.cast(builder, *of) for of in zip(parts, computed, results, strict=True)]
            if kernel.returns:
                return rounded[0]
            return context.make_tuple(builder, signature.return_type, rounded)

        result = results[0] if kernel.returns else types.Tuple(results)
        return result(arguments), generate

    return cast("Callable[..., Any]", call)


def _over_numbers(caller: Any) -> Callable[..., Any]:
    def numbers(*arguments: Any) -> Any:
        return caller(arguments)

    return numbers


def _over_an_array(caller: Any, count: int, dtype: Any) -> Callable[..., Any]:
    """Two or four results, for each element of an array."""

    @register_jitable  # type: ignore[untyped-decorator,unused-ignore]
    def rows(a: Any) -> Any:
        flat = a.ravel()
        found = np.empty((count, flat.size), dtype)
        for i in range(flat.size):
            values = caller((flat[i],))
            for k in range(count):
                found[k, i] = values[k]
        return found

    def two(*arguments: Any) -> Any:
        shape = arguments[0].shape
        found = rows(arguments[0])
        return found[0].reshape(shape), found[1].reshape(shape)

    def four(*arguments: Any) -> Any:
        shape = arguments[0].shape
        found = rows(arguments[0])
        return (
            found[0].reshape(shape),
            found[1].reshape(shape),
            found[2].reshape(shape),
            found[3].reshape(shape),
        )

    return {2: two, 4: four}[count]


def _over_two_arrays(caller: Any, count: int, dtype: Any) -> Callable[..., Any]:
    """Four results, for the elements of two arrays that belong together."""
    assert count == 4  # ellipj

    def pairs(*arguments: Any) -> Any:
        xs, ys = np.asarray(arguments[0]), np.asarray(arguments[1])
        shape = np.broadcast_shapes(xs.shape, ys.shape)
        left, right = np.broadcast_to(xs, shape).ravel(), np.broadcast_to(ys, shape).ravel()
        found = np.empty((count, left.size), dtype)
        for i in range(left.size):
            values = caller((left[i], right[i]))
            for k in range(count):
                found[k, i] = values[k]
        return (
            found[0].reshape(shape),
            found[1].reshape(shape),
            found[2].reshape(shape),
            found[3].reshape(shape),
        )

    return pairs


def _typed(name: str, forms: dict[bool, tuple[str, Kernel]]) -> Callable[..., Any]:
    """The overload of a function of numbers, and of an array where it has several results.

    In single precision if all floats are, as SciPy's ufuncs have it.
    """

    def choose(*arguments: Any) -> Any:
        kinds = [getattr(a, "dtype", a) for a in arguments]
        if not all(isinstance(k, (types.Float, types.Integer, types.Boolean, types.Complex)) for k in kinds):
            return None
        of_complex = any(isinstance(kind, types.Complex) for kind in kinds)
        # A kernel of complex numbers takes real ones, too, where there is no other.
        symbol, kernel = forms.get(of_complex) or forms.get(True) or ("", None)
        if kernel is None or len(arguments) != len(kernel.parameters):
            return None
        double = any(kind in (types.float64, types.complex128) for kind in kinds)
        single = not double and any(kind in (types.float32, types.complex64) for kind in kinds)
        caller = _caller(symbol, kernel, single)
        if not any(isinstance(a, types.Array) for a in arguments):
            return _over_numbers(caller)
        if len(arguments) > 2 or kernel.returns:
            return None
        dtype = as_dtype((_SINGLE if single else _IN_NUMBA)[kernel.results[0]]).type
        over = _over_an_array if len(arguments) == 1 else _over_two_arrays
        return over(caller, len(kernel.results), dtype)

    choose.__name__ = name
    return choose


def _register() -> None:
    for name, kernels in _kernels().items():
        forms = {}
        for is_complex, (capsule, kernel) in kernels.items():
            symbol = f"adc_scipy_special_{name}{'_complex' if is_complex else ''}"
            llvmlite.binding.add_symbol(symbol, _address(capsule))
            forms[is_complex] = symbol, kernel
        KERNELS[name] = list(dict(forms.values()).values())
        overload(getattr(special, name))(_typed(name, forms))


_register()


@register_jitable
def _powers(x: Any, q: Any) -> Any:
    """The sum of (q + n)**-x over n, for q > 0 or whole x, by Euler-Maclaurin summation (as in Cephes)."""
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


@overload(special.zeta)
def _zeta(x: Any, q: Any = None) -> Any:
    """Hurwitz's zeta function for x > 1, and q > 0 or whole x; without q Riemann's, which goes on to the left of 1.

    A whole x may be an integer, whose powers are products.
    """
    real = (types.Float, types.Integer)
    if q is None or isinstance(q, (types.NoneType, types.Omitted)):
        return _riemann if isinstance(x, real) else None
    if not isinstance(x, real) or not isinstance(q, real):
        return None

    def zeta(x: Any, q: Any = None) -> Any:
        if x <= 1.0:
            return math.inf if x == 1.0 else math.nan
        if q <= 0.0 and (q == math.floor(q) or x != math.floor(x)):
            return math.inf if q == math.floor(q) else math.nan
        return _powers(x, q)

    return zeta


def _riemann(x: Any, q: Any = None) -> Any:
    if x == 1.0:
        return math.inf
    if x >= 0.0:
        return _powers(float(x), 1.0)
    if x == 2.0 * math.floor(0.5 * x):
        return 0.0
    turned = 2.0 * math.sin(0.5 * math.pi * x) * math.gamma(1.0 - x) * (2.0 * math.pi) ** (x - 1.0)
    return turned * _powers(1.0 - x, 1.0)


@overload(special.polygamma)
def _polygamma(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, through Hurwitz's zeta function."""

    def polygamma(n: Any, x: Any) -> Any:
        if n == 0:
            return special.psi(x)
        sign = 1.0 if n % 2 == 1 else -1.0
        return sign * math.gamma(n + 1.0) * special.zeta(n + 1, x)

    return polygamma


@register_jitable  # type: ignore[untyped-decorator,unused-ignore]
def _near_lambertw(z: Any, k: Any) -> Any:
    """A point from which Halley's method finds w with w exp(w) = z, on the branch k."""
    if k == 0 and abs(z + math.exp(-1.0)) < 0.3:  # the series at the branch point
        p = np.sqrt(2.0 * (math.e * z + 1.0))
        return -1.0 + p * (1.0 - p / 3.0)
    near_zero = -1.0 < z.real < 1.5 and abs(z.imag) < 1.0 and -2.5 * abs(z.imag) - 0.2 < z.real
    if k == 0 and near_zero:  # Pade's approximation
        upper = 1.0 + z * (12.34042553191489 + z * 12.85106382978723)
        return z * upper / (1.0 + z * (14.34042553191489 + z * 32.53191489361702))
    if k == -1 and z.imag == 0.0 and -math.exp(-1.0) <= z.real < 0.0:
        return complex(math.log(-z.real))
    far = np.log(z) + 2j * math.pi * k
    return far - np.log(far)


@overload(special.lambertw)
def _lambertw(z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    """Lambert's W function by Halley's method (Corless et al., On the Lambert W function, 1996), as in SciPy."""
    if not isinstance(z, (types.Float, types.Integer, types.Complex)):
        return None

    def lambertw(z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
        z = complex(z)
        if math.isnan(z.real) or math.isnan(z.imag):
            return z
        if math.isinf(z.real):
            return complex(math.inf, 2.0 * math.pi * k + (math.pi if z.real < 0.0 else 0.0))
        if z == 0.0:
            return z if k == 0 else complex(-math.inf)
        w = _near_lambertw(z, k)
        for _ in range(100):
            if w == -1.0:
                return w
            # Of the two forms the one whose exponential does not overflow.
            if w.real >= 0.0:
                rest = w - z * np.exp(-w)
                step = rest / (w + 1.0 - (w + 2.0) * rest / (2.0 * w + 2.0))
            else:
                power = np.exp(w)
                rest = w * power - z
                step = rest / (w * power + power - (w + 2.0) * rest / (2.0 * w + 2.0))
            w = w - step
            if abs(step) <= tol * abs(w):
                return w
        return complex(math.nan, math.nan)

    return lambertw
