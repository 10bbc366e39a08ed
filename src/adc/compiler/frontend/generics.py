"""Classes with types for their parameters: `Stack[float]` says more of `Stack`, and makes what `Stack` makes."""

from __future__ import annotations

import operator
import types
import typing
from typing import TYPE_CHECKING, Any, cast

from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.expressions import Expressions

_OF_TYPING = type(cast(Any, typing.Generic)[typing.TypeVar("_T")])


_KINDS: dict[str, Any] = {
    kind: getattr(typing, kind) for kind in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(typing, kind)
}


class TypeAliasType:
    """What `type X = ...` binds in the function: a name for annotations, whose value nobody computes."""

    run_time = True

    def __init__(self, name: str) -> None:
        self.__name__ = name


def parameters(tree: Any) -> dict[str, Any]:
    """What the type parameters of a function or class are in it: `def f[T](x: T)` since Python 3.12."""
    return {p.name: _KINDS[type(p).__name__](p.name) for p in getattr(tree, "type_params", None) or ()}


def base(parameters: dict[str, Any]) -> Any:
    """The base that a class with these parameters has beside those that it names."""
    every = tuple(one for p in parameters.values() for one in (p if hasattr(p, "__iter__") else (p,)))
    return cast(Any, typing.Generic)[every]


def is_generic(base: Value) -> bool:
    """Whether an index of a value says with what types it is meant: a class, or what `typing` has for one."""
    if isinstance(base, type):
        return hasattr(base, "__class_getitem__") and not hasattr(type(base), "__getitem__")
    return isinstance(base, types.GenericAlias) or type(base).__module__ == "typing"


def of_types(ev: Expressions, base: Any, index: Value) -> Value:
    """`base[index]`: by Python, but for a `__class_getitem__` of the user's own."""
    method = getattr(base, "__class_getitem__", None) if isinstance(base, type) else None
    if isinstance(method, types.MethodType) and method.__func__.__module__ != "typing":
        return ev.call(method, [index], {})
    return ev.now(operator.getitem, [base, index], {})


def made_by(function: Value) -> Value:
    """The class that such a one makes objects of; others are themselves."""
    return typing.get_origin(function) if isinstance(function, (types.GenericAlias, _OF_TYPING)) else function
