"""Notice integer arithmetic whose dtype depends on the path that was taken.

    n = v[0] if flag else w[0]          # int8 on one path, int32 on the other
    return n + v[0]                     # NumPy has 8 bits, or 32

Compiled code has one dtype for a variable, and would compute with the wider one: where NumPy wraps, the value would be
another. What is only compared, moved or made a float of has one value, whatever its dtype is. Integers of 32 bits and
more are taken not to wrap.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from adc.compiler.frontend import infer
from adc.compiler.ir.nodes import Operand, Var
from adc.compiler.ir.types import Scalar, Type
from adc.errors import AdcError
from adc.rules.operation import Operation

# Operations that give one of their operands, or as much of it as fits.
MOVES = infer.SAME_DTYPE | {"where", "maximum", "minimum", "fmax", "fmin", "positive", "sign", "alias"}
SUMS = {"matmul", "dot", "prod", "cumsum", "cumprod", "diff", "outer", "inner", "tensordot", "einsum", "kron"}

Kinds = tuple[Type, ...]


def is_narrow(t: Type) -> bool:
    """Whether NumPy's arithmetic on it wraps at small numbers, or is that of truth values."""
    if isinstance(t, Scalar) and t.weak is not False:
        return False
    return np.dtype(t.dtype).kind in "biu" and np.dtype(t.dtype).itemsize < 4


class WidthsByPath:
    """What variables are of more than one dtype, by the path, one of them narrow."""

    def __init__(self) -> None:
        self.of: dict[Var, Kinds] = {}

    def kinds(self, value: Any, t: Type) -> Kinds:
        return self.of.get(value, (t,)) if isinstance(value, Var) else (t,)

    def note(self, result: Var, kinds: Iterable[Type]) -> None:
        """Take down what types a variable has, if that matters to arithmetic."""
        of_each = {(t.dtype, isinstance(t, Scalar) and t.weak): t for t in kinds}
        if len({dtype for dtype, _ in of_each}) > 1 and any(map(is_narrow, of_each.values())):
            self.of[result] = tuple(of_each.values())

    def differ(self, operation: Operation, operands: tuple[Operand, ...]) -> Kinds:
        """The types of an operation's result, one for each that its operands may have; none where they are all one."""
        choices = [self.of.get(v, (None,)) if isinstance(v, Var) else (None,) for v in operands]
        if all(kinds == (None,) for kinds in choices):
            return ()
        results: dict[str, Type] = {}
        for kinds in itertools.product(*choices):
            try:
                (t,) = infer.result_types(operation, _of_kinds(operands, kinds), lambda *_: None)
            except (AdcError, TypeError, ValueError):
                continue  # NumPy has no such operation on that path, and raises
            results.setdefault(t.dtype, t)
        found = tuple(results.values())
        return found if len(found) > 1 and any(np.dtype(t.dtype).kind in "biu" for t in found) else ()

    @staticmethod
    def may_wrap(operation: Operation) -> bool:
        return operation.name in SUMS or (infer.is_elementwise(operation) and operation.name not in MOVES)


def _of_kinds(operands: tuple[Operand, ...], kinds: tuple[Type | None, ...]) -> tuple[Operand, ...]:
    """Operands of other dtypes."""
    given: list[Operand] = []
    for v, t in zip(operands, kinds, strict=True):
        if t is None or not isinstance(v, Var):
            given.append(v)
        else:
            given.append(
                Var(v.name, t if isinstance(t, Scalar) else replace(v.type, dtype=t.dtype), dim=v.dim)
            )
    return tuple(given)
