"""What a function of a library gives for constants is a constant: `b, a = scipy.signal.butter(3, 0.2)`.

It is computed while the program is compiled, where the library's function gives the same each time.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.values import Value
from adc.runtime.modules import module_of

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

UNKNOWN = object()
MOST_ELEMENTS = 256  # of an array that is written into the program
_LIBRARIES = (
    "scipy.signal",
    "scipy.special",
    "scipy.linalg",
    "scipy.fft",
    "scipy.integrate",
    "numpy.polynomial",
    "re",
)
# Functions without a derivative, of texts, types and integers, which give the same each time.
PURE = {
    str,
    repr,
    np.dtype,
    math.gcd,
    math.factorial,
    slice,
    type,
    math.comb,
    math.perm,
    math.isqrt,
    hash,
    sorted,
    np.finfo,
    np.iinfo,
    set,
    frozenset,
    math.lcm,
    ord,
    chr,
    hex,
    bin,
    oct,
    format,
    issubclass,
}
_PLAIN = (bool, int, float, complex, str, bytes, np.generic, type(None))


def given(ev: Core, function: Callable[..., Any], args: list[Value], kwargs: dict[str, Value]) -> Value:
    """What a call gives, where it is of such a function and with constants only; UNKNOWN otherwise."""
    if _is_laziness(function):
        return False
    if not _gives_the_same(function) or not all(map(_is_plain, (*args, *kwargs.values()))):
        return UNKNOWN
    found = ev.now(function, args, kwargs)
    return _value(ev, found) if _can_be_written(found) else UNKNOWN


def _is_laziness(function: Any) -> bool:
    """Whether a library asks for arrays that compute later than they are made: compiled code has NumPy's alone."""
    return (
        module_of(function).endswith("array_api_compat.common._helpers")
        and function.__name__ == "is_lazy_array"
    )


def _gives_the_same(function: Any) -> bool:
    if isinstance(getattr(function, "__self__", None), re.Pattern):
        return True
    module = module_of(function) + "."
    is_plain = hasattr(function, "__code__") or isinstance(function, types.BuiltinFunctionType)  # good_size
    return is_plain and any(module.startswith(library + ".") for library in _LIBRARIES)


def _is_plain(value: Value) -> bool:
    if isinstance(value, (list, tuple)):
        return not getattr(value, "run_time", False) and all(map(_is_plain, value))
    return isinstance(value, _PLAIN)


def _can_be_written(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size <= MOST_ELEMENTS and value.dtype in (float, complex, int, bool)
    if type(value) in (list, tuple):
        return all(map(_can_be_written, value))
    return isinstance(value, _PLAIN)


def _value(ev: Core, value: Any) -> Value:
    if isinstance(value, np.ndarray):
        return ev.array_of(value.tolist()) if value.ndim else value[()]
    if type(value) in (list, tuple):
        made = [_value(ev, v) for v in value]
        return tuple(made) if type(value) is tuple else ev.new_list(made)
    return value
