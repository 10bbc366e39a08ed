"""One step of an accumulation, with leave to reorder it: loops over `total = add(total, term)` vectorise.

A sum in source order is a chain, and LLVM keeps it. `reassoc` on the additions lets it run several partial
sums side by side; but given to a whole function it would also dissolve compensated sums and rounding
tricks. LLVM's flags sit on single instructions, so an inlined addition with flags of its own gives the
freedom to this accumulation and to nothing else. maximum and minimum need no freedom, only the form that
LLVM recognises: NaN comes through, as in np.max.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.extending import overload

from adc.runtime.vectormath.primitives import larger, smaller

F = TypeVar("F", bound=Callable[..., Any])

# No 'nnan', 'ninf': a NaN or infinity among the terms shows in the total. A sum's zero may lose its sign.
_OPTIONS: dict[str, Any] = {
    "forceinline": True,
    "fastmath": {"reassoc", "contract", "nsz"},
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

REDUCTIONS: dict[str, Callable[[Any, Any], Any]] = {}
"""From the name of the NumPy ufunc whose `reduce` it is, to the step function here."""


def _step(
    name: str, of_floats: Callable[[Any, Any], Any], of_others: Callable[[Any, Any], Any]
) -> Callable[[F], F]:
    """Make the decorated Python function known to jitted code, one form for floats and one for the rest."""

    def choose(total: Any, term: Any) -> Any:
        if not all(isinstance(t, types.Number | types.Boolean) for t in (total, term)):
            return None
        return of_floats if total == term and isinstance(total, types.Float) else of_others

    def decorate(function: F) -> F:
        overload(function, jit_options=_OPTIONS, strict=False)(choose)
        REDUCTIONS[name] = function
        return function

    return decorate


def _sum(total: Any, term: Any) -> Any:
    return total + term


def _product(total: Any, term: Any) -> Any:
    return total * term


@_step("add", _sum, _sum)
def add(total: Any, term: Any) -> Any:
    """The sum, in whatever order the loop likes best.

    >>> add(1.0, 2.0)
    3.0
    """
    return total + term


@_step("multiply", _product, _product)
def multiply(total: Any, factor: Any) -> Any:
    """The product, in whatever order the loop likes best.

    >>> multiply(2.0, 3.0)
    6.0
    """
    return total * factor


@_step("maximum", lambda total, term: larger(total, term), lambda total, term: np.maximum(total, term))
def maximum(total: Any, term: Any) -> Any:
    """The larger; NaN if either is NaN.

    >>> float(maximum(2.0, 3.0))
    3.0
    """
    return np.maximum(total, term)


@_step("minimum", lambda total, term: smaller(total, term), lambda total, term: np.minimum(total, term))
def minimum(total: Any, term: Any) -> Any:
    """The smaller; NaN if either is NaN.

    >>> float(minimum(2.0, 3.0))
    2.0
    """
    return np.minimum(total, term)
