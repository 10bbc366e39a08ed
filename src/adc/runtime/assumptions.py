"""What generated code knows and LLVM cannot see."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.extending import lower_builtin, type_callable

__all__ = ["assume"]


def assume(condition: bool) -> None:
    """Let LLVM rely on a condition, which compiled code does not check. Raises AssertionError in Python.

    >>> import numba, numpy as np
    >>> @numba.njit
    ... def second(x):
    ...     assume(x.shape[0] == 3)
    ...     return x[1]
    >>> second(np.array([1.0, 2.0, 3.0]))
    2.0
    >>> assume(1 > 2)
    Traceback (most recent call last):
    AssertionError: what generated code relies on does not hold
    """
    if not condition:
        raise AssertionError("what generated code relies on does not hold")


@type_callable(assume)
def _typed(context: Any) -> Any:
    return lambda condition: types.none if condition == types.boolean else None


@lower_builtin(assume, types.boolean)
def _told(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    builder.assume(arguments[0])
    return context.get_dummy_value()
