"""An exception raised inside generated code is told of the user's line.

First the user's own function is run on copies of the arguments: if it raises, that is the error, with the
user's line in its traceback. Otherwise the derivative alone is at fault; the emitter has noted where each of
its lines comes from.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.compiler import pipeline
from adc.errors import DerivativeError, Location

__all__ = ["of_generated", "raise_of_primal"]


def raise_of_primal(call: Callable[[], Any]) -> None:
    """Run the user's function; what it raises is raised without mention of generated code."""
    try:
        with np.errstate(all="ignore"):
            call()
    except Exception as error:
        raise error from None


def of_generated(
    error: Exception, context: pipeline.Context, plain: Callable[..., Any], inputs: Sequence[Any]
) -> DerivativeError:
    """The error to raise for one of generated code, on arguments on which the function itself runs."""
    assert context.lowered is not None
    return DerivativeError(
        f"the derivative of `{context.lowered.source.name}` failed where the function itself runs: "
        f"{type(error).__name__}: {error}",
        _primal_line(context, _failing_line(error, plain, inputs)),
        repair='mode="tape" may help; adc.source shows the generated text.',
    )


def _failing_line(error: Exception, plain: Callable[..., Any], inputs: Sequence[Any]) -> int | None:
    """The line of the generated text; machine code does not know it, so the text runs again in CPython."""
    file = plain.__code__.co_filename
    found = _line_in(error, file)
    if found is None:
        try:
            with np.errstate(all="ignore"):
                plain(*inputs)
        except Exception as again:
            found = _line_in(again, file)
    return found


def _line_in(error: Exception, file: str) -> int | None:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return frames[-1].lineno if frames else None


def _primal_line(context: pipeline.Context, line: int | None) -> Location | None:
    """The user's line behind a line of the generated text, or behind the nearest above it that has one."""
    origins = context.origins["adjoint"][: line or 0]
    return next((origin for origin in reversed(origins) if origin is not None), None)
