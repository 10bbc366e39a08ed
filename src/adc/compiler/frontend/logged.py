"""What is logged, and what `warnings.warn` says, is printed: generated code has neither loggers nor warnings.

    logger.warning("step %d failed", k)         print(('WARNING:app:', ('step ', k, ' failed')))

What the logger does not let through, when the derivative is made, is left out.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adc.compiler.frontend import texts
from adc.compiler.frontend.frame import Evaluated
from adc.compiler.frontend.values import Value

if TYPE_CHECKING:
    from adc.compiler.frontend.calls import Calls
    from adc.compiler.frontend.core import Core

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "exception": logging.ERROR,
    "critical": logging.CRITICAL,
    "fatal": logging.CRITICAL,
}


def method(ev: Core, logger: Value, word: str) -> Value | None:
    """The method by which a logger is given a message, or asked whether it takes any; None of others."""
    if not isinstance(logger, logging.Logger) or word not in (*_LEVELS, "log", "isEnabledFor"):
        return None
    return Evaluated(lambda *args, **kwargs: _called(ev, logger, word, args, kwargs))


def _called(
    ev: Core, logger: logging.Logger, word: str, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """A call of such a method. What it is told of exceptions and places is left out."""
    if word == "isEnabledFor":
        return ev.now(logger.isEnabledFor, list(args), kwargs)
    level, *rest = args if word == "log" else (_LEVELS[word], *args)
    if not isinstance(level, int) or not rest:
        raise ev.refuse("a message is logged at a level that is not known now", repair="name the level")
    if not logger.isEnabledFor(level):
        return None
    text, *given = rest
    if isinstance(text, str) and given:
        values = tuple(given)
        text = text % values if ev.is_static(values) else texts.by_percent(ev, text, values)
    return ev.call(print, [texts.joined(ev, f"{logging.getLevelName(level)}:{logger.name}:", text)], {})


def _of_root(word: str) -> Callable[..., Value]:
    def of_root(self: Calls, *args: Value, **kwargs: Value) -> Value:
        return _called(self, logging.getLogger(), word, args, kwargs)

    return of_root


def _warn(self: Calls, message: Value, category: Value = UserWarning, *_: Value, **options: Value) -> Value:
    kind: Any = type(message) if isinstance(message, Warning) else category or UserWarning
    said = str(message) if isinstance(message, Warning) else message
    return self.call(print, [texts.joined(self, f"{kind.__name__}: ", said)], {})


TABLE: dict[Any, Callable[..., Value]] = {
    warnings.warn: _warn,
    **{getattr(logging, word): _of_root(word) for word in (*_LEVELS, "log")},
    logging.getLogger: lambda self, *args: self.now(logging.getLogger, list(args), {}),
}
