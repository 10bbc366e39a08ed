"""A function as it is now, for a derivative that evaluates it again later, when its names may stand for other things.

k = 2.0
y, pull = adc.vjp(lambda v: k * v, x)
k = 5.0
pull(1.0)        # of 2.0 * v
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from adc.compiler.frontend.expressions import BoundMethod
from adc.compiler.frontend.frame import Bound, Closure, Frame, Growing, Instance, Kept, Partial
from adc.compiler.frontend.values import Choice, Maybe, Value, rebuilt
from adc.compiler.ir.nodes import Var

__all__ = ["held"]


def held(value: Value, array: Callable[[Var], Value] = lambda x: x) -> Value:
    """The value, with scopes and containers of its own, in which nothing changes; `array(x)` for each array x."""
    return _Holder(array).held(value)


class _Holder:
    def __init__(self, array: Callable[[Var], Value]) -> None:
        self.array = array
        # By identity: what stands in several places is one thing there, too. The originals are kept alive.
        self.done: dict[int, tuple[Any, Any]] = {}

    def held(self, value: Value) -> Value:
        if id(value) not in self.done:
            self.done[id(value)] = value, self._made(value)
        return self.done[id(value)][1]

    def _made(self, value: Value) -> Value:
        match value:
            case Var():
                return self.array(value) if value.is_array else value
            case Closure():
                made = Closure(value.tree, self.frame(value.frame), {})
                self.done[id(value)] = value, made  # a function may be found in its own scope
                made.defaults = {k: self.held(v) for k, v in value.defaults.items()}
                return made
            case Instance():
                return value.holding({k: self.held(v) for k, v in value.items()})
            case Growing():
                found = value.copy()
                found.values = self.held(value.values)
                return found
            case list() | tuple():
                return rebuilt(value, [self.held(v) for v in value])
            case BoundMethod():
                return BoundMethod(self.held(value.array), value.name)
            case Bound():
                named = {k: self.held(v) for k, v in value.keywords.items()}
                return Bound(self.held(value.func), *map(self.held, value.args), **named)
            case Partial() | Choice() | Maybe():
                parts = {f.name: self.held(getattr(value, f.name)) for f in dataclasses.fields(value)}
                return type(value)(**parts)
        if type(value) in (dict, Kept):
            return type(value)({k: self.held(v) for k, v in value.items()})
        return self._transform(value) if hasattr(value, "__adc_inline__") else value

    def _transform(self, value: Any) -> Any:
        """A derivative of a function of the program, or one with a rule, is that of the function as it is now."""
        attributes = getattr(value, "__dict__", {})
        if not any(isinstance(v, (Closure, Partial, BoundMethod)) for v in attributes.values()):
            return value
        made = object.__new__(type(value))
        made.__dict__.update({k: self.held(v) for k, v in attributes.items()})
        return made

    def frame(self, frame: Frame) -> Frame:
        """A scope with the same names, which stand for what they stand for now."""
        if id(frame) not in self.done:
            made = dataclasses.replace(frame, env={}, parent=None)
            self.done[id(frame)] = frame, made
            made.parent = None if frame.parent is None else self.frame(frame.parent)
            made.env.update({k: self.held(v) for k, v in frame.env.items()})
        found: Frame = self.done[id(frame)][1]
        return found
