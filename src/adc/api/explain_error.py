"""An exception raised inside generated code is told of the user's line.

First the user's own function is run on copies of the arguments: if it raises, that is the error, with the
user's line in its traceback. Otherwise the derivative alone is at fault; the emitter has noted where each of
its lines comes from.
"""

from __future__ import annotations

import contextlib
import io
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adc.compiler import pipeline
from adc.errors import DerivativeError, Location
from adc.runtime.real import NotReal

__all__ = ["of_complex_results", "of_generated", "raise_of_primal"]


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
    raised = _raised(error, plain, inputs)
    where = _primal_line(context, None if raised is None else _line_in(raised, plain.__code__.co_filename))
    if isinstance(raised, NotReal):
        return _not_real(where)
    return DerivativeError(
        f"the derivative of `{context.lowered.source.name}` failed where the function itself runs: "
        f"{type(error).__name__}: {error}",
        where,
        repair='mode="tape" may help; adc.source shows the generated text.',
    )


def of_complex_results(
    context: pipeline.Context, plain: Callable[..., Any], inputs: Sequence[Any]
) -> DerivativeError | None:
    """The error of code for real numbers where a result is complex: the text for CPython tells first."""
    raised = _run_again(plain, inputs)
    if not isinstance(raised, NotReal):  # what else it may be, the compiled code will say
        return None
    return _not_real(_primal_line(context, _line_in(raised, plain.__code__.co_filename)))


def _not_real(where: Location | None) -> DerivativeError:
    return DerivativeError(
        "the result is complex, as eigenvalues of real matrices and roots may be, which the types do not say",
        where,
        repair="Complex arguments are compiled: `np.linalg.eigvals(a.astype(complex))`, `np.roots(p.astype(complex))`.",
    )


def _raised(error: Exception, plain: Callable[..., Any], inputs: Sequence[Any]) -> Exception | None:
    """What the generated text raises; machine code does not know its line, so the text runs again in CPython."""
    return error if _line_in(error, plain.__code__.co_filename) is not None else _run_again(plain, inputs)


def _run_again(plain: Callable[..., Any], inputs: Sequence[Any]) -> Exception | None:
    try:
        with np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            plain(*inputs)
    except Exception as error:
        return error
    return None


def _line_in(error: Exception, file: str) -> int | None:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    return frames[-1].lineno if frames else None


def _primal_line(context: pipeline.Context, line: int | None) -> Location | None:
    """The user's line behind a line of the generated text, or behind the nearest above it that has one."""
    origins = context.origins["adjoint"][: line or 0]
    return next((origin for origin in reversed(origins) if origin is not None), None)
