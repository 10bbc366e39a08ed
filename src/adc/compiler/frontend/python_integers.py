"""What Python does with its integers, and NumPy's of 64 bits do not: any size, and fractions as powers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from adc.compiler.frontend.values import Value
from adc.compiler.ir.types import is_float, is_plain_integer
from adc.rules.operation import Operation

if TYPE_CHECKING:
    from adc.compiler.frontend.builder import Builder

LARGEST = 2**63 - 1  # of 64 bits


def operands(builder: Builder, operation: Operation, bound: tuple[Value, ...]) -> tuple[Value, ...]:
    """The operands of an elementwise operation, as numbers with a point where Python makes them that.

    `x / 2**64` divides by a float, and a constant of 64 bits beside `np.uint64` is one of these. `n**-2`, and `10**-k`
    for a counter k, are powers of floats; where only the run tells the sign of the exponent, a check in compiled code
    does (`transforms/overflow.py`).
    """
    if any(_is_large(v) for v in bound):
        types = [t for t in map(builder.type_of, bound) if t is not None]
        if any(is_float(t) for t in types):
            bound = tuple(float(v) if _is_large(v) else v for v in bound)
        elif any(t.dtype == "uint64" for t in types):
            bound = tuple(np.uint64(v) if _is_large(v) and 0 < v < 2**64 else v for v in bound)
    if (
        operation.name == "power"
        and all(is_plain_integer(builder.type_of(v)) for v in bound)
        and _never_positive(builder, bound[1])
    ):
        return tuple(float(v) if isinstance(v, int) else builder.cast(v, "float64", weak=True) for v in bound)
    return bound


def _is_large(v: Value) -> bool:
    return type(v) is int and abs(v) > LARGEST


def _never_positive(builder: Builder, v: Value) -> bool:
    """Whether an exponent is negative, or at most zero: then the power is a fraction, or one."""
    if isinstance(v, int):
        return v < 0
    length = builder.length(v)
    return length is not None and builder.never_negative(-length)
