"""A key for a program and all that the compiler knows of it: equal keys, equal programs, also in another process.

What is not of a kind that is listed here has no key. Nothing is left out either: a fact that a later stage could read,
and that the key did not see, would give one program the text of another.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from adc.compiler.frontend.draws import Draws
from adc.compiler.frontend.lengths import EqualLengths
from adc.compiler.ir import nodes
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar
from adc.errors import Location
from adc.rules import registry
from adc.rules.dims import Dim, Symbol
from adc.rules.operation import Operation

__all__ = ["NoKey", "digest"]


class NoKey(Exception):
    """Something in a program means nothing to another process: a function of the user's, an object."""


_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_LIBRARIES = {"builtins", "math", "numpy"}  # what they call by a name is the same thing everywhere
_NODES: tuple[type, ...] = (
    nodes.Const, nodes.Slice, nodes.Assign, nodes.Store, nodes.Carried, nodes.For, nodes.While, nodes.Merge, nodes.If,
    nodes.Check, nodes.Print, nodes.Buffer, nodes.NewBuffer, nodes.Keep, nodes.Room, nodes.Restore,
    nodes.Mark, nodes.Program, Array, Scalar, Location, Dim, Symbol, Draws,
)  # fmt: skip
_FIELDS = {kind: tuple(f.name for f in dataclasses.fields(kind)) for kind in _NODES}
_OF_VARIABLES = tuple(name for name in Var.__slots__ if name != "order")


def digest(value: Any) -> str:
    """The key of a value, its variables told from each other by where they stand. Raises NoKey.

    >>> x, y = Var("x", Scalar("float64")), Var("x", Scalar("float64"))
    >>> digest([x, x]) == digest([y, y]), digest([x, y]) == digest([x, x])
    (True, False)
    """
    found = _Digest()
    found.add(value)
    return found.key()


class _Digest:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.seen: dict[int, int] = {}  # objects -> their numbers, in the order in which they were met
        self.alive: list[Any] = []
        self.orders: list[str] = []

    def key(self) -> str:
        # Variables count on through a process: what tells in another one is which of two is older.
        ranks = {order: str(rank) for rank, order in enumerate(sorted(self.orders))}
        text = "\0".join([*self.parts, *(ranks[order] for order in self.orders)])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def add(self, value: Any) -> None:
        kind = type(value)
        if kind in _PLAIN:
            self.parts.append(f"{kind.__name__} {value!r}")
            return
        number = self.seen.get(id(value))
        if number is not None:
            self.parts.append(f"again {number}")
            return
        self.seen[id(value)] = len(self.seen)
        self.alive.append(value)
        fields = _FIELDS.get(kind)
        if fields is not None:
            self.parts.append(kind.__name__)
            for name in fields:
                self.add(getattr(value, name))
        else:
            self._other(kind, value)

    def _other(self, kind: type, value: Any) -> None:
        if kind is Var:
            self.parts.append("variable")
            self.orders.append(value.order)
            for name in _OF_VARIABLES:
                self.add(getattr(value, name))
        elif kind is tuple or kind is list:
            self._several(kind.__name__, value)
        elif kind is dict:
            self._several("dict", [part for pair in value.items() for part in pair])
        elif kind is set or kind is frozenset:
            self._several("set", sorted(value, key=_place))
        elif kind is Operation:
            self._operation(value)
        elif kind is EqualLengths:
            self._several("equal", list(value.snapshot().items()))
        elif isinstance(value, enum.Enum) or (kind.__module__ == "numpy" and issubclass(kind, np.generic)):
            self.parts.append(f"{kind.__module__}.{kind.__qualname__} {value!r}")
        elif isinstance(value, np.dtype):
            self.parts.append(f"dtype {value.descr!r}")
        elif isinstance(value, (type, np.ufunc, types.BuiltinFunctionType)):
            self._of_library(value)
        else:
            raise NoKey(f"an object of {kind.__module__}.{kind.__qualname__}")

    def _several(self, kind: str, items: Iterable[Any]) -> None:
        items = list(items)
        self.parts.append(f"{kind} {len(items)}")
        for item in items:
            self.add(item)

    def _operation(self, value: Operation) -> None:
        if not registry.is_known(value):
            raise NoKey(f"the operation {value.name}, which is of this program")
        self.parts.append(f"operation {value.name}")

    def _of_library(self, value: Any) -> None:
        module = getattr(value, "__module__", None) or "numpy"
        if module.partition(".")[0] not in _LIBRARIES:
            raise NoKey(f"{module}.{value.__name__}")
        self.parts.append(f"{module}.{value.__name__}")


def _place(item: Any) -> tuple[str, str]:
    """Sets have no order: variables have theirs, and all else is told by its text."""
    return ("variable", item.order) if type(item) is Var else (type(item).__name__, repr(item))
