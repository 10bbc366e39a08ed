"""Functions of Python and NumPy that are nothing but other operations, or that call what they are given.

Each takes the evaluator and the values of its arguments.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import templates
from adc.compiler.frontend.frame import Closure, Evaluated, Items, Range
from adc.compiler.frontend.operators import BINARY
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.values import Value, may_change
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


# The loop that a reduction over a number of items known only at run time is.
_FOLD = templates.later(
    """
def reduce(function, items, total):
    for item in items:
        total = function(total, item)
    return total
"""
)


def _reduce(self: Calls, function: Value, items: Value, *initial: Value) -> Value:
    found = self.iterable(items)
    if isinstance(found, list):
        known = list(found)
        total = initial[0] if initial else known.pop(0)
        for item in known:
            total = self.call(function, [total, item], {})
        return total
    each = _numbered(self, found)
    if not initial:
        initial = (each.item(0),)
        found = Items(self.op("subtract", each.length, 1), lambda k: each.item(self.op("add", k, 1)))
    return self.call(Closure(_FOLD(), self.frame, {}), [function, found, initial[0]], {})


def _numbered(self: Calls, found: Range | Items) -> Items:
    """A range as items by their position."""
    if isinstance(found, Items):
        return found
    pairs = self.call(enumerate, [found], {})
    return Items(pairs.length, lambda k: pairs.item(k)[1])


def total(self: Calls, items: Items, start: Value) -> Value:
    """`sum(items, start)`."""
    return _reduce(self, operator.add, items, start)


def _map(self: Calls, function: Value, *sequences: Value) -> Value:
    """The results in order, as Python computes them when they are asked for."""
    found = [self.iterable(s) for s in sequences]
    if all(isinstance(items, list) for items in found):
        return [self.call(function, list(row), {}) for row in zip(*found, strict=False)]
    zipped = found[0] if len(found) == 1 else self.call(zip, list(sequences), {})
    each = self.iterable(zipped)
    assert not isinstance(each, list)
    each = _numbered(self, each)

    def item(k: Value) -> Value:
        given = each.item(k)
        return self.call(function, list(given) if len(found) > 1 else [given], {})

    return Items(each.length, item, each.lists)


def _ndenumerate(self: Calls, x: Value) -> Value:
    each = self.call(np.ndindex, list(self.shape_values(x.type.shape)), {})

    def item(k: Value) -> Value:
        index = each.item(k)
        return index, self.subscript(x, index)

    return Items(each.length, item)


def _nditer(self: Calls, op: Value, flags: Value = None, op_flags: Value = None, **others: Value) -> Value:
    of_rows = isinstance(op, Var) and isinstance(op.type, Array) and op.type.layout == "C"
    if not of_rows or flags or op_flags or others:
        raise self.refuse(
            "np.nditer goes over more than the elements of one array that lies row by row",
            "what it gives are views, in the order of the memory",
            "go over `np.ndindex(x.shape)`, and read and write `x[index]`",
        )
    return self.attribute(op, "flat")


_FILTERED = templates.later("def filtered(function, items):\n    return [v for v in items if function(v)]")


def _filter(self: Calls, function: Value, items: Value) -> Value:
    test = function if function is not None else bool
    return self.call(Closure(_FILTERED(), self.frame, {}), [test, items], {})


def _itemgetter(self: Calls, *keys: Value) -> Value:
    def read(base: Value) -> Value:
        found = tuple(self.subscript(base, k) for k in keys)
        return found if len(found) > 1 else found[0]

    return Evaluated(read)


def _attrgetter(self: Calls, *names: Value) -> Value:
    def read(base: Value) -> Value:
        found = tuple(functools.reduce(self.attribute, name.split("."), base) for name in names)
        return found if len(found) > 1 else found[0]

    return Evaluated(read)


def _methodcaller(self: Calls, name: Value, /, *args: Value, **kwargs: Value) -> Value:
    return Evaluated(lambda base: self.call(self.attribute(base, name), list(args), dict(kwargs)))


def made_here(self: Calls, function: Value) -> Value:
    """A function, or what one of `operator.itemgetter` and the like would be if it were made in the program."""
    if not isinstance(function, (operator.itemgetter, operator.attrgetter, operator.methodcaller)):
        return function
    maker, given = _taken_apart(function)
    args = [
        self.captured(Place(_given, function, k), f"given_{k}") if may_change(value) else value
        for k, value in enumerate(given)
    ]
    return self.call(maker, args, {})


def _taken_apart(getter: Any) -> tuple[Any, tuple[Any, ...]]:
    maker, given = getter.__reduce__()
    return maker, given


def _given(getter: Any, k: int) -> Any:
    return _taken_apart(getter)[1][k]


def _in_place(function: Any) -> Callable[..., Value]:
    """`operator.iadd(x, y)` and the like: what `x += y` does."""
    return lambda self, x, y: self.augmented(function, x, y)


_IN_PLACE = {getattr(operator, f"i{f.__name__.strip('_')}"): _in_place(f) for f in BINARY.values()}
TABLE: dict[Any, Callable[..., Value]] = {
    **_IN_PLACE,
    functools.reduce: _reduce,
    map: _map,
    operator.getitem: lambda self, base, index: self.subscript(base, index),
    filter: _filter,
    operator.itemgetter: _itemgetter,
    operator.attrgetter: _attrgetter,
    operator.methodcaller: _methodcaller,
    np.ndenumerate: _ndenumerate,
    np.nditer: _nditer,
}
if sys.version_info >= (3, 11):
    TABLE[operator.call] = lambda self, function, *args, **kwargs: self.call(function, list(args), kwargs)
