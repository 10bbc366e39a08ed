"""A class statement makes a class while the program is made, whose methods are functions of the program.

Python itself makes it, with bases, properties and what `dataclass` writes. In the place of each method stands a
function of which the evaluator knows what it stands for (`Evaluator.stand_ins_of`).
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING, Any

import gast

from adc.compiler.frontend import class_scopes, generics
from adc.compiler.frontend.frame import Closure, Frame, ListValue
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

_PLAIN = (property, staticmethod, classmethod, functools.cached_property)
_OF_PROPERTIES = ("setter", "getter", "deleter")


def made(self: Calls, node: Any) -> type:
    """The class of a `class` statement."""
    outer, parameters = self.frame, generics.parameters(node)
    if not parameters:
        return _made(self, node, ())
    self.frame = Frame(
        outer.source, outer.globals, {}, parameters, parent=outer, unroll=outer.unroll, depth=outer.depth
    )
    try:
        return _made(self, node, (generics.base(parameters),))
    finally:
        self.frame = outer


def _made(self: Calls, node: Any, generic: tuple[Any, ...]) -> type:
    bases = (*(self.evaluate(b) for b in node.bases), *generic)
    decorators = [_decorator(self, d) for d in node.decorator_list]
    keywords = {k.arg: self.evaluate(k.value) for k in node.keywords}
    unknown = [b for b in bases if not (isinstance(b, type) or hasattr(b, "__mro_entries__"))]
    if unknown or None in keywords:
        raise self.refuse("a base of this class is not known here", repair="write it with a class that is")
    body = _Body(self, node)
    for statement in node.body:
        with self.origin_at(self.locate(statement)):
            body.add(statement)

    def filled(found: MutableMapping[str, Any]) -> None:
        # One by one: the namespace of an Enum before Python 3.11 has no `update` of its own.
        for name, value in body.names.items():
            found[name] = value

    cls: Any = types.new_class(node.name, bases, keywords, filled)
    for method in body.methods:
        method.cls = cls
    for decorate in reversed(decorators):
        cls = decorate(cls)
    assert isinstance(cls, type)
    return cls


def _named_tuple(self: Calls, *args: Value, **kwargs: Value) -> type:
    """`collections.namedtuple(...)`."""
    if not (self.is_static(args) and self.is_static(kwargs)):
        raise self.refuse("the fields of a named tuple are only known at run time", repair="use a tuple")
    return self.now(collections.namedtuple, [_of_python(self, a) for a in args], kwargs)  # type: ignore[no-any-return]


TABLE: dict[Any, Callable[..., Value]] = {collections.namedtuple: _named_tuple}


class _Body:
    """What the statements of a class bind: `names` for the class that Python makes, `scope` for the program."""

    def __init__(self, ev: Calls, node: Any) -> None:
        outer = ev.frame
        self.ev = ev
        self.names: dict[str, Any] = {
            "__module__": outer.globals.get("__name__", ""),
            "__qualname__": node.name,
        }
        self.scope = Frame(outer.source, outer.globals, {}, parent=outer, depth=outer.depth)
        self.methods: list[Closure] = []

    def add(self, statement: Any) -> None:
        """Carry out a statement."""
        match statement:
            case gast.FunctionDef():
                self._add_method(statement)
            case gast.AnnAssign(target=gast.Name() as target):
                self.names.setdefault("__annotations__", {})[target.id] = _annotation(statement.annotation)
                if statement.value is not None:
                    self._bind(target.id, statement.value)
            case gast.Assign(targets=[gast.Name() as target]):
                self._bind(target.id, statement.value)
            case gast.Pass() | gast.Expr(value=gast.Constant()):
                pass
            case _:
                raise self.ev.refuse(
                    "this statement in a `class` is not supported",
                    "a class in the function has methods and constants",
                    "make the class outside the function",
                )

    def _add_method(self, node: Any) -> None:
        arguments = class_scopes.seen_from(self.scope, node.args)
        method = Closure(node, self.ev.frame, self.ev.default_values(arguments))
        self.methods.append(method)
        found: Any = stand_in(self.ev, method)
        for decorator in reversed(node.decorator_list):
            found = _of_method(self.ev, decorator, self.names)(found)
        self.names[node.name] = found
        self.scope.env[node.name] = found if node.decorator_list else method

    def _bind(self, name: str, node: Any) -> None:
        """Let a name of the class stand for a value: it is part of a class that Python makes, so it is known now."""
        ev = self.ev
        if isinstance(node, gast.Name) and node.id in self.names:
            self.names[name], self.scope.env[name] = self.names[node.id], self.scope.env[node.id]
            return
        node = class_scopes.seen_from(self.scope, node)
        if isinstance(node, gast.Call) and ev.evaluate(node.func) is dataclasses.field:
            given = {k.arg: _of_python(ev, ev.evaluate(k.value)) for k in node.keywords}
            self.names[name] = self.scope.env[name] = dataclasses.field(**given)
            return
        value = ev.evaluate(node)
        self.names[name], self.scope.env[name] = _of_python(ev, value), value


def _annotation(node: Any) -> str:
    import ast

    return ast.unparse(gast.gast_to_ast(node))


def _of_python(self: Calls, value: Value) -> Any:
    if isinstance(value, Closure):
        return stand_in(self, value)
    if isinstance(value, Var) or not (self.is_static(value) or callable(value)):
        raise self.refuse(
            "a value of the class itself is only known at run time",
            "the class is made before the program runs",
            "set it in `__init__`",
        )
    return list(value) if isinstance(value, ListValue) else value


def stand_in(self: Calls, closure: Closure) -> types.FunctionType:
    """A function of Python's for one of the program, which the evaluator calls in its place."""

    def method(*args: Any, **kwargs: Any) -> Any:
        raise self.refuse(
            f"Python calls `{closure.__name__}` of a class that the function defines",
            "compiled code has the class, and Python's own calls of it are made before the program runs",
            "define the class outside the function",
        )

    method.__name__ = method.__qualname__ = closure.__name__
    method.__signature__ = closure.__signature__  # type: ignore[attr-defined]
    self.stand_ins_of[method] = closure
    return method  # type: ignore[return-value]  # a FunctionType it is


def _of_method(self: Calls, node: Any, names: dict[str, Any]) -> Callable[[Any], Any]:
    """What a decorator does to a method."""
    if isinstance(node, gast.Attribute) and node.attr in _OF_PROPERTIES and isinstance(node.value, gast.Name):
        held = names.get(node.value.id)
        if isinstance(held, property):
            return getattr(held, node.attr)  # type: ignore[no-any-return]
    return _decorator(self, node)


def _decorator(self: Calls, node: Any) -> Callable[[Any], Any]:
    """What a decorator does, where it is one that Python can carry out now."""
    if isinstance(node, gast.Call):
        found = self.evaluate(node.func)
        given = {k.arg: self.evaluate(k.value) for k in node.keywords}
        if found is dataclasses.dataclass and not node.args and self.is_static(given):
            return dataclasses.dataclass(**given)  # type: ignore[no-any-return]
    else:
        found = self.evaluate(node)
        if found in _PLAIN or getattr(found, "__module__", "") in ("abc", "dataclasses", "functools"):
            return found  # type: ignore[no-any-return]
    with self.origin_at(self.locate(node)):
        raise self.refuse(
            "this decorator is not supported in the function", repair="define the class outside it"
        )
