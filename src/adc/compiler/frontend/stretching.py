"""Axes that a cut left with at most one element have exactly one where something stretches or drops them.

    p[:, 0:1] * p                  np.expand_dims(p[:, 0], 1) * p
    np.squeeze(p[:, 0:1])          p[:, 0]

The cut of an axis of unknown length is empty where there is nothing to cut. Broadcasting takes it for an element, and
reading that element says so loudly where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adc.compiler.frontend.indexing import FULL
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var
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
    if len(known) < len(lengths):
        return value, shape
    value = against(builder, value, [known])
    if builder.in_user_code and isinstance(value, Var):
        for own, n in zip(reversed(value.type.shape), reversed(known), strict=False):
            if own.known != 1:
                builder.require_equal(own, n, "operands could not be broadcast together with remapped shapes")
    return value, shape


def squeezed(builder: Builder, value: Value, axis: Value) -> tuple[Value, Value]:
    """What `np.squeeze` is given: which axes it drops is known, or checked.

    Those of unknown length are read at their element; the axes that are left to drop have one by their type.
    """
    if not isinstance(value, Var):
        return value, axis
    ndim = value.type.ndim
    axes = axis if isinstance(axis, tuple) else range(ndim) if axis is None else (axis,)
    if not all(isinstance(k, int) and -ndim <= k < ndim for k in axes):
        return value, axis  # NumPy's error
    unknown = [k for k in {k % ndim for k in axes} if value.type.shape[k].known is None]
    read = [k for k in unknown if axis is not None or value.type.shape[k].within(1)]
    if axis is None and len(read) < len(unknown):
        _refuse_several(builder, [value.type.shape[k] for k in unknown if k not in read])
    for k in sorted(read, reverse=True):
        wrong = "cannot select an axis to squeeze out which has size not equal to one"
        builder.require_equal(value.type.shape[k], Dim(1), wrong)
        value = _element(builder, value, k)
    if axis is None or not read:
        return value, axis
    left = [k - sum(j < k for j in read) for k in sorted({k % ndim for k in axes} - {*read})]
    return value, left[0] if len(left) == 1 else tuple(left)


def _refuse_several(builder: Builder, lengths: Sequence[Dim]) -> None:
    """Refuse to squeeze axes of unknown lengths, or check that they stay."""
    if builder.for_some_sizes:
        raise builder.refuse(
            "np.squeeze is given an axis whose length the data decide",
            "how many axes are left would not be known",
            "say which axes it drops",
        )
    for d in lengths:
        several = builder.op("not_equal", builder.dim_value(d), 1)
        message = "np.squeeze drops an axis whose length is only known at run time"
        builder.block.append(Check(builder.atom(several), "ValueError", (Const(message),), builder.origin))


def without_leading(builder: Builder, value: Var, count: int) -> Var:
    """A value without its first axes, where those have one element each; as it is otherwise."""
    if not all(d.within(1) for d in value.type.shape[:count]):
        return value
    return builder.getitem(value, (Const(0),) * count + (FULL,) * (value.type.ndim - count))


def _element(builder: Builder, array: Var, axis: int) -> Var:
    rest = array.type.ndim - axis - 1
    return builder.getitem(array, (*(FULL,) * axis, Const(0), *(FULL,) * rest))


def against(builder: Builder, value: Value, shapes: Sequence[Shape]) -> Value:
    """A value that is broadcast with arrays of these shapes."""
    if not isinstance(value, Var) or not value.is_array:
        return value
    shape = value.type.shape
    for k, d in enumerate(shape):
        if d.known is None and d.within(1) and any(_stretches(builder, d, k - len(shape), s) for s in shapes):
            value = builder.op("expand_dims", _element(builder, value, k), k)
    return value


def _stretches(builder: Builder, d: Dim, axis: int, shape: Shape) -> bool:
    """Whether an axis, counted from the last, meets one of another length."""
    return len(shape) >= -axis and shape[axis].known != 1 and not builder.equal.same(d, shape[axis])
