"""Code that asks `is True`, as `case True:` does, gets Python's own True of a comparison of Python's numbers.

A Tensor is never that object, and nothing can answer for it. So in a call with code that asks so, comparisons of
numbers that the record knows to be Python's give plain truth values. Where it does not know whose they are, a pattern
is refused; `flag is True` is not, as it mostly asks an argument that no Tensor is.
"""

from __future__ import annotations

import dis
import threading
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.tape import operators
from adc.tape.node import here, locate
from adc.tape.plain_types import are_pythons

__all__ = ["Askers", "asks"]

_IS = dis.opmap["IS_OP"]
_changing = threading.Lock()


def asks(code: types.CodeType) -> frozenset[str]:
    """How a function's code, or that of a function within it, asks for the identity of True or False.

    >>> sorted(asks((lambda x: (x > 0) is True).__code__)), sorted(asks((lambda x: x is None).__code__))
    (['is'], [])
    """
    found = frozenset().union(*(asks(c) for c in code.co_consts if isinstance(c, types.CodeType)))
    if _IS in code.co_code[::2]:
        before = None
        for instruction in dis.get_instructions(code):
            if instruction.opname == "IS_OP" and before is not None and isinstance(before.argval, bool):
                found |= {"case" if _stands_where(before, instruction) else "is"}
            before = instruction
    return found


def _stands_where(constant: dis.Instruction, question: dis.Instruction) -> bool:
    """Whether the question has the place of its constant in the text, as that of a pattern does."""
    place, own = (getattr(i, "positions", None) for i in (question, constant))  # since Python 3.11
    return place is not None and place.col_offset is not None and place == own


def _refuse_types_of_dtypes(code: types.CodeType) -> None:
    """Raise where code asks `x.dtype.type is np.float64`: the name stands for another class on the tape."""
    if _IS not in code.co_code[::2] or "type" not in code.co_names:
        return
    before: list[dis.Instruction] = []
    for instruction in dis.get_instructions(code):
        asked = any(i.opname == "LOAD_ATTR" and i.argval == "type" for i in before[-4:])
        if instruction.opname == "IS_OP" and asked:
            raise UnsupportedError(
                f"`{code.co_name}` asks whether the type of a dtype is one class, and the tape has another for it",
                locate(code, instruction.offset),
                repair="Compare dtypes: x.dtype == np.float64.",
            )
        before.append(instruction)


# What a Tensor has, and arrays, modules of NumPy and containers have not.
_OF_TENSORS = frozenset({"backward", "cpu", "detach", "grad", "grad_fn", "is_leaf", "numpy", "requires_grad"})


def _refuse_tries_of_attributes(code: types.CodeType) -> None:
    """Raise where code asks by `except AttributeError` for what an array has not: here it is a Tensor, which has it."""
    if "AttributeError" not in code.co_names or _OF_TENSORS.isdisjoint(code.co_names):
        return
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and instruction.argval in _OF_TENSORS:
            raise UnsupportedError(
                f"`{code.co_name}` asks by `except AttributeError` whether a value has `{instruction.argval}`",
                locate(code, instruction.offset),
                why="On the tape an array is a Tensor, which has it.",
                repair=f"Ask for it: hasattr(x, '{instruction.argval}').",
            )


class Askers:
    """How the functions of one traced call ask; while it runs, comparisons heed it."""

    def __init__(self) -> None:
        self._found: frozenset[str] = frozenset()
        self._open = False

    def add(self, code: types.CodeType) -> None:
        """Look at the code of one more function."""
        _refuse_types_of_dtypes(code)
        _refuse_tries_of_attributes(code)
        new = asks(code) - self._found
        if self._open:
            _count(new, 1, asks_already=bool(self._found))
        self._found |= new

    @contextmanager
    def open(self) -> Iterator[None]:
        """The call runs in a `with` block."""
        self._open = True
        _count(self._found, 1)
        try:
            yield
        finally:
            self._open = False
            _count(self._found, -1)


def _count(found: frozenset[str], change: int, asks_already: bool = False) -> None:
    with _changing:
        if found and not asks_already:
            operators.askers += change
        if "case" in found:
            _patterns.count += change


class _Patterns:
    count = 0  # calls under way with a pattern


_patterns = _Patterns()


def truth(z: Any, x: Any, y: Any) -> bool | None:
    """What a comparison of Python's numbers gives in Python; None of NumPy's."""
    if np.ndim(z):
        return None
    pythons = are_pythons(x, y)
    if pythons is None and _patterns.count:
        raise UnsupportedError(
            "the tape does not know whether this is True of Python's, which `case True` matches, or NumPy's",
            here(),
            "It computes with NumPy's numbers, and a pattern of this function depends on whose they are.",
            "Ask with `if`, or match bool(...) of it.",
        )
    return bool(z) if pythons else None


operators.ask_truth(truth)
