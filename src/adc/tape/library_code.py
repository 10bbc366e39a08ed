"""A function of a library without a rule runs by its own code on Tensors, or is refused on the user's line.

Much of NumPy and SciPy is Python that calls functions which have rules. A copy of it runs as the user's functions do,
so what it computes has a derivative, or a reason why not. What such a function asks of a function of the user's is
listened to: where the answers carry a derivative and the result does not, as that of a search, it would be lost.
"""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from adc import pytree
from adc.errors import AdcError, UnsupportedError
from adc.rules import registry
from adc.tape import record
from adc.tape.node import raised_at
from adc.tape.state import modes

__all__ = ["Asked", "by_own_code", "is_of_a_search", "may_run_by_own_code", "only_counts"]

_SEARCHES = ("scipy.optimize.", "scipy.sparse.")
_FORMULAS = (
    *("_pdf", "_logpdf", "_pmf", "_logpmf", "_cdf", "_logcdf", "_sf", "_logsf", "_ppf", "_isf"),
    *("_stats", "_entropy", "_get_support", "fit"),
)


class _Within(threading.local):
    library: bool = False


_within = _Within()


def may_run_by_own_code(function: types.FunctionType) -> bool:
    """Whether a function is one of a module, and no step of a search; a method's code calls others by its object.

    The formulas of a distribution (`scipy.stats.norm._cdf`) are methods, and call ufuncs.
    """
    holder, _, name = function.__qualname__.rpartition(".")
    if is_of_a_search(function):
        return False
    formula = name in _FORMULAS and f"{function.__module__}".startswith("scipy.stats.")
    return formula or not holder or holder.endswith("<locals>")


def is_of_a_search(function: Any) -> bool:
    """Whether what a function finds has a derivative that no step on the way to it has."""
    return f"{getattr(function, '__module__', None)}.".startswith(_SEARCHES)


def by_own_code(
    function: Callable[..., Any], copy: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What the copy of a library's function gives; what it cannot do is the user's call to change.

    An error that the function raises of plain arrays, too, is the user's, and so is one of a function given to it.
    """
    if _within.library:
        return copy(*args, **kwargs)
    _within.library = True
    try:
        return copy(*args, **kwargs)
    except AdcError as error:
        counted = only_counts(function, args, kwargs)
        if counted is not None:
            return counted
        raise _refusal(function, str(error.what)) from error
    except Exception as error:
        if raised_at(error) is not None:
            raise
        function(*record.plain(args), **record.plain(kwargs))
        raise _refusal(function, f"{type(error).__name__}: {error}") from error
    finally:
        _within.library = False


def only_counts(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a library's function gives, where that is integers and truth values alone, which move by steps; or None.

    None also where it writes to what it is given: a number of errors, beside results.
    """
    if any(map(callable, (*args, *kwargs.values()))):
        return None
    args, kwargs = record.plain(args), record.plain(kwargs)
    given = [leaf for leaf in pytree.leaves((args, kwargs)) if isinstance(leaf, np.ndarray)]
    before = [a.tobytes() for a in given]
    found = function(*args, **kwargs)
    if before != [a.tobytes() for a in given]:
        return None
    parts = found if isinstance(found, tuple) else (found,)
    counts = all(
        isinstance(v, np.ndarray | np.generic | int) and np.asarray(v).dtype.kind in "iub" for v in parts
    )
    return found if parts and counts else None


def _refusal(function: Callable[..., Any], why: str) -> UnsupportedError:
    refusal = record.no_rule(registry.spell(function))
    return UnsupportedError(
        refusal.what, refusal.location, f"And its own code is refused: {why.rstrip('.')}.", refusal.repair
    )


class Asked:
    """Functions of the user's that a library's function is given: whether one answered with a derivative."""

    def __init__(self) -> None:
        self.answered = False
        self._raised: Exception | None = None

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the library's function gives for plain arguments; an error over such an answer is a refusal."""
        heard = {k: self._heard(v) for k, v in record.plain(kwargs).items()}
        try:
            return function(*map(self._heard, record.plain(args)), **heard)
        except AdcError:
            raise
        except Exception as error:
            if error is self._raised or not self.answered:
                raise
            raise record.no_rule(registry.spell(function)) from error

    def _heard(self, value: Any) -> Any:
        if not isinstance(value, record.FUNCTIONS):
            return value

        @functools.wraps(value, updated=())
        def heard(*args: Any, **kwargs: Any) -> Any:
            try:
                answer = value(*args, **kwargs)
            except Exception as error:
                self._raised = error
                raise
            self.answered = self.answered or (modes.enabled and record.is_active(answer))
            return answer

        return heard
