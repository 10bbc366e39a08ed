"""The module that a class, a function or an object names as its own, where it names one."""

from __future__ import annotations

import argparse
import collections
import sys
import types
from typing import Any

__all__ = ["module_of", "package_of"]

_MADE_IN_PYTHON = 1 << 9  # the flag of types that are made while the program runs
_NAMED_BY_PYTHON = (
    "builtins",
    "types",
)  # of these say `exec(text, {})` and `types.new_class` that their classes are
# What objects of these hold is the program's.
_OPEN = (
    *(types.SimpleNamespace, argparse.Namespace),
    *(collections.UserDict, collections.UserList, collections.ChainMap),
)


def module_of(thing: Any) -> str:
    """The name of the module; "" where there is none.

    Of some types made in C, and of classes with a property of that name, `__module__` is what their objects answer.
    No module is that of classes and functions of the program which name one of Python's, and of open namespaces.

    >>> module_of(module_of), module_of(int), module_of(type("C", (), {"__module__": None}))
    ('adc.runtime.modules', 'builtins', '')
    >>> module_of(types.new_class("C")), module_of(types.SimpleNamespace), module_of(types.FunctionType)
    ('', '', 'builtins')
    """
    module = getattr(thing, "__module__", None)
    if not isinstance(module, str) or any(thing is kind for kind in _OPEN):
        return ""
    return "" if module in _NAMED_BY_PYTHON and _is_of_the_program(thing, module) else module


def package_of(thing: Any) -> str:
    """The package at the top.

    >>> package_of(module_of)
    'adc'
    """
    return module_of(thing).partition(".")[0]


def _is_of_the_program(thing: Any, module: str) -> bool:
    if isinstance(thing, types.FunctionType):
        return module == "builtins"  # whose own are all made in C
    kind = thing if isinstance(thing, type) else type(thing)
    return bool(kind.__flags__ & _MADE_IN_PYTHON) and vars(sys.modules[module]).get(kind.__name__) is not kind
