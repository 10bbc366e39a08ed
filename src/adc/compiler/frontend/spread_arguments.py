"""`f(*row)`, of an array whose length only the run knows: the function says how many numbers it takes.

    def gap(a, b): ...
    gap(*row)                ->      check that row has 2 elements; gap(row[0], row[1])

So does a part of a row with numbers for ends, `Cell(*row[:3], beta=row[3])`: it is taken to be that long. A call for
which it is not, and which Python runs, has code for its sizes.
"""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from adc.compiler.frontend import later
from adc.compiler.frontend.frame import Closure, Generator, Given, Items, Iterated
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Check, Const, Var
from adc.rules.dims import Dim

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

_SAY_WHAT_THEY_TAKE = (
    Closure,
    functools.partial,
    functools._lru_cache_wrapper,
    type,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
)


def arguments(ev: Calls, function: Value, node: Any, given: int) -> list[Value]:
    """The positional arguments of a call, but for the first ones, which are given already."""
    spread = [a for a in node.args if isinstance(a, gast.Starred)]
    if len(spread) != 1 or spread[0] in node.args[:given]:
        return ev.elements(node.args[given:], lambda a: later.argument(ev, function, node, a))
    found: list[Value] = []
    for argument in node.args[given:]:
        if argument is not spread[0]:
            found.append(ev.evaluate_maybe(argument))
            continue
        value = ev.evaluate(argument.value)
        once = isinstance(value, (Generator, Given, Iterated))  # `spread` goes over it
        items = None if once or ev.known_length(value) else ev.iterable(value)
        count = _wanted(function, node) if isinstance(items, Items) else None
        if isinstance(items, Items) and count is None:
            count = _of_part(argument.value)
        if isinstance(items, Items) and count is not None:
            found += _so_many(ev, value, items, count, argument)
        else:
            found += ev.spread(value, argument)
    return found


def _so_many(ev: Calls, value: Value, items: Items, count: int, argument: Any) -> list[Value]:
    """That many items, behind a check that there are no others."""
    with ev.origin_at(ev.locate(argument)):
        message = f"expected {count} values to unpack"
        if isinstance(value, Var):
            ev.require_equal(Dim(count), value.type.shape[0], message)
            return [ev.subscript(value, k) for k in range(count)]
        fits = ev.op("equal", items.length, count)
        ev.block.append(Check(ev.atom(fits), "ValueError", (Const(message),), ev.origin))
        return [items.item(k) for k in range(count)]


def _wanted(function: Value, node: Any) -> int | None:
    """How many of its arguments a call leaves to the one that is spread, where the function takes one number of them.

    >>> def gap(a, b, *, scale=1.0): ...
    >>> _wanted(gap, gast.parse("gap(1.0, *row)").body[0].value)
    1
    >>> def many(a, b=1.0): ...
    >>> _wanted(many, gast.parse("many(*row)").body[0].value)
    """
    others = len(node.args) - 1
    if isinstance(function, np.ufunc):
        return function.nin - others if function.nin >= others and not node.keywords else None
    if not isinstance(function, _SAY_WHAT_THEY_TAKE):
        return None
    try:
        parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]  # of a Closure, too
    except (TypeError, ValueError):  # of C code that does not say
        return None
    named = {keyword.arg for keyword in node.keywords}
    if None in named or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    positional = [
        p
        for p in parameters
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in named
    ]
    if any(p.default is not p.empty for p in positional) or len(positional) < others:
        return None
    return len(positional) - others


def _of_part(node: Any) -> int | None:
    """How long `row[:3]`, `row[1:4]` and `row[-2:]` are, where the row is long enough.

    >>> [_of_part(gast.parse(text).body[0].value) for text in ("row[:3]", "row[1:4]", "row[-2:]", "row[1:]")]
    [3, 3, 2, None]
    """
    if not isinstance(node, gast.Subscript) or not isinstance(node.slice, gast.Slice):
        return None
    part = node.slice
    if part.step is not None:
        return None
    try:
        lower, upper = (None if end is None else gast.literal_eval(end) for end in (part.lower, part.upper))
    except ValueError:
        return None
    if upper is None:
        return -lower if isinstance(lower, int) and lower < 0 else None
    lower = lower or 0
    if not (isinstance(lower, int) and isinstance(upper, int)) or (lower < 0) != (upper < 0):
        return None
    return max(upper - lower, 0)
