"""How a derivative runs: what its `mode=` and `strict=` say, or the environment in their place."""

from __future__ import annotations

from typing import NamedTuple, get_args

from adc import config
from adc.config import Mode
from adc.errors import ArgumentError

__all__ = ["How", "how"]


class How(NamedTuple):
    """The engine that was asked for, and whether its code adds and divides as the program says."""

    mode: Mode
    strict: bool


def how(mode: Mode | None = None, strict: bool | None = None) -> How:
    """What was asked for, with the settings in force for what was not.

    Raises ArgumentError where there is no such engine, or `strict` is not a truth value.

    >>> how("tape")
    How(mode='tape', strict=False)
    """
    settings = config.current()
    mode = settings.mode if mode is None else mode
    strict = settings.strict if strict is None else strict
    if mode not in get_args(Mode):
        raise ArgumentError(f"mode={mode!r} is not one of {', '.join(get_args(Mode))}")
    if not isinstance(strict, bool):
        raise ArgumentError(f"strict={strict!r} is not True or False")
    return How(mode, strict)
