"""The built-in functions of Python that the compiler itself understands.

Each takes the evaluator and the values of its arguments.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend import (
    classes,
    dicts,
    generators,
    infer,
    instances,
    left_outside,
    list_methods,
    positions,
    printed,
)
from adc.compiler.frontend.frame import (
    Closure,
    Generator,
    Given,
    Growing,
    Instance,
    Items,
    Iterated,
    NeedsUnrolling,
    Once,
    Partial,
    Range,
    SuperOf,
    SurelyRaised,
)
from adc.compiler.frontend.frozen import freeze
from adc.compiler.frontend.outside import Place
from adc.compiler.frontend.values import SETTLED_MODULES, Value, is_settled
from adc.compiler.ir.nodes import Check, Var
from adc.compiler.ir.types import Scalar
from adc.rules import python_containers

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls


def _len(self: Calls, x: Value) -> Value:
    if isinstance(x, Var) and x.is_array:
        return self.dim_value(x.type.shape[0])
    if isinstance(x, Range):
        return items_of(self, x).length
    counted = instances.method(self, x, "__len__")
    if counted is not None:
        return self.call(counted, [], {})
    if isinstance(x, Growing):
        return x.count
    if isinstance(x, left_outside.Appended):
        return left_outside.length(self, x)
    if hasattr(x, "__len__") and not isinstance(x, Instance):
        return len(x)
    # A `try` may ask whether something is a number.
    name = x.cls.__name__ if isinstance(x, Instance) else "number" if isinstance(x, Var) else type(x).__name__
    error = TypeError(f"object of type '{name}' has no len()")
    raise SurelyRaised(error, self.region_depth, self.origin)


def _range(self: Calls, *args: Value) -> Value:
    start, stop, step = (
        (0, args[0], 1) if len(args) == 1 else (args[0], args[1], args[2] if len(args) == 3 else 1)
    )
    for v in (start, stop, step):
        if self.length(v) is None:
            raise self.refuse(
                "range() takes integers", "its bounds decide how often a loop runs", "convert with int()"
            )
    if isinstance(step, int) and step == 0:
        raise SurelyRaised(ValueError("range() arg 3 must not be zero"), self.region_depth, self.origin)
    return Range(start, stop, step)


def items_of(self: Calls, value: Value) -> Items:
    if isinstance(value, Items) and value.length is None:
        return value  # without end
    found = self.iterable(value)
    if isinstance(found, Items):
        return found
    if isinstance(found, Range):
        return self.counted(found)
    items = found

    def item(k: Value) -> Value:
        if not isinstance(k, Var):
            return items[k]
        if positions.is_stacked(self, value):
            return self.subscript(value, k)
        raise NeedsUnrolling(value, read=True)

    return Items(len(items), item, [(value if isinstance(value, (list, tuple)) else items, len(items))])


def _enumerate(self: Calls, value: Value, start: Value = 0) -> Items:
    inner = items_of(self, value)
    return Items(
        inner.length, lambda k: (self.op("add", k, start) if start != 0 else k, inner.item(k)), inner.lists
    )


def _zip(self: Calls, *values: Value, strict: bool = False) -> Items:
    inner = [items_of(self, v) for v in values]
    if not inner:
        return Items(0, lambda k: ())
    counted = [each for each in inner if each.length is not None] or inner
    length = counted[0].length
    for k, other in enumerate(inner if strict else (), start=1):
        _require_as_many(
            self, inner[0].length, other.length, f"zip() argument {k} is not as long as argument 1"
        )
    for other in counted[1:]:
        if other.length is not length and not (self.is_static(length) and length == other.length):
            length = self.extreme("minimum", length, other.length)
    return Items(
        length, lambda k: tuple(i.item(k) for i in inner), [found for i in inner for found in i.lists]
    )


def _require_as_many(self: Calls, first: Value, other: Value, message: str) -> None:
    """What `strict` asks for, in front of the loop."""
    a, b = self.length(first), self.length(other)
    if a is None or b is None or (a - b).known not in (None, 0):
        if self.trying:
            raise self.refuse(
                f"{message}, in a `try`",
                "Python raises ValueError behind the last common item, compiled code in front of the first",
                "compare the lengths",
            )
        raise SurelyRaised(ValueError(message), self.region_depth, self.origin)
    self.require_equal(a, b, message)


def _next(self: Calls, iterator: Value, *default: Value) -> Value:
    """`next(iter(values))`: the first of them."""
    if default or not isinstance(iterator, (Iterated, Given, Items)):
        raise self.refuse(
            "next() of this is not supported", repair="go over it in a loop, or give it a generator"
        )
    items = self.iterable(iterator)
    if isinstance(items, list):
        if not items:
            raise SurelyRaised(StopIteration(), self.region_depth, self.origin)
        return items[0]
    each = items_of(self, iterator)
    some = self.op("greater", each.length, 0)
    self.block.append(Check(self.atom(some), "StopIteration", (), self.origin))
    return each.item(0)


def taken(self: Calls, held: Once, iterator: Iterated, *default: Value) -> Value:
    """`next(name)`: the first item that is left of what the name holds, which is one less afterwards."""
    if self.region_depth != iterator.depth:
        needed = NeedsUnrolling()
        needed.refusal = self.refuse(
            "next() takes an item in a branch or a loop",
            "what is left of an iterator would depend on which way was gone",
            "go over it in a loop, or read elements by their position",
        )
        raise needed if self.loop_depth else needed.refusal
    self.as_it_was(iterator.reads, "an iterator")
    count = held.state.get("taken", 0)
    rest = replace(iterator, taken=count)
    item = _first_or(self, rest, default[0]) if default else _next(self, rest)
    held.state["taken"] = count + 1
    return item


def _first_or(self: Calls, iterator: Iterated, default: Value) -> Value:
    items = self.iterable(iterator)
    if isinstance(items, list):
        return items[0] if items else default
    each = items_of(self, iterator)
    some = self.op("greater", each.length, 0)
    if not isinstance(some, Var):
        return each.item(0) if some else default
    return self.choose(some, lambda: each.item(0), lambda: default)


def _tee(self: Calls, items: Value, n: Value = 2) -> Value:
    """`itertools.tee`: each goes over all of the items."""
    if not isinstance(n, int):
        raise self.refuse("itertools.tee takes a number that is known", repair="use a constant")
    every = self.call(list, [items], {}) if isinstance(items, Generator) else items
    if isinstance(every, Var) and every.is_array:
        freeze(self, every)  # what one has gone over is what the others will, whatever is written in between
    made = tuple([Iterated(every, self.region_depth) for _ in range(n)])
    for each in made:
        self.goes_over(each, [every])
    return made


def _reversed(self: Calls, value: Value) -> Items | Range:
    found = self.iterable(value)
    if isinstance(found, Range) and found.step == 1:
        return Range(self.op("subtract", found.stop, 1), self.op("subtract", found.start, 1), -1)
    inner = items_of(self, value)
    return Items(
        inner.length,
        lambda k: inner.item(self.op("subtract", self.op("subtract", inner.length, 1), k)),
        inner.lists,
    )


def _getattr(self: Calls, value: Value, name: Value, *default: Value) -> Value:
    if not isinstance(name, str):
        raise self.refuse("getattr() takes a name that is known before the program runs")
    if not default:
        return self.attribute(value, name)
    if isinstance(value, Instance):
        there, found = _sought(self, value, name)
        return found if there else default[0]
    return self.attribute(value, name) if _hasattr(self, value, name) else default[0]


def _sought(self: Calls, owner: Instance, name: str) -> tuple[bool, Value]:
    """Whether an object has an attribute, and which: properties and `__getattr__` say by an error that it has not."""
    if not classes.may_have(self, owner, name):
        return False, None
    self.trying += 1
    try:
        return True, self.attribute(owner, name)
    except SurelyRaised as raised:
        if raised.depth != self.region_depth or not isinstance(raised.exception, AttributeError):
            raise
    except AttributeError as raised:
        if not hasattr(raised, "__adc_raised__"):
            raise  # not the user's, but of the compiler
    finally:
        self.trying -= 1
    return False, None


def _setattr(self: Calls, owner: Value, name: Value, value: Value) -> None:
    if not isinstance(name, str):
        raise self.refuse("setattr() takes a name that is known")
    self.bind_attribute(owner, name, value)


def _hasattr(self: Calls, value: Value, name: Value) -> bool:
    if isinstance(value, Instance):
        return _sought(self, value, str(name))[0]
    if classes.stands_for_another(value):
        return classes.has_attribute(self, value, str(name))
    if isinstance(value, types.ModuleType):
        settled = value.__name__.partition(".")[0] in SETTLED_MODULES
    else:  # a function is its module's, not that of the class of functions
        settled = is_settled(value if isinstance(value, (type, types.FunctionType)) else type(value))
    if not isinstance(value, Var) and not settled:
        has: bool = self.taken(Place(hasattr, value, name), name)
        return has
    if isinstance(value, Var):
        t = value.type
        return hasattr(infer.sample(t) if isinstance(t, Scalar) else np.empty(0), name)
    return hasattr(value, name)


def _iter(self: Calls, x: Value) -> Value:
    self.require_items(x)
    return x if isinstance(x, Iterated) else Iterated(x, self.region_depth)


def _first_parameter(tree: Any) -> str:
    name: str = (*tree.args.posonlyargs, *tree.args.args)[0].id
    return name


def _super(self: Calls, *args: Value) -> Value:
    """`super()` in a method: its class is in the closure, the object or the class is its first argument."""
    if not args:
        cell = self.frame.cell("__class__")
        if cell is None or self.frame.source is None:
            raise self.refuse("super() is only supported directly in a method")
        first = gast.Name(_first_parameter(self.frame.tree), gast.Load(), None, None)
        args = (cell.cell_contents, self.evaluate(first))
    cls, owner = args
    if not isinstance(cls, type) or not instances.is_of(owner, cls):
        raise self.refuse("super() is only supported of an object of the class, or of a class over it")
    return SuperOf(cls, owner)


def _print(
    self: Calls, *args: Value, sep: Value = None, end: Value = None, file: Value = None, flush: Value = False
) -> None:
    if file is not None and file is not sys.stdout:
        raise self.refuse("print() goes to a file", repair="print to the standard output")
    if not self.is_static((sep, end, flush)):
        raise self.refuse(
            "`sep`, `end` or `flush` of print() is only known at run time", repair="write it down"
        )
    printed.say(self, args, " " if sep is None else sep, "\n" if end is None else end, bool(flush))


def _tuple(self: Calls, values: Value = ()) -> Value:
    return tuple(self.static_items(values, None))


def _new_tuple(self: Calls, cls: Value, values: Value = ()) -> Value:
    """What the `_make` of a named tuple calls."""
    if not (isinstance(cls, type) and hasattr(cls, "_fields")):
        raise self.refuse("tuple.__new__() is for named tuples", repair="call the class")
    return tuple.__new__(cls, self.static_items(values, None))


def _set(self: Calls, values: Value = ()) -> Value:
    """A set that the program may change; a rule makes them of what is known only."""
    if not self.in_user_code:
        return set(self.static_items(values, None))
    return self.call(python_containers.Set, [values], {})


def _frozenset(self: Calls, values: Value = ()) -> Value:
    items = self.static_items(values, None)
    if not self.is_static(items):
        raise self.refuse("a set of values that are only known at run time", repair="use a tuple or an array")
    return frozenset(items)


def _list(self: Calls, values: Value = ()) -> Value:
    if isinstance(values, Growing):
        return list_methods.copied(self, values)
    if not self.known_length(values):
        return self.call(Closure(generators.LISTED(), self.frame, {}), [values], {})
    return self.new_list(self.static_items(values, None))


TABLE: dict[Any, Callable[..., Value]] = {
    builtins.len: _len,
    builtins.range: _range,
    builtins.set: _set,
    builtins.frozenset: _frozenset,
    builtins.enumerate: _enumerate,
    builtins.iter: _iter,
    builtins.next: _next,
    itertools.tee: _tee,
    builtins.zip: _zip,
    builtins.reversed: _reversed,
    builtins.super: _super,
    builtins.print: _print,
    builtins.hasattr: _hasattr,
    builtins.getattr: _getattr,
    builtins.setattr: _setattr,
    builtins.tuple: _tuple,
    builtins.object.__new__: instances.bare,
    builtins.tuple.__new__: _new_tuple,
    builtins.list: _list,
    builtins.dict: dicts.made,
    dict.fromkeys: dicts.of_keys,
    builtins.slice: lambda self, *parts: slice(*parts),
    functools.partial: lambda self, function, *args, **kwargs: Partial(function, args, kwargs),
}
