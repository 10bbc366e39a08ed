"""The parts of a structure that is being compiled, as they were put into it where that is known."""

from __future__ import annotations

from typing import Any

from llvmlite import ir as llvm

__all__ = ["built", "parts"]


def parts(builder: Any, value: Any, count: int) -> list[Any]:
    """The first parts of a tuple or structure: numbers that were put into it are the numbers themselves."""
    known = isinstance(value, llvm.Constant) and value.constant is not llvm.Undefined
    put_in = dict(enumerate(value.constant)) if known else {}
    before = value
    while isinstance(before, llvm.instructions.InsertValue):
        put_in.setdefault(before.indices[0], before.value)
        before = before.aggregate
    return [put_in[k] if k in put_in else builder.extract_value(value, k) for k in range(count)]


def built(builder: Any, kind: Any, parts_of_it: list[Any]) -> Any:
    """A structure of a type, of these parts."""
    whole = llvm.Constant(kind, llvm.Undefined)
    for k, part in enumerate(parts_of_it):
        whole = builder.insert_value(whole, part, k)
    return whole
