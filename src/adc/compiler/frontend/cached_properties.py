"""`functools.cached_property`: an object keeps what was computed first, also where only one path computed it.

if x > 0:                         if x > 0:  b = area(cell);  has_b = True
    s = cell.area                 else:      has_b = False
s * cell.area              ->     s * (b if has_b else area(cell))
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from adc.compiler.frontend.containers import Contents
from adc.compiler.frontend.frame import Instance
from adc.compiler.frontend.values import UNDEFINED, Maybe, PartlyDefined, Value
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core


def read(ev: Core, found: functools.cached_property[Value], owner: Value, name: str) -> Value:
    """What a cached property is of an object: what the object keeps, or what it then keeps."""
    if not isinstance(owner, Instance):
        return ev.call(found.func, [owner], {})
    kept = owner.get(name, UNDEFINED)
    if isinstance(kept, PartlyDefined):
        raise ev.refuse_behind(
            kept.branch,
            f"`{name}` is a cached property that one path has read, and another has not",
            "what it holds, such as a list, generated code has on all paths or on none",
            "let it give a tuple or an array, or read it before the branch",
        )
    if kept is not UNDEFINED and not on_some_paths(kept):
        return kept
    if isinstance(kept, Maybe) and kept.value is not UNDEFINED:
        if id(owner) not in Contents(ev.frame).held:
            raise unknown(ev, owner)
        value = ev.chosen_in_turn(kept.present, lambda: kept.value, lambda: ev.call(found.func, [owner], {}))
    else:
        value = ev.call(found.func, [owner], {})
    if owner.outside is None:
        owner[name] = value
    return value


def on_some_paths(value: Value) -> bool:
    """Whether an object keeps a value on some paths only."""
    return value is UNDEFINED or (isinstance(value, Maybe) and value.absent is UNDEFINED)


def may_compute(found: object, kept: Value) -> bool:
    """Whether to read what an object keeps as an attribute may mean to compute it."""
    partly = isinstance(kept, PartlyDefined) and isinstance(found, functools.cached_property)
    return partly or on_some_paths(kept)


def unknown(ev: Core, owner: Instance) -> UnsupportedError:
    """The refusal of a question about what an object keeps."""
    name = next(k for k, value in owner.items() if on_some_paths(value))
    return ev.refuse(
        f"whether the object keeps `{name}` depends on the data",
        "it is a cached property that one path has read, and another has not",
        f"read `{name}` before the branch",
    )


def on_both(then: Instance, orelse: Instance) -> tuple[Instance, Instance]:
    """What two paths left in an object, with the places of what either keeps of cached properties."""
    only = [k for k in {**then, **orelse} if k not in then or k not in orelse]
    if not all(isinstance(getattr(then.cls, k, None), functools.cached_property) for k in only):
        return then, orelse
    kept = [k for k in {**then, **orelse} if k not in only] + sorted(only)
    return (
        then.holding({k: then.get(k, UNDEFINED) for k in kept}),
        orelse.holding({k: orelse.get(k, UNDEFINED) for k in kept}),
    )


def make_room(owner: Instance) -> bool:
    """Let an object have places for what a loop may compute; False where it has them."""
    names = [
        name
        for cls in owner.cls.__mro__
        for name, found in vars(cls).items()
        if isinstance(found, functools.cached_property) and name not in owner
    ]
    owner.update(dict.fromkeys(sorted(names), Maybe(False, UNDEFINED, UNDEFINED)))
    return bool(names)
