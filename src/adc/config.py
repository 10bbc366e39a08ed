"""Each ADC_* variable is read once, here, into one frozen object.

===============  ==============================================================================================
ADC_DEBUG      0 to 4, one ladder: 1 prints the generated source, 2 the IR after each stage that changed it,
               3 the analyses, 4 every rewrite
ADC_DUMP       a directory: each stage writes its program to a numbered file there
ADC_CACHE_DIR  where generated modules and their machine code are kept; by default the user's cache directory
ADC_MODE       the default of `mode=`: auto, compiled, python or tape
ADC_STRICT     1 is the default of `strict=`: compiled code adds and divides as the program says
ADC_VERIFY     1 checks the IR after every stage
ADC_KEEP_MEMORY  megabytes of freed memory that malloc may keep for the next call (256; 0 leaves malloc alone)
===============  ==============================================================================================
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

from adc.errors import ConfigError

__all__ = ["Config", "Mode", "current", "from_environment", "overridden"]

Mode = Literal["auto", "compiled", "python", "tape"]


@dataclass(frozen=True)
class Config:
    """The settings in force; see the table above for what each means."""

    debug: int
    dump: Path | None
    cache_dir: Path
    mode: Mode
    verify: bool
    strict: bool = False
    keep_memory: int = 256  # megabytes of freed memory that malloc may hold


def from_environment(environment: Mapping[str, str]) -> Config:
    """Read the settings from a mapping of environment variables.

    >>> from_environment({"ADC_DEBUG": "2", "ADC_CACHE_DIR": "/tmp/adc"}).debug
    2

    Raises ConfigError (a ValueError) naming the variable and what it may hold.
    """
    dump = environment.get("ADC_DUMP")
    cache_dir = environment.get("ADC_CACHE_DIR")
    return Config(
        debug=int(_one_of(environment, "ADC_DEBUG", ("0", "1", "2", "3", "4"))),
        dump=Path(dump) if dump else None,
        cache_dir=Path(cache_dir) if cache_dir else _user_cache(environment),
        mode=cast(Mode, _one_of(environment, "ADC_MODE", get_args(Mode))),
        verify=_one_of(environment, "ADC_VERIFY", ("0", "1")) == "1",
        strict=_one_of(environment, "ADC_STRICT", ("0", "1")) == "1",
        keep_memory=_megabytes(environment, "ADC_KEEP_MEMORY", 256),
    )


def current() -> Config:
    """Return the settings in force: those of the environment at the first call, unless `overridden`."""
    global _current
    if _current is None:
        _current = from_environment(os.environ)
    return _current


@contextmanager
def overridden(**changes: Any) -> Iterator[Config]:
    """Change some settings for the length of a `with` block; for tests.

    >>> with overridden(debug=3):
    ...     current().debug
    3
    """
    global _current
    before = current()
    _current = replace(before, **changes)
    try:
        yield _current
    finally:
        _current = before


_current: Config | None = None


def _one_of(environment: Mapping[str, str], variable: str, allowed: tuple[str, ...]) -> str:
    value = environment.get(variable) or allowed[0]
    if value not in allowed:
        raise ConfigError(
            f"the environment variable {variable} is {value!r}",
            why=f"It may be one of {', '.join(allowed)}.",
            repair=f"Unset it, or set it, as in `{variable}={allowed[-1]}`.",
        )
    return value


def _megabytes(environment: Mapping[str, str], variable: str, default: int) -> int:
    value = environment.get(variable) or str(default)
    if not value.isdecimal():
        raise ConfigError(
            f"the environment variable {variable} is {value!r}",
            why="It is a number of megabytes.",
            repair=f"Unset it, or set it as in: {variable}={default}",
        )
    return int(value)


def _user_cache(environment: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        base = Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "adc"
