"""What Python's library does in C with lists: `heapq`, and `bisect.insort`, as that library says it in Python.

The order in which a heap lies is that of CPython's: a program may look at it.
"""

from __future__ import annotations

import bisect
import builtins
import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import templates
from adc.compiler.frontend.frame import Closure
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls

__all__ = ["TABLE"]

# The item at a place moves up to where its parent is not larger.
_UP = templates.later(
    """
def up(heap, start, place):
    item = heap[place]
    while place > start and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item
"""
)

# Smaller children move up from a place to a leaf; the item goes there, and up again to where it belongs.
_DOWN = templates.later(
    """
def down(heap, start, up):
    place = start
    item = heap[place]
    while 2 * place + 1 < len(heap):
        child = 2 * place + 1
        if child + 1 < len(heap) and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place = child
    heap[place] = item
    up(heap, start, place)
"""
)

_PUSH = templates.later("def push(heap, item, up):\n    heap.append(item)\n    up(heap, 0, len(heap) - 1)")

_POP = templates.later(
    """
def pop(heap, up, down):
    smallest = heap.pop()
    if len(heap) > 0:
        last, smallest = smallest, heap[0]
        heap[0] = last
        down(heap, 0, up)
    return smallest
"""
)

_REPLACE = templates.later(
    """
def replace(heap, item, up, down):
    smallest = heap[0]
    heap[0] = item
    down(heap, 0, up)
    return smallest
"""
)

_PUSH_POP = templates.later(
    """
def push_pop(heap, item, up, down):
    smallest = item
    if len(heap) > 0 and heap[0] < item:
        smallest = heap[0]
        heap[0] = item
        down(heap, 0, up)
    return smallest
"""
)

_HEAPIFY = templates.later(
    """
def heapify(heap, up, down):
    for place in range(len(heap) // 2 - 1, -1, -1):
        down(heap, place, up)
"""
)

_INSORT = templates.later("def insort(items, x, place):\n    items.insert(place(items, x), x)")


def _push(self: Calls, heap: Value, item: Value) -> Value:
    return self.call(_closure(self, _PUSH()), [heap, item, _closure(self, _UP())], {})


def _pop(self: Calls, heap: Value) -> Value:
    return self.call(_closure(self, _POP()), [heap, *_moves(self)], {})


def _replace(self: Calls, heap: Value, item: Value) -> Value:
    return self.call(_closure(self, _REPLACE()), [heap, item, *_moves(self)], {})


def _push_pop(self: Calls, heap: Value, item: Value) -> Value:
    return self.call(_closure(self, _PUSH_POP()), [heap, item, *_moves(self)], {})


def _heapify(self: Calls, x: Value) -> Value:
    return self.call(_closure(self, _HEAPIFY()), [x, *_moves(self)], {})


def _smallest(self: Calls, n: Value, iterable: Value, key: Value = None) -> Value:
    return _first(self, n, self.call(builtins.sorted, [iterable], {"key": key}))


def _largest(self: Calls, n: Value, iterable: Value, key: Value = None) -> Value:
    return _first(self, n, self.call(builtins.sorted, [iterable], {"key": key, "reverse": True}))


def _first(self: Calls, n: Value, items: Value) -> Value:
    return self.subscript(items, slice(None, self.call(builtins.max, [n, 0], {})))


def _merge(self: Calls, *iterables: Value, **how: Value) -> Value:
    """A generator that asks iterators for their next items, which is refused where it is called."""
    raise self.without_a_rule(heapq.merge)


def _insort_left(self: Calls, a: Value, x: Value) -> Value:
    return self.call(_closure(self, _INSORT()), [a, x, bisect.bisect_left], {})


def _insort_right(self: Calls, a: Value, x: Value) -> Value:
    return self.call(_closure(self, _INSORT()), [a, x, bisect.bisect_right], {})


def _moves(self: Calls) -> list[Value]:
    return [_closure(self, _UP()), _closure(self, _DOWN())]


def _closure(self: Calls, tree: Value) -> Closure:
    return Closure(tree, self.frame, {})


TABLE: dict[Any, Callable[..., Value]] = {
    bisect.insort_left: _insort_left,
    bisect.insort_right: _insort_right,
    heapq.heapify: _heapify,
    heapq.heappop: _pop,
    heapq.heappush: _push,
    heapq.heappushpop: _push_pop,
    heapq.heapreplace: _replace,
    heapq.merge: _merge,
    heapq.nlargest: _largest,
    heapq.nsmallest: _smallest,
}
