"""`stop_gradient`: a value that every derivative takes for a constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from adc import pytree, tape
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import is_float
from adc.compiler.leaves import without_lists
from adc.rules import registry
from adc.runtime.copies import copied

__all__ = ["stop_gradient"]

T = TypeVar("T")


def stop_gradient(x: T) -> T:
    """`x` as it is, taken as a constant by every derivative.

    `x` is a number, an array, or a container of them; integers and other leaves pass through. Arrays are copied,
    so later writes to `x` do not reach the result, nor writes to the result `x`. Raises nothing.

    >>> import adc
    >>> adc.grad(lambda x: x * stop_gradient(x))(3.0)
    3.0
    """
    found: T = pytree.map_structure(_detached, x)
    return found


def _detached(leaf: Any) -> Any:
    if isinstance(leaf, tape.Tensor):
        return leaf.detach()
    return copied(leaf) if isinstance(leaf, np.ndarray) else leaf  # as compiled code has it


def _inline_stop(ev: Evaluator, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    x = args[0] if args else kwargs["x"]

    def held(leaf: Any) -> Any:
        return ev.op(registry.named("held"), leaf) if isinstance(leaf, Var) and is_float(leaf.type) else leaf

    return with_lists(pytree.map_structure(held, without_lists(x)), ev)


stop_gradient.__adc_inline__ = _inline_stop  # type: ignore[attr-defined]
