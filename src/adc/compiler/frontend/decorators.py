"""Decorators of `functools` on functions of the program: they say how a function is called, not what it computes.

What `lru_cache` remembers is a dict of the program, of arguments that are known while compiling: a recursion over
places of a table is evaluated once for each place. Within a branch or a loop nothing is remembered: what is computed
there is not there behind it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend.frame import Evaluated, Partial
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def _wraps(self: Calls, *wrapped: Value, **said: Value) -> Value:
    return Evaluated(lambda wrapper: wrapper)


def _update_wrapper(self: Calls, wrapper: Value, *wrapped: Value, **said: Value) -> Value:
    return wrapper


def _memoised(self: Calls, function: Value) -> Value:
    depth = self.region_depth

    def called(held: dict[Any, Value], *args: Value, **kwargs: Value) -> Value:
        key = (args, tuple(sorted(kwargs.items())))
        if not (self.is_static(key) and _is_hashable(key)):
            return self.call(function, list(args), kwargs)
        if key not in held:
            value = self.call(function, list(args), kwargs)
            if self.region_depth != depth:
                return value
            held[key] = value
        return held[key]

    return Partial(Evaluated(called), ({},), {})


def _lru_cache(self: Calls, maxsize: Value = 128, typed: Value = False) -> Value:
    if maxsize is None or isinstance(maxsize, int):
        return Evaluated(lambda function: _memoised(self, function))
    return _memoised(self, maxsize)  # `@lru_cache` itself is given the function


def _is_hashable(key: Any) -> bool:
    try:
        hash(key)
    except TypeError:
        return False
    return True


TABLE: dict[Any, Callable[..., Value]] = {
    functools.wraps: _wraps,
    functools.update_wrapper: _update_wrapper,
    functools.lru_cache: _lru_cache,
    functools.cache: _memoised,
}
