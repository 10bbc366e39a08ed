"""The code that transforms of one kind share, for one kind of arguments: those of one function, and of one code."""

from __future__ import annotations

import functools
import threading
import types
from typing import Any

from adc.api import sizes
from adc.api.alike import moved
from adc.api.keeping import MOST_SPECIALISATIONS, shared_by_all_of, shared_by_code
from adc.api.specialise import Specialisation, fitting, put_first

__all__ = ["Shared"]


_changing = threading.Lock()  # what transforms share is changed by one at a time


class Shared:
    """What other such transforms made of a function, or of one of the same code; and may be given more."""

    def __init__(self, function: Any, key: tuple[Any, ...]) -> None:
        if type(function) is functools.partial:  # what it has fixed are arguments like others
            key = (*key, len(function.args), tuple(function.keywords))
            function = function.func
        self._function = function
        self._own: list[Specialisation] = shared_by_all_of(function, key, MOST_SPECIALISATIONS)
        # With the function that each was made for.
        self._of_code: list[tuple[types.FunctionType, Specialisation]] = shared_by_code(
            function, key, MOST_SPECIALISATIONS
        )

        self._others: list[Specialisation] = []  # of other functions, as they are for this one

    def fitting(self, inputs: list[Any]) -> Specialisation | None:
        """One that holds for a call, of which `inputs` then have what it reads from outside, too."""
        found = fitting(self._own, inputs)
        if found is not None:
            return found
        for function, made in tuple(self._of_code):
            ours = None if function is self._function else moved(made, function, self._function)
            if ours is not None:
                self._others.append(ours)
        found = fitting(self._others, inputs)
        if found is not None:
            with _changing:
                put_first(self._own, found)
        return found

    def known(self) -> list[Specialisation]:
        """All that was asked whether it fits."""
        return [*self._own, *self._others]

    def add(self, made: Specialisation) -> None:
        """Let others have what was made: machine code, which does not tell of its own fallback."""
        if made.mode != "compiled":
            return
        with _changing:
            put_first(self._own, made)
            if type(self._function) is types.FunctionType:
                self._of_code.insert(0, (self._function, made))
                self._of_code.sort(key=lambda pair: pair[1].breadth)
                del self._of_code[sizes.MOST_SIZES + 1 :]
