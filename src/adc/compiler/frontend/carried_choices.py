"""A loop carries what is one of several texts, functions, objects or the like as its place among them.

    shape = square                        shape = 0
    for k in range(n):                    for k in range(n):
        if x[k] > 1.0:                        if x[k] > 1.0:
            shape = circle                        shape = 1

A name that has no value yet, or none on some paths, is carried so beside the flag that says whether it has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.frontend.carried_places import Path, places
from adc.compiler.frontend.containers import Contents
from adc.compiler.frontend.values import UNDEFINED, Choice, Maybe, Value, kind
from adc.compiler.ir.nodes import Block
from adc.compiler.ir.types import Type

if TYPE_CHECKING:
    from adc.compiler.frontend.carrying import Carrying

__all__ = ["as_places"]

MOST = 32  # options that a loop finds for one name, one after the other


def as_places(
    ev: Carrying,
    before: dict[str, Value],
    left: dict[str, Value],
    leaves: dict[Path, Type | None],
    containers: Contents,
    body: Block,
) -> bool:
    """Let a loop whose trips leave choices carry their places. `before` and `left` change, and the types of `leaves`.

    True when a trip leaves what was not known before: the body must be run again.
    """
    news = False
    for path, at_first, in_the_end in places(before, left, containers):
        key = path[-1]
        init, out = at_first.get(key, UNDEFINED), in_the_end[key]
        known, found = (v.value if isinstance(v, Maybe) else v for v in (init, out))
        is_late = isinstance(init, Maybe) and known is UNDEFINED
        if not (ev.is_choice(found) and (is_late or ev.is_choice(known))):
            continue
        options = ev.options(found) if is_late else ev.options(known, found)
        if isinstance(known, Choice) and len(options) == len(known.options):
            with ev.at(body):
                in_the_end[key] = _holding(out, _placed(ev, options, found))
        elif is_late or len(options) > 1:
            if len(options) > MOST:
                raise ev.refuse(
                    f"`{path[0]}` changes in every trip of a loop, and is {kind(out)}",
                    "a loop can carry which of a few known ones it is",
                    "use numbers",
                )
            first = options[0] if is_late else known  # of what is missing it may be any: nothing reads it
            at_first[key] = _holding(init, first if len(options) == 1 else _placed(ev, options, first))
            leaves.pop((*path, "value"), None)  # a number, as long as nobody knew better
            if at_first is not before:
                containers.keep(at_first)
            news = True
    return news


def _placed(ev: Carrying, options: tuple[Value, ...], value: Value) -> Choice:
    return Choice(ev.place_among(options, value), options)


def _holding(value: Value, held: Value) -> Value:
    """What may be missing, with something else in it; of other values that itself."""
    return Maybe(value.present, held, value.absent) if isinstance(value, Maybe) else held
