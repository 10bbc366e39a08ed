"""Lists that stand in two lists of lists, or in one and under a name.

    b = a[:]; b.append(a[0]); sorted(a); a + b; [row for row in a]

Where a list of lists is a matrix, that is a copy of its rows: afterwards no number in a row of either may change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.frontend.containers import Contents, known_in
from adc.compiler.frontend.frame import Frame, Growing, ListValue
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["behind", "carried", "share", "take", "through", "written"]


def share(ev: Core, *lists: Growing | None) -> None:
    """Rows of these lists are rows of another from here on. Refuses what a loop around has written to in a trip."""
    for each in lists:
        if each is None or not each.nested:
            continue
        for one in _lists(ev, each):
            if one.rows_written and ev.loop_depth:
                raise _refused(ev)
            one.rows_shared = True


def take(ev: Core, row: Growing | ListValue, growing: Growing) -> None:
    """A list becomes a row of another."""
    if isinstance(row, ListValue):
        if row.taken_in:
            share(ev, growing, *row.taken_in)
        row.taken, row.taken_in = True, (*row.taken_in, growing)
    else:
        share(ev, row.row_of, *([] if row.row_of is None else [growing]))
        row.fixed = True
    growing.rows_from.append(row)


def written(ev: Core, row: Growing) -> None:
    """A number in a row is about to change."""
    if row.row_of is None:
        return
    if any(known_in(ev.frame, held) for held in row.row_of.rows_from):
        raise _refused(ev)
    for one in _lists(ev, row.row_of):
        if one.rows_shared:
            raise _refused(ev)
        one.rows_written = True


def through(ev: Core, row: Growing) -> Growing | None:
    """The list in whose array a number in a row is written, where what was read of it is a copy: it becomes shorter.

    Refuses what another name could tell: a row that was read before the write is the same one afterwards.
    """
    if row.row_of is None or not ev.lists_shrink:
        return None
    frame: Frame | None = ev.frame
    while frame is not None:
        if any(isinstance(held, Growing) and held.is_row for held, _ in Contents(frame).held.values()):
            break
        frame = frame.caller
    if frame is not None or row.row_at is None:
        raise ev.refuse(
            "a row is written to of a list of lists, in a program where a list becomes shorter",
            "a list of lists is a matrix in compiled code, whose rows have copies under names of their own",
            "write `rows[k][j] = value`, and give no row a name; or use an array",
        )
    return row.row_of


def carried(ev: Core, begun: object, left: object) -> None:
    """What a trip leaves under a name is what the next one begins with, which writes to rows before they are shared."""
    lost = False
    if isinstance(left, Growing) and isinstance(begun, Growing):
        lost = left.rows_shared and begun.rows_written
    elif isinstance(left, ListValue):
        lost = any(one.rows_written for each in left.taken_in for one in _lists(ev, each))
    if lost:
        raise _refused(ev)


def behind(found: object, left: object) -> None:
    """What a loop leaves under a name, `found`, is what its last trip left there."""
    if isinstance(found, Growing) and isinstance(left, Growing):
        found.rows_shared = left.rows_shared
    elif isinstance(found, ListValue) and isinstance(left, ListValue) and left.taken:
        found.taken, found.taken_in = True, left.taken_in
        for each in left.taken_in:
            each.rows_from.append(found)


def _lists(ev: Core, growing: Growing) -> list[Growing]:
    """A list, and those for which it stands in the bodies of loops, as far as their lengths are the run's."""
    return [one for one in ev.origins.stood_for(growing) if isinstance(one, Growing)]


def _refused(ev: Core) -> UnsupportedError:
    return ev.refuse(
        "a list is written to that stands in two lists",
        "a list of lists is a matrix in compiled code, and the other one has a copy",
        "put in a copy: `row[:]`, or use an array",
    )
