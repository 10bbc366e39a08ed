"""Exceptions that the program makes are objects like others: what they hold is what the program gave them.

    class Diverged(RuntimeError):                    try: ...
        def __init__(self, step, norm):                  raise Diverged(k, np.max(u))
            super().__init__(f"step {step}: {norm:.2e}") except Diverged as error:
            self.norm = norm                             y = error.norm * x

`Diverged.__init__` runs as part of the program. What Python's statements ask of an exception, its class above all, is
asked of one of Python's that stands for the object. Where the program ends in it, the function itself is run and raises
its own: its text need not be known here.
"""

from __future__ import annotations

import builtins
import inspect
import types
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import instances
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.values import UNDEFINED, Shown, Text, Value, rebuilt
from adc.compiler.ir.nodes import If, Var, defined, walk

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def made(ev: Core, cls: type[BaseException], args: list[Value], kwargs: dict[str, Value]) -> Value:
    """`cls(*args, **kwargs)`."""
    init = inspect.getattr_static(cls, "__init__")
    of_user = isinstance(init, types.FunctionType)
    if not of_user and (ev.is_static(args) or not _holds_its_arguments(cls)):
        return cls(*[a if ev.is_static(a) else "..." for a in args])
    if not _holds_its_arguments(cls):
        raise ev.refuse(f"making a `{cls.__name__}` is not supported", repair="raise a RuntimeError")
    error = Instance(cls, {"args": tuple(args)})
    if of_user:
        instances.stays(ev, cls, "__init__")
        ev.call(init, [error, *args], kwargs)
    return error


def _holds_its_arguments(cls: type) -> bool:
    """Whether exceptions of a class have no attributes of Python's own but `args`, as OSError has `errno`."""
    base: type = next(b for b in cls.__mro__ if getattr(builtins, b.__name__, None) is b)
    return base.__basicsize__ == BaseException.__basicsize__


def is_one(value: Value) -> bool:
    """Whether a value is an exception that the program made."""
    return isinstance(value, Instance) and issubclass(value.cls, BaseException)


def keep_arguments(ev: Core, error: Value, *args: Value) -> None:
    """`BaseException.__init__(error, *args)`."""
    instances.refuse_write(ev, error, "args", args)
    error["args"] = args


def standing_for(ev: Core, value: Value) -> Any:
    """The exception of Python's that is raised for a value."""
    if not is_one(value):
        return value
    error: Any = value.cls.__new__(value.cls, *[a if ev.is_static(a) else "..." for a in value["args"]])
    error.__adc_object__ = value
    return error


def named(error: Any) -> Value:
    """What the name of a handler's exception holds."""
    return getattr(error, "__adc_object__", error)


def text(value: Value) -> str | None:
    """`str(error)` of an exception whose text is known."""
    if not is_one(value) or instances.has_method(value, "__str__"):
        return None
    args = value["args"]
    return str(*args) if len(args) < 2 and all(isinstance(a, (str, int)) for a in args) else None


def brought_out(ev: Core, error: Any, region: If, then: bool) -> bool:
    """Let an exception hold behind a branch what it holds on the side that raises it. Whether that can be done."""
    held = named(error)
    if not is_one(held):
        return True
    made = {v for s in walk(region.then if then else region.orelse) for v in defined(s)}
    found = {name: _brought_out(ev, value, region, then, made) for name, value in held.items()}
    held.update(found)
    return not any(value is UNDEFINED for value in found.values())


def _brought_out(ev: Core, value: Value, region: If, then: bool, made: set[Var]) -> Value:
    if isinstance(value, Var):
        then_value, other = (value, UNDEFINED) if then else (UNDEFINED, value)
        return ev.merge_filled(region, then_value, other, "") if value in made else value
    if isinstance(value, Shown):
        inner = _brought_out(ev, value.value, region, then, made)
        return UNDEFINED if inner is UNDEFINED else replace(value, value=inner)
    if not isinstance(value, (tuple, Text)):
        return value if ev.is_static(value) else UNDEFINED
    parts = value.parts if isinstance(value, Text) else value
    found = [_brought_out(ev, part, region, then, made) for part in parts]
    if any(part is UNDEFINED for part in found):
        return UNDEFINED
    return Text(found, value.refuse) if isinstance(value, Text) else rebuilt(value, found)


TABLE: dict[Any, Any] = {
    cls.__init__: keep_arguments
    for cls in vars(builtins).values()
    if isinstance(cls, type) and issubclass(cls, BaseException) and _holds_its_arguments(cls)
}
