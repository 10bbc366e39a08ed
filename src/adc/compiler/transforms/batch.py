"""Apply a function to each of a batch of arguments: one loop in the program, whatever the function does inside.

Each call has the arguments as they were given: what the function writes to is a copy, made anew for each trip.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from adc import pytree
from adc.compiler.frontend.indexing import FULL, normalized
from adc.compiler.frontend.left_outside import nothing_left
from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.stand_ins import held_in
from adc.compiler.frontend.taken_in import with_lists
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    Var,
)
from adc.compiler.ir.types import Array, Scalar
from adc.compiler.leaves import Leaves, is_number, without_lists
from adc.compiler.transforms import batch_lengths, chunks, own, split
from adc.rules.dims import Dim

__all__ = ["mapped"]


def mapped(
    ev: Evaluator,
    function: Any,
    args: Sequence[Value],
    kwargs: dict[str, Value],
    in_axes: Any,
    out_axes: Any,
    *,
    shared: Collection[str] = (),
    in_place: bool = False,
) -> Value:
    """The results of the function on each element along `in_axes`, stacked along `out_axes`.

    Of the arguments by keyword those in `shared` are the same for all, the others run along their first axis. With
    `in_place` the function writes to the arguments themselves, which says which of them it writes to.
    """
    plain = without_lists(tuple(args))
    axes = _per_leaf(ev, in_axes, plain, "in_axes")
    leaves, structure = pytree.flatten(plain)
    named, named_structure = pytree.flatten(without_lists(kwargs))
    named_axes = _per_leaf(
        ev, {k: None if k in shared else 0 for k in kwargs}, without_lists(kwargs), "in_axes"
    )
    batched = list(zip([*leaves, *named], [*axes, *named_axes], strict=True))
    length = _length(ev, batched)
    index = Var("k", Scalar("int64", True), named=True)
    index.dim = Dim.symbol("value", index)
    body: Block = []
    lengths = ev.equal.snapshot()

    def trip(items: list[Value]) -> Value:
        positional = with_lists(pytree.unflatten(structure, items[: len(leaves)]), ev)
        keyword = with_lists(pytree.unflatten(named_structure, items[len(leaves) :]), ev)
        for container in held_in((*positional, *keyword.values())):
            ev.origins.give(container)
        return without_lists(ev.result(function, list(positional), keyword))

    ev.region_depth += 1
    try:
        with ev.at(body):
            items = [_element(ev, x, axis, index) for x, axis in batched]
            with nothing_left(ev, "a batch"):
                output = trip(items) if in_place else own.on_copies(ev, items, trip)
    finally:
        ev.region_depth -= 1
    found, out_structure = pytree.flatten(output)
    Leaves(output).refuse_chosen(ev, "a batch", "return a number in its place")
    ends = _per_leaf(ev, out_axes, output, "out_axes")
    shared_results = [isinstance(y, Var) and axis is None for y, axis in zip(found, ends, strict=True)]
    if any(shared_results):
        body, found = _without_shared(ev, body, found, shared_results, index)
    body, found = batch_lengths.in_front(ev, body, index, found)
    stacked = []
    for y, axis in zip(found, ends, strict=True):
        stacked.append(y if axis is None or not is_number(y) else _stacked(ev, y, axis, index, length, body))
    count = len(list(itertools.takewhile(lambda s: isinstance(s, Assign) and s.name == "getitem", body)))
    front, reads, rest = chunks.given_rows(body[:count], body[count:], index, ev)
    ev.block.extend(front)
    # A second sweep goes over no stack, on which the first keeps rows of as many elements as a chunk has.
    size = chunks.CHUNK if ev.sweeps < 2 else 1
    chunked = chunks.run(reads, rest, index, ev.atom(length), ev, size)
    loop = [For(index, Const(0), ev.atom(length), Const(1), [], [*reads, *rest], ev.origin)]
    ev.block.extend(loop if chunked is None else chunked)
    ev.equal.restore(lengths)  # what a trip has checked is not known when there was none
    return pytree.unflatten(out_structure, stacked)


def _without_shared(
    ev: Evaluator, body: Block, found: list[Value], shared: list[bool], index: Var
) -> tuple[Block, list[Value]]:
    """The loop's body without what is the same for all elements, which is computed in front of the loop."""
    differing = split.depending(body, [index], ev)
    for y in itertools.compress(found, shared):
        assert isinstance(y, Var)
        if not differing.isdisjoint((y, y.root)):
            raise ev.refuse(
                f"out_axes is None for `{y.name}`, which may differ from element to element",
                "None is for results that are the same for all",
                "give it an axis",
            )
    others = [y for y, same in zip(found, shared, strict=True) if not same]
    once, body, alike, others = split.run(body, [index], ev, list(itertools.compress(found, shared)), others)
    ev.block.extend(once)
    first, rest = iter(alike), iter(others)
    return body, [next(first) if same else next(rest) for same in shared]


def _length(ev: Evaluator, batched: list[tuple[Value, int | None]]) -> Value:
    """The length of the batch, which is that of every batched argument."""
    found: Dim | None = None
    for x, axis in batched:
        if axis is None:
            continue
        if not isinstance(x, Var) or not isinstance(x.type, Array):
            raise ev.refuse(
                "vmap maps over a number",
                "only arrays have axes to map over",
                "give it None in in_axes, to pass it on as it is",
            )
        if not -x.type.ndim <= axis < x.type.ndim:
            raise ev.refuse(f"vmap maps over axis {axis} of `{x.name}`, which has {x.type.ndim} axes")
        mine = x.type.shape[axis]
        if found is None:
            found = mine
        else:
            ev.require_equal(found, mine, "vmap is given batches of different lengths")
    if found is None:
        raise ev.refuse(
            "vmap has no argument to map over",
            "`in_axes` is None for all of them",
            "give at least one argument an axis",
        )
    return ev.dim_value(found)


def _element(ev: Evaluator, x: Value, axis: int | None, index: Var) -> Value:
    if axis is None:
        return x
    position = axis % x.type.ndim
    return ev.getitem(x, normalized(ev, x, (*(slice(None),) * position, index)), f"{x.name}_k")


def _stacked(ev: Evaluator, y: Value, axis: int, index: Var, length: Value, body: Block) -> Value:
    """An array that the loop fills, one result per trip."""
    shape: tuple[Dim, ...] = y.type.shape if isinstance(y, Var) else ()
    if batch_lengths.inside(body, index, [y]):
        raise ev.refuse(
            "vmap stacks results whose shape is only known inside the batch",
            repair="return arrays whose shape follows from those of the arguments",
        )
    if not -len(shape) - 1 <= axis <= len(shape):
        raise ev.refuse(f"vmap stacks along axis {axis} of results with {len(shape)} axes")
    position = axis % (len(shape) + 1)
    lengths = list(ev.shape_values(shape))
    dtype = y.type.dtype if isinstance(y, Var) else str(np.asarray(y).dtype)
    result = ev.op("empty", (*lengths[:position], length, *lengths[position:]), dtype=np.dtype(dtype))
    assert isinstance(result, Var)
    result.name, result.named = (f"{y.name}_batch" if isinstance(y, Var) else "batch"), True
    place = [FULL] * len(shape)
    with ev.at(body):
        ev.store(result, (*place[:position], index, *place[position:]), y)
    return result


def _per_leaf(ev: Evaluator, axes: Any, tree: Value, name: str) -> list[int | None]:
    """An axis, or None, for each leaf; `axes` may stop above the leaves."""
    if axes is None or isinstance(axes, int):
        return [axes] * len(pytree.leaves(tree))
    if pytree.is_leaf(tree) or pytree.is_leaf(axes):
        raise ev.refuse(
            f"{name}={axes!r} does not fit the structure of the values",
            repair="give an int or None, or a container of them like that of the values",
        )
    children, values = _children(axes), _children(tree)
    if (
        type(axes) is not type(tree)
        and not (isinstance(axes, (tuple, list)) and isinstance(tree, (tuple, list)))
    ) or len(children) != len(values):
        raise ev.refuse(
            f"{name} has another structure than the values",
            repair="give an int or None, or a container like that of the values",
        )
    return [
        a for child, value in zip(children, values, strict=True) for a in _per_leaf(ev, child, value, name)
    ]


def _children(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        return [tree[k] for k in sorted(tree)]
    if isinstance(tree, (tuple, list)):
        return list(tree)
    return [getattr(tree, name) for name in tree.__dataclass_fields__]
