"""What generated code leaves outside the function is put there when it has run, as the function would have left it.

The places are those of `compiler/frontend/left_outside.py`, and the values are results beside the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from adc.compiler import pipeline
from adc.compiler.frontend.left_outside import LeftPlace

__all__ = ["restored", "storing"]


def storing(
    context: pipeline.Context, pack: Callable[[Any], Any] | None, first: int
) -> Callable[[Any], Any] | None:
    """`pack`, which puts what is left outside in its place: results of the code from the one at `first` on."""
    if context.left is None:
        return pack
    assert context.lowered is not None and context.program is not None
    places, form = context.lowered.left, context.left
    last = first + len(form.leaves)
    single = len(context.program.results) == 1

    def packed(raw: Any) -> Any:
        values = (raw,) if single else raw
        rest = (*values[:first], *values[last:])
        raw = rest[0] if len(rest) == 1 else rest
        result = raw if pack is None else pack(raw)
        for place, value in zip(places, form.fill(values[first:last]), strict=True):
            place.put(value)
        return result

    return packed


@contextmanager
def restored(context: pipeline.Context) -> Iterator[None]:
    """What a run of the function leaves at its places is undone, unless it raises: then it is what Python leaves."""
    lowered = context.lowered
    places: tuple[LeftPlace, ...] = () if lowered is None else lowered.left
    undo = [place.restorer() for place in places]
    yield
    for each in undo:
        each()
