"""What a function of a library gives for constants is a constant: `b, a = scipy.signal.butter(3, 0.2)`.

It is computed while the program is compiled, where the library's function gives the same each time.
"""

from __future__ import annotations

import datetime
import math
import re
import time
import types
from collections import namedtuple
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
    "calendar",
    "json",
    "ast",
    "textwrap",
    "shlex",
    "unicodedata",
    "difflib",
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
    str.maketrans,
    math.lcm,
    ord,
    chr,
    hex,
    bin,
    oct,
    format,
    issubclass,
    datetime.date,
    datetime.datetime,
    datetime.time,
    datetime.timedelta,
    datetime.timezone,
    np.datetime64,
    np.timedelta64,
}
_DATES = (datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo)
_OF_TEXTS = (re.Pattern, re.Match)
_PLAIN = (bool, int, float, complex, str, bytes, np.generic, type(None), *_OF_TEXTS, *_DATES)
# Tuples whose names classes of C know, and tuples that stand for them in a program.
_WITH_NAMES: dict[type, Any] = {
    time.struct_time: namedtuple(
        "struct_time", "tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday tm_yday tm_isdst"
    ),
    type(datetime.date.min.isocalendar()): namedtuple("IsoCalendarDate", "year week weekday"),
}
_OF_THE_CLOCK = {"today", "now", "utcnow", "fromtimestamp", "timestamp", "astimezone"}  # or of the place


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
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (*_OF_TEXTS, *_DATES)) or (isinstance(owner, type) and issubclass(owner, _DATES)):
        return getattr(function, "__name__", None) not in _OF_THE_CLOCK
    module = module_of(function) + "."
    is_plain = hasattr(function, "__code__") or isinstance(function, types.BuiltinFunctionType)  # good_size
    return is_plain and any(module.startswith(library + ".") for library in _LIBRARIES)


def _is_plain(value: Value) -> bool:
    if isinstance(value, (list, tuple)):
        return not getattr(value, "run_time", False) and all(map(_is_plain, value))
    if type(value) is dict:
        return all(map(_is_plain, (*value, *value.values())))
    return isinstance(value, _PLAIN)


def _can_be_written(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size <= MOST_ELEMENTS and value.dtype in (float, complex, int, bool)
    if type(value) in (list, tuple, *_WITH_NAMES):
        return all(map(_can_be_written, value))
    if type(value) is dict:
        return all(map(_can_be_written, (*value, *value.values())))
    return isinstance(value, _PLAIN)


def _value(ev: Core, value: Any) -> Value:
    if type(value) in _WITH_NAMES:
        return _WITH_NAMES[type(value)](*value)
    if isinstance(value, np.ndarray):
        return ev.array_of(value.tolist()) if value.ndim else value[()]
    if type(value) in (list, tuple):
        made = [_value(ev, v) for v in value]
        return tuple(made) if type(value) is tuple else ev.new_list(made)
    if type(value) is dict:
        return {key: _value(ev, v) for key, v in value.items()}
    return value
