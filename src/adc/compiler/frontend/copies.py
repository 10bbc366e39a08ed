"""`copy.copy` and `copy.deepcopy`: a new container with the same contents, or with copies of them; of an array one."""

from __future__ import annotations

import copy
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import list_methods
from adc.compiler.frontend.frame import Closure, Growing, Instance, Kept
from adc.compiler.frontend.provenance import CONTAINERS
from adc.compiler.frontend.values import Value, rebuilt
from adc.compiler.ir.nodes import Var
from adc.rules.python_containers import Dict

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

_NEVER_CHANGE = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    frozenset,
    np.generic,
    type,
    types.FunctionType,
    Closure,
)


def _refuse_put_in_again(self: Calls, x: Value) -> None:
    """Refuse a copy of an object over a dict whose class says how items are put in: Python does so once more."""
    if isinstance(x, Instance) and issubclass(x.cls, Dict) and x.cls.__setitem__ is not Dict.__setitem__:
        raise self.refuse(
            f"a `{x.cls.__name__}` is copied, which puts its items in by its own `__setitem__`",
            repair="make another one",
        )


def _copy(self: Calls, x: Value) -> Value:
    _refuse_put_in_again(self, x)
    x = x if isinstance(x, Instance) else self.opened(x)
    if isinstance(x, Growing):
        return list_methods.copied(self, x)
    made = _copied(self, x, "__copy__", [], lambda part: part)
    contents = getattr(x.cls, "__adc_contents__", None) if isinstance(x, Instance) else None
    own = isinstance(made, Instance) and contents is not None and made.get(contents) is x[contents]
    if own and isinstance(x[contents], (list, dict, Growing)) and contents != "owner":
        made[contents] = _copy(self, x[contents])  # a list or dict of its own, with what stands in it
    return made


def _deepcopy(self: Calls, x: Value, memo: Value = None) -> Value:
    # What stands in several places is copied once. The original is held, so that no other gets its number.
    copies: dict[int, tuple[Value, Value]] = {}

    def deep(part: Value) -> Value:
        _refuse_put_in_again(self, part)
        if id(part) not in copies:
            if isinstance(part, CONTAINERS):
                _require_told_apart(self, part, [seen for seen, _ in copies.values()])
            copies[id(part)] = part, _copied(self, part, "__deepcopy__", [{}], deep)
        return copies[id(part)][1]

    return deep(x)


def _require_told_apart(self: Calls, part: Value, copied: list[Value]) -> None:
    """Refuse what the run may have chosen from something that was copied before: both would be one copy."""
    asked: dict[tuple[int, int], bool] = {}
    if any(self.origins.may_be_one(part, seen, asked) for seen in copied if isinstance(seen, CONTAINERS)):
        raise self.refuse(
            "`copy.deepcopy` of two that may be one, as a branch or loop decides",
            "what stands in two places is copied once",
            "copy them one by one",
        )


def _copied(self: Calls, x: Value, method: str, arguments: list[Value], part: Any) -> Value:
    x = x if isinstance(x, Instance) else self.opened(x)
    if isinstance(x, Var):
        return self.call(np.copy, [x], {}) if x.is_array else x
    if isinstance(x, Growing):
        return list_methods.deeply_copied(self, x)
    if isinstance(x, Instance):
        own = getattr(x.cls, method, None)
        if isinstance(own, types.FunctionType):
            return self.call(own, [x, *arguments], {})
        return Instance(x.cls, {name: part(value) for name, value in x.items()})
    if isinstance(x, list):
        return self.new_list([part(value) for value in x])
    if isinstance(x, tuple):
        return rebuilt(x, [part(value) for value in x])
    if type(x) in (dict, Kept):
        return {key: part(value) for key, value in x.items()}
    if x is None or isinstance(x, _NEVER_CHANGE):
        return x
    raise self.refuse(
        f"`copy.{method[2:-2]}` of a {type(x).__name__} is not supported",
        repair="copy its arrays: `x.copy()`",
    )


TABLE: dict[Any, Any] = {copy.copy: _copy, copy.deepcopy: _deepcopy}
