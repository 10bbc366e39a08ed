"""The type of an operator's result is found once for the types of its operands.

Numba asks for it at each place: every form that the operator has is tried, for `x[i]` a dozen before the one for
arrays, and none is remembered. That was a seventh of the time for a gradient of 1,000 lines. What is built into Numba
is what it was the last time; what is compiled for its arguments (`overload`) is asked anew.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core.types.functions import BaseFunction

from adc.runtime.passes.known import types

__all__ = ["own", "remembering"]

own: Callable[..., Any] = BaseFunction.get_call_type

_OPERATORS = frozenset(id(function) for function in vars(operator).values() if callable(function))
_PLAIN = (types.Number, types.Boolean, types.Array)

# The function and the context, kept so that no others can have their ids; the signature; its implementation.
_found: dict[tuple[Any, ...], tuple[Any, Any, Any, Any]] = {}


def _is_plain(kind: Any) -> bool:
    """Whether an operand is an array, a number, or an index of several: nothing of the kind that somebody defines."""
    if isinstance(kind, types.BaseTuple):
        return all(isinstance(t, types.Integer) for t in kind.types)
    return isinstance(kind, _PLAIN)


def remembering(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """What stands for Numba's method: the signature with which a function is called on arguments of such types."""
    if kws or id(self.typing_key) not in _OPERATORS or not all(map(_is_plain, args)):
        return own(self, context, args, kws)
    key = (id(self), id(context), args)
    if key not in _found:
        signature = own(self, context, args, kws)
        implementation = self._impl_keys[signature.args]
        if implementation is not self.typing_key:
            return signature
        _found[key] = self, context, signature, implementation
    _, _, signature, self._impl_keys[signature.args] = _found[key]
    return signature


setattr(BaseFunction, "get_call_type", remembering)  # noqa: B010 - to some stubs it is a method
