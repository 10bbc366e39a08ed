"""The functions of `itertools`: of lists known now as lists, of what is counted at run time as items or growing lists.

Each takes the evaluator and the values of its arguments.
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from adc.compiler.frontend import templates
from adc.compiler.frontend.frame import Closure, Items, Range, RunTimeLength
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

_CHAINED = templates.later(
    """
def chain(*sequences):
    found = []
    for sequence in sequences:
        for item in sequence:
            found.append(item)
    return found
"""
)
_ACCUMULATED = templates.later(
    """
def accumulate(items, function, total):
    found = [] if total is None else [total]
    for item in items:
        total = item if total is None else function(total, item)
        found.append(total)
    return found
"""
)


def _all_known(self: Calls, sequences: tuple[Value, ...]) -> bool:
    return all(self.known_length(s) for s in sequences)


def _lists(self: Calls, sequences: tuple[Value, ...]) -> list[list[Value]]:
    return [self.static_items(s, None) for s in sequences]


def _require_known(self: Calls, number: Value) -> None:
    """Refuse a number of items taken together that is only known at run time."""
    if not self.is_static(number):
        raise RunTimeLength(
            "how many items are taken together is only known at run time",
            location=self.origin,
            why="Each of them is a variable of its own here.",
            repair="Use a constant.",
        )


def _product(self: Calls, *sequences: Value, repeat: Value = 1) -> Value:
    _require_known(self, repeat)
    if _all_known(self, sequences):
        return list(itertools.product(*_lists(self, sequences), repeat=repeat))
    each = [self.call(enumerate, [s], {}) for s in sequences * repeat]
    total: Value = 1
    for items in each:
        total = self.op("multiply", total, items.length)

    def item(k: Value) -> Value:
        found: tuple[Value, ...] = ()
        for items in reversed(each):
            found = (items.item(self.op("remainder", k, items.length))[1], *found)
            k = self.op("floor_divide", k, items.length)
        return found

    return Items(total, item)


def _pairs(function: Callable[..., Any], first: int) -> Callable[..., Value]:
    """Pairs from a list of items; of a number of items that the run knows, by their positions `i + first <= j`."""

    def paired(self: Calls, items: Value, r: Value = None) -> Value:
        _require_known(self, r)
        if r != 2 or self.known_length(items):
            return list(function(self.static_items(items, None), r))
        each = self.call(enumerate, [items], {})
        i, j = self.call(np.triu_indices, [each.length, first], {})
        return Items(
            self.dim_value(i.type.shape[0]),
            lambda k: tuple(each.item(self.subscript(place, k))[1] for place in (i, j)),
        )

    return paired


def _permutations(self: Calls, items: Value, r: Value = None) -> Value:
    _require_known(self, r)
    if r != 2 or self.known_length(items):
        return list(itertools.permutations(self.static_items(items, None), r))
    each = self.call(enumerate, [items], {})
    others = self.op("subtract", each.length, 1)

    def item(k: Value) -> Value:
        i, j = self.op("floor_divide", k, others), self.op("remainder", k, others)
        j = self.op("add", j, self.cast(self.op("greater_equal", j, i), "int64"))
        return each.item(i)[1], each.item(j)[1]

    return Items(self.op("multiply", each.length, others), item)


def _accumulate(self: Calls, items: Value, func: Value = operator.add, *, initial: Value = None) -> Value:
    return self.call(Closure(_ACCUMULATED(), self.frame, {}), [items, func, initial], {})


def _chain(self: Calls, *sequences: Value) -> Value:
    if _all_known(self, sequences):
        return [item for items in _lists(self, sequences) for item in items]
    return self.call(Closure(_CHAINED(), self.frame, {}), list(sequences), {})


def _chain_from(self: Calls, sequences: Value) -> Value:
    return _chain(self, *self.static_items(sequences, None))


def _islice(self: Calls, items: Value, *bounds: Value) -> Value:
    start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) == 3 and bounds[2] is not None else 1
    if isinstance(items, Items) and items.length is None and stop is not None:
        places = self.counted(Range(start or 0, stop, step))
        return Items(places.length, lambda k: items.item(places.item(k)))
    if self.known_length(items):
        if not self.is_static(bounds):
            raise self.refuse(
                "itertools.islice of items that are listed takes as many as only the run knows",
                repair="use an array and a slice of it",
            )
        return list(itertools.islice(self.static_items(items, None), *bounds))
    each = self.call(enumerate, [items], {})
    if step != 1:
        raise self.refuse("itertools.islice with a step is not supported here", repair="use a slice")
    end = each.length if stop is None else self.extreme("minimum", each.length, stop)
    length = self.extreme("maximum", self.op("subtract", end, start), 0)
    return Items(length, lambda k: each.item(self.op("add", k, start))[1])


def _starmap(self: Calls, function: Value, rows: Value) -> Value:
    if self.known_length(rows):
        return [
            self.call(function, self.static_items(row, None), {}) for row in self.static_items(rows, None)
        ]
    each = self.call(enumerate, [rows], {})
    return Items(
        each.length, lambda k: self.call(function, self.static_items(each.item(k)[1], None), {}), each.lists
    )


def _pairwise(self: Calls, items: Value) -> Value:
    if self.known_length(items):
        known = self.static_items(items, None)
        return list(itertools.pairwise(known))
    each = self.call(enumerate, [items], {})
    length = self.extreme("maximum", self.op("subtract", each.length, 1), 0)
    return Items(length, lambda k: (each.item(k)[1], each.item(self.op("add", k, 1))[1]))


def _repeat(self: Calls, value: Value, times: Value = None) -> Value:
    return Items(times, lambda k: value)


def _count(self: Calls, start: Value = 0, step: Value = 1) -> Value:
    return Items(None, lambda k: self.op("add", start, self.op("multiply", step, k)))


TABLE: dict[Any, Callable[..., Value]] = {
    itertools.product: _product,
    itertools.combinations: _pairs(itertools.combinations, 1),
    itertools.combinations_with_replacement: _pairs(itertools.combinations_with_replacement, 0),
    itertools.permutations: _permutations,
    itertools.accumulate: _accumulate,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from,
    itertools.islice: _islice,
    itertools.starmap: _starmap,
    itertools.repeat: _repeat,
    itertools.count: _count,
    itertools.pairwise: _pairwise,
}
if sys.version_info >= (3, 12):

    def _batched(self: Calls, items: Value, n: Value, **strict: Value) -> Value:
        _require_known(self, n)
        return list(self.now(itertools.batched, [self.static_items(items, None), n], strict))

    TABLE[itertools.batched] = _batched
