"""The module that a class, a function or an object names as its own, where it names one."""

from __future__ import annotations

import types
from typing import Any

__all__ = ["module_of", "package_of"]

_MADE_IN_PYTHON = (
    1 << 9
)  # the flag of types that are made while the program runs: none of Python's own has it


def module_of(thing: Any) -> str:
    """The name of the module; "" where there is none.

    Of some types made in C, and of classes with a property of that name, `__module__` is what their objects answer.
    What `exec(text, {})` defines says that it is of `builtins`, whose classes and functions are all made in C.

    >>> module_of(module_of), module_of(int), module_of(type("C", (), {"__module__": None}))
    ('adc.runtime.modules', 'builtins', '')
    """
    module = getattr(thing, "__module__", None)
    if not isinstance(module, str):
        return ""
    return "" if module == "builtins" and _is_of_the_program(thing) else module


def package_of(thing: Any) -> str:
    """The package at the top.

    >>> package_of(module_of)
    'adc'
    """
    return module_of(thing).partition(".")[0]


def _is_of_the_program(thing: Any) -> bool:
    kind = thing if isinstance(thing, type) else type(thing)
    return kind is types.FunctionType or bool(kind.__flags__ & _MADE_IN_PYTHON)
