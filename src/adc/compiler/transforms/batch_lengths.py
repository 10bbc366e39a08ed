"""Lengths of a batch's results that are the same for all of its elements: found once, in front of the loop.

    for k in range(n):                         places = np.flatnonzero(mask)
        y = x[k][mask]                         y_batch = np.empty((n, len(places)))
        ...                                    for k in range(n):
                                                   y_batch[k] = x[k][places]

What decides them may be a mask, counts or positions that are constants, or arguments that are not mapped over.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Assign, Block, Operand, Var, bound_inside, defined, owners, walk
from adc.compiler.transforms import remeasure, split

__all__ = ["in_front", "inside"]


def inside(body: Block, index: Var, results: Sequence[Value]) -> set[Var]:
    """The variables of the loop's body that decide the shapes of its results."""
    bound = {v for s in walk(body) for v in (*defined(s), *bound_inside(s))} | {index}
    return {v for y in results if isinstance(y, Var) for d in y.type.shape for v in owners(d)} & bound


def in_front(ev: Evaluator, body: Block, index: Var, results: list[Value]) -> tuple[Block, list[Value]]:
    """The loop's body and its results, whose lengths are said by what is computed in front, where that can be."""
    if not inside(body, index, results):
        return body, results
    once, body, _, results = split.run(body, [index], ev, results=results)
    ev.block.extend(once)
    measured = {v for s in body for v in defined(s)} & inside(body, index, results)
    chosen = [s for s in body if isinstance(s, Assign) and s.op == "getitem" and s.target in measured]
    gone = {s.target for s in chosen if _by_positions(ev, s, body)}
    if gone:
        known = lambda d: gone.isdisjoint(owners(d))  # noqa: E731
        for s in walk(body):
            if isinstance(s, Assign):
                remeasure.assignment(s, known, ev)
            else:
                for v in (*defined(s), *bound_inside(s)):
                    remeasure.by_itself(v, known, ev)
    return body, results


def _by_positions(ev: Evaluator, stmt: Assign, body: Block) -> bool:
    """Let a part that a mask chooses be that at its positions, where the mask is the same for all elements."""
    array, index = stmt.args
    masks = [i for i in index if isinstance(i, Var) and i.is_array and i.type.dtype == "bool"]
    changing = {v for s in walk(body) for v in (*defined(s), *bound_inside(s))}
    if not masks or not changing.isdisjoint(masks):
        return False
    items: list[Operand] = []
    for item in index:
        if item in masks:
            items += ev.call(np.nonzero, [item], {}) if item.type.ndim > 1 else [ev.op("flatnonzero", item)]
        else:
            items.append(item)
    stmt.args = (array, tuple(items))
    return True
