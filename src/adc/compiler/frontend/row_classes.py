"""An element of a list whose length only the run knows is a tuple or a list, as what was put in.

    image[row]     one element, where `row` is the tuple (1, 2); the elements 1 and 2, where it is the list [1, 2]

What was put into a list is noted by where the list was written down: in all attempts at a program, so that it is known
in a loop before the statement that puts it in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adc.compiler.frontend.frame import Growing
from adc.compiler.frontend.values import Value
from adc.errors import UnsupportedError

if TYPE_CHECKING:
    from adc.compiler.frontend.core import Core

__all__ = ["are_tuples", "as_index", "chosen", "note", "pass_on", "read_from"]


def note(ev: Core, growing: Growing, row: Value) -> None:
    """A row is put into a list."""
    _join(ev, growing.made, of(ev, row))


def pass_on(ev: Core, growing: Growing, made: Growing) -> None:
    """A list with the rows of another."""
    if growing.nested and growing.made != made.made:
        _join(ev, made.made, ev.row_classes.get(growing.made) or {object})


def chosen(ev: Core, a: Growing, b: Growing, merged: Growing) -> None:
    """One of two lists, each of which may be a row."""
    pass_on(ev, b, merged)
    if a.is_row or b.is_row:
        row, other = (a, b) if a.is_row else (b, a)
        merged.is_row, merged.row_made = True, row.row_made
        if not other.is_row or other.row_made != row.row_made:
            _join(ev, row.row_made, of(ev, other))


def read_from(row: Growing, made: Growing) -> None:
    """What is made of a row is a tuple or a list as the row is."""
    made.is_row, made.row_made = row.is_row, row.row_made


def of(ev: Core, row: Value) -> set[type]:
    """What classes a row may have: as far as is known, those that were put into the list that it was read from."""
    if isinstance(row, Growing):
        return ev.row_classes.get(row.row_made) or {object} if row.is_row else {list}
    return {tuple if isinstance(row, tuple) else list}


def _join(ev: Core, made: object, kinds: set[type]) -> None:
    if not kinds <= {ev.rows_taken_as.get(made, kind) for kind in kinds}:
        raise _unknown(ev)
    ev.row_classes.setdefault(made, set()).update(kinds)


def are_tuples(ev: Core, growing: Growing) -> bool:
    """Whether the elements of a list are taken for tuples: all that was put in, by then, are."""
    found = ev.row_classes.get(growing.made) == {tuple}
    if found:
        ev.rows_taken_as[growing.made] = tuple
    return found


def as_index(ev: Core, row: Growing) -> Value:
    """A row as an index, where it is a list."""
    if of(ev, row) != {list}:
        raise _unknown(ev)
    ev.rows_taken_as[row.row_made] = list
    return row


def _unknown(ev: Core) -> UnsupportedError:
    return ev.refuse(
        "an element of a list of a run-time length is an index, and may be a tuple or a list",
        "`x[1, 2]` is one element, `x[[1, 2]]` are two",
        "take it apart: `i, j = place`, then `x[i, j]`",
    )
