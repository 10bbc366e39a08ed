"""Calls of methods of lists, dicts and texts: what is known is done at once, what the run knows by its table."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import dicts, growing, left_outside, list_methods, list_middles, texts
from adc.compiler.frontend.frame import Kept, ListValue, NeedsUnrolling
from adc.compiler.frontend.growing import Method
from adc.compiler.frontend.known import require_known
from adc.compiler.frontend.outside import OutsideDict
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

_LIST_METHODS: dict[tuple[str, int], Callable[..., Value]] = {
    ("append", 1): growing.append,
    ("insert", 2): list_middles.insert,
    ("extend", 1): list_methods.extend,
    ("pop", 0): list_methods.pop,
    ("pop", 1): list_middles.pop,
    ("remove", 1): list_middles.remove,
    ("clear", 0): list_methods.clear,
    ("copy", 0): list_methods.copied,
    ("sort", 0): list_methods.sort,
    ("reverse", 0): list_methods.reverse,
    ("index", 1): list_methods.index,
    ("count", 1): list_methods.count,
}
_COMPARING = {"index", "count", "remove"}
_MUTATING = {
    "append",
    "extend",
    "insert",
    "pop",
    "remove",
    "clear",
    "reverse",
    "sort",
    "update",
    "setdefault",
    "popitem",
    "__setitem__",
}


def of_growing(ev: Calls, method: Method, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A call of a method of a list whose length only the run knows."""
    if method.name in ("append", "extend"):
        left_outside.append_to(ev, method.owner)
    if method.name == "__getitem__" and len(args) == 1 and not kwargs:
        return ev.subscript(method.owner, args[0])
    known = _LIST_METHODS.get((method.name, len(args)))
    if known is None:
        raise ev.refuse(
            f"`.{method.name}()` of a list whose length only the run knows is not supported",
            repair="use an array",
        )
    return known(ev, method.owner, *args, **kwargs)


def called(ev: Calls, method: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """A call of a method of a list, a dict, a tuple or a text."""
    container = method.__self__
    if method.__name__ == "__getitem__" and len(args) == 1 and not kwargs:
        return ev.subscript(container, args[0])
    if isinstance(container, OutsideDict) and method.__name__ in ("update", "setdefault", "__setitem__"):
        return _PUT_IN[method.__name__](ev, container, *args, **kwargs)
    if method.__name__ in _MUTATING:
        if method.__name__ in ("append", "extend"):
            left_outside.append_to(ev, container)
        ev.refuse_outside(container)
        ev.refuse_either(container)
    if isinstance(container, Kept):
        method = getattr(dict(container), method.__name__)
    if isinstance(container, OutsideDict):
        if method.__name__ == "get":
            return _found_outside(ev, container, *args, **kwargs)
        method = getattr(ev.opened(container), method.__name__)
    if isinstance(container, dict):
        dicts.require_known_for(ev, container, method.__name__, args)
    if method.__name__ in _MUTATING and getattr(container, "depth", ev.loop_depth) != ev.loop_depth:
        raise NeedsUnrolling(container)
    if method.__name__ in _MUTATING and getattr(container, "taken", False):
        raise growing.changed(ev)
    if method.__name__ == "extend" and isinstance(container, ListValue):
        if not ev.known_length(args[0]):
            return list_methods.extend(ev, growing.converted(ev, container), args[0])
        args = [ev.static_items(args[0], None)]
    if method.__name__ == "update":
        args = [dicts.contents(ev, value) for value in args]
    if method.__name__ in ("pop", "insert") and isinstance(container, list):
        known = _LIST_METHODS.get((method.__name__, len(args)))
        if isinstance(container, ListValue) and known is not None and not ev.is_static(args[:1]):
            return known(ev, growing.converted(ev, container), *args)
        require_known(ev, args[:1], container, "a list is changed at an index that is only known at run time")
    if method.__name__ == "copy" and isinstance(container, ListValue):
        return ev.new_list([*container])
    if method.__name__ == "sort":
        container[:] = ev.call(builtins.sorted, [[*container]], kwargs)
        return None
    if isinstance(container, str):
        if method.__name__ == "join" and isinstance(args[0], dict):
            args = [ev.static_items(args[0], None)]  # its keys
        if ev.is_static((args, kwargs)):
            return ev.now(method, args, kwargs)
        if method.__name__ == "format":
            return texts.by_format(ev, container, args, kwargs)
        if method.__name__ == "join" and isinstance(args[0], (list, tuple)):
            return texts.joined_by(ev, container, args[0])
        raise ev.refuse(
            f"`.{method.__name__}()` of a text is given what only the run knows",
            "a number is text in what is printed, and in what an exception says",
            "take it out of the function",
        )
    if method.__name__ in _COMPARING and not ev.is_static((container, *args)):
        if method.__name__ == "remove" and isinstance(container, ListValue):
            if not _removed(ev, container, *args):
                list_middles.remove(ev, growing.converted(ev, container), *args)
            return None
        known = _LIST_METHODS.get((method.__name__, len(args)))
        if known is not None:
            return known(ev, container, *args)
        raise ev.refuse(
            f"`.{method.__name__}()` of a list compares numbers that are only known at run time",
            repair="use an array and np.argmax or np.flatnonzero",
        )
    return ev.now(method, args, kwargs)


def _removed(ev: Calls, items: list[Value], wanted: Value) -> bool:
    """Whether an element was taken out of a list, where it is known which."""
    for k, item in enumerate(items):
        same = item is wanted or ev.compare(gast.Eq(), item, wanted)
        if same is True:
            del items[k]
            return True
        if same is not False:
            break
    return False


def _updated(ev: Calls, held: OutsideDict, *others: Value, **named: Value) -> None:
    """`held.update(*others, **named)`."""
    for key, value in [*((k, v) for d in others for k, v in dicts.contents(ev, d).items()), *named.items()]:
        ev.set_item(held, key, value)


def _set_default(ev: Calls, held: OutsideDict, key: Value, default: Value = None) -> Value:
    """`held.setdefault(key, default)`."""
    if not ev.is_static(key) or key in held:
        return ev.item_outside(held, key)
    ev.set_item(held, key, default)
    return default


def _found_outside(ev: Calls, held: OutsideDict, key: Value, default: Value = None) -> Value:
    return ev.item_outside(held, key) if not ev.is_static(key) or key in held else default


_PUT_IN: dict[str, Callable[..., Value]] = {
    "update": _updated,
    "setdefault": _set_default,
    "__setitem__": lambda ev, held, key, value: ev.set_item(held, key, value),
}
