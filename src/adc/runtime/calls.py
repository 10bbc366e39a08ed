"""A call of compiled code by its address, in few instructions: one test, and results in places that calls share.

Numba makes places in memory for each call, for the result and for what was raised, fills them with zeros, and asks six
questions of the answer. What the callee raises is what the caller raises: here it gets the caller's own place for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import callconv, cgutils, imputils

from adc.runtime.passes.known import put, types

__all__ = ["call", "place_of_result"]


def call(context: Any, builder: Any, address: Any, called: Any, values: Any) -> Any:
    """Emit a call by a caller that knows the argument types and the type of the result as `called`."""
    if isinstance(called.return_type, types.Optional):
        return _perhaps_none(context, builder, address, called, values)
    result = builder.load(place_of_result(context, builder, address, called, values))
    return context.get_returned_value(builder, called.return_type, result)


def _perhaps_none(context: Any, builder: Any, address: Any, called: Any, values: Any) -> Any:
    conv = context.call_conv
    status, value = conv.call_function(builder, address, called.return_type, called.args, values)
    with builder.if_then(status.is_error, likely=False):
        conv.return_status_propagate(builder, status)
    return imputils.fix_returning_optional(context, builder, called, status, value)


def place_of_result(context: Any, builder: Any, address: Any, called: Any, values: Any) -> Any:
    """Emit such a call, and leave the result where it was written to: it stays until the next call."""
    conv, function = context.call_conv, builder.function
    place = _place(builder, conv.get_return_type(called.return_type).pointee)
    if hasattr(builder, "tries"):
        excinfo = cgutils.alloca_once(builder, function.args[1].type.pointee)
    else:
        excinfo = function.args[1]
    given = conv._get_arg_packer(called.args).as_arguments(builder, values)
    code = builder.call(address, [place, excinfo, *given])
    with builder.if_then(builder.icmp_signed("!=", code, callconv.RETCODE_OK), likely=False):
        if hasattr(builder, "tries"):
            status = conv._get_return_status(builder, code, builder.load(excinfo))
            conv.return_status_propagate(builder, status)
        else:
            builder.ret(code)
    return place


def _place(builder: Any, kind: Any) -> Any:
    """Where the function that is being compiled gets results of a type."""
    places = vars(builder.function).setdefault("places_of_results", {})
    if kind not in places:
        places[kind] = cgutils.alloca_once(builder, kind)
    return places[kind]


def marking(own: Callable[..., None]) -> Callable[..., None]:
    """What stands for Numba's method: a `try` begins, behind which errors are not returned at once."""

    def set_try_status(self: Any, builder: Any) -> None:
        builder.tries = True
        own(self, builder)

    return set_try_status


put(callconv.CPUCallConv, "set_try_status", marking)
