"""The built-in functions of Python that make one value of many: min, max, sum, any, all."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend import grown_reads, higher_order, reductions, sorting, templates
from adc.compiler.frontend.frame import Closure, Growing, Items
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var
from adc.compiler.ir.types import Array, Scalar, is_float

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def _min(self: Calls, *args: Value, key: Value = None, default: Value = None) -> Value:
    return _extreme(self, args, "less", key, default)


def _max(self: Calls, *args: Value, key: Value = None, default: Value = None) -> Value:
    return _extreme(self, args, "greater", key, default)


def _extreme(self: Calls, args: tuple[Value, ...], better: str, key: Value, default: Value) -> Value:
    if len(args) == 1:
        self.require_items(args[0])
        if isinstance(args[0], Growing) and args[0].generated:  # nobody else goes over it
            args = (replace(args[0], generated=False),)
        if _is_row_of_numbers(args[0]) and key is None and default is None:
            return self.plain(_extreme(self, (grown_reads.array(self, args[0]),), better, None, None))
        if isinstance(args[0], Var) and key is None and default is None:
            return self.op("max" if better == "greater" else "min", args[0])
        if not self.known_length(args[0]):
            function = builtins.max if better == "greater" else builtins.min
            if default is not None:
                return self.call(
                    Closure(_OR_DEFAULT(), self.frame, {}), [args[0], function, default, key], {}
                )
            if key is not None:
                items = args[0] if isinstance(args[0], (Var, Growing)) else self.call(list, [args[0]], {})
                return self.call(Closure(_BY_KEY(), self.frame, {}), [items, key, better == "greater"], {})
            if isinstance(args[0], Growing) and (args[0].form is not None or args[0].nested):
                return sorting.first(self, args[0], better == "greater")
            return self.call(Closure(reductions.over_items(function), self.frame, {}), [args[0]], {})
        args = tuple(self.static_items(args[0], None))
        if not args:
            if default is None:
                raise self.refuse("max() or min() of nothing", repair="give a default")
            return default
    measures = [sorting.measure(self, key, candidate) for candidate in args]
    if self.is_static(measures):
        return args[measures.index((max if better == "greater" else min)(measures))]
    best, measure = args[0], measures[0]
    for candidate, other in zip(args[1:], measures[1:], strict=True):
        if key is None and all(_is_length(self, x) for x in (best, candidate)):
            best = measure = self.extreme("maximum" if better == "greater" else "minimum", best, candidate)
            continue
        # Python keeps the first of equals (and of NaNs), which np.maximum does not.
        test = self.compare(gast.Gt() if better == "greater" else gast.Lt(), other, measure)
        best = _chosen(self, test, candidate, best)
        measure = best if other is candidate else _chosen(self, test, other, measure)
    return best


_OR_DEFAULT = templates.later("""
def best(items, of, default, key):
    if len(items) > 0:
        return of(items, key=key)
    return default
""")


_BY_KEY = templates.later("""
def best(items, key, most):
    first = True
    measure = 0.0
    position = 0
    for k, item in enumerate(items):
        candidate = key(item)
        if first or (candidate > measure if most else candidate < measure):
            measure = candidate
            position = k
            first = False
    if first:
        raise ValueError("max() or min() of an empty sequence")
    return items[position]
""")


def _chosen(self: Calls, test: Value, then: Value, orelse: Value) -> Value:
    """One of two values, which may be containers; of two arrays it is that array, and not a copy."""
    types = self.type_of(then), self.type_of(orelse)
    apart = self.one_is_narrow(then, orelse) or self.integer_of_python(then, orelse) is not None
    if not apart and not any(t is None or isinstance(t, Array) for t in types):
        found = self.op("where", test, then, orelse)
        return self.plain(found) if all(isinstance(t, Scalar) and t.weak for t in types) else found
    return self.choose(test, lambda: then, lambda: orelse)


def _is_length(self: Calls, x: Value) -> bool:
    """Whether a value is an integer that may be a length: bytes wrap around."""
    known = self.type_of(x)
    return known is not None and known.dtype == "int64" and self.length(x) is not None


def _is_row_of_numbers(values: Value) -> bool:
    """Whether it is a list that lives in an array, of numbers of Python's own."""
    return isinstance(values, Growing) and values.weak and not values.nested and values.form is None


def _sum(self: Calls, values: Value, start: Value = 0, weak: bool = False) -> Value:
    self.require_items(values)
    if _is_row_of_numbers(values):
        return _sum(self, grown_reads.array(self, values), start, weak=True)
    if isinstance(values, Var):
        total = self.op("sum", values, axis=0)
        if np.dtype(values.type.dtype).kind in "iu":
            total = self.cast(total, values.type.dtype)  # Python adds in the dtype of the elements
        total = self.plain(total) if weak else total
        return total if self.is_static(start) and start == 0 else self.op("add", start, total)
    if isinstance(values, Items) and not isinstance(values.length, int):
        return higher_order.total(self, values, start)
    items = self.static_items(values, None)
    total = start
    for item in items:
        total = (
            item
            if isinstance(total, int) and total == 0 and isinstance(item, Var) and is_float(item.type)
            else self.binary(operator.add, total, item)
        )
    return total


def _any(self: Calls, values: Value) -> Value:
    if isinstance(values, Var):
        return self.plain(self.op("any", values))
    if not self.known_length(values):
        return self.call(Closure(reductions.over_items(builtins.any), self.frame, {}), [values], {})
    result: Value = False
    for item in self.static_items(values, None):
        test = self.truth(item)
        both = isinstance(test, Var) or isinstance(result, Var)
        result = self.op("logical_or", result, test) if both else result or test
    return self.plain(result)


def _all(self: Calls, values: Value) -> Value:
    if isinstance(values, Var):
        return self.plain(self.op("all", values))
    if not self.known_length(values):
        return self.call(Closure(reductions.over_items(builtins.all), self.frame, {}), [values], {})
    result: Value = True
    for item in self.static_items(values, None):
        test = self.truth(item)
        both = isinstance(test, Var) or isinstance(result, Var)
        result = self.op("logical_and", result, test) if both else result and test
    return self.plain(result)


TABLE: dict[Any, Callable[..., Value]] = {
    builtins.min: _min,
    builtins.max: _max,
    builtins.sum: _sum,
    builtins.any: _any,
    builtins.all: _all,
}
