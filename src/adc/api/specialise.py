"""Generated code for one kind of arguments: what it takes for granted, and how it was compiled."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adc.api import leaving, sizes
from adc.api.arguments import leaf_key
from adc.compiler import pipeline
from adc.compiler.backend import compile as backend
from adc.compiler.frontend.outside import Guard, Place
from adc.compiler.sizes import Sizes
from adc.config import Mode
from adc.errors import Location, UnsupportedError
from adc.runtime.detours import own_code
from adc.runtime.passes.lock_events import untold
from adc.runtime.tuning import tuned
from adc.syntax import deep_recursion
from adc.tape.lent import aliased, sees_a_write

FRAMES_PER_LINE = 4
# What reading a value outside raises when a list has become a number, or a key is gone.
NO_LONGER_THERE = (AttributeError, LookupError, TypeError, ValueError)

__all__ = [
    "NO_LONGER_THERE",
    "Specialisation",
    "captured",
    "compiled",
    "fitting",
    "moving",
    "numba_refusal",
    "plain",
    "put_first",
    "refuse_aliases",
    "specialisation",
]


@dataclass(eq=False)
class Specialisation:
    """Generated code for one kind of arguments, and what it takes for granted; or a run on the tape."""

    run: Callable[..., Any]
    mode: Mode
    # How to read each, the key that the value must have, and where it is.
    captures: tuple[tuple[Callable[[], Any], Any, Place], ...] = ()
    # How to read what was taken for granted, and what it was.
    guards: tuple[tuple[Callable[[], Any], Any, Guard], ...] = ()
    # The user's functions that were looked into, and their code: a reload may put new code into old functions.
    functions: tuple[tuple[types.FunctionType, types.CodeType], ...] = ()
    defaults: tuple[tuple[types.FunctionType, Any], ...] = ()  # those of them whose defaults were taken
    sizes: Sizes | None = None  # those of the arguments, where the code holds for them only
    written: tuple[int, ...] = ()  # inputs that the function writes to
    context: pipeline.Context | None = None  # None on the tape
    tells_apart: bool = False  # whether a container that is given twice would be seen to be two
    # From what the code returns to what the user gets; None: as it is.
    pack: Callable[[Any], Any] | None = None

    def current_captures(self) -> list[Any] | None:
        """The values read from outside the function now, or None when the code does not fit them any more."""
        found = []
        for function, code in self.functions:
            if function.__code__ is not code and own_code(function) is not code:
                return None
        for function, defaults in self.defaults:
            if function.__defaults__ is not defaults:
                return None
        try:
            for read_value, value, guard in self.guards:
                if read_value() is not value and not guard.holds():
                    return None
            for read_value, expected, _ in self.captures:
                key, value = leaf_key(read_value())
                if key != expected:
                    return None
                found.append(value)
        except NO_LONGER_THERE:
            return None  # the program that is made anew finds out what it is
        return found

    @property
    def breadth(self) -> tuple[bool, bool]:
        """What holds for fewer calls is asked first: for some sizes, and for integers outside that are constants."""
        moving = self.context is not None and bool(self.context.evaluator.moving)
        return self.sizes is None, moving

    def changed_integers(self) -> set[str]:
        """The names of the integers that were taken for granted, if they alone keep the code from fitting now."""
        try:
            lost = [guard for _, _, guard in self.guards if not guard.holds()]
            return {guard.label for guard in lost} if all(guard.is_of_integer() for guard in lost) else set()
        except NO_LONGER_THERE:
            return set()


def captured(place: Place) -> tuple[Callable[[], Any], Any, Place]:
    """What a specialisation knows of a value from outside the function."""
    read = place.read
    return read, leaf_key(read())[0], place


def specialisation(context: pipeline.Context, mode: Mode, run: Callable[..., Any]) -> Specialisation:
    """What the pipeline made, ready to be called."""
    assert context.lowered is not None and context.program is not None
    captures = tuple(captured(c.place) for c in context.lowered.captures)
    evaluator = context.evaluator
    return Specialisation(
        leaving.carried_out(context, run),
        mode,
        captures,
        tuple((g.read, g.value, g) for g in context.lowered.guards),
        tuple(evaluator.functions.items()),
        tuple(evaluator.defaults.items()),
        context.request.sizes,
        context.written,
        context,
        evaluator.origins.tells_apart,
    )


def fitting(known: Sequence[Specialisation], inputs: list[Any]) -> Specialisation | None:
    """The first that holds for a call, of which `inputs` then have what it reads from outside, too."""
    for one in known:
        if one.sizes is not None and not one.sizes.hold(inputs):
            continue
        captured = one.current_captures()
        if captured is not None:
            inputs += captured
            return one
    return None


def moving(known: Sequence[Specialisation]) -> frozenset[str]:
    """The names of integers outside the function that are others now, and nothing else is, than for two before."""
    changed = [labels for one in known if (labels := one.changed_integers())]
    return frozenset().union(*changed) if len(changed) > 1 else frozenset()


def put_first(known: list[Specialisation], made: Specialisation) -> None:
    """Let one that has just been made be asked before the others of its kind of arguments."""
    known.insert(0, made)
    del known[sizes.MOST_SIZES + 1 :]
    known.sort(key=lambda s: s.breadth)


def plain(context: pipeline.Context) -> Callable[..., Any]:
    """The readable text as a function of CPython."""
    outside = context.request.outside
    return backend.load(
        context.texts["adjoint"], context.name, namespace=None if outside is None else outside.namespace
    )


def compiled(context: pipeline.Context, inputs: Sequence[Any]) -> Specialisation:
    """Compile now, so that what Numba refuses is known before anything runs. Raises UnsupportedError.

    `inputs` are the arguments, without what is read from outside.
    """
    from numba import typeof
    from numba.core.errors import NumbaError, UnsupportedBytecodeError

    # Machine code that Numba loads from its cache asks for its module by name.
    dispatcher = backend.jitted(backend.load(context.texts["optimized"], context.name, by_name=True))
    made = specialisation(context, "compiled", dispatcher)
    captured = made.current_captures() or []
    given = [np.empty((0,) * v.type.ndim, v.type.dtype) for v in context.given]
    try:
        lines = context.texts["optimized"].count("\n")  # Numba's passes recurse over the blocks of a function
        with deep_recursion(1000 + FRAMES_PER_LINE * lines), tuned(dispatcher.py_func), untold():
            dispatcher.compile(tuple(typeof(x) for x in (*inputs, *captured, *given)))
    except (NumbaError, UnsupportedBytecodeError, ValueError, NotImplementedError, ImportError) as error:
        # typeof and llvmlite raise plain ones; linear algebra without SciPy an ImportError
        raise numba_refusal(error, context) from error
    return made


def numba_refusal(error: Exception, context: pipeline.Context) -> UnsupportedError:
    """What Numba said, of the user's function."""
    assert context.lowered is not None
    text = context.lowered.source
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    noise = ("Failed in nopython", "During:", "File ", "-", "There ")
    telling = [line for line in lines if not line.startswith(noise)]
    telling.sort(key=lambda line: "need SciPy" not in line)  # what a call lacks, however deep it is said
    return UnsupportedError(
        f"Numba cannot compile the {context.request.label or context.request.kind} of `{text.name}`: "
        f"{(telling or lines or ['no reason given'])[0]}",
        _refused_line(error, context)
        or Location(text.file, text.first_line, 0, None, text.line(text.first_line)),
        f"It says: {' '.join(lines[:6])}" if len(lines) > 1 else "",
        'mode="python" runs the same text without Numba.',
    )


def _refused_line(error: Exception, context: pipeline.Context) -> Location | None:
    """The user's line behind the generated one that Numba names; the comment above a group of lines may hold it."""
    where = getattr(error, "loc", None)
    origins = context.origins["optimized"]
    line = getattr(where, "line", None)
    return origins[line - 1] if isinstance(line, int) and 0 < line <= len(origins) else None


def refuse_aliases(known: Specialisation, inputs: Sequence[Any]) -> None:
    """The function writes to a copy of an argument, which an argument in the same memory would not see."""
    for k in known.written:
        for j in range(len(inputs)):
            if sees_a_write(inputs, k, j):
                assert known.context is not None and known.context.program is not None
                written, shared = [known.context.program.params[n].name for n in (k, j)]
                raise aliased(written, shared)
