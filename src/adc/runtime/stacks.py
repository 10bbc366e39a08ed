"""Stacks that keep values for the reverse sweep, where nobody knows the number of trips before.

Numba compiles an assignment to a slice, and `np.concatenate`, anew in every program: seconds, for a loop of two lines.

It also counts who holds an array. Where a loop may put another array in the place of a stack, which hardly ever
happens, each trip counted four times: four fifths of the time of Newton's iterations. So the memory of a stack is lent
to the loops that fill it, as an array that holds none, and given back when they are through.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin
from numba.np.arrayobj import make_array

from adc.runtime.apart import apart

__all__ = ["extended", "grown", "lent", "push", "settled"]


@apart(cache=True, error_model="numpy")
def grown(stack: Any, room: Any) -> Any:
    """A stack with `room` more places, and what is in it already; `stack` has a place for each index of its first axis.

    >>> grown(np.array([1.0, 2.0]), 3)[:2], grown(np.zeros((2, 4)), 3).shape
    (array([1., 2.]), (5, 4))
    """
    made = np.empty((stack.shape[0] + room, *stack.shape[1:]), stack.dtype)
    old, new = stack.ravel(), made.ravel()
    for k in range(old.shape[0]):
        new[k] = old[k]
    return made


@apart(cache=True, error_model="numpy")
def push(stack: Any, top: Any, values: Any) -> None:
    """Write the elements of an array, row by row, to a stack from the place `top` on; there is room for them.

    >>> stack = np.zeros(5)
    >>> push(stack, 1, np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> stack
    array([0., 1., 2., 3., 4.])
    """
    places, flat = stack.ravel(), values.ravel()
    start = top * (places.shape[0] // stack.shape[0])
    for k in range(flat.shape[0]):
        places[start + k] = flat[k]


def lent(stack: Any) -> Any:
    """The same array, whose memory nobody holds until it is `settled`; until then it may be `extended`, not returned.

    >>> settled(extended(lent(np.array([1.0, 2.0])), 3))[:2]
    array([1., 2.])
    """
    return stack


def settled(stack: Any) -> Any:
    """What was lent, an array as any other."""
    return stack


def extended(stack: Any, room: Any) -> Any:
    """What was lent, with `room` more places."""
    return grown(stack, room)


class _OfStacks(AbstractTemplate):  # type: ignore[misc,unused-ignore]
    def generic(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        stack, *room = arguments
        if keywords or not isinstance(stack, types.Array):
            return None
        return signature(stack, stack, *(types.int64 for _ in room))


def _let_go(context: Any, builder: Any, kind: Any, stack: Any) -> Any:
    """An array that holds nothing: what it should hold is where others say which Python object they are of."""
    found = make_array(kind)(context, builder, stack)
    found.parent = builder.bitcast(found.meminfo, found.parent.type)
    found.meminfo = cgutils.get_null_value(found.meminfo.type)
    return found._getvalue()


def _taken(context: Any, builder: Any, kind: Any, stack: Any) -> Any:
    """The array that was let go."""
    found = make_array(kind)(context, builder, stack)
    found.meminfo = builder.bitcast(found.parent, found.meminfo.type)
    found.parent = cgutils.get_null_value(found.parent.type)
    return found._getvalue()


@lower_builtin(lent, types.Array)
def _lent(context: Any, builder: Any, called: Any, values: Any) -> Any:
    context.nrt.incref(builder, called.return_type, values[0])
    return _let_go(context, builder, called.return_type, values[0])


@lower_builtin(settled, types.Array)
def _settled(context: Any, builder: Any, called: Any, values: Any) -> Any:
    return _taken(context, builder, called.return_type, values[0])


@lower_builtin(extended, types.Array, types.Integer)
def _extended(context: Any, builder: Any, called: Any, values: Any) -> Any:
    kind = called.return_type
    made = _let_go(context, builder, kind, grown.call(context, builder, called, values))
    context.nrt.decref(builder, kind, _taken(context, builder, kind, values[0]))
    return made


for _function in (lent, settled, extended):
    infer_global(_function)(type("_Template", (_OfStacks,), {"key": _function}))
