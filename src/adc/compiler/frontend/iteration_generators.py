"""Functions of `itertools` that the data may end, or that group what they go over: generator functions, written out.

A loop over `takewhile(test, items)` is the loop over `items` with its body where the item is yielded.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import templates
from adc.compiler.frontend.frame import Closure, Generator, Items
from adc.compiler.frontend.values import Value
from adc.compiler.ir.nodes import Var

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

_TAKEN = templates.later(
    """
def takewhile(predicate, items):
    for item in items:
        if not predicate(item):
            return
        yield item
"""
)
_DROPPED = templates.later(
    """
def dropwhile(predicate, items):
    dropping = True
    for item in items:
        dropping = dropping and predicate(item)
        if not dropping:
            yield item
"""
)
_FALSE = templates.later(
    """
def filterfalse(predicate, items):
    for item in items:
        if not (item if predicate is None else predicate(item)):
            yield item
"""
)
_CHOSEN = templates.later(
    """
def compress(items, chosen):
    for item, wanted in zip(items, chosen):
        if wanted:
            yield item
"""
)
_ACCUMULATED = templates.later(
    """
def accumulate(items, function):
    begun = False
    for item in items:
        if begun:
            total = function(total, item)
        else:
            total = item
            begun = True
        yield total
"""
)
_ACCUMULATED_FROM = templates.later(
    """
def accumulate(items, function, total):
    yield total
    for item in items:
        total = function(total, item)
        yield total
"""
)
_STARRED = templates.later(
    """
def starmap(function, items):
    for item in items:
        yield function(*item)
"""
)
_GROUPED = templates.later(
    """
def groupby(items, key):
    begun = False
    group = []
    for item in items:
        own = item if key is None else key(item)
        if begun and own == kind:
            group.append(item)
        else:
            if begun:
                yield kind, group
            begun = True
            kind = own
            group = [item]
    if begun:
        yield kind, group
"""
)
_LONGEST = templates.later(
    """
def zip_longest(sequences, fill):
    lengths = [len(s) for s in sequences]
    for k in range(max(lengths)):
        yield tuple([s[k] if k < n else fill for s, n in zip(sequences, lengths)])
"""
)


def _template(tree: Callable[[], Any]) -> Callable[..., Value]:
    def called(self: Calls, *args: Value) -> Value:
        return self.call(Closure(tree(), self.frame, {}), list(args), {})

    return called


def _groupby(self: Calls, iterable: Value, key: Value = None) -> Value:
    return self.call(Closure(_GROUPED(), self.frame, {}), [iterable, key], {})


def _indexed(self: Calls, items: Value) -> Value:
    """What may be read at any place, of what is gone over."""
    return items if isinstance(items, (Var, list, tuple)) else self.call(list, [items], {})


def _zip_longest(self: Calls, *sequences: Value, fillvalue: Value = None) -> Value:
    every = tuple(_indexed(self, s) for s in sequences)
    return self.call(Closure(_LONGEST(), self.frame, {}), [every, fillvalue], {})


def _cycle(self: Calls, items: Value) -> Value:
    every = _indexed(self, items if not isinstance(items, Generator) else self.call(list, [items], {}))
    count = self.call(len, [every], {})
    return Items(None, lambda k: self.subscript(every, self.op("remainder", k, count)))


def _accumulate(self: Calls, items: Value, func: Value = None, *, initial: Value = None) -> Value:
    function = operator.add if func is None else func
    if initial is None:
        return self.call(Closure(_ACCUMULATED(), self.frame, {}), [items, function], {})
    return self.call(Closure(_ACCUMULATED_FROM(), self.frame, {}), [items, function, initial], {})


# Of what yields its items; of anything else they give all of theirs at once.
OF_GENERATORS: dict[Any, Callable[..., Value]] = {
    itertools.accumulate: _accumulate,
    itertools.starmap: _template(_STARRED),
}
TABLE: dict[Any, Callable[..., Value]] = {
    itertools.takewhile: _template(_TAKEN),
    itertools.dropwhile: _template(_DROPPED),
    itertools.filterfalse: _template(_FALSE),
    itertools.compress: _template(_CHOSEN),
    itertools.groupby: _groupby,
    itertools.zip_longest: _zip_longest,
    itertools.cycle: _cycle,
}
