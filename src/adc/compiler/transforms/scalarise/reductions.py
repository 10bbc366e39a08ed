"""Reductions as loops with a carried total, or as additions along the rows of memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.compiler.frontend.values import plain_value
from adc.compiler.ir.nodes import (
    Assign,
    Carried,
    Const,
    Var,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.transforms.scalarise import extremes
from adc.compiler.transforms.scalarise.nests import Nests
from adc.compiler.transforms.singles import SINGLE
from adc.rules import registry
from adc.rules.operation import Operation
from adc.rules.shapes import normalize_axes

NAMES = {"max": "largest", "min": "smallest", "prod": "product"}  # of what is carried


def reduce(nests: Nests, stmt: Assign) -> None:
    assert isinstance(stmt.op, Operation)
    source = stmt.args[0]
    names = [p.name for p in stmt.op.parameters]
    axis_operand = stmt.args[names.index("axis")]
    axis = tuple(a.value for a in axis_operand) if isinstance(axis_operand, tuple) else axis_operand.value
    axes = normalize_axes(axis, source.type.ndim)
    keepdims = "keepdims" in names and stmt.args[names.index("keepdims")] == Const(True)
    kept = [k for k in range(source.type.ndim) if k not in axes]
    target = stmt.target
    name = stmt.name
    if name in ("argmax", "argmin"):
        extremes.position(nests, stmt, axes, kept, keepdims)
        return
    if not target.is_array:
        if name in ("max", "min"):
            extremes.require_some(nests, source, axes, name)
        total = accumulated(nests, name, source, axes, {}, target.type.dtype)
        nests.define(target, _finished(nests, name, total, source, axes, target.type.dtype))
        return
    assert isinstance(target.type, Array)
    suffix = axes == tuple(range(len(kept), source.type.ndim))

    def at(index: list[Any]) -> list[Any]:
        if not keepdims:
            return index
        counters = iter(index)
        return [0 if k in axes else next(counters) for k in range(source.type.ndim)]

    kept_shape = tuple(source.type.shape[k] for k in kept)
    if name in ("max", "min"):
        extremes.require_some(nests, source, axes, name)
    along_rows = name in ("sum", "mean") or (name in ("max", "min") and extremes.has_long_rows(source, axes))
    if suffix or not along_rows:
        nests.allocate(target)

        def row(index: list[Any]) -> None:
            known = dict(zip(kept, index, strict=True))
            nests.depth += len(index)
            total = accumulated(nests, name, source, axes, known, target.type.dtype)
            nests.depth -= len(index)
            nests.put(target, at(index), _finished(nests, name, total, source, axes, target.type.dtype))

        nests.loops(kept_shape, row)
        return
    if name in ("max", "min"):
        extremes.along_rows(nests, stmt, kept, at)
        return
    # A sum over leading axes runs along the rows of memory and adds into the result.
    nests.allocate(target)
    zero = np.dtype(target.type.dtype).type(0).item()
    nests.loops(kept_shape, lambda index: nests.put(target, at(index), zero))

    def add(index: list[Any]) -> None:
        kept_index = [index[k] for k in kept]
        nests.put(target, at(kept_index), nests.converted(nests.load(source, index), target), accumulate=True)

    nests.loops(source.type.shape, add)
    if name == "mean":
        count = nests.count(source, axes)

        def scale(index: list[Any]) -> None:
            value = nests.ev.getitem(target, tuple(nests.ev.atom(i) for i in at(index)))
            nests.put(target, at(index), nests.ev.op("divide", value, count))

        nests.loops(kept_shape, scale)


def _finished(nests: Nests, name: str, total: Any, source: Var, axes: tuple[int, ...], dtype: str) -> Any:
    if name != "mean":
        return total
    count = nests.count(source, axes)
    if dtype == SINGLE:
        count = plain_value(nests.as_single(nests.ev.atom(count)))
    return nests.ev.op("divide", total, count)


def accumulated(
    nests: Nests, name: str, source: Var, axes: tuple[int, ...], known: dict[int, Any], dtype: str
) -> Any:
    """The reduction of a source over axes, at fixed positions of the others: nested loops with a carried total."""
    combine, start = _combiner(nests, name, dtype)
    shape = source.type.shape
    if name in ("max", "min"):
        # Not the first element: it would have to be there before the loop that may make it. There is one, or an error.
        start = extremes.worst(source, name)
        if start is None:
            start = nests.load(source, [known.get(k, 0) for k in range(len(shape))])

    def level(remaining: tuple[int, ...], index: dict[int, Any], total: Any) -> Any:
        if not remaining:
            value = nests.load(source, [index[k] for k in range(len(shape))])
            return combine(total, value)
        axis, *rest = remaining
        if shape[axis].known == 1:
            return level(tuple(rest), {**index, axis: 0}, total)
        counter = nests.counter(len(axes) - len(remaining))
        phi, result = (Var(NAMES.get(name, "total"), Scalar(dtype), named=False) for _ in range(2))
        loop = nests.over(counter, shape[axis])
        with nests.ev.at(loop.body):
            out = level(tuple(rest), {**index, axis: counter}, phi)
        loop.carried.append(Carried(phi, nests.ev.atom(total), nests.ev.atom(out), result))
        nests.ev.block.append(loop)
        return result

    return level(axes, known, start)


def _combiner(nests: Nests, name: str, dtype: str) -> tuple[Callable[[Any, Any], Any], Any]:
    zero, one = (np.dtype(dtype).type(k).item() for k in (0, 1))
    ev = nests.ev

    def number(v: Any) -> Any:
        if isinstance(v, Var) and v.type.dtype != dtype:
            return ev.assign("cast", (v, Const(dtype)), Scalar(dtype))
        return v

    match name:
        case "sum" | "mean":
            return lambda total, v: _add(nests, total, number(v), dtype), zero
        case "prod":
            return lambda total, v: ev.op("multiply", total, number(v)), one
        case "max":
            return lambda total, v: ev.op("maximum", total, v), None
        case "min":
            return lambda total, v: ev.op("minimum", total, v), None
        case "any":
            # Not `or`: LLVM vectorises what looks at every element.
            return lambda total, v: ev.op("bitwise_or", total, ev.truth(v)), False
        case "all":
            return lambda total, v: ev.op("bitwise_and", total, ev.truth(v)), True
        case "count_nonzero":
            return lambda total, v: ev.op("add", total, number(ev.truth(v))), 0
    raise AssertionError(name)


def _add(nests: Nests, total: Any, v: Any, dtype: str) -> Any:
    """A sum that is never folded, so that the loop always has something to carry."""
    return nests.ev.assign(registry.named("add"), (nests.ev.atom(total), nests.ev.atom(v)), Scalar(dtype))
