"""What functions were called with and what they returned, seen in a run of the function that calls them."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from adc import pytree
from adc.api.taped_results import Results, key_of, results_of

__all__ = ["calls_of"]

Seen = dict[Any, "Results | None"]  # by the types of the arguments; None: not always the same, or no numbers


def calls_of(
    functions: Sequence[Callable[..., Any]], run: Callable[[], Any]
) -> dict[Callable[..., Any], Seen] | None:
    """For each function its calls during `run()`; None when that cannot be watched.

    A call inside a call of one of them is part of that one.
    """
    watched = {function.__code__: function for function in functions}
    if len(watched) < len(functions):
        return None  # two functions made by one `def`: their frames do not say which
    outer = sys.getprofile()
    if outer is not None and not callable(outer):
        return None  # a profiler that could not be put back
    watcher = _Watcher(watched)
    sys.setprofile(watcher)
    try:
        with np.errstate(all="ignore"):
            run()
    finally:
        sys.setprofile(outer)
    return {
        function: {key: results_of(calls) for key, calls in watcher.calls[code].items()}
        for code, function in watched.items()
    }


class _Watcher:
    """Called by the interpreter at the beginning and the end of every call."""

    def __init__(self, watched: Iterable[types.CodeType]) -> None:
        # By the types of the arguments: their shapes, and what came back.
        self.calls: dict[types.CodeType, dict[Any, list[tuple[list[tuple[int, ...]], Any]]]] = {
            code: {} for code in watched
        }
        self.frame: types.FrameType | None = None  # of the watched call that is running
        self.key: Any = None
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, frame: types.FrameType, event: str, value: Any) -> None:
        if event == "call" and self.frame is None and frame.f_code in self.calls:
            arguments = _arguments(frame)
            self.frame, self.key = frame, key_of(arguments)
            self.shapes = [_shape(leaf) for leaf in pytree.leaves(arguments)]
        elif event == "return" and frame is self.frame:
            self.calls[frame.f_code].setdefault(self.key, []).append((self.shapes, value))
            self.frame = None


def _shape(leaf: Any) -> tuple[int, ...]:
    """The shape of an argument; `np.ndarray` itself has something else of that name."""
    shape = getattr(leaf, "shape", ())
    return shape if isinstance(shape, tuple) else ()


def _arguments(frame: types.FrameType) -> dict[str, Any]:
    """The arguments of a call that has just begun, by the names of the parameters."""
    names, star, double_star, values = inspect.getargvalues(frame)
    listed = [*names, *(n for n in (star, double_star) if n is not None)]
    return {n: values[n] for n in listed}
