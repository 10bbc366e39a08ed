"""Run the text that Numba would compile in CPython: the optimiser is tested without waiting for LLVM.

An index outside an array raises here, where compiled code would read on; and a kernel that writes to memory which
another of its arguments also holds is found.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np

from adc import runtime
from adc.api import leaving, specialise
from adc.api.phases import Phased
from adc.api.transformed import Transformed
from adc.compiler import pipeline
from adc.compiler.backend import compile as backend


class Interpreted:
    """In the place of a dispatcher: a function that is compiled at no time."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.py_func = function

    def compile(self, signature: Any) -> None:
        """Nothing to do."""

    def __call__(self, *args: Any) -> Any:
        # As in compiled code, dividing a float by zero gives inf: a Python float would raise.
        given = [np.float64(a) if isinstance(a, float) else a for a in args]
        with np.errstate(all="ignore"):
            return self.function(*given)


def checked_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that looks whether what it writes to overlaps anything else that it is given."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        arrays = [a for a in args if isinstance(a, np.ndarray)]
        before = [a.copy() for a in arrays]
        result = function(*args)
        for k, (now, then) in enumerate(zip(arrays, before, strict=True)):
            if not np.array_equal(now, then, equal_nan=now.dtype.kind in "fc"):
                for other in (*arrays[:k], *arrays[k + 1 :]):
                    assert not np.shares_memory(now, other), f"{function.__name__} writes to shared memory"
        return result

    return run


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """What is compiled inside runs in CPython, and is shared with no derivative made elsewhere."""
    with (
        mock.patch.object(Transformed, "shares", False),
        mock.patch.object(backend, "jitted", Interpreted),
        mock.patch.object(runtime, "kernel", checked_kernel),
        mock.patch.object(runtime, "inner_kernel", checked_kernel),
        mock.patch.object(runtime, "section", lambda function: function),
    ):
        yield


def by_readable_text(made: Transformed) -> Transformed:
    """The same derivative, which has been called, by its readable text: nothing is derived again."""
    assert made._specialisations, "a derivative has texts when it has been called"
    return _run_otherwise(made, lambda context: backend.quiet(specialise.plain(context)))


def by_interpreted_text(made: Transformed) -> Transformed:
    """The same derivative by the text for Numba in CPython; what has been called is not derived again.

    To be called where everything is `interpreted`.
    """

    def run(context: pipeline.Context) -> Interpreted:
        with interpreted():
            return Interpreted(backend.load(context.texts["optimized"], context.name, by_name=True))

    return _run_otherwise(made, run)


def _run_otherwise(made: Transformed, run: Callable[[pipeline.Context], Any]) -> Transformed:
    def otherwise(known: specialise.Specialisation) -> specialise.Specialisation:
        assert known.context is not None
        return replace(known, run=leaving.carried_out(known.context, run(known.context)))

    twin = object.__new__(type(made))  # a copy of a derivative derives anew
    twin.__dict__.update(made.__dict__)
    twin._specialisations = {
        key: [otherwise(known) for known in found if known.context is not None]
        for key, found in made._specialisations.items()
    }
    if isinstance(
        made, Phased
    ):  # what the second program is made by stands with the first, and they share that
        second = functools.cache(otherwise)
        twin.second = lambda context, inputs: second(made.second(context, inputs))
    return twin
