"""A function that is run again later reads what it reads now, whatever its names stand for by then.

for w in weights:
    x = adc.checkpoint(lambda v: np.tanh(w @ v))(x)  # the backward pass runs it with the w of its trip
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np

from adc.rules import registry
from adc.tape.tensor import Tensor, make
from adc.tape.users_code import is_of_a_library
from adc.tape.writes import check_unchanged, version

__all__ = ["AsNow"]


class AsNow:
    """A value in which functions have scopes, and containers elements, of their own: those of this moment.

    >>> def f():
    ...     k = 2.0
    ...     double = lambda x: k * x
    ...     kept = AsNow(double)
    ...     k = 5.0
    ...     return double(1.0), kept.value(1.0)
    >>> f()
    (5.0, 2.0)
    """

    def __init__(self, value: Any) -> None:
        self._done: dict[int, tuple[Any, Any]] = {}  # by identity; the originals are kept alive
        self._arrays: list[tuple[np.ndarray[Any, Any], int]] = []
        self.value = self._held(value)

    def check(self, what: str) -> None:
        """Raise `RuntimeError` if an array in a scope has been written to since."""
        for array, before in self._arrays:
            check_unchanged(array, before, what)

    def _held(self, value: Any) -> Any:
        if id(value) not in self._done:
            self._done[id(value)] = value, self._made(value)
        return self._done[id(value)][1]

    def _made(self, value: Any) -> Any:
        kind = type(value)
        if kind is types.FunctionType and value.__closure__:
            ruled = registry.find(value) is not None or "_stands_for" in value.__dict__
            return value if ruled or is_of_a_library(value) else self._function(value)
        if kind is types.MethodType:
            return types.MethodType(self._held(value.__func__), value.__self__)
        if kind is functools.partial:
            named = {k: self._held(v) for k, v in value.keywords.items()}
            return functools.partial(self._held(value.func), *map(self._held, value.args), **named)
        if kind in (list, tuple):
            return kind(map(self._held, value))
        if kind is dict:
            return {k: self._held(v) for k, v in value.items()}
        if kind is np.ndarray:
            self._arrays.append((value, version(value)))
        elif kind is Tensor:
            self._arrays.append((value.primal, version(value.primal)))
            return make(value.primal, value.node)  # what is written to it may be written to a copy
        return value

    def _function(self, function: types.FunctionType) -> types.FunctionType:
        cells = tuple([self._cell(c) for c in function.__closure__ or ()])
        made = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
        )
        made.__kwdefaults__, made.__dict__ = function.__kwdefaults__, function.__dict__
        made.__qualname__ = function.__qualname__
        self._done[id(function)] = function, made  # before the scope, which may hold the function itself
        for cell, original in zip(cells, function.__closure__ or (), strict=True):
            self._fill(cell, original)
        return made

    def _cell(self, original: types.CellType) -> types.CellType:
        """The cell in place of one, which several functions may share."""
        if id(original) not in self._done:
            self._done[id(original)] = original, types.CellType()
        found: types.CellType = self._done[id(original)][1]
        return found

    def _fill(self, cell: types.CellType, original: types.CellType) -> None:
        try:
            content = original.cell_contents
        except ValueError:  # not assigned yet
            return
        cell.cell_contents = self._held(content)
