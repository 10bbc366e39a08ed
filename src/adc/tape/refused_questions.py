"""Code that asks what only the tape's own objects would answer is refused before it runs."""

from __future__ import annotations

import dis
import types

from adc.errors import UnsupportedError
from adc.tape.node import locate

__all__ = ["refuse"]

_IS = dis.opmap["IS_OP"]


def refuse(code: types.CodeType) -> None:
    """Raise `UnsupportedError` for a question to which a Tensor has another answer than an array."""
    _refuse_types_of_dtypes(code)
    _refuse_tries_of_attributes(code)


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
