"""Every refusal says what, where, why and what to do, in that order, with a caret under the expression.

An error is built from those four parts and rendered in one place, so that all of adc speaks in one form:

    model.py:12:4: adc cannot differentiate a function that writes to an object created outside it
        cache[key] = h
        ^
    The reverse sweep could not undo the write. Options: return `h`, or pass `cache` in and out.
"""

from __future__ import annotations

import os
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = [
    "AdcError",
    "ArgumentError",
    "ConfigError",
    "DerivativeError",
    "FallbackWarning",
    "GradientMismatch",
    "GraphCutError",
    "InternalError",
    "Location",
    "ResultError",
    "ShapeError",
    "SourceError",
    "UnsupportedError",
]

_WIDTH = 110  # of a line that holds the reason and the repair; longer ones take a line each

_Self = TypeVar("_Self", bound="_Report")

# Where what is made of these classes is noted down, while the tape runs a function of the user's.
listeners: ContextVar[list[Any] | None] = ContextVar("listeners", default=None)


@dataclass(frozen=True)
class Location:
    """A place in the user's source: what an error points to and what generated comments name.

    Lines count from 1, columns from 0 and in characters, as in Python's own syntax trees. `end_column` is the
    column after the expression, or the length of the line when the expression goes on beyond it; `text` is
    the line as it stands in the file.

    >>> print(Location("model.py", 3, 8, 16, "    y = x @ w[i]").quoted())
        y = x @ w[i]
            ^^^^^^^^
    """

    file: str
    line: int
    column: int
    end_column: int | None = None
    text: str = ""

    def __str__(self) -> str:
        return f"{_shown_path(self.file)}:{self.line}:{self.column}"

    def quoted(self) -> str:
        """Return the source line, indented by four, with carets under the expression.

        One caret is enough for a whole statement, where there is nothing to tell apart.
        """
        code = self.text.strip()
        if not code:
            return ""
        margin = len(self.text) - len(self.text.lstrip())
        start = max(self.column - margin, 0)
        end = len(code) if self.end_column is None else min(self.end_column - margin, len(code))
        whole_statement = start == 0 and end >= len(code.partition("  #")[0].rstrip())
        width = 1 if whole_statement or self.end_column is None else max(end - start, 1)
        # A tab before the caret must stay a tab, or the caret stands elsewhere than the expression.
        lead = "".join("\t" if character == "\t" else " " for character in code[:start])
        return f"    {code}\n    {lead}{'^' * width}"


# Where a dict is made whose keys only the run knows; with tuples of so many.
Table = tuple[Location | None, int | None]
Tables = frozenset[Table]


class _Report(Exception):
    """What, where, why, what to do: the parts of a message and their rendering.

    Parameters: `what` is the sentence that follows the location; `location` is None where there is no line of
    the user to name; `why` and `repair` are printed as whole sentences; `reproduce` is a shell command.
    """

    def __init__(
        self,
        what: str,
        location: Location | None = None,
        why: str = "",
        repair: str = "",
        *,
        reproduce: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.location = location
        self.why = why
        self.repair = repair
        self.reproduce = reproduce
        listener = listeners.get()
        if listener is not None:
            listener.append(self)

    def at(self: _Self, location: Location | None) -> _Self:
        """Give the report a location, unless it has one: the innermost place known is the right one."""
        if self.location is None:
            self.location = location
        return self

    def __str__(self) -> str:
        lines = [self.what if self.location is None else f"{self.location}: {self.what}"]
        if self.location is not None:
            lines.append(self.location.quoted())
        sentences = [_sentence(part) for part in (self.why, self.repair) if part]
        reason = " ".join(sentences)
        lines += [reason] if len(reason) <= _WIDTH else sentences
        if self.reproduce is not None:
            lines.append(f"Reproduce: {self.reproduce}")
        return "\n".join(line for line in lines if line)

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception pickles its args alone; an error crosses process boundaries whole.
        return type(self), (self.what, self.location, self.why, self.repair), {"reproduce": self.reproduce}


class AdcError(_Report):
    """The base of everything that adc raises.

    >>> place = Location("model.py", 12, 4, 18, "    cache[key] = h")
    >>> print(AdcError("adc cannot undo this write", place, "`cache` was made outside.", "Return `h`."))
    model.py:12:4: adc cannot undo this write
        cache[key] = h
        ^
    `cache` was made outside. Return `h`.
    """


class UnsupportedError(AdcError):
    """The compiler refuses a construct; with ``mode="auto"`` another engine takes the function.

    Fails: what a function leaves behind is not part of its derivative.

    >>> import adc, numpy as np
    >>> squares = []
    >>> def total(x):
    ...     squares.append(x * x)
    ...     return np.sum(squares[-1])
    >>> adc.grad(total, mode="compiled")(np.ones(3))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    UnsupportedError: ...

    Repair: return the value.

    >>> def total(x):
    ...     return np.sum(x * x)
    >>> adc.grad(total, mode="compiled")(np.ones(3))
    array([2., 2., 2.])
    """

    # The calls around what is refused, innermost first: the user's function, and where it is called.
    inside: tuple[tuple[Any, Location | None], ...] = ()
    # Where branches begin that may be why, and could go on, on each path, with the statements behind them.
    branches: frozenset[Location | None] = frozenset()
    keys_of_run: Tables = frozenset()
    too_long = False  # the program would be: so would it be for some sizes, and compiled in parts
    leaves_behind = False  # the function changes something outside it: a run of it cannot be repeated unseen


class GradientMismatch(AdcError, AssertionError):
    """A derivative disagrees with differences of the function, or forward mode with reverse mode.

    Raised by `adc.check_grads` and `adc.grad(f, check="first")`; the message names argument and element.

    Fails: a custom rule that is wrong.

    >>> import adc, numpy as np
    >>> @adc.custom_vjp
    ... def square(x):
    ...     return x * x
    >>> square.defvjp(lambda x: (x * x, x), lambda x, bar: (bar * x,))
    >>> adc.grad(lambda x: square(x), check="first")(3.0)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    GradientMismatch: ...

    Repair: the derivative of x * x is 2 * x.

    >>> square.defvjp(lambda x: (x * x, x), lambda x, bar: (bar * 2.0 * x,))
    >>> adc.grad(lambda x: square(x), check="first")(3.0)
    6.0
    """


class DerivativeError(AdcError):
    """The derivative asked for does not exist in that form.

    Fails: a gradient is that of one number, and this function returns three.

    >>> import adc, numpy as np
    >>> adc.grad(lambda x: x * x)(np.ones(3))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ResultError: ...

    Repair: reduce to a scalar, or ask for `adc.vjp` or `adc.jacobian`.

    >>> adc.grad(lambda x: np.sum(x * x))(np.ones(3))
    array([2., 2., 2.])
    """


class ArgumentError(DerivativeError, TypeError):
    """An argument has a type with respect to which nothing can be differentiated; also a `TypeError`.

    Fails: integers have no neighbourhood.

    >>> import adc, numpy as np
    >>> adc.grad(lambda x: np.sum(x * x))(np.arange(3))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ArgumentError: ...

    Repair: convert first.

    >>> adc.grad(lambda x: np.sum(x * x))(np.arange(3).astype(float))
    array([0., 2., 4.])
    """


class ResultError(DerivativeError, TypeError):
    """The result of a function is none that has the derivative asked for; also a `TypeError`.

    Fails: a gradient is that of one real number.

    >>> import adc, numpy as np
    >>> adc.grad(lambda x: (x, x))(1.0)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ResultError: ...

    Repair: return the number, or ask for `adc.jacobian`, which takes any result.

    >>> adc.grad(lambda x: x + x)(1.0)
    2.0
    """


class SourceError(AdcError):
    """The Python text of a function cannot be read, so there is nothing to transform.

    Fails: a C function without a derivative rule (`adc.grad(np.sin)` is fine: it has one).

    >>> import adc, numpy as np
    >>> adc.grad(np.random.standard_gamma)(np.ones(3))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    SourceError: ...

    Repair: a function of one's own that calls it.

    >>> adc.grad(lambda x: np.sum(x))(np.ones(3))
    array([1., 1., 1.])
    """


class ShapeError(AdcError, ValueError):
    """Shapes do not fit together, as NumPy would say at the same line; also a `ValueError`.

    Fails: three numbers and four.

    >>> import adc, numpy as np
    >>> f = adc.grad(lambda x, y: np.sum(x * y))
    >>> f(np.ones(3), np.ones(4))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ValueError: ...

    Repair: shapes that broadcast.

    >>> f(np.ones(3), np.ones((2, 3)))
    array([2., 2., 2.])
    """


class GraphCutError(AdcError, RuntimeError):
    """A conversion would cut the graph and make a derivative silently zero; also a `RuntimeError`, as PyTorch's are.

    Fails: a Tensor that requires a gradient becomes a plain number. ::

        scale = float(x.sum())          # GraphCutError
        loss = scale * y

    Repair: keep the Tensor, or say that the cut is meant. ::

        scale = x.sum()                 # differentiated
        scale = float(x.sum().detach())  # meant
    """


class ConfigError(AdcError, ValueError):
    """An ADC_* environment variable holds what adc cannot use.

    Fails: ``ADC_DEBUG=yes``. Repair: ``ADC_DEBUG=1``, a number from 0 to 4.
    """


class InternalError(AdcError):
    """A verifier found a fault in adc itself: no gradient is better than a wrong one.

    Nothing in the user's program is at fault and no repair is asked of the user: the message asks for a
    report, and carries the command that shows the fault again. Until it is fixed, ``mode="tape"`` or a
    rewording of the line named may help.

    >>> print(InternalError("`y_bar` is read before it is assigned", reproduce="ADC_DEBUG=2 python model.py"))
    `y_bar` is read before it is assigned
    This is a fault in adc, not in your program. Please report it with the lines above and the command below.
    Reproduce: ADC_DEBUG=2 python model.py
    """

    def __init__(
        self,
        what: str,
        location: Location | None = None,
        why: str = "",
        repair: str = "",
        *,
        reproduce: str | None = None,
    ) -> None:
        why = why or "This is a fault in adc, not in your program."
        repair = repair or "Please report it with the lines above and the command below."
        super().__init__(what, location, why, repair, reproduce=reproduce or _rerun_command(location))


class FallbackWarning(_Report, UserWarning):
    """The compiled engine declined and another one ran: the answer is right, and slower than it could be.

    Seen once per function with ``mode="auto"``. Repair: change the line named, or ask for the engine that
    ran, with ``mode="tape"`` or ``mode="python"``, to say that the speed is known.
    """


def _sentence(text: str) -> str:
    """The text with a capital and a full stop, so that two of them read as two.

    >>> _sentence("its length is not known"), _sentence("np.sum takes no `where`"), _sentence("Why?")
    ('Its length is not known.', 'np.sum takes no `where`.', 'Why?')
    """
    first = text.split(" ", 1)[0]
    if first.isalpha() and first.islower():
        text = text[0].upper() + text[1:]
    return text if not text or text.endswith((".", "!", "?", ":", ")")) else f"{text}."


def _shown_path(file: str) -> str:
    """Return the path as one would type it here: relative below the working directory, else as it is."""
    if not os.path.isabs(file):
        return file
    here = os.getcwd()
    try:
        inside = os.path.commonpath([here, file]) == here
    except ValueError:  # another drive
        inside = False
    return os.path.relpath(file, here) if inside else file


def _rerun_command(location: Location | None) -> str:
    script = "your_script.py" if location is None else _shown_path(location.file)
    return f"ADC_DEBUG=4 ADC_VERIFY=1 python {script}"
