"""What NumPy refuses is refused in NumPy's words: its own function is asked once for each kind of call.

The body of a composite is a formula. Given an axis that there is not, or one argument too many, it may fail in words of
its own, or not at all. What it makes may lie in another order than what NumPy makes, which a reshape shows.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.runtime.modules import module_of
from adc.tape import memory_order, record
from adc.tape.entry import Entry
from adc.tape.node import here
from adc.tape.tensor import Tensor

__all__ = ["once", "understood"]

_MOST_KINDS = 500  # of calls of one operation are remembered
_NAMED = (int, str, type, np.dtype, types.EllipsisType, np.ufunc)
_FEW = 64  # integers: what is an index is so known by its values


class _Open(Exception):
    """An argument that a kind cannot say, above all a function: calling it once more may be seen."""


def once(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
    """How the results lie in memory where the operation's own function makes them, see `adc.tape.memory_order.of`.

    Raises what that function raises for plain arrays of this kind, and `UnsupportedError` where the `result` of the
    body has not the shape of what the function gives.
    """
    try:
        kind = (_kind(args), _kind(kwargs))
    except _Open:
        return memory_order.of(result)
    if kind in entry.asked:
        return entry.asked[kind]
    given = _ask(entry, args, kwargs)
    expected, found = _shapes(given), _shapes(record.plain(result))
    if not _fit(expected, found):
        raise _beyond(
            entry, f"Its rule gives a result of shape {found}, the function one of shape {expected}."
        )
    order = memory_order.of(given)
    if len(entry.asked) < _MOST_KINDS:
        entry.asked[kind] = order
    return order


def _ask(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    # Functions of math take no keywords but those that they ask for by name, though rules of them do.
    if entry.operation.module == "math":
        named = {p.name for p in entry.operation.parameters if p.kind is p.KEYWORD_ONLY}
        args = (*args, *(v for k, v in kwargs.items() if k not in named))
        kwargs = {k: v for k, v in kwargs.items() if k in named}
    with np.errstate(all="ignore"):  # the body says it
        return entry.function(*record.plain(args), **record.plain(kwargs))


def _shapes(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return tuple([_shapes(v) for v in value])
    return None if value is None else np.shape(value)


def _fit(expected: Any, found: Any) -> bool:
    """Whether shapes are the same, but for what the body leaves away: that is None."""
    if isinstance(found, tuple) and None in found:
        return len(expected) == len(found) and all(map(_fit, expected, found))
    return found is None or bool(expected == found)


def understood(error: Exception, entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
    """What to raise where a body ended in `error`: NumPy's own, or that the rule does not reach so far."""
    try:
        _kind(args), _kind(kwargs)
    except _Open:
        return error  # of the user's function, it may be
    try:
        _ask(entry, args, kwargs)
    except Exception as numpys:
        return numpys
    return _beyond(entry, f"Its rule ends in {type(error).__name__}: {error}.")


def _beyond(entry: Entry, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"adc has no derivative of {entry.operation.spelling} for these arguments",
        here(),
        why,
        "Pass them in another form, or adc.stop_gradient(x) if no derivative is meant.",
    )


def _kind(value: Any) -> Any:
    """What calls of one kind have in common: shapes and dtypes, numbers, axes, names."""
    if value.__class__ is Tensor:
        value = value.primal
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind in "iub" and value.size <= _FEW:
            return value.shape, value.dtype, value.tobytes()
        return value.shape, value.dtype, memory_order.of(value)
    if isinstance(value, tuple | list):
        return value.__class__, tuple([_kind(v) for v in value])
    if isinstance(value, dict):
        return tuple([(k, _kind(v)) for k, v in value.items()])
    if isinstance(value, slice):
        return slice, _kind((value.start, value.stop, value.step))
    if isinstance(value, float | complex):
        return value.__class__, repr(value)  # 0.0 equals -0.0, and NaN nothing
    if value is None or value is np._NoValue or isinstance(value, _NAMED):
        return value.__class__, value
    if callable(value) and module_of(value).startswith("numpy"):
        return value
    raise _Open
