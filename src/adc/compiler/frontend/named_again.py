"""Arrays that generated code has one of where NumPy has two: `x.T` of a vector is a view, and `x` here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.rules.operation import Operation

if TYPE_CHECKING:
    from adc.compiler.frontend.builder import Builder


def note(builder: Builder, operation: Operation, given: Iterable[Value], result: Value) -> None:
    """An operation of the user's code gave what it was given where NumPy makes a view or a copy."""
    if builder.in_user_code and not operation.extra.get("gives_back"):
        for made in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(made, Var) and made.is_array and any(v is made for v in given):
                builder.named_again.add(made)
