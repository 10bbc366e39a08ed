"""A refusal that a handler of the user's has swallowed is raised when the call has ended.

`except Exception: return -np.inf` means what NumPy raises. Where the tape cannot differentiate what stands in the
`try`, the handler would answer for it, and a program that does not fail would have the value and the gradient of one
that does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adc.errors import AdcError, ShapeError, listeners

__all__ = ["heard"]


@contextmanager
def heard() -> Iterator[None]:
    """Run a call of the user's function in a `with` block; the calls within it are part of it."""
    if listeners.get() is not None:
        yield
        return
    made: list[Any] = []
    token = listeners.set(made)
    try:
        yield
    finally:
        listeners.reset(token)
    for error in made:
        # NumPy raises of shapes that do not fit, too: there the handler is meant.
        if isinstance(error, AdcError) and not isinstance(error, ShapeError) and _was_caught_outside(error):
            raise error


def _was_caught_outside(error: AdcError) -> bool:
    """Whether a frame that is not adc's caught the error: the traceback begins where it was caught."""
    if error.__traceback__ is None:
        return False
    code, names = error.__traceback__.tb_frame.f_code, error.__traceback__.tb_frame.f_globals
    return code.co_filename.startswith("<doctest") or not str(names.get("__name__", "")).startswith("adc.")
