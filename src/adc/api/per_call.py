"""A function that the compiler takes but for some of its calls: those run on the tape, the rest is generated code.

What is refused inside a callee is refused of that callee: the function is lowered again with its calls as one
operation each (taped_call.py), and again for the next refusal, until there is a program or nothing smaller than the
function itself is left to be taken whole. The program has Python objects in it, so it runs as Python.
"""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from adc.api.observed import calls_of
from adc.api.reachable import code_of, is_users
from adc.api.taped_call import TapedCalls
from adc.compiler import pipeline
from adc.compiler.frontend.lower import innermost
from adc.errors import Location, UnsupportedError
from adc.runtime.detours import own_code

__all__ = ["Refused", "run"]

_MOST = 16  # callees of one function
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_ASSIGNS_OUTSIDE = {dis.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL")}
_TELLS = {"print", "input", "open", "exec", "eval"}


@dataclass(frozen=True)
class Refused:
    """A callee that the compiler does not take: where it is called, and why."""

    function: Callable[..., Any]
    called_at: Location | None
    error: UnsupportedError

    @property
    def warning(self) -> UnsupportedError:
        """What a fallback says of it."""
        name, error = self.function.__name__, self.error
        where = "" if error.location is None else f"{error.location}: "
        return UnsupportedError(
            f"`{name}` runs on the tape: {where}{error.what}", self.called_at, error.why, error.repair
        )


def run(
    request: pipeline.Request,
    example: Callable[[], Any],
    *,
    record: bool = False,
    watch: pipeline.Watch | None = None,
    refusal: UnsupportedError,
) -> tuple[pipeline.Context, list[Refused]]:
    """The program with the calls that cannot be compiled as operations of the tape, and what those are.

    `refusal` is why there is no program without; it is raised again where there is none with either. `example` runs the
    user's function on the arguments of the call.
    """
    refused: list[Refused] = []
    error = refusal
    while len(refused) < _MOST and not error.leaves_behind:
        found = _next(error, request, refused)
        if found is None:
            break
        refused.append(found)
        seen = calls_of([r.function for r in refused], example)
        if seen is None:
            break
        try:
            context = pipeline.run(
                replace(request, outside=TapedCalls(seen)), optimize=False, record=record, watch=watch
            )
        except UnsupportedError as again:
            error = again
        else:
            return context, refused
    raise refusal


def _next(error: UnsupportedError, request: pipeline.Request, refused: list[Refused]) -> Refused | None:
    """The innermost callee around what is refused that can run on the tape as a whole."""
    target = innermost(request.function)
    known = [r.function for r in refused]
    where = dict(error.inside)  # of a function that calls itself the outermost call
    for function, called_at in where.items():
        if function is target:
            return None
        if function not in known and _can_be_taped(function):
            return Refused(function, called_at, error)
    return None


def _can_be_taped(function: Any) -> bool:
    """Whether a run of a function can be repeated unseen, as far as its code tells."""
    if not isinstance(function, types.FunctionType) or not is_users(function):
        return False
    if own_code(function).co_flags & _GENERATORS:
        return False
    for code in code_of(own_code(function)):
        if any(i.opcode in _ASSIGNS_OUTSIDE for i in dis.get_instructions(code)):
            return False
        told = _TELLS.intersection(code.co_names)
        if any(name not in function.__globals__ for name in told):
            return False
    outer = function.__code__.co_freevars
    stores = [
        i.argval
        for c in code_of(own_code(function))
        for i in dis.get_instructions(c)
        if i.opname == "STORE_DEREF"
    ]
    return not set(stores) & set(outer)
