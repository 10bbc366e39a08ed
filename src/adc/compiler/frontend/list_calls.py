"""Calls of NumPy on lists that grow: the list is the array in which it lives, or what joins its elements."""

from __future__ import annotations

import builtins
import functools
import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend.element_kinds import cannot
from adc.compiler.frontend.frame import Growing, Instance
from adc.compiler.frontend.grown_reads import array, rows
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

_JOINED = {
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.stack,
    np.vstack,
    np.hstack,
    np.concatenate,
    np.column_stack,
    np.dstack,
    np.block,
}


# Functions that keep the list, or ask of it.
_OF_LISTS = (
    builtins.type,
    builtins.hasattr,
    builtins.getattr,
    builtins.callable,
    builtins.bool,
    functools.partial,
)
# Those that read elements when they are asked for: what is written to a list meanwhile is seen.
_LATER = (builtins.iter, builtins.zip, builtins.enumerate, builtins.reversed, builtins.map, builtins.filter)
_GOING_OVER = {m.__name__ for m in (builtins, itertools)} | {
    functools.reduce.__module__
}  # take elements one by one


def plain(ev: Core, values: Iterable[Value], function: Any = None) -> list[Value]:
    """Operands of NumPy and of built-ins: lists as arrays, and deques as lists."""
    if function is not builtins.type:
        values = [ev.opened(v) if isinstance(v, Instance) else v for v in values]
    return [_as_array(ev, v, function) if isinstance(v, Growing) else v for v in values]


def _as_array(ev: Core, items: Growing, function: Any) -> Value:
    """A list as an array; one of tuples that are packed only where NumPy makes the same array of them."""
    if any(function is f for f in _OF_LISTS):
        return items
    goes_over = getattr(function, "__module__", None) in _GOING_OVER
    if items.of is not None:
        return items if goes_over else array(ev, items)
    if goes_over and (items.nested or items.form is not None or items.row_of is not None or items.weak):
        return items
    if items.copied and (function in _LATER or getattr(function, "__module__", None) == itertools.__name__):
        return items
    if items.form is None:
        return array(ev, items)
    if not items.form.is_row:
        return array(ev, items)
    values, (dtype,) = rows(ev, items), {t.dtype for t in items.form.parts}
    return values if dtype == "float64" else ev.cast(values, dtype)


def joined_call(ev: Core, function: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`np.vstack(growing)` and the like: what its elements give next to each other; None for other calls."""
    if not args or not isinstance(args[0], Growing) or function not in _JOINED:
        return None
    if args[0].of is not None and args[0].of.joined is not None:
        return _pieces_joined(ev, function, args[0].of.joined, args[1:], kwargs)
    values = array(ev, args[0])
    if function in (np.asarray, np.asanyarray, np.ascontiguousarray):
        return ev.call(np.array, [values, *args[1:]], kwargs)
    some = ev.op("greater", args[0].count, 0)
    if some is not True:
        message = "need at least one array to join"
        ev.block.append(Check(ev.atom(some), "ValueError", (Const(message),), ev.origin))
    axis = kwargs.get("axis", args[1] if len(args) > 1 else 0)
    by_rows = values.type.ndim == 2
    if function is np.stack and axis == 0:
        return ev.op("copy", values)
    if function is np.vstack:
        return ev.op("copy", values) if by_rows else ev.op("expand_dims", values, 1)
    if function in (np.hstack, np.concatenate) and axis == 0 and values.type.ndim <= 2:
        return ev.op("ravel", values) if by_rows else ev.op("copy", values)
    if (function is np.column_stack and by_rows) or (function is np.stack and by_rows and axis in (1, -1)):
        return ev.op("transpose", values)
    raise cannot(ev, f"np.{function.__name__} of such a list is not supported")


def _pieces_joined(
    ev: Core, function: Any, joined: Var, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    """Pieces of an array next to each other, as they lie in it."""
    along_the_first = (
        function is np.concatenate and not args and kwargs.get("axis", 0) == 0 and len(kwargs) < 2
    )
    if along_the_first or (
        function in (np.hstack, np.vstack) and joined.type.ndim == 1 + (function is np.vstack)
    ):
        return ev.op("copy", joined)
    raise cannot(ev, f"np.{function.__name__} of such a list is not supported")
