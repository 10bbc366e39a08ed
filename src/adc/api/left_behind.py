"""What a function leaves outside, while it runs on Tensors, is there afterwards as the plain function leaves it.

An objective that keeps its history, `losses.append(loss)` or `self.last = x`, would keep Tensors, and with them the
record of every run. When the gradients are there, the arrays and numbers that they stand for take their places.
Whether anything was left is told by the nodes of the inputs, which all that was made of them holds; only then is it
looked for, in what the function can reach beside its arguments and in what those hold.
"""

from __future__ import annotations

import collections
import contextlib
import contextvars
import functools
import threading
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from adc.api.reachable import contents, named_by, reached
from adc.tape import record
from adc.tape.node import Node
from adc.tape.tensor import Tensor
from adc.tape.trace import as_left, noting
from adc.tape.users_code import current

__all__ = ["LeftBehind"]


@dataclass
class LeftBehind:
    """What runs of a function may leave outside, of which the nodes of the inputs are noted."""

    function: Callable[..., Any]
    arguments: list[Any]
    inputs: list[weakref.ref[Node]] = field(default_factory=list)

    def noted(self) -> contextlib.AbstractContextManager[None]:
        """The block in which the function runs."""
        return noting(self.inputs)

    def made_plain(self) -> None:
        """Put values in the places of the Tensors that the runs left, as far as the function can reach them."""
        made = _MadeOf({node for ref in self.inputs if (node := ref()) is not None})
        if not made.inputs:
            return
        for holder in reached([self.function, *self.arguments]):
            for value, put in list(_places(holder)):
                plain = _plain(value, made)
                if plain is not value:
                    put(plain)


class _MadeOf:
    """Tells the nodes that were made of some inputs."""

    def __init__(self, inputs: set[Node]) -> None:
        self.inputs = inputs
        self._known: dict[Node, bool] = dict.fromkeys(inputs, True)

    def __contains__(self, node: Node) -> bool:
        todo = [node]
        while todo:
            last = todo[-1]
            ahead = [n for n in last.edges if n is not None and n not in self._known]
            if ahead and last not in self._known:
                todo += ahead
                continue
            todo.pop()
            if last not in self._known:
                self._known[last] = any(self._known.get(n, False) for n in last.edges if n is not None)
        return self._known[node]


def _plain(value: Any, made: _MadeOf) -> Any:
    """The value without Tensors of the run, itself where there are none: lists in it are looked at for themselves."""
    if value.__class__ is Tensor:
        return as_left(value) if value.node is not None and value.node in made else value
    if record.carries(value):
        node = value.entries.node if value.entries.__class__ is Tensor else None
        return value.plain() if node is not None and node in made else value
    if not isinstance(value, tuple):
        return value
    parts = [_plain(part, made) for part in value]
    if all(a is b for a, b in zip(parts, value, strict=True)):
        return value
    return value._make(parts) if hasattr(value, "_make") else tuple(parts)


Place = tuple[Any, Callable[[Any], Any]]  # what is there, and what puts something else there


def _places(holder: Any) -> Iterator[Place]:
    if isinstance(holder, types.FunctionType):
        for cell in holder.__closure__ or ():
            try:
                yield cell.cell_contents, functools.partial(setattr, cell, "cell_contents")
            except ValueError:  # not yet assigned
                continue
        for names, held in named_by(holder):
            yield from _entries(held, names)
    elif isinstance(holder, type):
        for name, value in list(vars(holder).items()):
            yield value, functools.partial(setattr, holder, name)
    elif isinstance(holder, (list, collections.deque)):
        yield from _entries(holder, range(len(holder)))
    elif isinstance(holder, dict):
        yield from _entries(holder, list(holder))
    elif isinstance(holder, contextvars.ContextVar):
        yield current(holder), holder.set
    elif isinstance(holder, threading.local):
        yield from _entries(vars(holder), list(vars(holder)))
    else:
        for name, value in contents(holder):
            yield value, functools.partial(object.__setattr__, holder, name)


def _entries(holder: Any, keys: Any) -> Iterator[Place]:
    for key in keys:
        yield holder[key], functools.partial(holder.__setitem__, key)
