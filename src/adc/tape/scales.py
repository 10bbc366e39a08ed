"""An adjoint times an infinite partial, recorded: zero where the adjoint is, and so is its own derivative.

Tangents come from pulls that are pulled back in turn (adc.tape.trace). A product recorded as any other would make
0 * inf of the tangent of sqrt at 0 along a direction that leaves 0 where it is; compiled code has 0 there.
"""

from __future__ import annotations

from typing import Any

from adc.tape import record
from adc.tape.entry import Pull, strong_scale
from adc.tape.slicing import Need
from adc.tape.state import modes
from adc.tape.tensor import Tensor, make

__all__ = ["scaled"]


def scaled(z_bar: Any, partial: Any) -> Any:
    """`strong_scale` of Tensors.

    >>> import numpy as np
    >>> with np.errstate(invalid="ignore"):
    ...     scaled(make(np.array([0.0, 1.0])), make(np.array([np.inf, np.inf])))
    tensor([ 0., inf])
    """
    operands = z_bar, partial
    arrays = record.plain(operands)
    active = tuple([record.is_active(x) for x in operands])
    z = strong_scale(*arrays)
    if not modes.enabled or not any(active):
        return make(z)
    edges = tuple([x.node for x, flag in zip(operands, active, strict=True) if flag])
    return record.record(_pull(active), z, edges, arrays)


_pulls: dict[tuple[bool, ...], Pull] = {}


def _pull(active: tuple[bool, ...]) -> Pull:
    if active not in _pulls:

        def reverse(bar: Any, _: Any, kept: tuple[Any, ...]) -> tuple[Any, ...]:
            z_bar, partial = kept
            # Where z_bar is zero the partial counts for nothing, and so does what becomes of it. A finite product has a
            # pull that may not be.
            scale = scaled if any(x.__class__ is Tensor for x in (bar, *kept)) else strong_scale
            pairs = (bar, partial), (z_bar, bar)
            return tuple([scale(*pair) for pair, flag in zip(pairs, active, strict=True) if flag])

        _pulls[active] = Pull("MulBackward", reverse, (Need.VALUE, Need.VALUE), False, active, active)
    return _pulls[active]
