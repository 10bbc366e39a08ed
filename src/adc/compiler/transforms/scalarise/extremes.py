"""Extremes and their positions: searched for in a loop, or for all elements of a row at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.compiler.ir.nodes import Assign, Carried, Check, Const, Var
from adc.compiler.ir.types import Array, Scalar, is_float
from adc.compiler.transforms.scalarise.nests import Nests

FEW = 4  # elements of a row up to which a register each is better


def has_long_rows(source: Var, axes: tuple[int, ...]) -> bool:
    """Whether the elements of a row belong to as many reductions, of a type that has a least and a greatest value."""
    last = source.type.shape[-1].known
    ordered = is_float(source.type) or source.type.dtype == "bool"
    return source.type.ndim - 1 not in axes and ordered and (last is None or last > FEW)


def worst(source: Var, name: str) -> Any:
    """What every element is at least as good as; None of integers."""
    largest = "max" in name
    dtype = np.dtype(source.type.dtype)
    if dtype.kind == "b":
        return not largest
    if dtype.kind != "f":
        return None
    return -np.inf if largest else np.inf


def along_rows(nests: Nests, stmt: Assign, kept: list[int], at: Callable[[list[Any]], list[Any]]) -> None:
    """The extremes over leading axes, all at once: each row of memory against those of the rows before."""
    ev, source, target = nests.ev, stmt.args[0], stmt.target
    nests.allocate(target)
    nests.loops(
        tuple(source.type.shape[k] for k in kept),
        lambda index: nests.put(target, at(index), worst(source, stmt.name)),
    )

    def compare(index: list[Any]) -> None:
        place = at([index[k] for k in kept])
        before = ev.getitem(target, tuple(ev.atom(i) for i in place))
        nests.put(target, place, ev.op(f"{stmt.name}imum", before, nests.load(source, index)))

    nests.loops(source.type.shape, compare)


def require_some(nests: Nests, source: Var, axes: tuple[int, ...], name: str) -> None:
    for k in axes:
        d = source.type.shape[k]
        if not d.known:
            test = nests.ev.op("greater", nests.ev.dim_value(d), 0)
            nests.ev.block.append(
                Check(
                    nests.ev.atom(test),
                    "ValueError",
                    (Const(f"zero-size array to reduction operation {name}imum which has no identity"),),
                    nests.ev.origin,
                )
            )


def position(nests: Nests, stmt: Assign, axes: tuple[int, ...], kept: list[int], keepdims: bool) -> None:
    """Argmax and argmin: the first of equals, as NumPy chooses."""
    if len(axes) > 1 and kept:
        raise nests.ev.refuse("argmax over several axes is not supported")
    source, target = stmt.args[0], stmt.target
    shape = source.type.shape
    require_some(nests, source, axes, stmt.name[3:])

    def at(index: list[Any]) -> list[Any]:
        counters = iter(index)
        return [0 if k in axes else next(counters) for k in range(len(shape))] if keepdims else index

    of_truths = stmt.name == "argmax" and source.type.dtype == "bool"
    if target.is_array and has_long_rows(source, axes):
        along = _first_truths_along_rows if of_truths else _positions_along_rows
        along(nests, stmt, axes, kept, at)
        return

    def search(known: dict[int, Any]) -> Any:
        if of_truths:
            return first_truth(nests, source, axes, known)
        best = nests.load(source, [known.get(k, 0) for k in range(len(shape))])

        def level(
            remaining: tuple[int, ...], index: dict[int, Any], best: Any, where: Any, flat: Any
        ) -> tuple[Any, Any]:
            if not remaining:
                value = nests.load(source, [index[k] for k in range(len(shape))])
                wins = _wins(nests, stmt, value, best)
                return nests.ev.op("where", wins, value, best), nests.ev.op("where", wins, flat, where)
            axis, *rest = remaining
            counter = nests.counter(len(axes) - len(remaining))
            phis = [Var("best", Scalar(source.type.dtype)), Var("position", Scalar("int64"))]
            results = [Var("best", Scalar(source.type.dtype)), Var("position", Scalar("int64"))]
            loop = nests.over(counter, shape[axis])
            with nests.ev.at(loop.body):
                position = (
                    counter
                    if flat is None
                    else nests.ev.op(
                        "add", nests.ev.op("multiply", flat, nests.ev.dim_value(shape[axis])), counter
                    )
                )
                outs = level(tuple(rest), {**index, axis: counter}, phis[0], phis[1], position)
            for phi, init, out, result in zip(phis, (best, where), outs, results, strict=True):
                loop.carried.append(Carried(phi, nests.ev.atom(init), nests.ev.atom(out), result))
            nests.ev.block.append(loop)
            return results[0], results[1]

        return level(axes, known, best, 0, None)[1]

    if not target.is_array:
        nests.define(target, search({}))
        return
    nests.allocate(target)

    def row(index: list[Any]) -> None:
        known = dict(zip(kept, index, strict=True))
        nests.depth += len(index)
        found = search(known)
        nests.depth -= len(index)
        nests.put(target, at(index), found)

    nests.loops(tuple(shape[k] for k in kept), row)


def first_truth(nests: Nests, source: Var, axes: tuple[int, ...], known: dict[int, Any]) -> Any:
    """Where an array of truth values has the first that holds, over axes, at fixed positions of the others; else 0.

    The least of the positions where one holds: a reduction, which LLVM vectorises, and no branch.
    """
    ev, shape = nests.ev, source.type.shape
    count = nests.count(source, axes)

    def level(remaining: tuple[int, ...], index: dict[int, Any], least: Any, flat: Any) -> Any:
        if not remaining:
            holds = nests.load(source, [index[k] for k in range(len(shape))])
            return ev.op("minimum", least, ev.op("where", holds, flat, count))
        axis, *rest = remaining
        counter = nests.counter(len(axes) - len(remaining))
        phi, result = Var("position", Scalar("int64")), Var("position", Scalar("int64"))
        loop = nests.over(counter, shape[axis])
        with ev.at(loop.body):
            place = counter
            if flat is not None:
                place = ev.op("add", ev.op("multiply", flat, ev.dim_value(shape[axis])), counter)
            out = level(tuple(rest), {**index, axis: counter}, phi, place)
        loop.carried.append(Carried(phi, ev.atom(least), ev.atom(out), result))
        ev.block.append(loop)
        return result

    return _or_first(nests, level(axes, known, count, None), count)


def _or_first(nests: Nests, position: Any, count: Any) -> Any:
    found = nests.ev.op("where", nests.ev.op("equal", position, count), 0, position)
    if isinstance(found, Var):
        found.name = "position"
    return found


def _first_truths_along_rows(
    nests: Nests,
    stmt: Assign,
    axes: tuple[int, ...],
    kept: list[int],
    at: Callable[[list[Any]], list[Any]],
) -> None:
    """The same along a leading axis, for a row of memory at once."""
    ev, source, target = nests.ev, stmt.args[0], stmt.target
    kept_shape = tuple(source.type.shape[k] for k in kept)
    count = nests.count(source, axes)
    nests.allocate(target)

    def found(index: list[Any]) -> Any:
        return ev.getitem(target, tuple(ev.atom(i) for i in at(index)))

    nests.loops(kept_shape, lambda index: nests.put(target, at(index), count))

    def compare(index: list[Any]) -> None:
        here = [index[k] for k in kept]
        place = ev.op("where", nests.load(source, index), index[axes[0]], count)
        nests.put(target, at(here), ev.op("minimum", found(here), place))

    nests.loops(source.type.shape, compare)
    nests.loops(kept_shape, lambda index: nests.put(target, at(index), _or_first(nests, found(index), count)))


def _positions_along_rows(
    nests: Nests,
    stmt: Assign,
    axes: tuple[int, ...],
    kept: list[int],
    at: Callable[[list[Any]], list[Any]],
) -> None:
    """The positions along a leading axis, all at once: each row of memory against the best of the rows before."""
    ev, source, target = nests.ev, stmt.args[0], stmt.target
    kept_shape = tuple(source.type.shape[k] for k in kept)
    best = Var("best", Array(source.type.dtype, kept_shape, "C"), named=False)
    nests.allocate(best)
    nests.allocate(target)

    def start(index: list[Any]) -> None:
        nests.put(best, index, worst(source, stmt.name))
        nests.put(target, at(index), 0)

    nests.loops(kept_shape, start)

    def compare(index: list[Any]) -> None:
        here = [index[k] for k in kept]
        before = ev.getitem(best, tuple(ev.atom(i) for i in here))
        value = nests.load(source, index)
        wins = _wins(nests, stmt, value, before)
        place = ev.getitem(target, tuple(ev.atom(i) for i in at(here)))
        nests.put(best, here, ev.op("where", wins, value, before))
        nests.put(target, at(here), ev.op("where", wins, index[axes[0]], place))

    nests.loops(source.type.shape, compare)


def _wins(nests: Nests, stmt: Assign, value: Any, best: Any) -> Any:
    """Whether a value comes before the best so far; the first NaN does before every number."""
    ev = nests.ev
    wins = ev.op("greater" if stmt.name == "argmax" else "less", value, best)
    if not is_float(stmt.args[0].type):
        return wins
    return ev.op(
        "logical_or", wins, ev.op("logical_and", ev.op("not_equal", value, value), ev.op("equal", best, best))
    )
