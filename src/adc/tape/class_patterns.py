"""`case np.ndarray():` asks the class itself, and no stand-in answers: a Tensor would not match, in silence.

`case float(v):` is answered, as `float` has a stand-in (`number_classes`). A pattern of another class that NumPy's
values have and a Tensor has not is refused before the function runs.
"""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.rules import registry
from adc.tape.node import locate
from adc.tape.plain_types import CLASSES
from adc.tape.tensor import Tensor

__all__ = ["refuse"]

_MATCH_CLASS = dis.opmap["MATCH_CLASS"]
_OF_VALUES: tuple[type, ...] = (
    np.ndarray,
    *{np.dtype(code).type for code in np.typecodes["All"] if code not in "SUVOmM"},
)


def refuse(code: types.CodeType, known: Mapping[str, Any]) -> None:
    """Raise `UnsupportedError` for a class pattern in a function's code, or inside, that a Tensor does not answer.

    `known` are the values of the names that the code reads from outside.
    """
    for names, offset in _patterns(code):
        kind = _resolved(names, known)
        if isinstance(kind, type) and _is_asked_in_vain(kind):
            name = ".".join(names)
            raise UnsupportedError(
                f"the tape cannot answer the pattern `case {name}(...)`",
                locate(code, offset),
                "It computes with Tensors, whose class Python asks for itself.",
                f"Ask in a guard: case _ if isinstance(value, {name}).",
            )
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            refuse(inner, known)


def _is_asked_in_vain(kind: type) -> bool:
    """Whether values of NumPy's are of a class, and a Tensor is not."""
    if issubclass(Tensor, kind) or any(kind is original for original, _ in CLASSES):
        return False
    if registry.maker_of(kind) is not None:
        return True  # of a library: another class stands for it
    return any(issubclass(own, kind) for own in _OF_VALUES)


def _patterns(code: types.CodeType) -> Iterator[tuple[list[str], int]]:
    """The dotted name of each class pattern, and where its instruction stands."""
    if _MATCH_CLASS not in code.co_code[::2]:
        return
    before: list[dis.Instruction] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname == "MATCH_CLASS":
            names: list[str] = []
            for load in reversed(before[:-1]):  # the last one loads the names of attributes
                names.insert(0, str(load.argval))
                if load.opname != "LOAD_ATTR":
                    yield names, instruction.offset
                    break
        before.append(instruction)


def _resolved(names: list[str], known: Mapping[str, Any]) -> Any:
    first, *attributes = names
    value = known.get(first)
    for name in attributes:
        value = getattr(value, name, None)
    return value
