"""What the pull of a Function reads beside the arguments of its call, and goes back to values that are differentiated.

A `backward` reads names of the scope around it, attributes of the object that it is a method of, and what `forward`
has set on its context. An outer derivative reaches it through these.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable
from typing import Any

from adc.runtime.modules import package_of
from adc.tape.context import Context
from adc.tape.function import FunctionNode, FunctionWhole
from adc.tape.node import Node
from adc.tape.tensor import Tensor
from adc.tape.users_code import AS_THEY_ARE, NUMERICAL, is_of_a_library

__all__ = ["read_by"]

_MOST = 10_000  # values that are looked at


def read_by(nodes: Iterable[Node]) -> set[Node]:
    """The nodes of differentiated values that the Functions among some nodes read."""
    found: set[Node] = set()
    for node in nodes:
        if isinstance(node, FunctionNode | FunctionWhole):
            function = node.function
            context = node.kept[0] if node.kept else None
            found |= _nodes_in((function.backward, context) if function.beyond is None else function.beyond)
    return found


def _nodes_in(values: Iterable[Any]) -> set[Node]:
    found: set[Node] = set()
    seen: dict[int, Any] = {}
    waiting = list(values)
    while waiting and len(seen) < _MOST:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if value.__class__ is Tensor:
            if value.node is not None:
                found.add(value.node)
        else:
            waiting += _held(value)
    return found


def _held(value: Any) -> list[Any]:
    """What a function reads, a container has, or an object of the user's."""
    kind = type(value)
    if kind is types.FunctionType:
        if is_of_a_library(value):
            return []
        read = [content for cell in value.__closure__ or () for content in _content(cell)]
        return [*read, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    if kind is types.MethodType:
        return [value.__func__, value.__self__]
    if kind is functools.partial:
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, Context):
        return [v for name, v in vars(value).items() if not name.startswith("_")]
    users = not isinstance(value, type) and package_of(kind) not in AS_THEY_ARE | NUMERICAL
    return list(getattr(value, "__dict__", {}).values()) if users else []


def _content(cell: types.CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # not assigned yet
        return []
