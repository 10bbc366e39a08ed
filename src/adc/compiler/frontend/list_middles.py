"""What comes into the front or the middle of a list of a run-time length, or leaves it: the elements behind it move up.

first = queue.pop(0)      first = queue[0]; queue[:n - 1] = np.copy(queue[1:n]); n = n - 1
queue.insert(k, item)     queue[k + 1:n + 1] = np.copy(queue[k:n]); queue[k] = item; n = n + 1
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.frontend import growing as lists
from adc.compiler.frontend import list_methods
from adc.compiler.frontend.element_kinds import cannot
from adc.compiler.frontend.frame import Growing
from adc.compiler.frontend.frozen import freeze
from adc.compiler.frontend.grown_reads import element, position, seen
from adc.compiler.frontend.indexing import normalized
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["delete", "insert", "pop", "remove"]


def pop(ev: Core, growing: Growing, index: Value) -> Value:
    """`growing.pop(index)`."""
    if isinstance(index, int) and index == -1:
        return list_methods.pop(ev, growing)
    list_methods.shrinks(ev, growing)
    place = position(ev, growing, index)
    found = element(ev, growing, place)
    _close(ev, growing, place, ev.op("add", place, 1))
    return found


def remove(ev: Core, growing: Growing, value: Value) -> None:
    """`growing.remove(value)`."""
    place = list_methods.index(ev, growing, value)
    list_methods.shrinks(ev, growing)
    _close(ev, growing, place, ev.op("add", place, 1))


def delete(ev: Core, growing: Growing, index: Value) -> None:
    """`del growing[index]`, of an element or of all in a part."""
    if not isinstance(index, slice):
        pop(ev, growing, index)
        return
    if index.step not in (None, 1):
        raise cannot(ev, "a part of it with a step is deleted")
    list_methods.shrinks(ev, growing)
    start = 0 if index.start is None else _clipped(ev, growing, index.start)
    if index.stop is None:
        growing.count = start
        return
    stop = ev.op("maximum", start, _clipped(ev, growing, index.stop))
    _close(ev, growing, start, stop)


def insert(ev: Core, growing: Growing, index: Value, value: Value) -> None:
    """`growing.insert(index, value)`."""
    if growing.room is not None and growing.room.front and type(index) is int and index == 0:
        lists.prepend(ev, growing, value)
        return
    lists.append(ev, growing, value)
    last = ev.op("subtract", growing.count, 1)
    count, growing.count = growing.count, last
    place = _clipped(ev, growing, index)
    growing.count = count
    assert growing.values is not None
    added = ev.op("copy", ev.getitem(growing.values, normalized(ev, growing.values, last)))
    _move(ev, growing, place, last, ev.op("add", place, 1))
    lists.put_at(ev, growing.values, place, added)


def _clipped(ev: Core, growing: Growing, index: Value) -> Value:
    """Where a part begins or ends: an end that is out of range is that of the list."""
    from_end = ev.op("add", growing.count, index)
    place = ev.op("where", ev.op("less", index, 0), from_end, index)
    return ev.op("minimum", growing.count, ev.op("maximum", place, 0))


def _close(ev: Core, growing: Growing, start: Value, stop: Value) -> None:
    """The elements from `start` to `stop` are gone."""
    _move(ev, growing, stop, growing.count, start)
    growing.count = ev.op("subtract", growing.count, ev.op("subtract", stop, start))


def _move(ev: Core, growing: Growing, start: Value, stop: Value, to: Value) -> None:
    """The elements from `start` to `stop` stand at `to` and behind."""
    values = seen(growing).values
    assert values is not None
    moved = ev.op("copy", ev.subscript(values, slice(start, stop)))
    freeze(ev, values)
    end = ev.op("add", to, ev.op("subtract", stop, start))
    ev.store(values, normalized(ev, values, slice(to, end)), moved)
