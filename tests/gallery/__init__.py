"""Short functions of many kinds, each with the adjoint that adc writes for it, kept as a golden file.

`tests/test_gallery.py` compares the generated texts with tests/golden/gallery and runs each text by itself;
`docs/gallery.md` shows function and adjoint one above the other. Adding one is adding a function here.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True, eq=False)
class Entry:
    """A function of the gallery, arguments to show it with, and what to differentiate."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    argnums: int | tuple[int, ...]

    @property
    def name(self) -> str:
        return self.function.__name__


ENTRIES: dict[str, list[Entry]] = {}


def shown(
    *arguments: Any, argnums: int | tuple[int, ...] = 0
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function into the gallery, with arguments that it is shown for."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        entries = ENTRIES.setdefault(function.__module__.rpartition(".")[2], [])
        if all(e.name != function.__name__ for e in entries):
            entries.append(Entry(function, arguments, argnums))
        return function

    return register


def rooms() -> list[tuple[ModuleType, list[Entry]]]:
    """The files of the gallery in the order of their names, each with its functions from top to bottom."""
    modules = [
        importlib.import_module(f"{__name__}.{m.name}")
        for m in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name)
    ]
    return [(m, ENTRIES[m.__name__.rpartition(".")[2]]) for m in modules]
