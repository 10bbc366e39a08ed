"""An in-place operator is its out-of-place form, written over the Tensor's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adc.tape import hooks, indexing, record, views
from adc.tape.entry import Entry
from adc.tape.node import Node
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make
from adc.tape.writes import stamp


def apply(entry: Entry, t: Tensor, others: tuple[Any, ...]) -> Tensor:
    """`t op= other`: NumPy's casting and shape rules, and the derivative of `t = t op other`."""
    return by(lambda *operands, **kwargs: record.apply(entry, operands, kwargs), t, others, {})


def by(function: Callable[..., Any], t: Tensor, others: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Write `function(t, *others)` over `t`, with its derivative."""
    indexing.as_window(t)
    recorded = modes.enabled and (t.node is not None or record.is_active(others))
    operand = t
    if recorded:
        indexing.check_writable(t, views.root_of(t), make(t.primal, t.node or next(_nodes(others))))
        # The pull may read the value that is about to be overwritten.
        operand = make(t.primal.copy(), indexing.unheard(t))
    return written(t, function(operand, *others, **kwargs))


def written(t: Tensor, result: Any) -> Tensor:
    """`t`, over which `result` was written: what an augmented assignment gives."""
    if result.shape != t.shape:
        raise ValueError(
            f"a result of shape {result.shape} cannot be written over a Tensor of shape {t.shape}: non-broadcastable "
            "output operand"
        )
    replace(t, result)
    return t


def _nodes(values: tuple[Any, ...]) -> Any:
    for value in values:
        if isinstance(value, Tensor) and value.node is not None:
            yield value.node
        elif isinstance(value, tuple | list):
            yield from _nodes(tuple(value))


def replace(t: Tensor, result: Any) -> None:
    """Write all of `result` over `t`, whose derivative becomes the result's."""
    new = record.plain(result)
    if np.shape(new) != t.shape and np.broadcast_shapes(np.shape(new), t.shape) != t.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {t.shape} doesn't match the broadcast shape "
            f"{np.shape(new)}"
        )
    if not np.can_cast(np.asarray(new).dtype, t.dtype, "same_kind"):
        raise TypeError(
            f"Cannot cast output from {np.asarray(new).dtype!r} to {t.dtype!r} with casting rule 'same_kind'"
        )
    indexing.as_window(t)
    root = views.root_of(t)
    indexing.check_writable(t, root, result)
    node: Node | None = result.node if isinstance(result, Tensor) else None
    if root is not t or np.shape(new) != t.shape or t.dtype != np.asarray(new).dtype:
        indexing.write(t, Ellipsis, result)
        return
    if modes.plain:
        views.spare_kept(t)
    t.primal[...] = new
    stamp(t.primal)
    if modes.enabled:
        hooks.rebase(t, node)
    indexing.refresh_views(t)
