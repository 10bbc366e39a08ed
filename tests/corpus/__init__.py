"""Small programs, one construct each: what a person may write, with inputs to run it on.

`tests/test_corpus.py` runs every program on every engine. A program is an ordinary function; `@program` gives it
inputs and puts it on the list. Adding one is adding a function here.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Inputs = Callable[[np.random.Generator], tuple[Any, ...]]


@dataclass(frozen=True, eq=False)
class Program:
    """A function, its inputs, and what is special about it."""

    function: Callable[..., Any]
    inputs: Inputs
    argnums: tuple[int, ...]
    tolerance: float = 1e-6
    refused: dict[str, str] = field(default_factory=dict)  # mode -> why this engine refuses it, loudly
    slow: bool = False

    @property
    def feature(self) -> str:
        return self.function.__module__.rpartition(".")[2]

    @property
    def name(self) -> str:
        return f"{self.feature}.{self.function.__name__}"

    def arguments(self) -> tuple[Any, ...]:
        """The inputs, made anew: the same numbers and layouts in memory at every call."""
        return self.inputs(np.random.default_rng(zlib.crc32(self.name.encode())))


PROGRAMS: dict[str, Program] = {}


def program(
    inputs: Inputs,
    argnums: tuple[int, ...] | None = None,
    *,
    tolerance: float = 1e-6,
    refused: dict[str, str] | None = None,
    slow: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function on the list. `argnums`: what to differentiate, by default all that hold floats."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        example = inputs(np.random.default_rng(0))
        chosen = argnums if argnums is not None else tuple(k for k, a in enumerate(example) if _has_floats(a))
        found = Program(function, inputs, chosen, tolerance, refused or {}, slow)
        assert found.name not in PROGRAMS or inspect.getsourcefile(function) == inspect.getsourcefile(
            PROGRAMS[found.name].function
        ), f"two programs are called {found.name}"
        PROGRAMS[found.name] = found
        return function

    return register


def _has_floats(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_has_floats(v) for v in value)
    if isinstance(value, dict):
        return all(_has_floats(v) for v in value.values())
    return isinstance(value, (float, np.floating)) or (
        isinstance(value, np.ndarray) and value.dtype.kind == "f"
    )


def all_programs() -> list[Program]:
    """Every program of every file in this folder, by feature."""
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        importlib.import_module(f"{__name__}.{module.name}")
    return sorted(PROGRAMS.values(), key=lambda p: p.name)
