"""`grad_fn(bar)`: a node called as a function gives the adjoints of its operands, and nothing goes further."""

from __future__ import annotations

from typing import Any

import numpy as np

from adc.tape import record, writes
from adc.tape.backward import collect, fitted, pull_on_tensors
from adc.tape.node import FREED, UNDEFINED, AccumulateGrad, Node, Whole
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make


def call(node: Node, bars: tuple[Any, ...]) -> Any:
    """The adjoints of all operands, None without a gradient, for those of the results; one stands alone.

    Hooks do not run, and what the node keeps stays. Where recording is on the adjoints are recorded.
    """
    shapes: Any = node.shape if isinstance(node, Whole) else (node.shape,)
    results = len(shapes)
    if len(bars) != results:
        raise TypeError(f"expected {results} arguments, got {len(bars)} instead")
    if all(bar is None for bar in bars):
        return _alone([None] * len(node.next_functions))
    if isinstance(node, Whole):
        bar = node.filled({k: _bar(b, shapes[k]) for k, b in enumerate(bars) if b is not None})
    else:
        bar = _bar(bars[0], node.shape)
    if isinstance(node, AccumulateGrad):
        collect(node, record.plain(bar))
        return ()
    if node.order < writes.last_write[0]:
        writes.check(node)
    edges, adjoints = iter(node.edges), iter(_pulled(node, bar))
    return _alone([_given(next(adjoints), next(edges)) if active else None for active in node.pull.operands])


def _pulled(node: Node, bar: Any) -> tuple[Any, ...]:
    if node.kept is None:
        raise RuntimeError(FREED)
    before, modes.plain = modes.plain, True  # a pull's body is plain NumPy
    try:
        with np.errstate(all="ignore"):
            if modes.enabled:
                return pull_on_tensors(node, bar)
            plain = tuple(record.plain(b) for b in bar) if bar.__class__ is tuple else record.plain(bar)
            return tuple(node.pull.reverse(plain, node.z, node.kept))
    finally:
        modes.plain = before


def _bar(value: Any, shape: tuple[int, ...]) -> Any:
    bar = value if value.__class__ is Tensor else np.asarray(value)
    if bar.dtype.kind not in "fc":
        raise TypeError(f"an adjoint is a Tensor or an array of floats, not {type(value).__name__}")
    if bar.shape != shape:
        raise RuntimeError(f"an adjoint of shape {bar.shape} was given for a result of shape {shape}")
    return bar


def _given(adjoint: Any, edge: Node) -> Tensor | None:
    if adjoint is None or adjoint is UNDEFINED:
        return None
    bar = fitted(adjoint, edge)
    return bar if bar.__class__ is Tensor else make(np.array(bar))


def _alone(items: list[Any]) -> Any:
    return items[0] if len(items) == 1 else tuple(items)
