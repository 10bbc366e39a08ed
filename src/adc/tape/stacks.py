"""Operands of more axes than an operation takes at once are stacks: it takes one after the other, as SciPy does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.errors import UnsupportedError
from adc.rules.operation import has_parts
from adc.tape import record
from adc.tape.entry import Entry
from adc.tape.node import here
from adc.tape.state import modes
from adc.tape.tensor import Tensor

__all__ = ["given", "one_by_one"]


def given(entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call has a stack among its operands."""
    return entry.operation.takes_stack(entry.bind(args, kwargs), _axes)


def one_by_one(
    entry: Entry, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The results of an operation on stacks, which broadcast, put together from those of its elements.

    Raises `UnsupportedError` where `function` makes something else of them: some take the axes of a stack for those of
    one operand.
    """
    wanted = function(*record.plain(args), **record.plain(kwargs))
    if not modes.enabled or not record.is_active((args, kwargs)):
        return record.wrap(wanted, args)
    names = [entry.names[k if entry.star is None else min(k, entry.star)] for k in range(len(args))]
    operands = [*zip(names, args, strict=True), *kwargs.items()]
    cores = [entry.operation.extra["cores"].get(name) for name, _ in operands]
    leading = [s for (_, v), core in zip(operands, cores, strict=True) for s in _leading(v, core)]
    lengths = np.broadcast_shapes(*leading)
    if 0 in lengths:
        return record.wrap(wanted, args)
    rows = []
    for place in np.ndindex(lengths):
        parts = [_at(v, core, place) for (_, v), core in zip(operands, cores, strict=True)]
        named = dict(zip(kwargs, parts[len(args) :], strict=True))
        rows.append(record.apply(entry, tuple(parts[: len(args)]), named, function))
    if not isinstance(wanted, tuple | list):
        return _together(entry, rows, lengths, wanted)
    columns = zip(zip(*rows, strict=True), wanted, strict=True)
    return record.rebuild(wanted, [_together(entry, column, lengths, part) for column, part in columns])


def _together(entry: Entry, rows: Sequence[Any], lengths: tuple[int, ...], wanted: Any) -> Any:
    if all(isinstance(row, Tensor | np.ndarray | np.generic | bool) for row in rows):
        result = np.reshape(np.stack(rows), (*lengths, *np.shape(rows[0])))
        plain = record.plain(result)
        if np.shape(plain) == np.shape(wanted) and np.allclose(plain, wanted, rtol=1e-4, equal_nan=True):
            return result
    raise UnsupportedError(
        f"adc has no derivative of {entry.operation.spelling} for operands of more axes",
        here(),
        "Its rule takes one at a time, and the function makes something else of more.",
        "Write a loop over them.",
    )


def _axes(value: Any) -> int:
    return value.ndim if isinstance(value, Tensor | np.ndarray) else np.ndim(record.plain(value))


def _leading(value: Any, core: Any) -> list[tuple[int, ...]]:
    """The lengths of the stacks among a parameter."""
    if has_parts(value, core):
        return [s for v, c in zip(value, _each(core, value), strict=False) for s in _leading(v, c)]
    if core is None or value is None or _axes(value) <= core:
        return []
    return [np.shape(value)[: _axes(value) - core]]


def _at(value: Any, core: Any, place: tuple[int, ...]) -> Any:
    """What stands at a place of the stacks."""
    if has_parts(value, core):
        return tuple([_at(v, c, place) for v, c in zip(value, _each(core, value), strict=False)])
    if core is None or value is None or _axes(value) <= core:
        return value
    lengths = np.shape(value)[: _axes(value) - core]
    own = place[len(place) - len(lengths) :]
    return value[tuple([0 if n == 1 else k for n, k in zip(lengths, own, strict=True)])]


def _each(core: Any, values: Sequence[Any]) -> tuple[Any, ...]:
    return core if isinstance(core, tuple) else (core,) * len(values)
