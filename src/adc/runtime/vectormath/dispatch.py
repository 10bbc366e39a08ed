"""A kernel written for float64 becomes a function for Python, for jitted code, and for float32.

`@vector_function` turns a kernel into a plain Python function that Numba also knows. In jitted code a call
is typed per dtype: float64 inlines the kernel, float32 the kernel that there may be for it (`in_single`), or
evaluates the same one in float64 and rounds once; integers and booleans are converted as NumPy converts them.
From Python the same machine code runs on scalars.

The kernels carry flags of their own and keep them: LLVM's flags sit on each instruction, so a caller that
allows reassociation for its sums cannot dissolve a kernel's error-free steps (`inline="always"` would give
them the caller's flags).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit, types
from numba.extending import overload, register_jitable

from adc.runtime import caching

F = TypeVar("F", bound=Callable[..., Any])

# No 'reassoc': it would cancel the rounding trick. No 'nnan' or 'ninf': special values mean what IEEE 754
# says.
KERNEL_OPTIONS: dict[str, Any] = {
    "forceinline": True,
    "fastmath": {"contract", "nsz"},
    "error_model": "numpy",
}
# An overload is only ever called from jitted code, so it needs no wrappers; and it is the same in every
# process.
_OVERLOAD_OPTIONS: dict[str, Any] = {
    **KERNEL_OPTIONS,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "cache": caching.POSSIBLE,
}

IMPLEMENTATIONS: dict[str, Callable[..., Any]] = {}
"""From the name of a NumPy ufunc (or of the function in scipy.special or math) to the function here."""
COMPLEX: dict[str, Callable[..., Any]] = {}
"""The same, of functions that take complex numbers."""


IN_SINGLE: dict[Callable[..., Any], Callable[..., Any]] = {}
"""From a function here to the kernel that evaluates it in float32."""


def helper(function: F) -> F:
    """A part shared by kernels: inlined into them, with their flags."""
    return cast(F, register_jitable(**_OVERLOAD_OPTIONS)(function))


def vector_function(*names: str) -> Callable[[F], F]:
    """Make the decorated float64 kernel callable from everywhere, and enter it in the table under `names`."""

    def decorate(kernel: F) -> F:
        function = _for_python(kernel)
        overload(function, jit_options=_OVERLOAD_OPTIONS, strict=False)(_typed_by_dtype(function, kernel))
        for name in names:
            IMPLEMENTATIONS[name] = function
        return cast(F, function)

    return decorate


def in_single(function: Callable[..., Any]) -> Callable[[F], F]:
    """Evaluate a function of float32 numbers by the decorated kernel, in float32."""

    def decorate(kernel: F) -> F:
        IN_SINGLE[function] = kernel
        return kernel

    return decorate


def complex_function(*names: str, like: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """Make a kernel of complex128 callable, and enter it in the table of complex functions under `names`.

    `like` is the function of real numbers that takes complex ones as well from then on.
    """

    def decorate(kernel: F) -> F:
        function = _for_python(kernel, complex) if like is None else like
        overload(function, jit_options=_OVERLOAD_OPTIONS, strict=False)(_typed_as_complex(function, kernel))
        for name in names:
            COMPLEX[name] = function
        return cast(F, function)

    return decorate


def _for_python(kernel: Callable[..., Any], kind: type[complex] | None = None) -> Callable[..., Any]:
    """A function that runs the machine code of a kernel on scalars, the first of them made one of a kind.

    Of `z if near else 0.0` jitted code makes a complex number in any case, Python does not.
    """

    @functools.wraps(kernel)
    def function(*arguments: Any) -> Any:
        first, *others = [_as_scalar(argument) for argument in arguments]
        if kind is not None and not isinstance(first, kind | np.complexfloating):
            first = kind(first)
        value = compiled()(first, *others)
        # Numba hands a float32 back as a Python float, NumPy would not; so with complex numbers.
        if not all(type(a) in (np.float32, np.complex64) for a in arguments):
            return value
        return np.complex64(value) if isinstance(value, complex) else np.float32(value)

    compiled = _compiled_on_first_use(function, kernel)
    return function


def _as_scalar(argument: Any) -> Any:
    if isinstance(argument, int | float | complex | np.number | np.bool_):
        return argument
    raise TypeError(
        f"vector maths functions take scalars, not {type(argument).__name__}: loop, or call the ufunc"
    )


def _compiled_on_first_use(function: Callable[..., Any], kernel: Callable[..., Any]) -> Callable[[], Any]:
    """The dispatcher that Python calls, made when it is first needed so that an import compiles nothing."""

    @functools.cache
    def compiled() -> Any:
        if kernel.__code__.co_argcount == 1:
            return njit(**KERNEL_OPTIONS)(lambda x: function(x))
        return njit(**KERNEL_OPTIONS)(lambda x, y: function(x, y))

    return compiled


def _typed_by_dtype(function: Callable[..., Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    if kernel.__code__.co_argcount == 1:

        def choose_unary(x: Any) -> Any:
            if x == types.float64:
                return kernel
            if x == types.float32:
                return IN_SINGLE.get(function, lambda x: np.float32(function(np.float64(x))))
            if isinstance(x, (types.Integer, types.Boolean)):
                return lambda x: function(np.float64(x))
            return None

        return choose_unary

    counts = kernel.__annotations__["y"] == "int"

    def choose_binary(x: Any, y: Any) -> Any:
        if counts:
            if not isinstance(y, types.Integer):
                return None
            if x == types.float64:
                return kernel
            return (lambda x, y: np.float32(function(np.float64(x), y))) if x == types.float32 else None
        if x == y == types.float64:
            return kernel
        if x == y == types.float32:
            in_double = lambda x, y: np.float32(function(np.float64(x), np.float64(y)))  # noqa: E731
            return IN_SINGLE.get(function, in_double)
        if all(isinstance(t, (types.Float, types.Integer, types.Boolean)) for t in (x, y)):
            return lambda x, y: function(np.float64(x), np.float64(y))
        return None

    return choose_binary


def _typed_as_complex(function: Callable[..., Any], kernel: Callable[..., Any]) -> Callable[..., Any]:
    single = np.float32 if kernel.__annotations__["return"] == "float" else np.complex64
    if kernel.__code__.co_argcount == 1:

        def choose_unary(x: Any) -> Any:
            if x == types.complex128:
                return kernel
            if x == types.complex64:
                return lambda x: single(function(np.complex128(x)))
            return None

        return choose_unary

    counts = kernel.__annotations__["y"] == "int"

    def choose_binary(x: Any, y: Any) -> Any:
        if not any(isinstance(t, types.Complex) for t in (x, y)) or not _are_numbers(x, y):
            return None
        if counts:
            if not isinstance(x, types.Complex) or not isinstance(y, types.Integer):
                return None
            return kernel if x == types.complex128 else lambda x, y: single(function(np.complex128(x), y))
        if x == y == types.complex128:
            return kernel
        if all(t in (types.complex64, types.float32) for t in (x, y)):
            return lambda x, y: single(function(np.complex128(x), np.complex128(y)))
        return lambda x, y: function(np.complex128(x), np.complex128(y))

    return choose_binary


def _are_numbers(*kinds: Any) -> bool:
    return all(isinstance(t, (types.Complex, types.Float, types.Integer, types.Boolean)) for t in kinds)
