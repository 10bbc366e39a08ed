"""What generated code leaves outside the function is put there when it has run, as the function would have left it.

The places are those of `compiler/frontend/left_outside.py`, and the values are results beside the user's. Where one is
read, too, threads take turns from the read on, as they do in the function itself: `calls += 1` counts all calls.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from adc.api.arguments import leaf_key
from adc.compiler import pipeline

__all__ = ["carried_out", "restored"]

_TURN = threading.RLock()


def carried_out(context: pipeline.Context, run: Callable[..., Any]) -> Callable[..., Any]:
    """Generated code that puts what is left outside in its place, and returns the rest."""
    if context.left is None:
        return run
    assert context.lowered is not None and context.program is not None
    places, form = context.lowered.left, context.left
    first = context.first_left
    last = first + len(form.leaves)
    single = len(context.program.results) == 1
    captures = context.lowered.captures
    begin = len(context.program.params) - len(context.given) - len(captures)
    anew = [
        (begin + k, capture.place.read)
        for k, capture in enumerate(captures)
        if any(place.kind == "read" and capture.place.same(place.place) for place in places)
    ]
    turn = _TURN if anew else contextlib.nullcontext()

    def carried(*inputs: Any) -> Any:
        with turn:
            given = list(inputs)
            for k, read in anew:
                now = read()
                if leaf_key(now)[0] == leaf_key(given[k])[0]:
                    given[k] = now
            raw = run(*given)
            values = (raw,) if single else raw
            for place, value in zip(places, form.fill(values[first:last]), strict=True):
                place.put(value)
        rest = (*values[:first], *values[last:])
        return rest[0] if len(rest) == 1 else rest

    return carried


@contextmanager
def restored(context: pipeline.Context) -> Iterator[None]:
    """What a run of the function leaves at its places is undone, unless it raises: then it is what Python leaves."""
    places = () if context.lowered is None else context.lowered.left
    undo = [place.restorer() for place in places]
    yield
    for each in undo:
        each()
