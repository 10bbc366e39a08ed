"""What a value depends on that Python computes late, and what statements change: names, and what they hold.

    def keep(v):                            def cool():
        return v > w                            nonlocal w
                                                w = w * 0.5
    for v in filter(keep, x):
        cool()                              # `keep` reads what `cool` changes

Functions are looked into. What is found may be more than what the program reads and changes, and is never less.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend.frame import (
    Closure,
    Frame,
    Generator,
    Growing,
    Instance,
    Items,
    Iterated,
    Once,
    Partial,
)
from adc.compiler.frontend.growing import Method
from adc.compiler.frontend.scan import changed_names, loaded_names, stored_names
from adc.compiler.frontend.values import Choice, Maybe, Value, is_settled
from adc.compiler.ir.nodes import Var
from adc.runtime.modules import module_of

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["Before", "Reached", "before", "changed", "read"]

# Of arrays, and of modules: `W.sort()`, `np.copyto(W, x)`, `np.add.at(W, k, x)`, `heapq.heappush(heap, v)`.
_OF_ARRAYS = {"sort", "fill", "put", "partition", "resize", "itemset", "setfield", "__setitem__"}
_OF_MODULES = {
    "at",
    "copyto",
    "fill_diagonal",
    "put",
    "place",
    "putmask",
    "put_along_axis",
    "shuffle",
    "setitem",
    "delitem",
    "setattr",
    *("iadd", "isub", "imul", "itruediv", "ipow", "imatmul"),
    *("heappush", "heappop", "heapify", "heapreplace", "heappushpop"),
    *("insort", "insort_left", "insort_right"),
}


@dataclass
class Reached:
    """Names in their scopes, and lists, dicts, objects and arrays."""

    names: dict[tuple[int, str], tuple[Frame, str]] = field(default_factory=dict)
    held: dict[int, Any] = field(default_factory=dict)
    called: dict[int, Closure] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)  # of what is held: a name under which it was found

    def meets(self, other: Reached) -> str | None:
        """A name for something that both reach."""
        for key, (frame, name) in self.names.items():
            if key in other.names:
                return _spoken(name, frame.env.get(name))
        return next((self.labels[key] for key in self.held if key in other.held), None)


def read(ev: Core, nodes: Iterable[Any]) -> Reached:
    """What expressions, and the functions that they name, may read."""
    found = Reached()
    for name in sorted({n for node in nodes for n in loaded_names(node)}):
        _take(ev, found, name, ev.frame)
    return found


def changed(ev: Core, nodes: list[Any]) -> Reached:
    """What statements, and the functions that they name, may change."""
    found = Reached()
    _changed_by(ev, found, nodes, ev.frame, set())
    return found


def _changed_by(ev: Core, found: Reached, nodes: list[Any], frame: Frame, seen: set[int]) -> None:
    for name in stored_names(nodes):
        _take(ev, found, name, frame, deep=False)
    for name in changed_names(nodes, calls=False):
        _take(ev, found, name, frame)
    for node in (n for statement in nodes for n in gast.walk(statement)):
        if isinstance(node, gast.Call):
            for name in _changed_by_call(ev, node, frame):
                _take(ev, found, name, frame)
        elif isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name):
            owner = _value(node.value.id, frame)
            if isinstance(owner, Instance) and callable(getattr(owner.cls, node.attr, None)):
                _take(ev, found, node.value.id, frame)  # a method, which may be called
    reached = Reached()
    for name in sorted({n for node in nodes for n in loaded_names(node)}):
        _take(ev, reached, name, frame)
    for closure in reached.called.values():
        if id(closure.tree) not in seen:
            seen.add(id(closure.tree))
            _changed_by(ev, found, _statements(closure), _inside(closure), seen)


def _statements(closure: Closure) -> list[Any]:
    body = closure.tree.body
    return list(body) if isinstance(body, list) else [body]


def _inside(closure: Closure) -> Frame:
    """A scope in which the function's own names hold nothing yet."""
    outer = closure.frame
    own = stored_names(_statements(closure)) | {
        n.id
        for n in gast.walk(closure.tree.args)
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Param)
    }
    return Frame(outer.source, outer.globals, {}, parent=outer, stored=own)


def _changed_by_call(ev: Core, node: Any, frame: Frame) -> set[str]:
    """The names of what a call may write to: an object whose method it is, and what it is given."""
    arguments = [getattr(a, "value", a) for a in (*node.args, *node.keywords)]
    given = {a.id for a in arguments if isinstance(a, gast.Name)}
    if isinstance(node.func, gast.Name):
        value = _value(node.func.id, frame)
        tree = ev.tree_of(value)
        if _is_numpys(value):
            return _where_results_go(value, node)
        if tree is None:
            writes = node.func.id in _OF_MODULES or isinstance(value, (Choice, Instance, type))
        else:
            writes = bool(changed_names(tree.body if isinstance(tree.body, list) else [tree.body]))
        return given if writes else set()
    base = node.func
    while isinstance(base, (gast.Attribute, gast.Subscript)):
        base = base.value
    if not isinstance(base, gast.Name):
        return given
    owner, method = _value(base.id, frame), getattr(node.func, "attr", "")
    if isinstance(owner, types.ModuleType):
        return given if method in _OF_MODULES else _where_results_go(_of_module(owner, node.func), node)
    if isinstance(owner, Var):
        return {base.id} if method in _OF_ARRAYS else set()
    return {base.id, *given}


def _of_module(module: types.ModuleType, node: Any) -> Any:
    """What `np.linalg.norm` is, with `np` the module."""
    if isinstance(node, gast.Attribute):
        return getattr(_of_module(module, node.value), node.attr, None)
    return module if isinstance(node, gast.Name) else None


def _is_numpys(value: Value) -> bool:
    return isinstance(value, np.ufunc) or module_of(value).startswith("numpy")


def _where_results_go(function: Any, node: Any) -> set[str]:
    """The names that a call of NumPy's gives as `out`: by this name, or behind the operands."""
    if not _is_numpys(function):
        return set()
    if isinstance(function, np.ufunc):
        place = function.nin
    else:
        try:
            names = list(inspect.signature(function).parameters)
        except ValueError:  # of C code that does not say, as in older versions
            names = ["a", "b", "out"]
        place = names.index("out") if "out" in names else len(node.args)
    out = [*node.args[place:], *(k.value for k in node.keywords if k.arg == "out")]
    return {n.id for value in out for n in gast.walk(value) if isinstance(n, gast.Name)}


def _value(name: str, frame: Frame) -> Value:
    held = _holder(name, frame)
    return frame.globals.get(name) if held is None else held.env.get(name)


def _holder(name: str, frame: Frame) -> Frame | None:
    inner: Frame | None = frame
    while inner is not None and name not in inner.env and name not in inner.stored:
        inner = inner.parent
    return inner


def _take(ev: Core, found: Reached, name: str, frame: Frame, deep: bool = True) -> None:
    holder = _holder(name, frame)
    if holder is None:
        if deep and isinstance(frame.globals.get(name), (np.ndarray, types.FunctionType)):
            _hold(ev, found, frame.globals[name], name)
        return
    if (id(holder), name) in found.names and not deep:
        return
    found.names[id(holder), name] = holder, name
    if deep and name in holder.env:
        _hold(ev, found, holder.env[name], _spoken(name, holder.env[name]))


def _spoken(name: str, value: Value) -> str:
    """What the user calls what a name holds: a variable of two functions lives in a dict, under its name."""
    key = next(iter(value), None) if type(value) is dict and len(value) == 1 else None
    return key if isinstance(key, str) and name.startswith(f"{key}_held") else name


def _hold(ev: Core, found: Reached, value: Value, label: str) -> None:
    if isinstance(value, np.ndarray):
        found.held[id(value)] = value
        found.labels[id(value)] = label
    elif isinstance(value, Var):
        if value.is_array:
            found.held[id(value.root)] = value.root
            found.labels[id(value.root)] = label
    elif isinstance(value, Closure):
        if id(value) not in found.called:
            found.called[id(value)] = value
            for name in sorted(value.reads):
                _take(ev, found, name, value.frame)
            _hold_all(ev, found, value.defaults.values(), label)
    elif isinstance(value, (functools.partial, Partial)):
        _hold_all(ev, found, (value.func, *value.args, *value.keywords.values()), label)
    elif isinstance(value, (list, dict, Growing)):
        if id(value) not in found.held:
            found.held[id(value)] = value
            found.labels[id(value)] = label
            if isinstance(value, Instance):
                _hold(ev, found, value.cls, label)
            if not isinstance(value, Growing):
                _hold_all(ev, found, value.values() if isinstance(value, dict) else value, label)
    elif isinstance(value, type):
        for cls in value.__mro__:
            for member in vars(cls).values():
                plain = getattr(member, "fget", getattr(member, "__func__", member))
                if isinstance(plain, types.FunctionType):
                    _hold(ev, found, plain, label)
    elif isinstance(value, types.FunctionType):
        if value in ev.stand_ins_of:
            _hold(ev, found, ev.stand_ins_of[value], label)
        elif (
            id(value) not in found.called
            and not is_settled(value)
            and (tree := ev.tree_of(value)) is not None
        ):
            found.called[id(value)] = made = ev.with_tree(value, tree)
            for name in sorted(made.reads):
                _take(ev, found, name, made.frame)
    elif isinstance(value, (tuple, Choice)):
        _hold_all(ev, found, value if isinstance(value, tuple) else value.options, label)
    elif isinstance(value, Maybe):
        _hold(ev, found, value.value, label)
    elif isinstance(value, Method):
        _hold(ev, found, value.owner, label)
    elif isinstance(value, Generator):
        _hold_all(ev, found, value.frame.env.values(), label)
    elif isinstance(value, Once):
        for inner in (value.sees, value.state.get("reached")):
            if inner is not None:
                _join(found, inner)
    elif isinstance(value, (Items, Iterated)) and "reached" in value.reads:
        _join(found, value.reads["reached"])


def _hold_all(ev: Core, found: Reached, values: Iterable[Value], label: str) -> None:
    for value in list(values):
        _hold(ev, found, value, label)


def _join(found: Reached, other: Reached) -> None:
    found.names.update(other.names)
    found.held.update(other.held)
    found.labels.update(other.labels)
    found.called.update(other.called)


@dataclass
class Before:
    """What was reached, and what was found there at that time."""

    reached: Reached
    names: list[tuple[Frame, str, Value]]
    held: list[tuple[Any, Any]]
    written: set[Var]

    def changed(self, ev: Core) -> str | None:
        """A name for something that is not what it was."""
        for frame, name, value in self.names:
            if frame.env.get(name) is not value:
                return _spoken(name, value)
        for now, was in self.held:
            if not _same(now, was):
                return self.reached.labels[id(now)]
        arrays = [v for v in self.reached.held.values() if isinstance(v, Var)]
        return next(
            (self.reached.labels[id(v)] for v in arrays if v in ev.mutated and v not in self.written), None
        )


def before(ev: Core, reached: Reached) -> Before:
    """What is found now in all that was reached."""
    names = [(frame, name, frame.env.get(name)) for frame, name in reached.names.values()]
    held = [(v, _state(v)) for v in reached.held.values() if not isinstance(v, (Var, np.ndarray))]
    return Before(reached, names, held, set(ev.mutated))


def _state(value: Any) -> list[Any]:
    if isinstance(value, Growing):
        return list(value.state())
    return [part for pair in value.items() for part in pair] if isinstance(value, dict) else list(value)


def _same(now: Any, was: list[Any]) -> bool:
    state = _state(now)
    return len(state) == len(was) and all(a is b for a, b in zip(state, was, strict=True))
