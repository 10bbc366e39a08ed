"""Jitted code calls the routines of BLAS and LAPACK that SciPy is built with, by their own arguments.

SciPy publishes them as C functions that take pointers (`scipy.linalg.cython_blas`, `cython_lapack`). Each is entered
in LLVM's symbol table under a name of ours, as in `scipy_special`, so that machine code on disk holds no address.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

try:
    from scipy.linalg import cython_blas, cython_lapack
except ImportError:  # it is no requirement: what needs it says so when it is compiled
    cython_blas = cython_lapack = None

__all__ = ["LEFT", "LOWER", "NO", "RIGHT", "TRANSPOSE", "UNIT", "UPPER", "VECTORS", "require", "routine"]

# Letters, as routines take them.
NO, TRANSPOSE, VECTORS = np.uint8(ord("N")), np.uint8(ord("T")), np.uint8(ord("V"))
UPPER, LEFT, RIGHT = np.uint8(ord("U")), np.uint8(ord("L")), np.uint8(ord("R"))
LOWER, UNIT = np.uint8(ord("L")), np.uint8(ord("U"))


def _address(capsule: Any) -> int:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer(capsule, name(capsule)))


def require() -> None:
    """Refuse to compile what calls a routine where there is none."""
    if cython_blas is None:
        raise TypingError("compiled matrix products and linear algebra need SciPy: pip install scipy")


_LETTERS = {types.float32: "s", types.float64: "d", types.complex64: "c", types.complex128: "z"}


def routine(name: str) -> Any:
    """A function for jitted code that calls a routine: `routine("dgesv")((n, nrhs, a, ...))`, with one tuple.

    Of a name without the letter of its dtype, `routine("gesv")`, it is the routine for the dtype of the first array.
    Arrays are passed by their memory, from an element on where it is given: `(a, first)`. Numbers are passed by a
    pointer to a copy: integers are np.int32, letters np.uint8. What a routine returns in a number is given as an array
    of one element.
    """
    known = {} if cython_blas is None else {**cython_lapack.__pyx_capi__, **cython_blas.__pyx_capi__}
    one_dtype = not known or name in known
    for whole in (name,) if one_dtype else (letter + name for letter in _LETTERS.values()):
        if whole in known:
            llvmlite.binding.add_symbol(_symbol(whole), _address(known[whole]))

    @intrinsic  # type: ignore[untyped-decorator,unused-ignore]
    def call(typing_context: Any, arguments: Any) -> Any:
        require()
        arrays = [getattr(kind, "types", (kind,))[0] for kind in arguments.types]
        dtype = next(kind.dtype for kind in arrays if isinstance(kind, types.Array))
        symbol = _symbol(name if one_dtype else _LETTERS[dtype] + name)

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


def _symbol(name: str) -> str:
    return f"adc_scipy_linalg_{name}"
