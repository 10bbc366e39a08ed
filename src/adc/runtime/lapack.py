"""Jitted code calls the routines of BLAS and LAPACK that SciPy is built with, by their own arguments.

SciPy publishes them as C functions that take pointers (`scipy.linalg.cython_blas`, `cython_lapack`). Each is entered
in LLVM's symbol table under a name of ours, as in `scipy_special`, so that machine code on disk holds no address.

To import scipy.linalg takes a quarter of what the import of adc takes, and most programs call no routine. So the names
are entered when the first call of one is compiled, or machine code in which one stands is read from disk: small systems
and products never come to it. Until then it is enough that SciPy is installed.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba.core import caching, cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from adc.runtime.passes.known import put

__all__ = ["LEFT", "LOWER", "NO", "RIGHT", "TRANSPOSE", "UNIT", "UPPER", "VECTORS", "require", "routine"]

# Letters, as routines take them.
NO, TRANSPOSE, VECTORS = np.uint8(ord("N")), np.uint8(ord("T")), np.uint8(ord("V"))
UPPER, LEFT, RIGHT = np.uint8(ord("U")), np.uint8(ord("L")), np.uint8(ord("R"))
LOWER, UNIT = np.uint8(ord("L")), np.uint8(ord("U"))


def _addresses(capsules: dict[str, Any]) -> dict[str, int]:
    """Where the functions lie that a module of Cython's publishes."""
    named, pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    named.restype, named.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return {name: int(pointer(capsule, named(capsule))) for name, capsule in capsules.items()}


@functools.cache
def _entered() -> frozenset[str]:
    """The routines that there are, now that their names are entered; none where SciPy is not installed."""
    try:
        parts = [importlib.import_module(f"scipy.linalg.{part}") for part in ("cython_lapack", "cython_blas")]
    except ImportError:  # it is no requirement: what needs it says so when it is compiled
        return frozenset()
    known = {name: address for part in parts for name, address in _addresses(part.__pyx_capi__).items()}
    for name, address in known.items():
        llvmlite.binding.add_symbol(_symbol(name), address)
    return frozenset(known)


def require() -> None:
    """Refuse to compile what may come to a routine where SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        raise TypingError(_MISSING)


_MISSING = "compiled matrix products and linear algebra need SciPy: pip install scipy"
_LETTERS = {types.float32: "s", types.float64: "d", types.complex64: "c", types.complex128: "z"}


def routine(name: str) -> Any:
    """A function for jitted code that calls a routine: `routine("dgesv")((n, nrhs, a, ...))`, with one tuple.

    Of a name without the letter of its dtype, `routine("gesv")`, it is the routine for the dtype of the first array.
    Arrays are passed by their memory, from an element on where it is given: `(a, first)`. Numbers are passed by a
    pointer to a copy: integers are np.int32, letters np.uint8. What a routine returns in a number is given as an array
    of one element.
    """

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def call(typing_context: Any, arguments: Any) -> Any:
        if not _entered():
            raise TypingError(_MISSING)
        arrays = [getattr(kind, "types", (kind,))[0] for kind in arguments.types]
        dtype = next(kind.dtype for kind in arrays if isinstance(kind, types.Array))
        symbol = _symbol(name if name in _entered() else _LETTERS[dtype] + name)

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            pointer = ir.IntType(8).as_pointer()
            pointers = []
            for value, kind in zip(cgutils.unpack_tuple(builder, values[0]), arguments.types, strict=True):
                if not isinstance(kind, types.Array) and hasattr(kind, "types"):
                    array, first = cgutils.unpack_tuple(builder, value)
                    data = context.make_array(kind.types[0])(context, builder, array).data
                    place = builder.gep(data, [first])
                elif isinstance(kind, types.Array):
                    place = context.make_array(kind)(context, builder, value).data
                else:
                    place = cgutils.alloca_once_value(builder, value)
                pointers.append(builder.bitcast(place, pointer))
            function_type = ir.FunctionType(ir.VoidType(), [pointer] * len(pointers))
            function = cgutils.get_or_insert_function(builder.module, function_type, symbol)
            builder.call(function, pointers)
            return context.get_dummy_value()

        return types.none(arguments), generate

    return call


_OURS = "adc_scipy_linalg_"


def _symbol(name: str) -> str:
    return _OURS + name


def entering(own: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """What stands for Numba's method that reads machine code: the routines are entered before it is linked."""

    def load(self: Any, key: Any) -> Any:
        found = own(self, key)
        # In front lies the library: its name, and its code, alone or beside the bitcode for those who take it in.
        if found is not None and any(_OURS.encode() in code for code in _codes(found[0])):
            _entered()
        return found

    return load


def _codes(part: Any) -> Iterator[bytes]:
    """The bytes in a tuple, and in those in it."""
    if isinstance(part, bytes):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _codes(each)


put(caching.IndexDataCacheFile, "load", entering)
