"""What was put into a list is not written to afterwards: the list of the compiled code has a copy.

Nor is the array in which such a list lives written to but through the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from adc.compiler.analysis.roots import behind
from adc.compiler.frontend.containers import Contents, PutIn, exchange, known_in
from adc.compiler.frontend.frame import Instance, Kept, ListValue, is_kept
from adc.compiler.frontend.values import Value, rebuilt
from adc.compiler.ir.nodes import Var, defined, walk
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

Open = ListValue | dict[Any, Value]


def freeze(ev: Core, array: Var) -> None:
    """From here on nothing may write to an array."""
    ev.frozen.setdefault(array.root, ev.origin)


def put_in(ev: Core, value: Var) -> None:
    """An array becomes an element of a list. Refuses one that a loop around has written to."""
    made_here = {v for s in walk(ev.block) for v in defined(s)}
    if value.root in ev.mutated and value.root not in made_here and value.root not in ev.frozen:
        raise written(ev, value.root)
    freeze(ev, value)


def settle(ev: Core, value: Value) -> None:
    """Dicts and objects become elements of a list, as they are: from here on nothing may write to them.

    Refuses one that a loop around has known before this trip: what the next trip writes to it would not be seen.
    Raises PutIn for the branch that found one: the code behind it may not write to it either.
    """
    for container in _open_in(value):
        if ev.trips and id(container) in Contents(ev.trips[-1]).held:
            raise ev.refuse(
                "a dict or object is put into a list that is older than this trip of the loop",
                "the list of the compiled code has a copy, which does not see what is written to it later",
                "put in a copy: `dict(state)`, `copy.copy(state)`",
            )
        if any(id(container) in side.held for side in ev.sides):
            raise PutIn(container, ev.origin)
        ev.settled[id(container)] = container  # an expression that is being evaluated may hold it
        if not exchange(ev.frame, container, kept(container)) and known_in(ev.frame, container):
            raise ev.refuse(
                "a dict or object is put into a list that a function holds", repair="put in a copy"
            )


def kept(container: Open) -> Open:
    """A list, dict or object as it is in an element of a list."""
    if isinstance(container, ListValue):
        row: ListValue = rebuilt(container, [*container])
        row.taken = True
        return row
    if not isinstance(container, Instance):
        return Kept(container)
    made = container.copy()
    made.kept = True
    return made


def _open_in(value: Value) -> Iterator[Open]:
    """The lists, dicts and objects in a value that may be written to, the inner ones first."""
    if not isinstance(value, (tuple, ListValue, dict)):
        return
    for item in value.values() if isinstance(value, dict) else value:
        yield from _open_in(item)
    if not isinstance(value, tuple) and not is_kept(value):
        yield value


def changed(ev: Core, what: str) -> UnsupportedError:
    """What to say of a write to such a one, a list, dict or object."""
    return ev.refuse(
        f"this writes to {what} that was put into a list before",
        "the list of the compiled code has a copy, which does not see the write",
        "write to it before, or put in a copy",
    )


def check_writes(ev: Core) -> None:
    """Refuse a write to an array that may be one that was put into a list, under another name."""
    for root, where in ev.mutated.items():
        if root not in ev.frozen and not ev.frozen.keys().isdisjoint(behind([root], ev.joined_roots)):
            with ev.origin_at(where):
                raise written(ev, root)


def written(ev: Core, array: Var) -> UnsupportedError:
    """What to say of a write to an array that is frozen."""
    return ev.refuse(
        f"this writes to `{array.name}`, which was put into a list before",
        "the list of the compiled code has a copy, which does not see the write",
        f"append a copy: `{array.name}.copy()`",
    )
