"""A benchmark kernel is a record: data, a NumPy primal, and the same primal as each peer wants it written.

A form is a function from the peer's array module (jax.numpy, torch, autograd.numpy) to the primal in that peer's
words; `same` makes one from a NumPy primal whose text the peer takes unchanged.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Form", "Kernel", "same"]

Form = Callable[..., Callable[..., Any]]


@dataclass(frozen=True)
class Kernel:
    """One row of the table."""

    title: str
    family: str  # elementwise | reduction | products | recurrence | stencil | pairs
    data: Callable[..., tuple[Any, ...]]  # the sizes -> the arguments
    primal: Callable[..., Any]  # in NumPy, as one writes it
    full: tuple[int, ...]  # the sizes of the table
    quick: tuple[int, ...]
    argnums: tuple[int, ...] = (0,)
    loops: Callable[..., Any] | None = None  # in plain loops, for Numba; None: Numba takes `primal`
    helpers: tuple[str, ...] = ()  # functions that `loops` calls, to be jitted first
    forms: Mapping[str, Form] = field(default_factory=dict)  # "jax", "torch", "autograd", ...
    small: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # sizes for slow peers; (): not at all
    growth: tuple[tuple[int, ...], ...] = ()  # sizes for the plot of time against size
    target: float | None = None  # time of the hand-written gradient / time of `loops`
    tolerance: float = 1e-8

    @property
    def for_numba(self) -> Callable[..., Any]:
        """What Numba compiles."""
        return self.loops or self.primal


def same(primal: Callable[..., Any]) -> Form:
    """The form of a peer that takes the text of `primal` when `np` means the peer's array module.

    Other globals can be changed, too: `same(primal)(module, erf=...)`.
    """

    def form(module: Any, **others: Any) -> Callable[..., Any]:
        return _rebound(primal, {"np": module, **others})

    return form


def _rebound(function: Callable[..., Any], changed: dict[str, Any]) -> types.FunctionType:
    """The function with other globals; the functions of its own file that it calls follow."""
    assert isinstance(function, types.FunctionType)
    scope: dict[str, Any] = {}
    for name, value in function.__globals__.items():
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
            scope[name] = types.FunctionType(value.__code__, scope, name, value.__defaults__)
        else:
            scope[name] = value
    scope.update(changed)
    return types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
