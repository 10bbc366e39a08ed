"""Axes that a cut left with at most one element have exactly one where broadcasting stretches them.

    p[:, 0:1] * p                  np.expand_dims(p[:, 0], 1) * p

The cut of an axis of unknown length is empty where there is nothing to cut. Broadcasting takes it for an element, and
reading that element says so loudly where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Const, Var
from adc.rules.dims import Dim, Shape

if TYPE_CHECKING:
    from adc.compiler.frontend.builder import Builder


def operands(builder: Builder, bound: tuple[Value, ...]) -> tuple[Value, ...]:
    """The operands of an elementwise operation, ready to be broadcast."""
    types = [builder.type_of(v) for v in bound]
    shapes = [t.shape for t in types if t is not None]
    return tuple(against(builder, v, shapes) for v in bound)


def to_shape(builder: Builder, value: Value, shape: Value) -> tuple[Value, Value]:
    """What `np.broadcast_to` is given."""
    lengths = [builder.length(d) for d in (shape if isinstance(shape, tuple) else (shape,))]
    known = tuple(d for d in lengths if d is not None)
    return (against(builder, value, [known]) if len(known) == len(lengths) else value), shape


def against(builder: Builder, value: Value, shapes: Sequence[Shape]) -> Value:
    """A value that is broadcast with arrays of these shapes."""
    if not isinstance(value, Var) or not value.is_array:
        return value
    shape = value.type.shape
    for k, d in enumerate(shape):
        if d.known is None and d.within(1) and any(_stretches(builder, d, k - len(shape), s) for s in shapes):
            rest = len(shape) - k - 1
            element = builder.getitem(value, (*(FULL,) * k, Const(0), *(FULL,) * rest))
            value = builder.op("expand_dims", element, k)
    return value


def _stretches(builder: Builder, d: Dim, axis: int, shape: Shape) -> bool:
    """Whether an axis, counted from the last, meets one of another length."""
    return len(shape) >= -axis and shape[axis].known != 1 and not builder.equal.same(d, shape[axis])
