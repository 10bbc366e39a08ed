"""Where the value of a trip lies in a buffer: how often loops run, and which of its trips a loop is in."""

from __future__ import annotations

from adc.compiler.frontend.lower import Evaluator
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Atom, Const, For
from adc.rules.dims import Dim

__all__ = ["slot", "trips"]


def trips(loop: For, evaluator: Evaluator) -> Dim | None:
    """How often a loop runs, or less than zero if not at all; None where its ends are no lengths."""
    start, stop = evaluator.length(loop.start), evaluator.length(loop.stop)
    assert isinstance(loop.step, Const)
    if start is None or stop is None:
        return None
    step = loop.step.value
    span, size = stop - start if step > 0 else start - stop, abs(step)
    return span if size == 1 else (span + (size - 1)) // size


def slot(loop: For, evaluator: Evaluator, index: Value, start: Value) -> Atom:
    """Which trip of a loop that in which its counter is `index` is, counted from zero."""
    assert isinstance(loop.step, Const)
    step = loop.step.value
    offset = evaluator.op("subtract", *((index, start) if step > 0 else (start, index)))
    if abs(step) != 1:
        offset = evaluator.op("floor_divide", offset, abs(step))
    return evaluator.atom(offset)
